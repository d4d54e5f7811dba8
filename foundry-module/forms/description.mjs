/**
 * What the service says of a rule set, and what a form holds while somebody fills it in.
 *
 * @typedef {import("../api.mjs").Params} Params
 * @typedef {{value: string|number, label: string}} Choice
 * @typedef {{kind: string, label: string, fields: Field[]}} Kind   One of the shapes of a variant field.
 * @typedef {Record<string, unknown>} HouseRules
 *
 * @typedef {object} Field
 * @property {string} name
 * @property {string} label
 * @property {string} [help]
 * @property {boolean} [required]
 * @property {"integer"|"choice"|"flag"|"user"|"text"|"variant"|"list"} type
 * @property {unknown} [default]
 * @property {string} [only_with]          The house rule without which the field is not asked for.
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {number} [maximum_length]
 * @property {Choice[]} [choices]
 * @property {Kind[]} [kinds]
 * @property {number} [most]               The most rows of a list.
 * @property {Field[]} [fields]            The fields of a list's rows.
 *
 * @typedef {object} ActionDescription
 * @property {string} name
 * @property {string} title
 * @property {string} help
 * @property {"successes"|"total"} score
 * @property {string} target_label
 * @property {Field[]} fields
 * @property {string[]} exactly_one_of
 * @property {Field[]|null} answer_fields  What the other side of an opposed roll is asked; null where nobody answers.
 *
 * @typedef {object} RuleSetDescription
 * @property {string} id
 * @property {string} title
 * @property {string} blurb
 * @property {ActionDescription[]} actions
 * @property {Field[]} house_rules
 * @property {Field[]} sheet
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
 * @param {RuleSetDescription} ruleset
 * @param {string} name
 * @returns {ActionDescription|undefined}
 */
export function actionNamed(ruleset, name) {
  return ruleset.actions.find((action) => action.name === name);
}
