import { format } from "../../i18n.mjs";
import { sayWhy } from "../notice.mjs";
import { SingleWindow } from "../single.mjs";
import { TEMPLATES } from "../window.mjs";
import { knownUnits, readUnits, timeIn } from "./time.mjs";

/** @import { DrawOptions, Drawn, Options, Shown } from "../window.mjs" */

/** The campaign's clock: everybody sees it, the GM moves it. */
export class ClockWindow extends SingleWindow {
  /**
   * @override
   * @type {Options}
   */
  static DEFAULT_OPTIONS = {
    id: "tallybones-clock",
    classes: ["tallybones-clock"],
    position: { width: 320, height: "auto" },
    window: { icon: "fa-solid fa-hourglass-half", title: "TALLYBONES.Clock.Title", resizable: false },
    actions: { move: ClockWindow.#onMove },
  };

  /** @override */
  static PARTS = { body: { template: `${TEMPLATES}/windows/clock/clock.hbs` } };

  /**
   * @override
   * @returns {Promise<Shown>}
   */
  async _prepareContext() {
    const units = knownUnits();
    const now = game.time.worldTime;
    return {
      isGM: game.user.isGM,
      told: timeIn(now, units),
      units: units.map(({ label, seconds }) => ({
        label,
        seconds,
        canGoBack: now >= seconds,
        back: format("TALLYBONES.Clock.Back", { unit: label }),
        on: format("TALLYBONES.Clock.On", { unit: label }),
      })),
    };
  }

  /**
   * @override
   * @param {Drawn} context
   * @param {DrawOptions} options
   */
  async _onFirstRender(context, options) {
    await super._onFirstRender(context, options);
    this.watch("updateWorldTime", () => void this.render());
    readUnits().then(() => this.render(), sayWhy); // Not awaited: a window draws one thing after the other.
  }

  /**
   * @param {Event} _event
   * @param {HTMLElement} button
   */
  static async #onMove(_event, button) {
    await game.time.advance(Number(button.dataset["seconds"]));
  }
}
