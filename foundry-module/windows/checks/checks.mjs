import { api } from "../../api.mjs";
import { format, localize } from "../../i18n.mjs";
import { words } from "../../service/causes.mjs";
import { isRefusal } from "../notice.mjs";

/**
 * @import { Checked } from "../../verify/verifying.mjs"
 * @typedef {{busy: true}|{trouble: string}|{checked: Checked & {seedKnown: boolean}}} Check
 */

const MOST_NAMED = 50;

/** What became of the sessions whose dice were checked in this window. */
export class Checks {
  /** @type {Map<string, Check>} */
  #bySession = new Map();

  /**
   * Check a session's dice.
   * @param {string} session
   * @param {() => Promise<unknown>} draw   Called when the checking begins, and when it is done.
   */
  async check(session, draw) {
    const before = this.#bySession.get(session);
    if (before && "busy" in before) return;
    this.#bySession.set(session, { busy: true });
    await draw();
    try {
      this.#bySession.set(session, { checked: await api.checkSession(session) });
    } catch (error) {
      this.#bySession.delete(session);
      if (!isRefusal(error)) throw error;
      this.#bySession.set(session, { trouble: words(error) });
    }
    await draw();
  }

  /**
   * What is said of a session's check; null where there was none.
   * @param {string} session
   */
  shown(session) {
    const found = this.#bySession.get(session);
    if (!found) return null;
    if ("busy" in found) return { state: "busy", mark: "…", headline: localize("TALLYBONES.Check.Busy") };
    if ("trouble" in found) return { state: "trouble", mark: "", headline: found.trouble };
    if (!found.checked.seedKnown) return { state: "trouble", mark: "", headline: localize("TALLYBONES.Check.NoSeed") };
    return checkShown(found.checked);
  }
}

/** @param {Checked} checked */
function checkShown({ rolls, dice, unchecked, alone, deleted, hiddenDeleted, unresolved, hiddenUnresolved, findings }) {
  const bad = findings.length;
  const others = unchecked - alone;
  const counts = { rolls, dice, unchecked: others, alone, number: bad };
  /** @param {string} name @param {number[]} numbers */
  const numbered = (name, numbers) => numbers.length ? format(`TALLYBONES.Check.${name}`, { numbers: numbers.join(", ") }) : "";
  const details = [
    format("TALLYBONES.Check.Counted", counts),
    others ? format(others === 1 ? "TALLYBONES.Check.UncheckedOne" : "TALLYBONES.Check.Unchecked", counts) : "",
    alone ? format(alone === 1 ? "TALLYBONES.Check.AloneOne" : "TALLYBONES.Check.Alone", counts) : "",
    numbered("Deleted", deleted),
    numbered("DeletedHidden", hiddenDeleted),
    numbered("Unresolved", unresolved),
    numbered("UnresolvedHidden", hiddenUnresolved),
  ];
  return {
    state: bad ? "bad" : "good",
    mark: bad ? "✗" : "✓",
    headline: bad ? format(bad === 1 ? "TALLYBONES.Check.BadOne" : "TALLYBONES.Check.Bad", counts) : localize("TALLYBONES.Check.Good"),
    details: details.filter(Boolean).join(" "),
    findings: findings.slice(0, MOST_NAMED).map(({ fault, says }) => ({ fault: localize(`TALLYBONES.Check.Fault.${fault}`), says })),
  };
}
