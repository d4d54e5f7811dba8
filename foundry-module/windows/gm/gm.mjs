import { api } from "../../api.mjs";
import { controlsOf, entriesOf, paramsOf, readEntries } from "../../forms/entries.mjs";
import { errorsByPath, markErrors } from "../../forms/errors.mjs";
import { controlsFor } from "../../forms/model.mjs";
import { format, localize } from "../../i18n.mjs";
import { words } from "../../service/causes.mjs";
import { ServiceProblem } from "../../service/errors.mjs";
import { isRefusal, tell } from "../notice.mjs";
import { CHECK_TEMPLATES, REPORT_TEMPLATES, TabbedWindow } from "../tabbed.mjs";
import { FIELD_TEMPLATES, TEMPLATES } from "../window.mjs";
import { History } from "./history.mjs";
import { playerShown, rollShown, sessionShown } from "./shown.mjs";

/**
 * @import { PairedPlayer } from "../../api.mjs"
 * @import { DrawOptions, Drawn, Options, Shown } from "../window.mjs"
 * @import { FilterName } from "./history.mjs"
 */

/** @type {Record<string, string>} */
const TABS = {
  sessions: "fa-solid fa-calendar-days",
  history: "fa-solid fa-list",
  reports: "fa-solid fa-chart-column",
  players: "fa-solid fa-users",
  rules: "fa-solid fa-scale-balanced",
};

/** Sessions, history, reports, players and house rules: what the GM looks after. */
export class GMWindow extends TabbedWindow {
  /**
   * @override
   * @type {Options}
   */
  static DEFAULT_OPTIONS = {
    id: "tallybones-gm",
    classes: ["tallybones-gm"],
    position: { width: 740, height: 620 },
    window: { icon: "fa-solid fa-book-open", title: "TALLYBONES.GM.Title" },
    actions: {
      startSession: GMWindow.#onStartSession,
      endSession: GMWindow.#onEndSession,
      showHistory: GMWindow.#onShowHistory,
      moreRolls: GMWindow.#onMoreRolls,
      exportCsv: GMWindow.#onExport,
      mint: GMWindow.#onMint,
      revoke: GMWindow.#onRevoke,
    },
  };

  /** @override */
  static PARTS = {
    nav: { template: `${TEMPLATES}/windows/gm/nav.hbs` },
    sessions: { template: `${TEMPLATES}/windows/gm/sessions.hbs`, templates: CHECK_TEMPLATES, scrollable: [""] },
    history: { template: `${TEMPLATES}/windows/gm/history.hbs`, scrollable: [".tallybones-rolls"] },
    reports: { template: `${TEMPLATES}/windows/reports/tab.hbs`, templates: REPORT_TEMPLATES, scrollable: [""] },
    players: { template: `${TEMPLATES}/windows/gm/players.hbs`, scrollable: [""] },
    rules: { template: `${TEMPLATES}/windows/gm/rules.hbs`, templates: FIELD_TEMPLATES, scrollable: [""] },
  };

  /** @type {PairedPlayer[]} */
  #players = [];
  #history = new History();
  /** The title of a session to come, which must outlive that the window is drawn anew. */
  #newTitle = "";

  /** @override */
  get tabs() {
    return TABS;
  }

  /**
   * @override
   * @returns {Promise<Shown>}
   */
  async _prepareContext() {
    const rules = this.ruleset?.house_rules ?? [];
    return {
      ...(await super._prepareContext()),
      canShowRolls: true,
      newTitle: this.#newTitle,
      more: this.#history.more,
      filters: this.#history.controls(this.id, this.ruleset, this.sessions, (session) => sessionShown(session).title),
      rolls: this.#history.rolls.map(rollShown),
      none: localize(this.#history.more ? "TALLYBONES.GM.NoRollsYet" : "TALLYBONES.GM.NoRolls"),
      players: this.#players.map(playerShown),
      ruleset: this.ruleset?.title ?? "",
      blurb: this.ruleset?.blurb ?? "",
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
    this.watch("userConnected", () => this.readLater());
  }

  /** @override */
  async readTab() {
    if (this.tab === "players") this.#players = await api.players();
    else if (this.tab === "history") await this.#history.read();
    else await super.readTab();
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

  /**
   * @override
   * @param {Event} event
   */
  _onChange(event) {
    super._onChange(event);
    const control = event.target;
    if (!(control instanceof HTMLInputElement || control instanceof HTMLSelectElement)) return;
    if (control.closest("[data-history-filters]")) {
      this.#history.chosen[/** @type {FilterName} */ (control.name)] = control.value;
      void this.read();
    } else if (this.tab === "rules") void this.#keepRules();
  }

  async #keepRules() {
    const fields = this.ruleset?.house_rules ?? [];
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

  /** @this {GMWindow} */
  static async #onStartSession() {
    const done = await this.attempt(async () => {
      await api.startSession(this.#newTitle);
      this.#newTitle = "";
    });
    if (done) await this.read();
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
    if (await this.attempt(async () => void (await api.endSession(button.dataset["session"] ?? "")))) await this.read();
  }

  /**
   * @this {GMWindow}
   * @param {Event} _event
   * @param {HTMLElement} button
   */
  static async #onShowHistory(_event, button) {
    this.#history.chosen = { session: button.dataset["session"] ?? "" };
    await this.show("history");
  }

  /** @this {GMWindow} */
  static async #onMoreRolls() {
    await this.attempt(() => this.#history.readMore());
  }

  /** @this {GMWindow} */
  static async #onExport() {
    await this.attempt(() => this.#history.save());
  }

  /**
   * @this {GMWindow}
   * @param {Event} _event
   * @param {HTMLElement} button
   */
  static async #onMint(_event, button) {
    const user = button.dataset["user"] ?? "";
    const done = await this.attempt(async () => {
      const taken = await api.mint(user);
      const key = taken ? "TALLYBONES.GM.Minted" : "TALLYBONES.GM.MintedLater";
      tell(format(key, { name: game.users.get(user)?.name ?? "" }));
    });
    if (done) await this.read();
  }

  /**
   * @this {GMWindow}
   * @param {Event} _event
   * @param {HTMLElement} button
   */
  static async #onRevoke(_event, button) {
    if (await this.attempt(() => api.revoke(button.dataset["user"] ?? ""))) await this.read();
  }
}
