import { api } from "../../api.mjs";
import { EVENTS } from "../../const.mjs";
import { format, localize } from "../../i18n.mjs";
import { NoConnectCode } from "../../service/code.mjs";
import { sayWhy } from "../notice.mjs";
import { light } from "../light.mjs";
import { SingleWindow } from "../single.mjs";
import { TEMPLATES } from "../window.mjs";

/**
 * @import { Diagnosis } from "../../api.mjs"
 * @import { DrawOptions, Drawn, Options, Shown } from "../window.mjs"
 */

/** Connects this world with a service, and says what stands between the two. */
export class ConnectWindow extends SingleWindow {
  /**
   * @override
   * @type {Options}
   */
  static DEFAULT_OPTIONS = {
    id: "tallybones-connect",
    classes: ["tallybones-connect"],
    tag: "form",
    form: { handler: ConnectWindow.#onSubmit, closeOnSubmit: false },
    position: { width: 460, height: "auto" },
    window: { icon: "fa-solid fa-plug", title: "TALLYBONES.Connect.Title", resizable: false },
    actions: { test: ConnectWindow.#onTest, disconnect: ConnectWindow.#onDisconnect },
  };

  /** @override */
  static PARTS = { body: { template: `${TEMPLATES}/windows/connect/connect.hbs` } };

  /** @type {Diagnosis|null} */
  #diagnosis = null;
  #busy = false;
  #codeError = "";
  /** What stands in the field. */
  #code = "";

  /**
   * @override
   * @returns {Promise<Shown>}
   */
  async _prepareContext() {
    return {
      id: this.id,
      isGM: game.user.isGM,
      light: light(),
      connected: api.status().role === "gm",
      busy: this.#busy,
      codeError: this.#codeError,
      diagnosis: this.#diagnosis && diagnosisShown(this.#diagnosis),
    };
  }

  /**
   * @override
   * @param {Drawn} context
   * @param {DrawOptions} options
   */
  async _onFirstRender(context, options) {
    await super._onFirstRender(context, options);
    this.watch(EVENTS.status, () => !this.#busy && void this.render());
    this.element.querySelector("textarea")?.focus();
  }

  /**
   * What is pasted outlives being drawn anew, whoever asks for that.
   * @override
   * @param {Drawn} context
   * @param {DrawOptions} options
   */
  async _onRender(context, options) {
    await super._onRender(context, options);
    const field = this.element.querySelector("textarea");
    if (field) field.value = this.#code;
  }

  /**
   * @override
   * @param {Event} event
   */
  _onInput(event) {
    super._onInput(event);
    if (event.target instanceof HTMLTextAreaElement) this.#code = event.target.value.trim();
  }

  /** @param {() => Promise<Diagnosis>} ask */
  async #diagnose(ask) {
    if (this.#busy) return;
    this.#busy = true;
    this.#diagnosis = null;
    this.#codeError = "";
    await this.render();
    try {
      this.#diagnosis = await ask();
    } catch (error) {
      if (!(error instanceof NoConnectCode)) sayWhy(error);
      else this.#codeError = localize(error.reason);
    } finally {
      this.#busy = false;
      // A code is a key: once it has worked it need not stay on the screen.
      if (this.#diagnosis?.cause === "ok") this.#code = "";
      await this.render();
    }
  }

  /**
   * @this {ConnectWindow}
   * @param {Event} event
   */
  static async #onSubmit(event) {
    event.preventDefault();
    const code = this.#code;
    if (code) await this.#diagnose(() => api.connect(code));
  }

  /**
   * @this {ConnectWindow}
   */
  static async #onTest() {
    await this.#diagnose(() => api.diagnose());
  }

  /**
   * @this {ConnectWindow}
   */
  static async #onDisconnect() {
    await api.disconnect();
    this.#diagnosis = null;
    await this.render();
  }
}

/** @param {Diagnosis} diagnosis */
function diagnosisShown({ cause, message, address, moduleVersion, serviceVersion }) {
  const todo = `TALLYBONES.Connect.Todo.${cause}`;
  const facts = [
    { label: localize("TALLYBONES.Connect.Address"), value: address },
    { label: localize("TALLYBONES.Connect.Origin"), value: window.location.origin },
    { label: localize("TALLYBONES.Connect.ModuleVersion"), value: moduleVersion },
    { label: localize("TALLYBONES.Connect.ServiceVersion"), value: serviceVersion },
  ];
  return {
    kind: cause === "ok" ? "good" : "bad",
    icon: cause === "ok" ? "fa-solid fa-circle-check" : "fa-solid fa-triangle-exclamation",
    message,
    todo: game.i18n.has(todo) ? format(todo, { origin: window.location.origin, address }) : "",
    facts: facts.filter(({ value }) => value),
  };
}
