import { api } from "../../api.mjs";
import { localize } from "../../i18n.mjs";
import { isOwn } from "../../settings/user.mjs";
import { actorOptions, allOr, userOptions } from "../choices.mjs";
import { openAlone, saveAs } from "../saving.mjs";
import { listedShown, reportShown } from "./shown.mjs";

/**
 * @import { Report, ReportListed, ReportWish, Session } from "../../api.mjs"
 * @import { RuleSetDescription } from "../../forms/description.mjs"
 * @typedef {"user"|"actor"|"action"} WishName
 */

/** The reports that this user may read, what the next one is to be about, and the one that is shown. */
export class Reports {
  /** @type {Partial<Record<WishName, string>>} */
  #chosen = {};
  /** @type {Set<string>} */
  #sessions = new Set();
  /** @type {ReportListed[]} */
  #list = [];
  /** @type {Report|null} */
  #shown = null;
  /** Where the plots of the one that is shown lie in this page's memory, by name. @type {Map<string, string>} */
  #drawings = new Map();
  /** The one that was asked for here: it is shown when it is done. */
  #awaited = "";

  /** Whether one of them is still being made. */
  get unfinished() {
    return this.#list.some(({ status }) => status === "queued" || status === "working");
  }

  /** Read the list, and the report that was waited for. */
  async read() {
    this.#list = await api.reports();
    await this.#openAwaited();
  }

  /** The stream has told of a report. @param {ReportListed} report */
  async told(report) {
    const known = this.#list.some(({ id }) => id === report.id);
    this.#list = known ? this.#list.map((each) => (each.id === report.id ? report : each)) : [report, ...this.#list];
    await this.#openAwaited();
  }

  async #openAwaited() {
    const awaited = this.#list.find(({ id }) => id === this.#awaited);
    if (awaited?.status === "done") await this.open(awaited.id);
    else if (awaited?.status === "failed") this.#awaited = "";
  }

  /** A filter was chosen. @param {HTMLInputElement|HTMLSelectElement} control */
  choose(control) {
    if (control.name !== "sessions") {
      this.#chosen[/** @type {WishName} */ (control.name)] = control.value;
    } else if (/** @type {HTMLInputElement} */ (control).checked) {
      this.#sessions.add(control.value);
    } else {
      this.#sessions.delete(control.value);
    }
  }

  /** Ask for a report of what was chosen. */
  async ask() {
    const chosen = Object.fromEntries(Object.entries(this.#chosen).filter(([, value]) => value));
    const { id } = await api.askReport({ ...chosen, ...(this.#sessions.size ? { sessions: [...this.#sessions] } : {}) });
    this.#awaited = id;
  }

  /** Have the one that is shown made for everybody, of public rolls only; its card comes when it is done (GM). */
  async publish() {
    if (!this.#shown) return;
    const about = Object.entries(this.#shown.about).filter(([, value]) => value !== null);
    const { id } = await api.askReport({ .../** @type {ReportWish} */ (Object.fromEntries(about)), publish: true });
    this.letGo();
    this.#awaited = id;
  }

  /** @param {string} id */
  async open(id) {
    const report = await api.report(id);
    const drawn = await Promise.all(report.plots.map(async ({ name }) => /** @type {const} */ ([name, await api.reportFile(id, "svg", name)])));
    this.letGo();
    this.#shown = report;
    this.#drawings = new Map(drawn.map(([name, drawing]) => [name, URL.createObjectURL(drawing)]));
  }

  /** Back to the list. */
  letGo() {
    for (const drawing of this.#drawings.values()) URL.revokeObjectURL(drawing);
    this.#drawings.clear();
    this.#shown = null;
    this.#awaited = "";
  }

  /** @param {string} id */
  async remove(id) {
    await api.deleteReport(id);
    if (this.#shown?.id === id) this.letGo();
  }

  /** Open the page of the one that is shown in a tab of its own. */
  async openPage() {
    if (this.#shown) openAlone(await (await api.reportFile(this.#shown.id, "html")).text());
  }

  /**
   * Save the one that is shown.
   * @param {"html"|"csv"|"png"} kind
   * @param {string} [plot]
   */
  async save(kind, plot) {
    if (!this.#shown) return;
    const { id } = this.#shown;
    saveAs(await api.reportFile(id, kind, plot), `tallybones-${id}${plot ? `-${plot}` : ""}.${kind}`);
  }

  /**
   * What the templates draw.
   * @param {string} id
   * @param {RuleSetDescription|null} ruleset
   * @param {readonly Session[]} sessions
   * @param {(session: Session) => string} named
   */
  shown(id, ruleset, sessions, named) {
    const isGM = api.status().role === "gm";
    const actions = (ruleset?.actions ?? []).map(({ name, title }) => ({ value: name, label: title }));
    const actors = actorOptions([], isGM);
    const select = (/** @type {WishName} */ name, /** @type {Array<{value: string, label: string}>} */ options) => ({
      id: `${id}-wish-${name}`,
      name,
      label: localize(`TALLYBONES.GM.Filter.${name}`),
      options: allOr(options, this.#chosen[name]),
    });
    return {
      id,
      intro: localize(isGM ? "TALLYBONES.Report.IntroGM" : "TALLYBONES.Report.IntroPlayer"),
      selects: [...(isGM ? [select("user", userOptions())] : []), select("actor", actors), select("action", actions)],
      sessions: sessions.map((session) => ({ id: session.id, label: named(session), checked: this.#sessions.has(session.id) })),
      list: this.#list.map((report) => ({ ...listedShown(report, ruleset, actors), isOwn: isOwn(report.user) })),
      report: this.#shown && {
        ...reportShown(this.#shown, this.#drawings),
        id: this.#shown.id,
        canPublish: isGM && !this.#shown.published,
        isOwn: isOwn(this.#shown.user),
      },
    };
  }
}
