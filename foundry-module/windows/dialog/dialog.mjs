import { api } from "../../api.mjs";
import { keepChoices } from "../../forms/choices.mjs";
import { outOfRange } from "../../forms/check.mjs";
import { controlsOf, entriesOf, paramsOf, readEntries } from "../../forms/entries.mjs";
import { errorsByPath, markErrors } from "../../forms/errors.mjs";
import { LiveOdds } from "../../forms/live.mjs";
import { controlsFor } from "../../forms/model.mjs";
import { shownOdds } from "../../forms/odds.mjs";
import { summaryOf } from "../../forms/summary.mjs";
import { opponents } from "../../forms/who.mjs";
import { format, localize } from "../../i18n.mjs";
import { words } from "../../service/causes.mjs";
import { NotPaired, ServiceProblem } from "../../service/errors.mjs";
import { FIELD_TEMPLATES, TEMPLATES, TallybonesWindow } from "../window.mjs";
import { openFirst, without } from "./fields.mjs";
import { isVisibility, seenBy, visibilityOptions } from "./visibilities.mjs";

/**
 * @import { Odds, Params, Visibility } from "../../api.mjs"
 * @import { CloseOptions, DrawOptions, Drawn, Options, Shown } from "../window.mjs"
 * @import { ActionDescription, Entries } from "../../forms/description.mjs"
 *
 * @typedef {object} Asked                What the dialog opens with.
 * @property {ActionDescription} action
 * @property {string} label               The button's own label, such as a skill's name.
 * @property {Params} fixed               What the sheet says: shown apart, and never remembered.
 * @property {Params} params              All that is filled in at first.
 * @property {Visibility} [visibility]
 * @property {Actor.Implementation|null} actor
 * @property {TokenDocument.Implementation|null} token
 */

/** Asks what the rule set wants to know of a roll, shows its exact odds all the while, and rolls. */
export class RollDialog extends TallybonesWindow {
  /**
   * @override
   * @type {Options}
   */
  static DEFAULT_OPTIONS = {
    id: "tallybones-dialog-{id}",
    classes: ["tallybones-dialog"],
    tag: "form",
    form: { handler: RollDialog.#onSubmit, closeOnSubmit: false },
    position: { width: 480, height: "auto" },
    window: { icon: "fa-solid fa-dice", resizable: false },
  };

  /** @override */
  static PARTS = {
    fields: { template: `${TEMPLATES}/windows/dialog/dialog.hbs`, templates: FIELD_TEMPLATES, scrollable: [""] },
    odds: { template: `${TEMPLATES}/forms/odds.hbs` },
    footer: { template: `${TEMPLATES}/windows/dialog/footer.hbs` },
  };

  #asked;
  /** @type {Entries} */
  #entries;
  /** @type {Odds|null} */
  #odds = null;
  #oddsNote = localize("TALLYBONES.Odds.asking");
  #rolling = false;
  #live;

  /**
   * @param {Asked} asked
   */
  constructor(asked) {
    super({});
    this.#asked = asked;
    this.#entries = entriesOf(asked.action.fields, asked.params, asked.action.exactly_one_of);
    this.#live = new LiveOdds(
      (/** @type {Params} */ params) => api.odds(asked.action.name, params),
      (answer) => this.#showOdds(answer),
    );
  }

  /** @override */
  get title() {
    const { action, actor } = this.#asked;
    return actor ? format("TALLYBONES.Dialog.TitleFor", { action: action.title, actor: actor.name }) : action.title;
  }

  /** The params as they stand in the form now. @returns {Params} */
  get params() {
    const { fields, exactly_one_of: exclusive } = this.#asked.action;
    return paramsOf(fields, this.#entries, { exclusive, house: api.houseRules() });
  }

  /**
   * @override
   * @returns {Promise<Shown>}
   */
  async _prepareContext() {
    const { action, label, fixed } = this.#asked;
    const controls = controlsFor(action.fields, this.#entries, {
      id: this.id,
      users: opponents(),
      house: api.houseRules(),
      exclusive: action.exactly_one_of,
      exclusiveLabel: localize("TALLYBONES.Form.OneOf"),
    });
    const visibility = this.#asked.visibility ?? api.defaultVisibility();
    return {
      id: this.id,
      heading: label || action.title,
      subheading: action.help,
      fromSheet: controls.filter((control) => control.path in fixed),
      sheetSummary: this.#summary(),
      controls: openFirst(controls.filter((control) => !(control.path in fixed)), action),
      odds: this.#odds && shownOdds(this.#odds),
      oddsNote: this.#oddsNote,
      visibilities: visibilityOptions(`${this.id}-seen`, visibility),
      seenBy: seenBy(visibility),
      label: "",
      labelHint: label || action.title,
      submit: localize("TALLYBONES.Dialog.Roll"),
    };
  }

  /** What the sheet gives, in a line. @returns {string} */
  #summary() {
    const { action, fixed } = this.#asked;
    return summaryOf(action.fields.filter((field) => field.name in fixed), this.#entries);
  }

  /**
   * @override
   * @param {Drawn} context
   * @param {DrawOptions} options
   */
  async _onFirstRender(context, options) {
    await super._onFirstRender(context, options);
    this.element.addEventListener("keydown", (event) => this.sendOnEnter(event));
    this.element.setAttribute("novalidate", ""); // The service says what is wrong, at the field and in one voice.
    this.#live.about(this.params, 0);
    const first = this.element.querySelector("[data-fields] :is(input:not([type=radio]), select, input:checked)");
    if (first instanceof HTMLElement) first.focus();
    if (first instanceof HTMLInputElement) first.select();
  }

  /**
   * @override
   * @param {Event} event
   */
  _onInput(event) {
    super._onInput(event);
    const target = /** @type {HTMLInputElement} */ (event.target);
    if (target.name === "?label") return;
    if (target.name === "?visibility") {
      this.#find("[data-seen-by]").textContent = seenBy(target.value);
      return;
    }
    this.#read();
    if (this.#isInRange()) this.#live.about(this.params);
  }

  /**
   * Tell whether all numbers are in their ranges, and mark those that are not.
   * @returns {boolean}
   */
  #isInRange() {
    const { fields, exactly_one_of: exclusive } = this.#asked.action;
    const slips = outOfRange(fields, this.#entries, { exclusive, house: api.houseRules() });
    if (slips.size === 0) return true;
    this.#live.stop();
    markErrors(this.element, slips);
    this.#odds = null;
    this.#oddsNote = localize("TALLYBONES.Odds.unclear");
    void this.render({ parts: ["odds"] });
    return false;
  }

  #read() {
    const controls = controlsOf(this.ownForm);
    this.#entries = readEntries(this.#asked.action.fields, controls);
    const summary = this.element.querySelector("[data-summary]");
    if (summary) summary.textContent = this.#summary();
    return controls;
  }

  /** @param {{odds: Odds}|{error: unknown}} answer */
  #showOdds(answer) {
    if (!this.rendered) return;
    if ("odds" in answer) {
      this.#odds = answer.odds;
      this.#markErrors({});
    } else {
      this.#odds = null;
      const refused = answer.error instanceof ServiceProblem && answer.error.status === 422;
      this.#markErrors(answer.error instanceof ServiceProblem && refused ? answer.error : {});
      this.#oddsNote = localize(refused ? "TALLYBONES.Odds.unclear" : "TALLYBONES.Odds.away");
    }
    void this.render({ parts: ["odds"] });
  }

  /** @param {{errors?: unknown, detail?: unknown}} problem */
  #markErrors({ errors, detail }) {
    const byPath = errorsByPath(/** @type {{params?: unknown}|undefined} */ (errors)?.params);
    const homeless = markErrors(this.element, byPath);
    const rest = byPath.size ? homeless : detail ? [String(detail)] : [];
    this.#find("[data-form-error]").textContent = rest.join(" ");
    const inSheet = this.element.querySelector(".tallybones-from-sheet .tallybones-invalid")?.closest("details");
    if (inSheet) inSheet.open = true;
  }

  /**
   * @param {string} selector
   * @returns {HTMLElement}
   */
  #find(selector) {
    return /** @type {HTMLElement} */ (this.element.querySelector(selector));
  }

  /** Roll. A second click while the first is under way does nothing. */
  async #roll() {
    if (this.#rolling) return;
    const controls = this.#read();
    if (!this.#isInRange()) return;
    const { action, actor, token, label, fixed } = this.#asked;
    const visibility = controls.get("?visibility");
    const params = this.params;
    this.#busy(true);
    try {
      const written = controls.get("?label")?.trim();
      keepChoices(actor?.id, action.name, without(params, fixed, action.fields));
      await api.roll({
        action: action.name,
        params,
        actor,
        token,
        label: written || (label === action.title ? null : label) || null,
        ...(isVisibility(visibility) ? { visibility } : {}),
        formula: this.#odds?.formula ?? null,
      });
      await this.close();
    } catch (error) {
      if (!(error instanceof ServiceProblem) && !(error instanceof NotPaired)) throw error;
      this.#markErrors(error instanceof ServiceProblem ? error : { detail: words(error) });
      this.#find("[aria-invalid=true]")?.focus();
    } finally {
      this.#busy(false);
    }
  }

  /** @param {boolean} rolling */
  #busy(rolling) {
    this.#rolling = rolling;
    const button = this.element?.querySelector("button[type=submit]");
    if (!(button instanceof HTMLButtonElement)) return;
    button.disabled = rolling;
    const text = button.querySelector("[data-submit-text]");
    if (text) text.textContent = localize(rolling ? "TALLYBONES.Dialog.Rolling" : "TALLYBONES.Dialog.Roll");
  }

  /**
   * @override
   * @param {CloseOptions} options
   */
  _onClose(options) {
    this.#live.stop();
    super._onClose(options);
  }

  /**
   * @this {RollDialog}
   * @param {Event} event
   */
  static async #onSubmit(event) {
    event.preventDefault();
    await this.#roll();
  }
}
