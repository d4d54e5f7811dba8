import { api } from "../../api.mjs";
import { EVENTS } from "../../const.mjs";
import { controlsOf, entriesOf, paramsOf, readEntries } from "../../forms/entries.mjs";
import { errorsByPath, markErrors } from "../../forms/errors.mjs";
import { controlsFor } from "../../forms/model.mjs";
import { format, localize } from "../../i18n.mjs";
import { words } from "../../service/causes.mjs";
import { ServiceProblem } from "../../service/errors.mjs";
import { light } from "../light.mjs";
import { isRefusal, tell } from "../notice.mjs";
import { SingleWindow } from "../single.mjs";
import { FIELD_TEMPLATES, TEMPLATES } from "../window.mjs";
import { History } from "./history.mjs";
import { playerShown, rollShown, sessionShown } from "./shown.mjs";

/**
 * @import { PairedPlayer, Session } from "../../api.mjs"
 * @import { CloseOptions, DrawOptions, Drawn, Options, Shown } from "../window.mjs"
 * @import { RuleSetDescription } from "../../forms/description.mjs"
 * @import { FilterName } from "./history.mjs"
 * @typedef {"sessions"|"history"|"players"|"rules"} Tab
 */

/** @type {Record<Tab, string>} */
const TABS = {
  sessions: "fa-solid fa-calendar-days",
  history: "fa-solid fa-list",
  players: "fa-solid fa-users",
  rules: "fa-solid fa-scale-balanced",
};
const LATER = 400;

/** Sessions, history, players and house rules: what the GM looks after. */
export class GMWindow extends SingleWindow {
  /**
   * @override
   * @type {Options}
   */
  static DEFAULT_OPTIONS = {
    id: "tallybones-gm",
    classes: ["tallybones-gm"],
    tag: "form",
    position: { width: 640, height: 600 },
    window: { icon: "fa-solid fa-book-open", title: "TALLYBONES.GM.Title" },
    actions: {
      showTab: GMWindow.#onShowTab,
      startSession: GMWindow.#onStartSession,
      endSession: GMWindow.#onEndSession,
      moreSessions: GMWindow.#onMoreSessions,
      showHistory: GMWindow.#onShowHistory,
      moreRolls: GMWindow.#onMoreRolls,
      exportCsv: GMWindow.#onExport,
      mint: GMWindow.#onMint,
      revoke: GMWindow.#onRevoke,
      openConnect: GMWindow.#onOpenConnect,
    },
  };

  /** @override */
  static PARTS = {
    nav: { template: `${TEMPLATES}/windows/gm/nav.hbs` },
    sessions: { template: `${TEMPLATES}/windows/gm/sessions.hbs`, scrollable: [""] },
    history: { template: `${TEMPLATES}/windows/gm/history.hbs`, scrollable: [".tallybones-rolls"] },
    players: { template: `${TEMPLATES}/windows/gm/players.hbs`, scrollable: [""] },
    rules: { template: `${TEMPLATES}/windows/gm/rules.hbs`, templates: FIELD_TEMPLATES, scrollable: [""] },
  };

  /** @type {Tab} */
  #tab = "sessions";
  /** @type {Session[]} */
  #sessions = [];
  /** @type {string|null} */
  #moreSessions = null;
  /** @type {PairedPlayer[]} */
  #players = [];
  #history = new History();
  /** @type {RuleSetDescription|null} */
  #ruleset = null;
  #trouble = "";
  /** The title of a session to come, which must outlive that the window is drawn anew. */
  #newTitle = "";
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  #later;

  /**
   * @override
   * @returns {Promise<Shown>}
   */
  async _prepareContext() {
    const sessions = this.#sessions.map(sessionShown);
    const rules = this.#ruleset?.house_rules ?? [];
    return {
      id: this.id,
      light: light(),
      trouble: this.#trouble,
      tabs: Object.entries(TABS).map(([name, icon]) => ({
        name,
        icon,
        id: `${this.id}-tab-${name}`,
        panel: `${this.id}-panel-${name}`,
        label: localize(`TALLYBONES.GM.Tab.${name}`),
        selected: String(name === this.#tab),
        tabindex: name === this.#tab ? 0 : -1,
      })),
      shown: { [this.#tab]: true },
      current: sessions.find(({ open }) => open),
      newTitle: this.#newTitle,
      past: sessions.filter(({ open }) => !open),
      more: this.#tab === "history" ? this.#history.more : this.#moreSessions !== null,
      filters: this.#history.controls(this.id, this.#ruleset, this.#sessions, (session) => sessionShown(session).title),
      rolls: this.#history.rolls.map(rollShown),
      none: localize("TALLYBONES.GM.NoRolls"),
      players: this.#players.map(playerShown),
      ruleset: this.#ruleset?.title ?? "",
      blurb: this.#ruleset?.blurb ?? "",
      controls: controlsFor(rules, entriesOf(rules, api.houseRules()), { id: this.id, users: [] }),
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
    this.element.addEventListener("change", (event) => this.#onChange(event));
    this.watch(EVENTS.status, () => this.#readLater());
    this.watch(EVENTS.session, () => this.#readLater());
    this.watch(EVENTS.roll, () => this.#readLater());
    this.watch("userConnected", () => this.#readLater());
    void this.#read(); // Not awaited: a window draws one thing after the other, and this draws again.
  }

  /** Rolls come in bursts: read once for all of them. */
  #readLater() {
    clearTimeout(this.#later);
    this.#later = setTimeout(() => this.rendered && void this.#read(), LATER);
  }

  /**
   * @override
   * @param {CloseOptions} options
   */
  _onClose(options) {
    clearTimeout(this.#later);
    super._onClose(options);
  }

  /** Read what the tab shows, and draw it. */
  async #read() {
    if (!api.status().ruleset) return;
    await this.#attempt(async () => {
      this.#ruleset ??= await api.description();
      if (this.#tab === "players") this.#players = await api.players();
      else if (this.#tab === "history") await this.#history.read();
      if (this.#tab === "sessions" || this.#sessions.length === 0) {
        const page = await api.sessions();
        this.#sessions = page.sessions;
        this.#moreSessions = page.next_cursor;
      }
    });
  }

  /**
   * Do something with the service, and draw what came of it: the tab in front, and the light.
   * @param {() => Promise<void>} step
   * @returns {Promise<boolean>}  False where it could not be done; the tab then says why.
   */
  async #attempt(step) {
    this.#trouble = "";
    try {
      await step();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#trouble = words(error);
    }
    if (this.rendered) await this.render({ parts: ["nav", this.#tab] });
    return this.#trouble === "";
  }

  /** @param {Tab} tab */
  async #show(tab) {
    this.#tab = tab;
    await this.render();
    /** @type {HTMLElement|null} */ (this.element.querySelector(`[data-to=${tab}]`))?.focus();
    await this.#read();
  }

  /**
   * Arrows go from tab to tab, as everywhere.
   * @override
   * @param {KeyboardEvent} event
   */
  _onKeyDown(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step && event.target instanceof HTMLElement && event.target.role === "tab") {
      const names = /** @type {Tab[]} */ (Object.keys(TABS));
      const next = names[(names.indexOf(this.#tab) + step + names.length) % names.length];
      if (next) void this.#show(next);
      return;
    }
    super._onKeyDown(event);
  }

  /**
   * @override
   * @param {Event} event
   */
  _onInput(event) {
    super._onInput(event);
    const title = event.target;
    if (title instanceof HTMLInputElement && title.hasAttribute("data-session-title")) this.#newTitle = title.value;
  }

  /** @param {Event} event */
  #onChange(event) {
    const control = event.target;
    if (!(control instanceof HTMLInputElement || control instanceof HTMLSelectElement)) return;
    if (control.closest(".tallybones-filters")) {
      this.#history.chosen[/** @type {FilterName} */ (control.name)] = control.value;
      void this.#read();
    } else if (this.#tab === "rules") void this.#keepRules();
  }

  async #keepRules() {
    const fields = this.#ruleset?.house_rules ?? [];
    try {
      await api.setHouseRules(paramsOf(fields, readEntries(fields, controlsOf(this.ownForm))));
      markErrors(this.element, new Map());
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const errors = error instanceof ServiceProblem ? /** @type {{house_rules?: unknown}} */ (error.errors).house_rules : {};
      const homeless = markErrors(this.element, errorsByPath(errors));
      const rest = this.element.querySelector("[data-form-error]");
      if (rest) rest.textContent = errors ? homeless.join(" ") : words(error);
    }
  }

  /**
   * @this {GMWindow}
   * @param {Event} _event
   * @param {HTMLElement} button
   */
  static async #onShowTab(_event, button) {
    await this.#show(/** @type {Tab} */ (button.dataset["to"]));
  }

  /** @this {GMWindow} */
  static async #onStartSession() {
    const done = await this.#attempt(async () => {
      await api.startSession(this.#newTitle);
      this.#newTitle = "";
    });
    if (done) await this.#read();
  }

  /**
   * @this {GMWindow}
   * @param {Event} _event
   * @param {HTMLElement} button
   */
  static async #onEndSession(_event, button) {
    const sure = await foundry.applications.api.DialogV2.confirm({
      window: { title: localize("TALLYBONES.GM.EndSession") },
      content: `<p>${localize("TALLYBONES.GM.EndSessionSure")}</p>`,
    });
    if (!sure) return;
    if (await this.#attempt(async () => void (await api.endSession(button.dataset["session"] ?? "")))) await this.#read();
  }

  /** @this {GMWindow} */
  static async #onMoreSessions() {
    await this.#attempt(async () => {
      const page = await api.sessions(this.#moreSessions ?? undefined);
      this.#sessions = [...this.#sessions, ...page.sessions];
      this.#moreSessions = page.next_cursor;
    });
  }

  /**
   * @this {GMWindow}
   * @param {Event} _event
   * @param {HTMLElement} button
   */
  static async #onShowHistory(_event, button) {
    this.#history.chosen = { session: button.dataset["session"] ?? "" };
    await this.#show("history");
  }

  /** @this {GMWindow} */
  static async #onMoreRolls() {
    await this.#attempt(() => this.#history.readMore());
  }

  /** @this {GMWindow} */
  static async #onExport() {
    await this.#attempt(() => this.#history.save());
  }

  /**
   * @this {GMWindow}
   * @param {Event} _event
   * @param {HTMLElement} button
   */
  static async #onMint(_event, button) {
    const user = button.dataset["user"] ?? "";
    const done = await this.#attempt(async () => {
      const taken = await api.mint(user);
      const key = taken ? "TALLYBONES.GM.Minted" : "TALLYBONES.GM.MintedLater";
      tell(format(key, { name: game.users.get(user)?.name ?? "" }));
    });
    if (done) await this.#read();
  }

  /**
   * @this {GMWindow}
   * @param {Event} _event
   * @param {HTMLElement} button
   */
  static async #onRevoke(_event, button) {
    if (await this.#attempt(() => api.revoke(button.dataset["user"] ?? ""))) await this.#read();
  }

  static async #onOpenConnect() {
    const { ConnectWindow } = await import("../connect/connect.mjs");
    await ConnectWindow.show();
  }
}
