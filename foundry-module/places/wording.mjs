import { askedFor } from "../forms/description.mjs";
import { wholeNumber } from "../forms/entries.mjs";

/**
 * @import { Field, HouseRules } from "../forms/description.mjs"
 * @import { Params } from "../api.mjs"
 *
 * @typedef {object} Words
 * @property {string} name                            What stands before the first setting: an action or a skill.
 * @property {Array<{path: string, value: string}>} settings
 */

/** `name=value`, the value in quotes where it has spaces. */
const SETTING = /([A-Za-z_][\w.-]*)=("[^"]*"|'[^']*'|\S+)/g;

/**
 * Take a command or a link apart: `Climbing dv=3 knack=yes`.
 * @param {string} text
 * @returns {Words}
 */
export function wordsOf(text) {
  const settings = [...text.matchAll(SETTING)].map(([, path = "", value = ""]) => ({
    path,
    value: value.replace(/^(["'])(.*)\1$/, "$2"),
  }));
  const name = text.replace(SETTING, " ").replace(/\s+/g, " ").trim();
  return { name, settings };
}

/**
 * What was set, as an action's fields take it.
 * @param {readonly Field[]} fields
 * @param {Words["settings"]} settings
 * @param {HouseRules} [house]
 * @returns {{params: Params, unknown: string[]}}  `unknown`: settings that the action does not have.
 */
export function paramsSet(fields, settings, house = {}) {
  /** @type {Params} */
  const params = {};
  /** @type {string[]} */
  const unknown = [];
  for (const { path, value } of settings) {
    const [name = "", ...below] = path.split(".");
    const field = askedFor(fields, house).find((one) => one.name === name);
    if (!field) unknown.push(path);
    else if (field.type === "variant") setInVariant(params, field, below.join("."), value, unknown, path);
    else params[name] = valueOf(field, value);
  }
  return { params, unknown };
}

/**
 * `opponent=creature`, `opponent.skill=4`: the kind, and what it has.
 * @param {Params} params
 * @param {Field} field
 * @param {string} below
 * @param {string} value
 * @param {string[]} unknown
 * @param {string} path
 */
function setInVariant(params, field, below, value, unknown, path) {
  const before = /** @type {Params} */ (params[field.name] ?? {});
  const kinds = field.kinds ?? [];
  if (below === "" || below === "kind") {
    const kind = kinds.find((one) => one.kind === value.toLowerCase());
    if (!kind) unknown.push(`${path}=${value}`);
    else params[field.name] = { ...before, kind: kind.kind };
    return;
  }
  const has = (/** @type {{fields: Field[]}} */ kind) => kind.fields.find(({ name }) => name === below);
  const kind = kinds.find((one) => one.kind === before["kind"]) ?? kinds.find(has);
  const inKind = kind && has(kind);
  if (!inKind) unknown.push(path);
  else params[field.name] = { kind: kind.kind, ...before, [below]: valueOf(inKind, value) };
}

/**
 * @param {Field} field
 * @param {string} written
 * @returns {unknown}
 */
function valueOf(field, written) {
  const plain = written.trim().toLowerCase();
  switch (field.type) {
    case "integer":
      return wholeNumber(written);
    case "flag":
      return ["yes", "true", "on", "1", "x"].includes(plain) || field.label.toLowerCase() === plain;
    case "choice":
      return choiceMeant(field, plain) ?? written;
    default:
      return written;
  }
}

/**
 * @param {Field} field
 * @param {string} plain
 * @returns {string|number|undefined}
 */
function choiceMeant(field, plain) {
  const choices = field.choices ?? [];
  const exact = choices.find(({ value, label }) => String(value).toLowerCase() === plain || label.toLowerCase() === plain);
  const near = choices.filter(({ value, label }) => String(value).startsWith(plain) || label.toLowerCase().startsWith(plain));
  return (exact ?? (near.length === 1 ? near[0] : undefined))?.value;
}
