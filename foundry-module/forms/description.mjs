/**
 * The words of forms. What the service says of a rule set is typed in the module's API; what a form holds while
 * somebody fills it in, here.
 *
 * @typedef {import("../api.mjs").Field} Field
 * @typedef {import("../api.mjs").ActionForm} ActionForm
 * @typedef {import("../api.mjs").RuleSetForm} RuleSetForm
 * @typedef {RuleSetForm} RuleSetDescription
 * @typedef {import("../api.mjs").SheetRoll} SheetRoll
 * @typedef {import("../api.mjs").Params} Params
 * @typedef {{value: string|number, label: string}} Choice
 * @typedef {Record<string, unknown>} HouseRules
 *
 * @typedef {Record<string, unknown>} Entries
 *   What stands in a form. As `Params`, but a variant keeps what was entered for each of its kinds
 *   (`{kind: "creature", creature: {…}, player: {…}}`), and `WHICH` names the field in use of those that
 *   exclude each other.
 */

/** The entry that says which of the fields that exclude each other is in use. */
export const WHICH = "?which";

/**
 * The fields that a table asks for under its house rules.
 * @param {readonly Field[]} fields
 * @param {HouseRules} house
 * @returns {Field[]}
 */
export function askedFor(fields, house) {
  return fields.filter((field) => !field.only_with || house[field.only_with] === true);
}

/**
 * The action of that name.
 * @param {RuleSetForm} ruleset
 * @param {string} name
 * @returns {ActionForm|undefined}
 */
export function actionNamed(ruleset, name) {
  return ruleset.actions.find((action) => action.name === name);
}
