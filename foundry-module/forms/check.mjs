import { format } from "../i18n.mjs";
import { WHICH, askedFor } from "./description.mjs";

/**
 * @import { Entries, Field, HouseRules } from "./description.mjs"
 */

/**
 * What is plainly out of its range, by the path that the service would name it by. The ranges are the description's
 * own; all else is the service's to judge. Checked here so that a slip of the finger asks nobody.
 * @param {readonly Field[]} fields
 * @param {Entries} entries
 * @param {{exclusive?: readonly string[], house?: HouseRules}} [rules]
 * @param {string} [prefix]
 * @param {Map<string, string[]>} [found]
 * @returns {Map<string, string[]>}
 */
export function outOfRange(fields, entries, { exclusive = [], house = {} } = {}, prefix = "", found = new Map()) {
  for (const field of askedFor(fields, house)) {
    if (exclusive.includes(field.name) && entries[WHICH] !== field.name) continue;
    const entry = entries[field.name];
    const path = prefix + field.name;
    if (field.type === "integer" && !inRange(field, entry)) {
      const { minimum = "", maximum = "" } = field;
      found.set(path, [format("TALLYBONES.Form.WholeNumber", { minimum, maximum })]);
    } else if (field.type === "variant") {
      const { kind, ...kinds } = /** @type {Entries} */ (entry ?? {});
      const chosen = field.kinds?.find((one) => one.kind === kind);
      if (chosen) outOfRange(chosen.fields, /** @type {Entries} */ (kinds[chosen.kind] ?? {}), {}, `${path}.`, found);
    } else if (field.type === "list") {
      /** @type {Entries[]} */ (entry ?? []).forEach((row, place) => outOfRange(field.fields ?? [], row, {}, `${path}.${place}.`, found));
    }
  }
  return found;
}

/**
 * @param {Field} field
 * @param {unknown} entry
 * @returns {boolean}
 */
function inRange({ minimum = -Infinity, maximum = Infinity, required, default: fallback }, entry) {
  const leftOut = entry === undefined || entry === null || entry === "";
  if (leftOut) return !required && fallback !== undefined;
  return typeof entry === "number" && entry >= minimum && entry <= maximum;
}
