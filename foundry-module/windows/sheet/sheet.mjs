import { api } from "../../api.mjs";
import { controlsOf } from "../../forms/entries.mjs";
import { errorsByPath, markErrors } from "../../forms/errors.mjs";
import { controlFor } from "../../forms/model.mjs";
import { SheetDraft } from "../../forms/draft.mjs";
import { format, localize } from "../../i18n.mjs";
import { ServiceProblem } from "../../service/errors.mjs";
import { isRefusal } from "../notice.mjs";
import { FIELD_TEMPLATES, TEMPLATES, TallybonesWindow } from "../window.mjs";
import { letDrag } from "./dragging.mjs";
import { factsOf, knacksLeft, rowsFollowing, warningsOf } from "./follows.mjs";
import { packOf } from "./pack.mjs";
import { tableOf } from "./tables.mjs";

/**
 * @import { Params, SheetResult } from "../../api.mjs"
 * @import { CloseOptions, DrawOptions, Drawn, Options, Shown } from "../window.mjs"
 * @import { Field, RuleSetDescription } from "../../forms/description.mjs"
 */

const LATER = 250;

/** What a player writes down of a character; kept in the actor's flags, whatever the game system. */
export class SheetPanel extends TallybonesWindow {
  /**
   * @override
   * @type {Options}
   */
  static DEFAULT_OPTIONS = {
    id: "tallybones-sheet-{id}",
    classes: ["tallybones-sheet"],
    tag: "form",
    position: { width: 560, height: 640 },
    window: { icon: "fa-solid fa-scroll" },
    actions: {
      addRow: SheetPanel.#onAddRow,
      removeRow: SheetPanel.#onRemoveRow,
      addThing: SheetPanel.#onAddThing,
      removeThing: SheetPanel.#onRemoveThing,
      newRound: SheetPanel.#onNewRound,
    },
  };

  /** @override */
  static PARTS = {
    fields: { template: `${TEMPLATES}/windows/sheet/sheet.hbs`, templates: FIELD_TEMPLATES },
    follows: { template: `${TEMPLATES}/windows/sheet/follows.hbs` },
    pack: { template: `${TEMPLATES}/windows/sheet/pack.hbs` },
    tables: { template: `${TEMPLATES}/windows/sheet/tables.hbs` },
  };

  /** The panels that are open, one an actor. @type {Map<string, SheetPanel>} */
  static #open = new Map();

  /**
   * Open an actor's panel, or bring it to the front.
   * @param {Actor.Implementation} actor
   */
  static async show(actor) {
    const open = this.#open.get(actor.uuid) ?? new SheetPanel(actor, await api.description());
    this.#open.set(actor.uuid, open);
    await open.render({ force: true });
    open.bringToFront();
  }

  #actor;
  #ruleset;
  #draft;
  /** @type {SheetResult|null} */
  #result = null;
  #away = "";
  /** What was kept last, to tell our own changes from other people's. */
  #kept = "";
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  #later;
  #turn = 0;
  #watching = 0;

  /**
   * @param {Actor.Implementation} actor
   * @param {RuleSetDescription} ruleset
   */
  constructor(actor, ruleset) {
    super({});
    this.#actor = actor;
    this.#ruleset = ruleset;
    this.#draft = new SheetDraft(ruleset.sheet, api.sheetFields(actor));
  }

  /** @override */
  get title() {
    return format("TALLYBONES.Sheet.Title", { actor: this.#actor.name });
  }

  /** Whether this user may change the sheet. */
  get #editable() {
    return this.#actor.isOwner;
  }

  /**
   * @override
   * @returns {Promise<Shown>}
   */
  async _prepareContext() {
    const { shape, entries } = this.#draft;
    const context = { id: this.id, users: [] };
    const control = (/** @type {Field} */ field) => controlFor(field, entries[field.name], context, field.name);
    const result = this.#result;
    const following = result ? rowsFollowing(result) : new Map();
    const note = result ? knacksLeft(result) : "";
    return {
      name: this.#actor.name,
      img: this.#actor.img,
      ruleset: this.#ruleset.title,
      editable: this.#editable,
      numbers: shape.numbers.map(control),
      tracks: shape.tracks.map(({ now, most }) => ({ now: control(now), most: control(most) })),
      tables: shape.tables.map((list) =>
        tableOf(list, this.#draft.rows(list.name), { id: this.id, editable: this.#editable, note, following }),
      ),
      pack: packOf(this.#draft, this.#result, { id: this.id, editable: this.#editable }),
      warnings: result ? warningsOf(result, this.#ruleset.sheet.find(({ name }) => name === "stress")?.maximum) : [],
      facts: result ? factsOf(result) : [],
      swaps: shape.swaps && control(shape.swaps),
      canStartRound: this.#editable && this.#draft.swaps > 0,
      away: this.#away,
    };
  }

  /**
   * @override
   * @param {Drawn} context
   * @param {DrawOptions} options
   */
  async _onFirstRender(context, options) {
    await super._onFirstRender(context, options);
    this.element.setAttribute("novalidate", "");
    this.element.addEventListener("change", (event) => this.#onChange(event));
    this.element.addEventListener("submit", (event) => event.preventDefault());
    letDrag(this.element, {
      moved: (index, place, onto) => this.#move(index, place, onto),
      brought: (name) => this.#addThing(name),
    });
    this.#watching = Hooks.on("updateActor", (actor) => this.#onUpdate(actor));
    void this.#workOut(false);
  }

  /**
   * @override
   * @param {KeyboardEvent} event
   */
  _onKeyDown(event) {
    if (event.key === "Enter" && event.target instanceof HTMLInputElement) {
      event.preventDefault();
      if (event.target.hasAttribute("data-new-thing")) this.#addThing(event.target.value);
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
    if (!(event.target instanceof HTMLElement) || !event.target.hasAttribute("name")) return;
    this.#draft.read(controlsOf(this.ownForm));
    clearTimeout(this.#later);
    this.#later = setTimeout(() => void this.#workOut(true), LATER);
  }

  /** @param {Event} event */
  #onChange(event) {
    const select = event.target;
    if (!(select instanceof HTMLSelectElement) || select.dataset["move"] === undefined) return;
    this.#move(Number(select.dataset["move"]), select.value, null);
  }

  /**
   * Ask what follows from the sheet as it stands, and keep it where the rules allow it.
   * @param {boolean} keep
   */
  async #workOut(keep) {
    const turn = ++this.#turn;
    clearTimeout(this.#later);
    this.#later = undefined;
    const slips = this.#draft.slips;
    if (slips.size > 0) {
      markErrors(this.element, slips);
      return;
    }
    const fields = this.#draft.params;
    let problem = {};
    try {
      const result = await api.sheet(this.#actor, fields);
      if (turn !== this.#turn) return;
      this.#result = result;
      this.#draft.slots = typeof result["slots"] === "number" ? result["slots"] : undefined;
      this.#away = "";
    } catch (error) {
      if (turn !== this.#turn) return;
      if (error instanceof ServiceProblem && error.status === 422) problem = error;
      else if (isRefusal(error)) this.#away = localize("TALLYBONES.Sheet.Away");
      else throw error;
    }
    if (!this.rendered) return;
    if (keep && this.#editable && !("errors" in problem)) await this.#keep(fields);
    await this.render({ parts: ["follows", "pack"] });
    this.#showErrors(problem);
    this.#showRows();
  }

  /** @param {Params} fields */
  async #keep(fields) {
    this.#kept = JSON.stringify(fields);
    await api.keepSheet(this.#actor, fields);
  }

  /** @param {{errors?: unknown}} problem */
  #showErrors({ errors }) {
    const homeless = markErrors(this.element, errorsByPath(errors));
    const rest = this.element.querySelector("[data-form-error]");
    if (rest) rest.textContent = homeless.join(" ");
  }

  /** The rows are not drawn anew while somebody types in them. */
  #showRows() {
    if (!this.#result) return;
    const following = rowsFollowing(this.#result);
    for (const row of this.element.querySelectorAll(".tallybones-table tbody tr")) {
      const cell = row.querySelector("[data-follow]");
      const name = row.querySelector("input[type=text]");
      if (cell && name instanceof HTMLInputElement) cell.textContent = following.get(name.value.trim()) ?? "";
    }
    const note = this.element.querySelector("[data-note]");
    if (note) note.textContent = knacksLeft(this.#result);
    else if (knacksLeft(this.#result)) void this.render({ parts: ["tables"] });
  }

  /** @param {Actor.Implementation} actor */
  #onUpdate(actor) {
    if (actor.uuid !== this.#actor.uuid) return;
    const fields = api.sheetFields(actor);
    if (JSON.stringify(fields) === this.#kept) return;
    this.#kept = JSON.stringify(fields);
    this.#draft = new SheetDraft(this.#ruleset.sheet, fields);
    void this.render().then(() => this.#workOut(false));
  }

  /**
   * @override
   * @param {CloseOptions} options
   */
  _onClose(options) {
    Hooks.off("updateActor", this.#watching);
    SheetPanel.#open.delete(this.#actor.uuid);
    const unkept = this.#later !== undefined;
    clearTimeout(this.#later);
    if (unkept && this.#editable) void this.#keep(this.#draft.params); // What was typed in the last moment.
    super._onClose(options);
  }

  /* -------------------------------------------- */
  /*  The pack                                    */
  /* -------------------------------------------- */

  /**
   * @param {number} index
   * @param {string} place
   * @param {number|null} onto
   */
  #move(index, place, onto) {
    if (!this.#editable) return;
    this.#draft.move(index, place, onto);
    this.#showSwaps();
    void this.#workOut(true);
  }

  /** The count of swaps follows what was moved. */
  #showSwaps() {
    const input = this.ownForm.elements.namedItem("swaps");
    if (input instanceof HTMLInputElement) input.value = String(this.#draft.swaps);
  }

  /** @param {string} written */
  #addThing(written) {
    if (!this.#editable || !this.#draft.addThing(written)) return;
    void this.#workOut(true).then(() => this.#focus("[data-new-thing]"));
  }

  /** @param {string} selector */
  #focus(selector) {
    const input = this.element?.querySelector(selector);
    if (input instanceof HTMLInputElement) input.focus();
  }

  /** @this {SheetPanel} */
  static #onAddThing() {
    const input = this.element.querySelector("[data-new-thing]");
    if (input instanceof HTMLInputElement) this.#addThing(input.value);
  }

  /**
   * @this {SheetPanel}
   * @param {Event} _event
   * @param {HTMLElement} button
   */
  static #onRemoveThing(_event, button) {
    this.#draft.removeThing(Number(button.dataset["thing"]));
    void this.#workOut(true);
  }

  /** @this {SheetPanel} */
  static #onNewRound() {
    this.#draft.newRound();
    this.#showSwaps();
    void this.#workOut(true);
  }

  /* -------------------------------------------- */
  /*  Tables                                      */
  /* -------------------------------------------- */

  /**
   * @this {SheetPanel}
   * @param {Event} _event
   * @param {HTMLElement} button
   */
  static async #onAddRow(_event, button) {
    const { list = "" } = button.dataset;
    const row = this.#draft.addRow(list);
    if (row === undefined) return;
    await this.render({ parts: ["tables"] });
    this.#focus(`input[name="${CSS.escape(list)}.${row}.name"]`);
  }

  /**
   * @this {SheetPanel}
   * @param {Event} _event
   * @param {HTMLElement} button
   */
  static async #onRemoveRow(_event, button) {
    const { list = "", row = "" } = button.dataset;
    this.#draft.removeRow(list, Number(row));
    await this.render({ parts: ["tables"] });
    void this.#workOut(true);
  }
}
