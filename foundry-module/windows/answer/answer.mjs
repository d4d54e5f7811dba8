import { api } from "../../api.mjs";
import { actionNamed } from "../../forms/description.mjs";
import { outOfRange } from "../../forms/check.mjs";
import { controlsOf, entriesOf, paramsOf, readEntries } from "../../forms/entries.mjs";
import { errorsByPath, markErrors } from "../../forms/errors.mjs";
import { controlsFor } from "../../forms/model.mjs";
import { summaryOf } from "../../forms/summary.mjs";
import { currentActor } from "../../forms/who.mjs";
import { format } from "../../i18n.mjs";
import { words } from "../../service/causes.mjs";
import { ServiceProblem } from "../../service/errors.mjs";
import { isRefusal, sayWhy } from "../notice.mjs";
import { FIELD_TEMPLATES, TEMPLATES, TallybonesWindow } from "../window.mjs";

/**
 * @import { RollRecord, SheetRoll } from "../../api.mjs"
 * @import { CloseOptions, DrawOptions, Drawn, Options, Shown } from "../window.mjs"
 * @import { ActionDescription, Field } from "../../forms/description.mjs"
 */

/** Asks the challenged one for the other side of an opposed roll. */
export class AnswerDialog extends TallybonesWindow {
  /**
   * @override
   * @type {Options}
   */
  static DEFAULT_OPTIONS = {
    id: "tallybones-answer-{id}",
    classes: ["tallybones-dialog", "tallybones-answer"],
    tag: "form",
    form: { handler: AnswerDialog.#onSubmit, closeOnSubmit: false },
    position: { width: 420, height: "auto" },
    window: { icon: "fa-solid fa-dice", title: "TALLYBONES.Answer.Title", resizable: false },
  };

  /** @override */
  static PARTS = {
    body: { template: `${TEMPLATES}/windows/answer/answer.hbs`, templates: FIELD_TEMPLATES },
  };

  /** The challenges whose dialog is open: a second click brings it to the front. @type {Map<string, AnswerDialog>} */
  static #open = new Map();

  /**
   * Open the dialog for a challenge.
   * @param {RollRecord} challenge
   */
  static async show(challenge) {
    try {
      const action = actionNamed(await api.description(), challenge.action);
      if (!action?.answer_fields) return;
      const { actor } = currentActor();
      const rolls = actor ? (await api.sheet(actor)).rolls : [];
      const dialog = this.#open.get(challenge.id) ?? new AnswerDialog(challenge, action, action.answer_fields, rolls);
      this.#open.set(challenge.id, dialog);
      await dialog.render({ force: true });
      dialog.bringToFront();
    } catch (error) {
      sayWhy(error);
    }
  }

  #challenge;
  #action;
  #fields;
  #rolls;
  #entries;
  #rolling = false;

  /**
   * @param {RollRecord} challenge
   * @param {ActionDescription} action
   * @param {Field[]} fields
   * @param {SheetRoll[]} rolls   What the sheet of the one who answers offers.
   */
  constructor(challenge, action, fields, rolls) {
    super({});
    this.#challenge = challenge;
    this.#action = action;
    this.#fields = fields;
    this.#rolls = rolls.filter(({ action: name, params }) => name === action.name && fields.some((field) => field.name in params));
    this.#entries = entriesOf(fields);
  }

  /**
   * @override
   * @returns {Promise<Shown>}
   */
  async _prepareContext() {
    const { actor, user_name: userName, user, label, title } = this.#challenge;
    // What the challenger chose of the few things that are named; what was left as it is says nothing.
    const known = this.#action.fields.filter(
      ({ type, name, default: usual }) => type === "choice" && ![undefined, usual].includes(this.#challenge.params?.[name]),
    );
    return {
      id: this.id,
      heading: format("TALLYBONES.Answer.Challenge", { name: actor?.name ?? userName ?? game.users.get(user)?.name ?? user }),
      subheading: label ? `${label} · ${title}` : title,
      purpose: summaryOf(known, this.#challenge.params ?? {}),
      fromSheet: this.#rolls.map((roll, index) => ({ index, label: roll.label })),
      controls: controlsFor(this.#fields, this.#entries, { id: this.id, users: [], house: api.houseRules() }),
    };
  }

  /**
   * @override
   * @param {Drawn} context
   * @param {DrawOptions} options
   */
  async _onFirstRender(context, options) {
    await super._onFirstRender(context, options);
    this.element.addEventListener("keydown", (event) => this.sendOnEnter(event));
    this.element.setAttribute("novalidate", "");
    this.element.addEventListener("change", (event) => void this.#onChange(event));
    const first = this.element.querySelector("select, input");
    if (first instanceof HTMLElement) first.focus();
  }

  /** @param {Event} event */
  async #onChange(event) {
    const select = event.target;
    if (!(select instanceof HTMLSelectElement) || !select.hasAttribute("data-from-sheet")) return;
    const chosen = this.#rolls[Number(select.value)];
    if (select.value === "" || !chosen) return;
    this.#entries = entriesOf(this.#fields, { ...this.#read(), ...chosen.params });
    const { value } = select;
    await this.render();
    const again = this.element.querySelector("[data-from-sheet]");
    if (again instanceof HTMLSelectElement) {
      again.value = value;
      again.focus();
    }
  }

  #read() {
    this.#entries = readEntries(this.#fields, controlsOf(this.ownForm));
    return paramsOf(this.#fields, this.#entries, { house: api.houseRules() });
  }

  /**
   * @this {AnswerDialog}
   * @param {Event} event
   */
  static async #onSubmit(event) {
    event.preventDefault();
    if (this.#rolling) return;
    const params = this.#read();
    const slips = outOfRange(this.#fields, this.#entries, { house: api.houseRules() });
    markErrors(this.element, slips);
    if (slips.size > 0) return;
    this.#rolling = true;
    try {
      await api.answer(this.#challenge.id, { params, ...currentActor() });
      await this.close();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const errors = error instanceof ServiceProblem ? errorsByPath(/** @type {{params?: unknown}} */ (error.errors).params) : new Map();
      const homeless = markErrors(this.element, errors);
      const rest = this.element.querySelector("[data-form-error]");
      if (rest) rest.textContent = (errors.size ? homeless : [words(error)]).join(" ");
    } finally {
      this.#rolling = false;
    }
  }

  /**
   * @override
   * @param {CloseOptions} options
   */
  _onClose(options) {
    AnswerDialog.#open.delete(this.#challenge.id);
    super._onClose(options);
  }
}
