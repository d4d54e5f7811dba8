import { controlFor } from "../../forms/model.mjs";
import { format, localize } from "../../i18n.mjs";

/**
 * @import { Entries, Field } from "../../forms/description.mjs"
 */

/**
 * What the template draws of a list of rows, such as skills.
 * @param {Field} list
 * @param {readonly Entries[]} rows
 * @param {{id: string, editable: boolean, note: string, following: ReadonlyMap<string, string>}} context
 */
export function tableOf(list, rows, { id, editable, note, following }) {
  const fields = list.fields ?? [];
  return {
    path: list.name,
    label: list.label,
    note,
    editable,
    columns: fields.map(({ label }) => ({ label })),
    add: localize("TALLYBONES.Sheet.AddRow"),
    empty: localize("TALLYBONES.Sheet.NoRows"),
    rows: rows.map((entries, row) => {
      const rowPath = `${list.name}.${row}`;
      const name = String(entries["name"] ?? "");
      return {
        row,
        list: list.name,
        name,
        editable,
        follow: following.get(name) ?? "",
        remove: format("TALLYBONES.Sheet.Remove", { name }),
        cells: fields.map((field, column) => {
          const control = controlFor(field, entries[field.name], { id, users: [] }, `${rowPath}.${field.name}`);
          return {
            ...control,
            label: name && field.name !== "name" ? `${name}: ${field.label}` : field.label,
            isSelect: control.isSelect || control.isSegments,
            first: column === 0,
            rowPath,
            editable,
          };
        }),
      };
    }),
  };
}
