import { api } from "../../api.mjs";
import { localize } from "../../i18n.mjs";
import { actorOptions, allOr, userOptions } from "../choices.mjs";
import { saveAs } from "../saving.mjs";
import { readOn } from "./pages.mjs";

/**
 * @import { HistoryFilters, RollRecord, Session } from "../../api.mjs"
 * @import { RuleSetDescription } from "../../forms/description.mjs"
 * @typedef {"session"|"user"|"actor"|"action"|"outcome"|"since"|"until"} FilterName
 */

/** @type {FilterName[]} */
const DATES = ["since", "until"];
const OUTCOMES = ["critical-success", "success", "failure", "critical-failure", "tie", "automatic-success", "automatic-failure"];
const PAGE = 30;

/** The rolls of a campaign as far as they were read, and by what they are chosen. */
export class History {
  /** @type {Partial<Record<FilterName, string>>} */
  chosen = {};
  /** @type {RollRecord[]} */
  rolls = [];
  /** @type {string|null} */
  #next = null;
  #turn = 0;

  /** Whether there are older rolls. */
  get more() {
    return this.#next !== null;
  }

  /** What is asked of the service; a day begins and ends at this browser's midnight. @returns {HistoryFilters} */
  get filters() {
    const filters = /** @type {Record<string, string>} */ ({});
    for (const [name, value] of Object.entries(this.chosen)) {
      if (value) filters[name] = DATES.includes(/** @type {FilterName} */ (name)) ? midnight(value, name === "until") : value;
    }
    return filters;
  }

  /** Read the newest rolls that fit. */
  async read() {
    await this.#page(undefined);
  }

  /** Read older ones too. */
  async readMore() {
    if (this.#next) await this.#page(this.#next);
  }

  /** @param {string|undefined} cursor */
  async #page(cursor) {
    const turn = ++this.#turn;
    const { filters } = this;
    const page = await readOn(async (from) => {
      if (turn !== this.#turn) return { rolls: [], next_cursor: null };
      return api.history({ ...filters, limit: PAGE, ...(from ? { cursor: from } : {}) });
    }, cursor);
    if (turn !== this.#turn) return;
    this.rolls = cursor ? [...this.rolls, ...page.rolls] : page.rolls;
    this.#next = page.next_cursor;
  }

  /** Save all that fit as a file. */
  async save() {
    const written = await api.exportHistory(this.filters, "csv");
    // A spreadsheet tells by the mark that it is UTF-8; reading the answer as text has taken it away.
    saveAs(new Blob(["\ufeff", written], { type: "text/csv" }), `tallybones-${new Date().toISOString().slice(0, 10)}.csv`);
  }

  /**
   * The filters, as the template draws them.
   * @param {string} id
   * @param {RuleSetDescription|null} ruleset
   * @param {readonly Session[]} sessions
   * @param {(session: Session) => string} named
   */
  controls(id, ruleset, sessions, named) {
    return [
      this.#select(id, "session", sessions.map((session) => ({ value: session.id, label: named(session) }))),
      this.#select(id, "user", userOptions()),
      this.#select(id, "actor", actorOptions(this.rolls)),
      this.#select(id, "action", (ruleset?.actions ?? []).map(({ name, title }) => ({ value: name, label: title }))),
      this.#select(id, "outcome", OUTCOMES.map((name) => ({ value: name, label: localize(`TALLYBONES.Outcome.${name}`) }))),
      ...DATES.map((name) => ({
        id: `${id}-filter-${name}`,
        name,
        label: localize(`TALLYBONES.GM.Filter.${name}`),
        isDate: true,
        value: this.chosen[name] ?? "",
      })),
    ];
  }

  /**
   * @param {string} id
   * @param {FilterName} name
   * @param {Array<{value: string, label: string}>} options
   */
  #select(id, name, options) {
    return {
      id: `${id}-filter-${name}`,
      name,
      label: localize(`TALLYBONES.GM.Filter.${name}`),
      options: allOr(options, this.chosen[name]),
    };
  }
}

/**
 * @param {string} day    As a date field gives it, 2030-05-17.
 * @param {boolean} after  The end of the day instead of its start.
 * @returns {string}
 */
function midnight(day, after) {
  const start = new Date(`${day}T00:00:00`);
  if (after) start.setDate(start.getDate() + 1);
  return start.toISOString();
}
