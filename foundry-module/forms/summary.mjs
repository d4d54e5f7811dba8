/** @import { Entries, Field } from "./description.mjs" */

/**
 * What stands in some fields, in a line: "Stat 3 · Mastered · Knack".
 * @param {readonly Field[]} fields
 * @param {Entries} entries
 * @returns {string}
 */
export function summaryOf(fields, entries) {
  return fields.map((field) => said(field, entries[field.name])).filter(Boolean).join(" · ");
}

/**
 * @param {Field} field
 * @param {unknown} entry
 * @returns {string}
 */
function said(field, entry) {
  switch (field.type) {
    case "flag":
      return entry === true ? field.label : "";
    case "choice":
      return field.choices?.find((choice) => choice.value === entry)?.label ?? "";
    case "variant": {
      const { kind } = /** @type {{kind?: unknown}} */ (entry ?? {});
      return field.kinds?.find((one) => one.kind === kind)?.label ?? "";
    }
    case "list":
      return "";
    default:
      return entry === undefined || entry === null || entry === "" ? "" : `${field.label} ${entry}`;
  }
}
