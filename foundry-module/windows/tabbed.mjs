import { api } from "../api.mjs";
import { EVENTS } from "../const.mjs";
import { format, localize } from "../i18n.mjs";
import { words } from "../service/causes.mjs";
import { Checks } from "./checks/checks.mjs";
import { sessionShown } from "./gm/shown.mjs";
import { light } from "./light.mjs";
import { isRefusal } from "./notice.mjs";
import { reportActions } from "./reports/actions.mjs";
import { Reports } from "./reports/reports.mjs";
import { SingleWindow } from "./single.mjs";
import { TEMPLATES } from "./window.mjs";

/**
 * @import { ReportListed, Session } from "../api.mjs"
 * @import { RuleSetDescription } from "../forms/description.mjs"
 * @import { CloseOptions, DrawOptions, Drawn, Options, Shown } from "./window.mjs"
 */

const LATER = 400;
/** How often an unfinished report is asked for, should the stream not tell. */
const ASK_AGAIN = 4000;

/** The templates with which sessions and their checks are drawn. */
export const CHECK_TEMPLATES = ["past", "check", "commitment"].map((name) => `${TEMPLATES}/windows/checks/${name}.hbs`);
/** The parts of a tab with reports. */
export const REPORT_TEMPLATES = ["ask", "list", "report"].map((name) => `${TEMPLATES}/windows/reports/${name}.hbs`);

/** A window on the campaign, in tabs: each reads what it shows when it comes to the front. */
export class TabbedWindow extends SingleWindow {
  /**
   * @override
   * @type {Options}
   */
  static DEFAULT_OPTIONS = {
    tag: "form",
    actions: {
      showTab: TabbedWindow.#onShowTab,
      moreSessions: TabbedWindow.#onMoreSessions,
      checkDice: TabbedWindow.#onCheckDice,
      openConnect: TabbedWindow.#onOpenConnect,
      ...reportActions,
    },
  };

  /** The tabs by name, each with its icon; the first is in front at first. @returns {Record<string, string>} */
  get tabs() {
    return {};
  }

  /** @param {string} name */
  tabLabel(name) {
    return localize(`TALLYBONES.GM.Tab.${name}`);
  }

  tab = Object.keys(this.tabs)[0] ?? "";
  /** Why the tab could not be read. */
  trouble = "";
  /** @type {Session[]} */
  sessions = [];
  /** @type {string|null} */
  nextSessions = null;
  /** @type {RuleSetDescription|null} */
  ruleset = null;
  checks = new Checks();
  reports = new Reports();
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  #later;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  #again;

  /**
   * @override
   * @returns {Promise<Shown>}
   */
  async _prepareContext() {
    const sessions = this.sessions.map((session) => this.#sessionShown(session));
    const named = (/** @type {Session} */ session) => sessionShown(session).title;
    return {
      id: this.id,
      light: light(),
      trouble: this.trouble,
      title: this.title,
      tabs: Object.entries(this.tabs).map(([name, icon]) => ({
        name,
        icon,
        id: `${this.id}-tab-${name}`,
        panel: `${this.id}-panel-${name}`,
        label: this.tabLabel(name),
        selected: String(name === this.tab),
        tabindex: name === this.tab ? 0 : -1,
      })),
      shown: { [this.tab]: true },
      current: sessions.find(({ open }) => open),
      past: sessions.filter(({ open }) => !open),
      moreSessions: this.nextSessions !== null,
      reports: this.reports.shown(this.id, this.ruleset, this.sessions, named),
    };
  }

  /** @param {Session} session */
  #sessionShown(session) {
    const shown = sessionShown(session);
    return {
      ...shown,
      commitment: session.commitment,
      hiddenCommitment: session.hidden_commitment ?? "",
      checkLabel: format("TALLYBONES.Check.ButtonFor", { title: shown.title }),
      check: this.checks.shown(session.id),
    };
  }

  /**
   * @override
   * @param {Drawn} context
   * @param {DrawOptions} options
   */
  async _onFirstRender(context, options) {
    await super._onFirstRender(context, options);
    this.element.addEventListener("submit", (event) => event.preventDefault());
    this.element.addEventListener("change", (event) => this._onChange(event));
    for (const hook of [EVENTS.status, EVENTS.session, EVENTS.roll]) this.watch(hook, () => this.readLater());
    this.watch(EVENTS.report, (/** @type {ReportListed} */ told) => void this.#onReport(told));
    void this.read(); // Not awaited: a window draws one thing after the other, and this draws again.
  }

  /** Rolls come in bursts: read once for all of them. A report does not change with them. */
  readLater() {
    if (this.tab === "reports") return;
    clearTimeout(this.#later);
    this.#later = setTimeout(() => this.rendered && void this.read(), LATER);
  }

  /**
   * @override
   * @param {CloseOptions} options
   */
  _onClose(options) {
    clearTimeout(this.#later);
    clearTimeout(this.#again);
    this.reports.letGo();
    super._onClose(options);
  }

  /** Read what the tab shows, and draw it. */
  async read() {
    if (!api.status().ruleset) return;
    await this.attempt(async () => {
      this.ruleset ??= await api.description();
      await this.readTab();
      if (this.tab === "sessions" || this.sessions.length === 0) {
        const page = await api.sessions();
        this.sessions = page.sessions;
        this.nextSessions = page.next_cursor;
      }
    });
    this.#askAgain();
  }

  /** Read what the tab in front shows, but for the sessions. */
  async readTab() {
    if (this.tab === "reports") await this.reports.read();
  }

  /** @param {ReportListed} told */
  async #onReport(told) {
    if (this.tab === "reports") await this.attempt(() => this.reports.told(told));
  }

  /** The stream tells of a report's progress; where it does not come through, asking does. */
  #askAgain() {
    clearTimeout(this.#again);
    if (this.tab !== "reports" || !this.reports.unfinished) return;
    this.#again = setTimeout(() => this.rendered && void this.read(), ASK_AGAIN);
  }

  /**
   * Do something with the service, and draw what came of it: the tab in front, and the light.
   * @param {() => Promise<unknown>} step
   * @returns {Promise<boolean>}  False where it could not be done; the tab then says why.
   */
  async attempt(step) {
    this.trouble = "";
    try {
      await step();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.trouble = words(error);
    }
    await this.drawTab();
    return this.trouble === "";
  }

  async drawTab() {
    if (this.rendered) await this.render({ parts: ["nav", this.tab] });
  }

  /** @param {string} tab */
  async show(tab) {
    this.tab = tab;
    await this.render();
    /** @type {HTMLElement|null} */ (this.element.querySelector(`[data-to=${tab}]`))?.focus();
    await this.read();
  }

  /**
   * Arrows go from tab to tab, as everywhere.
   * @override
   * @param {KeyboardEvent} event
   */
  _onKeyDown(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step && event.target instanceof HTMLElement && event.target.role === "tab") {
      const names = Object.keys(this.tabs);
      const next = names[(names.indexOf(this.tab) + step + names.length) % names.length];
      if (next) void this.show(next);
      return;
    }
    super._onKeyDown(event);
  }

  /**
   * Something was chosen.
   * @param {Event} event
   */
  _onChange(event) {
    const control = event.target;
    const isOurs = control instanceof HTMLInputElement || control instanceof HTMLSelectElement;
    if (isOurs && control.closest("[data-report-wish]")) this.reports.choose(control);
  }

  /**
   * @this {TabbedWindow}
   * @param {Event} _event
   * @param {HTMLElement} button
   */
  static async #onShowTab(_event, button) {
    await this.show(button.dataset["to"] ?? "");
  }

  /** @this {TabbedWindow} */
  static async #onMoreSessions() {
    await this.attempt(async () => {
      const page = await api.sessions(this.nextSessions ?? undefined);
      this.sessions = [...this.sessions, ...page.sessions];
      this.nextSessions = page.next_cursor;
    });
  }

  /**
   * @this {TabbedWindow}
   * @param {Event} _event
   * @param {HTMLElement} button
   */
  static async #onCheckDice(_event, button) {
    await this.checks.check(button.dataset["session"] ?? "", () => this.drawTab());
  }

  static async #onOpenConnect() {
    const { ConnectWindow } = await import("./connect/connect.mjs");
    await ConnectWindow.show();
  }
}
