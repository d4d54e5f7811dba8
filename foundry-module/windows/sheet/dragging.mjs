import { MODULE } from "../../const.mjs";

/**
 * @typedef {object} Dragged
 * @property {number} [index]   A thing of this sheet, by its place in the list.
 * @property {string} [name]    A thing from elsewhere in Foundry.
 */

const KIND = `${MODULE}.thing`;

/**
 * Let things be dragged from place to place, and items of the game system be brought here.
 * @param {HTMLElement} sheet
 * @param {{moved: (index: number, place: string, onto: number|null) => void, brought: (name: string) => void}} told
 */
export function letDrag(sheet, told) {
  sheet.addEventListener("dragstart", thingDragged);
  sheet.addEventListener("dragend", () => mark(sheet, null));
  sheet.addEventListener("dragover", (event) => {
    const slot = slotOf(event);
    if (slot) event.preventDefault();
    mark(sheet, slot);
  });
  sheet.addEventListener("drop", async (event) => {
    const slot = slotOf(event);
    mark(sheet, null);
    if (!slot) return;
    event.preventDefault();
    const { place = "", thing } = slot.dataset;
    const dragged = await draggedThing(event);
    if (dragged?.index !== undefined) told.moved(dragged.index, place, thing === undefined ? null : Number(thing));
    else if (dragged?.name) told.brought(dragged.name);
  });
}

/**
 * The slot, or the place, that the pointer is over.
 * @param {DragEvent} event
 * @returns {HTMLElement|null}
 */
function slotOf(event) {
  const slot = event.target instanceof Element ? event.target.closest("[data-place]") : null;
  return slot instanceof HTMLElement ? slot : null;
}

/**
 * Show where a thing would land.
 * @param {HTMLElement} sheet
 * @param {HTMLElement|null} slot
 */
function mark(sheet, slot) {
  for (const one of sheet.querySelectorAll(".tallybones-drop")) if (one !== slot) one.classList.remove("tallybones-drop");
  slot?.classList.add("tallybones-drop");
}

/**
 * A thing of the sheet was taken up.
 * @param {DragEvent} event
 */
function thingDragged(event) {
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
async function draggedThing(event) {
  /** @type {{type?: unknown, index?: unknown, uuid?: unknown}} */
  let dropped;
  try {
    dropped = JSON.parse(event.dataTransfer?.getData("text/plain") ?? "");
  } catch {
    return null; // Text or a file from outside Foundry.
  }
  if (dropped.type === KIND) return { index: Number(dropped.index) };
  if (dropped.type !== "Item" || typeof dropped.uuid !== "string") return null;
  const item = /** @type {{name?: string}|null} */ (await fromUuid(/** @type {`Item.${string}`} */ (dropped.uuid)));
  return item?.name ? { name: item.name } : null;
}
