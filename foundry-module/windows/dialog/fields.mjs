/**
 * @import { Params } from "../../api.mjs"
 * @import { ActionDescription, Field } from "../../forms/description.mjs"
 * @import { Control } from "../../forms/model.mjs"
 */

/**
 * What nobody can fill in beforehand comes first, such as the target; then what is mostly left as it is; and the
 * other side last, in a frame of its own.
 * @param {Control[]} controls
 * @param {ActionDescription} action
 * @returns {Control[]}
 */
export function openFirst(controls, { fields }) {
  const given = new Set(fields.filter(({ required }) => !required).map(({ name }) => name));
  const others = new Set(fields.filter(({ type }) => type === "variant").map(({ name }) => `${name}.kind`));
  const own = controls.filter(({ path }) => !others.has(path));
  return [
    ...own.filter(({ path }) => !given.has(path)),
    ...own.filter(({ path }) => given.has(path)),
    ...controls.filter(({ path }) => others.has(path)),
  ];
}

/**
 * What is remembered for the next time: all but what the sheet says.
 * @param {Params} params
 * @param {Params} fixed
 * @param {readonly Field[]} fields
 * @returns {Params}
 */
export function without(params, fixed, fields) {
  const own = fields.filter((field) => !(field.name in fixed)).map((field) => field.name);
  return Object.fromEntries(own.filter((name) => name in params).map((name) => [name, params[name]]));
}
