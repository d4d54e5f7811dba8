import { MODULE } from "../const.mjs";

/**
 * @typedef {Partial<Omit<foundry.applications.api.ApplicationV2.Configuration, "window"|"position"|"form">> & {
 *   window?: Partial<foundry.applications.api.ApplicationV2.WindowConfiguration>,
 *   position?: Partial<foundry.applications.api.ApplicationV2.Position>,
 *   form?: Partial<foundry.applications.api.ApplicationV2.FormConfiguration>}} Options
 *
 * @typedef {InstanceType<typeof foundry.applications.api.ApplicationV2>} Window
 * @typedef {Parameters<Window["_onFirstRender"]>[0]} Drawn          What a window was drawn with.
 * @typedef {Parameters<Window["_onFirstRender"]>[1]} DrawOptions
 * @typedef {Parameters<Window["_onClose"]>[0]} CloseOptions
 * @typedef {Awaited<ReturnType<Window["_prepareContext"]>> & Record<string, unknown>} Shown   What a template is given.
 */

const { ApplicationV2, HandlebarsApplicationMixin } = foundry.applications.api;

/** Where the module's templates lie. */
export const TEMPLATES = `modules/${MODULE}`;

/** The templates that draw a field, for windows with forms. */
export const FIELD_TEMPLATES = ["field", "segments", "notes"].map((name) => `${TEMPLATES}/forms/${name}.hbs`);

/** What all windows of the module share: their class, steppers, and that Escape closes them. */
export class TallybonesWindow extends HandlebarsApplicationMixin(ApplicationV2) {
  /**
   * @override
   * @type {Options}
   */
  static DEFAULT_OPTIONS = {
    classes: ["tallybones"],
    window: { resizable: true },
    actions: { step: TallybonesWindow.#onStep },
  };

  #grown = new ResizeObserver(() => this.#keepInView());

  /**
   * The window's element, where the window is a form and drawn.
   * @returns {HTMLFormElement}
   */
  get ownForm() {
    return /** @type {HTMLFormElement} */ (this.element);
  }

  /**
   * @override
   * @param {Drawn} context
   * @param {DrawOptions} options
   */
  async _onFirstRender(context, options) {
    await super._onFirstRender(context, options);
    this.element.addEventListener("keydown", (event) => this._onKeyDown(event));
    this.element.addEventListener("input", (event) => this._onInput(event));
    this.#grown.observe(this.element);
  }

  /**
   * @override
   * @param {CloseOptions} options
   */
  _onClose(options) {
    this.#grown.disconnect();
    super._onClose(options);
  }

  /** Move up a window that has grown beyond the page's lower edge: its buttons stand there. */
  #keepInView() {
    if (!this.rendered || this.position.height !== "auto") return;
    const top = Math.max(0, window.innerHeight - this.element.offsetHeight);
    if (Number(this.position.top) > top) this.setPosition({ top });
  }

  /**
   * Escape closes the window also while one of its fields has the focus, where Foundry would not.
   * @param {KeyboardEvent} event
   */
  _onKeyDown(event) {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    event.stopPropagation();
    void this.close();
  }

  /**
   * Enter sends the form from each of its fields, from lists and boxes too, where the browser would not.
   * @param {KeyboardEvent} event
   */
  sendOnEnter(event) {
    const field = event.target;
    const plain = event.key === "Enter" && !event.defaultPrevented && !event.isComposing;
    if (!plain || !(field instanceof HTMLSelectElement || field instanceof HTMLInputElement)) return;
    event.preventDefault();
    this.ownForm.requestSubmit();
  }

  /**
   * Somebody typed or chose: of several parts, show the chosen one.
   * @param {Event} event
   */
  _onInput(event) {
    const chosen = event.target;
    if (!(chosen instanceof HTMLInputElement) || chosen.type !== "radio") return;
    for (const part of this.element.querySelectorAll("[data-part-of]")) {
      if (!(part instanceof HTMLElement) || part.dataset["partOf"] !== chosen.name) continue;
      part.hidden = part.dataset["partName"] !== chosen.value;
    }
  }

  /**
   * @param {PointerEvent|MouseEvent} _event
   * @param {HTMLElement} button
   */
  static #onStep(_event, button) {
    const { for: id = "", by = "0" } = button.dataset;
    const input = document.getElementById(id);
    if (!(input instanceof HTMLInputElement)) return;
    if (input.value.trim() === "") input.value = input.min || "0";
    else if (Number(by) > 0) input.stepUp();
    else input.stepDown();
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.dispatchEvent(new Event("change", { bubbles: true }));
  }
}
