import { format, localize } from "../../i18n.mjs";

/**
 * What the GM's window says of sessions, rolls and players.
 * @import { PairedPlayer, RollRecord, Session } from "../../api.mjs"
 */

const STATES = {
  revoked: "fa-solid fa-ban",
  here: "fa-solid fa-circle-check",
  paired: "fa-regular fa-circle-check",
  unpaired: "fa-regular fa-circle",
};

const MARKS = /** @type {Record<string, string>} */ ({
  "critical-success": "★",
  success: "✓",
  "automatic-success": "✓",
  tie: "=",
  failure: "✗",
  "automatic-failure": "✗",
  "critical-failure": "✖",
});

/**
 * A time in the user's own way of writing it.
 * @param {string} time   ISO 8601.
 * @returns {string}
 */
export function moment(time) {
  const written = new Intl.DateTimeFormat(game.i18n.lang, { dateStyle: "medium", timeStyle: "short" });
  return written.format(new Date(time));
}

/** @param {Session} session */
export function sessionShown({ id, title, started_at: start, ended_at: end, rolls }) {
  return {
    id,
    open: end === null,
    title: title ?? format("TALLYBONES.GM.SessionOf", { date: moment(start) }),
    since: title ? moment(start) : end ? format("TALLYBONES.GM.Until", { date: moment(end) }) : localize("TALLYBONES.GM.OpenNow"),
    count: format(rolls === 1 ? "TALLYBONES.GM.RollCountOne" : "TALLYBONES.GM.RollCount", { count: rolls }),
  };
}

/** @param {RollRecord} roll */
export function rollShown(roll) {
  const { outcome, target, target_label: targetLabel } = /** @type {RollRecord & {target_label?: string}} */ (roll);
  const points = roll.total ?? roll.successes;
  const against = target === null ? "" : ` · ${targetLabel ?? localize("TALLYBONES.GM.Target")} ${target}`;
  const state = roll.status === "resolved" ? "" : localize(`TALLYBONES.GM.Status.${roll.status}`);
  return {
    title: roll.label ?? roll.title,
    who: roll.actor?.name ?? roll.user_name ?? game.users.get(roll.user)?.name ?? roll.user,
    when: moment(roll.created_at),
    seen: roll.visibility === "public" ? "" : localize(`TALLYBONES.Visibility.${roll.visibility}.label`),
    outcome: outcome ?? "none",
    mark: MARKS[outcome ?? ""] ?? "…",
    result: state || [outcome && localize(`TALLYBONES.Outcome.${outcome}`), points === null || points === undefined ? "" : `${points}${against}`].filter(Boolean).join(" · "),
    text: roll.card?.text ?? "",
  };
}

/** @param {PairedPlayer} player */
export function playerShown({ user, name, paired, revoked, active }) {
  const state = revoked ? "revoked" : paired ? (active ? "here" : "paired") : "unpaired";
  return {
    user,
    name,
    state,
    icon: STATES[state],
    stateText: localize(`TALLYBONES.GM.Player.${state}`),
    canMint: game.users.has(user) && (active || revoked),
    mintText: localize(revoked || paired ? "TALLYBONES.GM.Renew" : "TALLYBONES.GM.Mint"),
    canRevoke: !revoked,
  };
}
