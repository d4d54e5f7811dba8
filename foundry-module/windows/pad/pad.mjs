import { api } from "../../api.mjs";
import { EVENTS } from "../../const.mjs";
import { currentActor } from "../../forms/who.mjs";
import { format, localize } from "../../i18n.mjs";
import { words } from "../../service/causes.mjs";
import { clockLine, knowsClock, readUnits } from "../clock/time.mjs";
import { wantRoll } from "../dialog/open.mjs";
import { light } from "../light.mjs";
import { isRefusal, sayWhy, tell } from "../notice.mjs";
import { SingleWindow } from "../single.mjs";
import { TEMPLATES } from "../window.mjs";
import { padButtons } from "./buttons.mjs";
import { rollDragged } from "./dragging.mjs";

/**
 * @import { SheetResult, Waiting } from "../../api.mjs"
 * @import { CloseOptions, DrawOptions, Drawn, Options, Shown } from "../window.mjs"
 * @import { RuleSetDescription } from "../../forms/description.mjs"
 * @import { PadButton } from "./buttons.mjs"
 */

/** With so many buttons, a field to find one is worth its room. */
const MANY = 14;
const CLICK_ICONS = { waiting: "fa-solid fa-hourglass", sent: "fa-solid fa-dice fa-fade", awaiting: "fa-solid fa-user-clock" };

/** All rolls of the selected token or the user's own character, a click away. */
export class RollPad extends SingleWindow {
  /**
   * @override
   * @type {Options}
   */
  static DEFAULT_OPTIONS = {
    id: "tallybones-pad",
    classes: ["tallybones-pad"],
    position: { width: 380, height: 620 },
    window: { icon: "fa-solid fa-dice", title: "TALLYBONES.Pad.Title" },
    actions: {
      roll: RollPad.#onRoll,
      cancel: RollPad.#onCancel,
      rollHere: RollPad.#onRollHere,
      openSheet: RollPad.#onOpenSheet,
      openConnect: RollPad.#onOpenConnect,
      openClock: RollPad.#onOpenClock,
      openGM: RollPad.#onOpenGM,
      openFigures: RollPad.#onOpenFigures,
    },
  };

  /** @override */
  static PARTS = {
    buttons: { template: `${TEMPLATES}/windows/pad/pad.hbs`, scrollable: [""] },
    status: { template: `${TEMPLATES}/windows/pad/status.hbs` },
  };

  /** @type {PadButton[]} */
  #buttons = [];
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  #later;
  /** The actor for whom the pad was last drawn. */
  #drawnFor = "";

  /**
   * @override
   * @returns {Promise<Shown>}
   */
  async _prepareContext() {
    const { actor } = currentActor();
    this.#drawnFor = actor?.uuid ?? "";
    const { ruleset, result, note } = await readRolls(actor);
    const { groups, buttons } = ruleset
      ? padButtons(ruleset, result?.rolls ?? [], localize("TALLYBONES.Pad.Others"))
      : { groups: [], buttons: [] };
    this.#buttons = buttons;
    return {
      id: this.id,
      actor: actor && { name: actor.name, img: actor.img },
      ruleset: ruleset?.title ?? "",
      note,
      many: buttons.length >= MANY,
      groups,
      ...this.#status(),
    };
  }

  #status() {
    return {
      waiting: api.waiting().map(waitingShown),
      light: light(),
      canClock: knowsClock(),
      clock: clockLine(),
      isGM: game.user.isGM,
      isPlayer: api.status().role === "player",
    };
  }

  /**
   * @override
   * @param {Drawn} context
   * @param {DrawOptions} options
   */
  async _onFirstRender(context, options) {
    await super._onFirstRender(context, options);
    this.element.addEventListener("dragstart", (event) => this.#onDragStart(event));
    const drawAnew = () => this.#drawAnew();
    this.watch("controlToken", drawAnew);
    this.watch("updateUser", drawAnew);
    this.watch("updateActor", (/** @type {{uuid: string}} */ actor) => actor.uuid === this.#drawnFor && drawAnew());
    this.watch("updateWorldTime", () => void this.render({ parts: ["status"] }));
    this.watch(EVENTS.status, () => this.#onStatus());
    void this.#readClock();
  }

  /** The clock is told as soon as its units are known; without the service the pad has none. */
  async #readClock() {
    try {
      if ((await readUnits()).length > 0 && this.rendered) await this.render({ parts: ["status"] });
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }

  #connection = "";

  /** When the service comes or goes the buttons change too; else only what waits. */
  #onStatus() {
    const { connection } = api.status();
    const changed = connection !== this.#connection;
    this.#connection = connection;
    if (changed) this.#drawAnew();
    else void this.render({ parts: ["status"] });
  }

  /** Selecting one token lets go of another: draw once for both. */
  #drawAnew() {
    clearTimeout(this.#later);
    this.#later = setTimeout(() => this.rendered && void this.render(), 50);
  }

  /**
   * @override
   * @param {CloseOptions} options
   */
  _onClose(options) {
    clearTimeout(this.#later);
    super._onClose(options);
  }

  /**
   * @override
   * @param {Event} event
   */
  _onInput(event) {
    const field = event.target;
    if (!(field instanceof HTMLInputElement) || !field.hasAttribute("data-find")) return;
    const wanted = field.value.trim().toLocaleLowerCase();
    let found = 0;
    for (const button of this.element.querySelectorAll(".tallybones-roll")) {
      const fits = (button.getAttribute("data-words") ?? "").includes(wanted);
      button.toggleAttribute("hidden", !fits);
      found += Number(fits);
    }
    for (const group of this.element.querySelectorAll("[data-group]")) {
      group.toggleAttribute("hidden", group.querySelector(".tallybones-roll:not([hidden])") === null);
    }
    this.element.querySelector("[data-none]")?.toggleAttribute("hidden", found > 0);
  }

  /** @param {DragEvent} event */
  #onDragStart(event) {
    const button = event.target instanceof HTMLElement ? event.target.closest("[data-roll]") : null;
    const dragged = this.#buttons[Number(button?.getAttribute("data-roll") ?? -1)];
    if (dragged) rollDragged(event, dragged.roll, currentActor().actor);
  }

  /**
   * @this {RollPad}
   * @param {PointerEvent|MouseEvent} event
   * @param {HTMLElement} button
   */
  static #onRoll(event, button) {
    const clicked = this.#buttons[Number(button.dataset["roll"])];
    if (!clicked) return;
    const { action, params, label } = clicked.roll;
    void wantRoll({ action, fixed: params, label, ...currentActor(), atOnce: event.shiftKey });
  }

  /**
   * @param {Event} _event
   * @param {HTMLElement} button
   */
  static async #onCancel(_event, button) {
    if (!(await api.cancel(button.dataset["key"] ?? ""))) tell(localize("TALLYBONES.Pad.TooLate"));
  }

  /**
   * @param {Event} _event
   * @param {HTMLElement} button
   */
  static async #onRollHere(_event, button) {
    if (!(await api.rollHere(button.dataset["key"] ?? ""))) tell(localize("TALLYBONES.Pad.TooLate"));
  }

  static async #onOpenSheet() {
    const { actor } = currentActor();
    const { SheetPanel } = await import("../sheet/sheet.mjs");
    if (actor) await SheetPanel.show(actor).catch(sayWhy);
  }

  static async #onOpenConnect() {
    const { ConnectWindow } = await import("../connect/connect.mjs");
    await ConnectWindow.show();
  }

  static async #onOpenClock() {
    const { ClockWindow } = await import("../clock/clock.mjs");
    await ClockWindow.show();
  }

  static async #onOpenFigures() {
    const { FiguresWindow } = await import("../figures/figures.mjs");
    await FiguresWindow.show();
  }

  static async #onOpenGM() {
    const { GMWindow } = await import("../gm/gm.mjs");
    await GMWindow.show();
  }
}

/**
 * What can be rolled for an actor, and a word on what is missing.
 * @param {Actor.Implementation|null} actor
 * @returns {Promise<{ruleset: RuleSetDescription|null, result: SheetResult|null, note: string}>}
 */
async function readRolls(actor) {
  let ruleset = null;
  if (!api.status().ruleset) return { ruleset, result: null, note: light().hint };
  try {
    ruleset = await api.description();
    const result = actor ? await api.sheet(actor) : null;
    return { ruleset, result, note: result?.rolls.length === 0 ? localize("TALLYBONES.Pad.EmptySheet") : "" };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { ruleset, result: null, note: words(error) };
  }
}

/** @param {Waiting} waiting */
function waitingShown({ key, state, title, formula }) {
  return {
    key,
    title,
    icon: CLICK_ICONS[state],
    stateText: localize(`TALLYBONES.Pad.State.${state}`),
    canCancel: state === "waiting",
    canRollHere: state === "waiting" && formula !== null,
    cancelLabel: format("TALLYBONES.Pad.Cancel", { name: title }),
  };
}
