import { MODULE } from "../../const.mjs";

/**
 * @typedef {object} Dragged
 * @property {number} [index]   A thing of this sheet, by its place in the list.
 * @property {string} [name]    A thing from elsewhere in Foundry.
 */

const KIND = `${MODULE}.thing`;

/**
 * A thing of the sheet was taken up.
 * @param {DragEvent} event
 */
export function thingDragged(event) {
  const thing = event.target instanceof HTMLElement ? event.target.closest("[data-thing]") : null;
  if (!(thing instanceof HTMLElement) || !event.dataTransfer) return;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", JSON.stringify({ type: KIND, index: Number(thing.dataset["thing"]) }));
}

/**
 * What was dropped: a thing of the sheet, or an item of the game system, from which only the name is taken.
 * @param {DragEvent} event
 * @returns {Promise<Dragged|null>}
 */
export async function draggedThing(event) {
  /** @type {{type?: unknown, index?: unknown, uuid?: unknown}} */
  let dropped;
  try {
    dropped = JSON.parse(event.dataTransfer?.getData("text/plain") ?? "");
  } catch {
    return null; // Text or a file from outside Foundry.
  }
  if (dropped.type === KIND) return { index: Number(dropped.index) };
  if (dropped.type !== "Item" || typeof dropped.uuid !== "string") return null;
  const item = /** @type {{name?: string}|null} */ (await fromUuid(dropped.uuid));
  return item?.name ? { name: item.name } : null;
}
