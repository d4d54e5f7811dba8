import { MODULE } from "../const.mjs";
import { ROLL_DRAGGED } from "../windows/pad/dragging.mjs";
import { sayWhy } from "../windows/notice.mjs";

/** @import { DraggedRoll } from "../windows/pad/dragging.mjs" */

/**
 * A button of the pad was dropped on the hotbar: make a macro of it.
 * @param {unknown} _bar
 * @param {{type?: unknown}} dropped
 * @param {number|string} slot
 * @returns {false|undefined}  False: the drop is ours.
 */
export function dropOnHotbar(_bar, dropped, slot) {
  if (dropped.type !== ROLL_DRAGGED) return undefined;
  makeMacro(/** @type {DraggedRoll} */ (dropped), Number(slot)).catch(sayWhy);
  return false;
}

/**
 * @param {DraggedRoll} dropped
 * @param {number} slot
 */
async function makeMacro({ roll, actor }, slot) {
  const command = commandOf({ ...roll, actor });
  const known = /** @type {Macro.Implementation[]} */ (game.macros.contents).find((macro) => macro.command === command && macro.isAuthor);
  const macro = known ?? (await Macro.create({ name: roll.label, type: "script", img: "icons/svg/d20-black.svg", command }));
  if (macro) await game.user.assignHotbarMacro(macro, slot);
}

/**
 * The macro's one line. What is put in is written as JSON, so that no name can end the string and start code.
 * @param {import("./macro.mjs").KeptRoll} kept
 * @returns {string}
 */
export function commandOf({ action, label, group, params, actor }) {
  const kept = JSON.stringify({ action, label, group, params, actor });
  return `game.modules.get("${MODULE}").api.rollKept(${kept.replace(/[\u2028\u2029]/g, "")}, event);`;
}
