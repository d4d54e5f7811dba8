import { placesWith } from "../../forms/pack.mjs";
import { placeOf } from "../../forms/shape.mjs";
import { format } from "../../i18n.mjs";

/**
 * @import { SheetResult } from "../../api.mjs"
 * @import { SheetDraft } from "../../forms/draft.mjs"
 */

/**
 * What the template draws of the things and their places; null for a sheet without them.
 * @param {SheetDraft} draft
 * @param {SheetResult|null} result
 * @param {{id: string, editable: boolean}} context
 */
export function packOf(draft, result, { id, editable }) {
  const list = draft.shape.pack;
  if (!list) return null;
  const slots = draft.slots;
  const used = typeof result?.["slots_used"] === "number" ? result["slots_used"] : undefined;
  const choices = placeOf(list)?.choices ?? [];
  return {
    path: list.name,
    label: list.label,
    editable,
    newId: `${id}-new-thing`,
    count: slots === undefined ? "" : format("TALLYBONES.Sheet.SlotsOf", { used: used ?? 0, slots }),
    places: placesWith(list, draft.things, { slots, used }).map((place) => ({
      ...place,
      slots: place.slots.map((slot) => ({
        ...slot,
        free: slot.thing === null,
        over: place.over,
        editable,
        moveLabel: format("TALLYBONES.Sheet.Move", { name: slot.name }),
        removeLabel: format("TALLYBONES.Sheet.Remove", { name: slot.name }),
        places: choices.map(({ value, label }) => ({ value, label, selected: value === slot.place })),
      })),
    })),
  };
}
