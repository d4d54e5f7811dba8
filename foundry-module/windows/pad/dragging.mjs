import { MODULE } from "../../const.mjs";

/**
 * @import { SheetRoll } from "../../api.mjs"
 *
 * @typedef {object} DraggedRoll
 * @property {string} type
 * @property {SheetRoll} roll
 * @property {string|null} actor   The actor's uuid.
 */

/** What a dragged button is, in Foundry's drag data. */
export const ROLL_DRAGGED = `${MODULE}.roll`;

/**
 * A button of the pad was taken up.
 * @param {DragEvent} event
 * @param {SheetRoll} roll
 * @param {Actor.Implementation|null} actor
 */
export function rollDragged(event, roll, actor) {
  /** @type {DraggedRoll} */
  const dragged = { type: ROLL_DRAGGED, roll, actor: actor?.uuid ?? null };
  event.dataTransfer?.setData("text/plain", JSON.stringify(dragged));
}
