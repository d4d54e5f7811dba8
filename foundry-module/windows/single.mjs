import { TallybonesWindow } from "./window.mjs";

/** @import { CloseOptions, DrawOptions } from "./window.mjs" */

/** A window of which there is one: opened again, it comes to the front. */
export class SingleWindow extends TallybonesWindow {
  /** The open window of each class. @type {Map<Function, SingleWindow>} */
  static #open = new Map();

  /** What the window listens to while it is open. @type {Array<[string, number]>} */
  #watching = [];

  /** Open the window, or bring it to the front. */
  static async show() {
    await new this({}).render({ force: true });
  }

  /**
   * Foundry's settings make a new window each time: the open one is shown instead.
   * @override
   * @param {boolean|DrawOptions} [options]   True as the first generation of windows was called.
   * @param {DrawOptions} [more]
   * @returns {Promise<this>}
   */
  async render(options, more) {
    const open = SingleWindow.#open.get(this.constructor);
    if (open && open !== this) {
      await open.render(options, more); // which is this same method, on the window that is open
      open.bringToFront();
      return /** @type {this} */ (open);
    }
    const asked = typeof options === "boolean" ? { ...more, force: options } : { ...options };
    if (this.rendered || asked.force) SingleWindow.#open.set(this.constructor, this);
    return super.render(asked);
  }

  /** Close the window where it is open, else open it. */
  static async toggle() {
    const open = SingleWindow.#open.get(this);
    if (open?.rendered) await open.close();
    else await this.show();
  }

  /**
   * Listen to a hook while the window is open.
   * @param {string} hook
   * @param {(...told: never[]) => void} told
   */
  watch(hook, told) {
    this.#watching.push([hook, Hooks.on(/** @type {"ready"} */ (hook), told)]);
  }

  /**
   * @override
   * @param {CloseOptions} options
   */
  _onClose(options) {
    for (const [hook, id] of this.#watching.splice(0)) Hooks.off(/** @type {"ready"} */ (hook), id);
    SingleWindow.#open.delete(this.constructor);
    super._onClose(options);
  }
}
