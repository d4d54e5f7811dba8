import { WHICH, askedFor } from "./description.mjs";

/** @import { Entries, Field, HouseRules, Params } from "./description.mjs" */

/** A number with so many values or fewer starts in the middle of them, another one here. */
const FEW = 20;
const LOW = 2;

/**
 * Fill in a form: what is given, else the field's default, else the least that is allowed.
 * @param {readonly Field[]} fields
 * @param {Params} [given]
 * @param {readonly string[]} [exclusive]  Names of fields of which exactly one is given.
 * @returns {Entries}
 */
export function entriesOf(fields, given = {}, exclusive = []) {
  /** @type {Entries} */
  const entries = {};
  for (const field of fields) entries[field.name] = entryOf(field, given[field.name]);
  if (exclusive.length) {
    const among = fields.map(({ name }) => name).filter((name) => exclusive.includes(name));
    entries[WHICH] = among.find((name) => given[name] !== undefined && given[name] !== null) ?? among[0];
  }
  return entries;
}

/**
 * @param {Field} field
 * @param {unknown} given
 * @returns {unknown}
 */
function entryOf(field, given) {
  switch (field.type) {
    case "variant": {
      const params = isObject(given) ? given : {};
      /** @type {Entries} */
      const entry = { kind: params["kind"] ?? field.kinds?.[0]?.kind };
      for (const kind of field.kinds ?? []) {
        entry[kind.kind] = entriesOf(kind.fields, kind.kind === entry["kind"] ? params : {});
      }
      return entry;
    }
    case "list": {
      const rows = Array.isArray(given) ? given : Array.isArray(field.default) ? field.default : [];
      return rows.map((row) => entriesOf(field.fields ?? [], isObject(row) ? row : {}));
    }
    default:
      return given ?? field.default ?? startingValue(field);
  }
}

/**
 * @param {Field} field
 * @returns {unknown}
 */
function startingValue(field) {
  switch (field.type) {
    case "integer":
      return field.required ? startingNumber(field) : Math.max(field.minimum ?? 0, 0);
    case "choice":
      return middle(field.choices ?? [])?.value;
    case "flag":
      return false;
    default:
      return "";
  }
}

/**
 * Without a default, a number that must be given starts in the middle where it has few values, else low, but not with
 * the least: a target that nobody can miss says nothing.
 * @param {Field} field
 * @returns {number}
 */
function startingNumber({ minimum = 0, maximum = Infinity }) {
  if (maximum - minimum <= FEW) return Math.floor((minimum + maximum) / 2);
  return Math.min(Math.max(minimum, LOW), maximum);
}

/**
 * Whether something has to be asked before a roll can be made: a field that must be given, and that neither the sheet
 * nor an earlier choice nor the rules fill in.
 * @param {readonly Field[]} fields
 * @param {Params} given
 * @param {{exclusive?: readonly string[], house?: HouseRules}} [rules]
 * @returns {boolean}
 */
export function mustAsk(fields, given, { exclusive = [], house = {} } = {}) {
  const isOpen = (/** @type {Field} */ { name, default: fallback }) => given[name] === undefined && fallback === undefined;
  if (exclusive.length && exclusive.every((name) => given[name] === undefined || given[name] === null)) return true;
  return askedFor(fields, house).some((field) => field.required && isOpen(field));
}

/**
 * Without a default, a choice starts in the middle of its ladder.
 * @template T
 * @param {readonly T[]} choices
 * @returns {T|undefined}
 */
function middle(choices) {
  return choices[Math.floor((choices.length - 1) / 2)];
}

/**
 * What is sent for a filled-in form. What is no number stays as typed, so that the service can say what is wrong.
 * @param {readonly Field[]} fields
 * @param {Entries} entries
 * @param {{exclusive?: readonly string[], house?: HouseRules}} [rules]
 * @returns {Params}
 */
export function paramsOf(fields, entries, { exclusive = [], house = {} } = {}) {
  /** @type {Params} */
  const params = {};
  for (const field of askedFor(fields, house)) {
    if (exclusive.includes(field.name) && entries[WHICH] !== field.name) continue;
    const value = paramOf(field, entries[field.name]);
    if (value !== undefined) params[field.name] = value;
  }
  return params;
}

/**
 * @param {Field} field
 * @param {unknown} entry
 * @returns {unknown}
 */
function paramOf(field, entry) {
  if (entry === undefined || entry === null) return undefined;
  switch (field.type) {
    case "variant": {
      const { kind, ...byKind } = /** @type {Entries} */ (entry);
      const chosen = field.kinds?.find((one) => one.kind === kind);
      if (!chosen) return undefined;
      return { kind, ...paramsOf(chosen.fields, /** @type {Entries} */ (byKind[chosen.kind] ?? {})) };
    }
    case "list":
      return /** @type {Entries[]} */ (entry).map((row) => paramsOf(field.fields ?? [], row));
    case "integer":
      return entry === "" && !field.required ? undefined : entry;
    default:
      return entry;
  }
}

/**
 * Read what stands in a form's controls; see `control` for their names.
 * @param {readonly Field[]} fields
 * @param {ReadonlyMap<string, string>} controls  The form's controls by name; a box that is not ticked is not there.
 * @param {string} [prefix]
 * @returns {Entries}
 */
export function readEntries(fields, controls, prefix = "") {
  /** @type {Entries} */
  const entries = {};
  for (const field of fields) {
    const path = prefix + field.name;
    const entry = readEntry(field, controls, path);
    if (entry !== undefined) entries[field.name] = entry;
  }
  const which = controls.get(prefix + WHICH);
  if (which !== undefined) entries[WHICH] = which;
  return entries;
}

/**
 * @param {Field} field
 * @param {ReadonlyMap<string, string>} controls
 * @param {string} path
 * @returns {unknown}
 */
function readEntry(field, controls, path) {
  const written = controls.get(path);
  switch (field.type) {
    case "flag":
      return written !== undefined;
    case "integer":
      return written === undefined ? undefined : wholeNumber(written);
    case "choice":
      return field.choices?.find((choice) => String(choice.value) === written)?.value;
    case "variant": {
      /** @type {Entries} */
      const entry = { kind: controls.get(`${path}.kind`) ?? field.kinds?.[0]?.kind };
      for (const kind of field.kinds ?? []) {
        entry[kind.kind] = readEntries(kind.fields, controls, `${path}.${kind.kind}.`);
      }
      return entry;
    }
    case "list": {
      const rows = [];
      for (let row = 0; controls.has(`${path}.${row}`); row += 1) {
        rows.push(readEntries(field.fields ?? [], controls, `${path}.${row}.`));
      }
      return rows;
    }
    default:
      return written?.trim();
  }
}

/**
 * The integer that was written, or what was written where it is none.
 * @param {string} written
 * @returns {number|string}
 */
export function wholeNumber(written) {
  const trimmed = written.trim().replace(/^−/, "-");
  return /^[+-]?\d{1,9}$/.test(trimmed) ? Number.parseInt(trimmed, 10) : trimmed;
}

/**
 * The controls of a form by name.
 * @param {HTMLFormElement} form
 * @returns {Map<string, string>}
 */
export function controlsOf(form) {
  const controls = new Map();
  for (const [name, value] of new FormData(form)) {
    if (typeof value === "string") controls.set(name, value);
  }
  return controls;
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
