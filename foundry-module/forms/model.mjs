import { WHICH, askedFor } from "./description.mjs";

/** @import { Choice, Entries, Field, HouseRules } from "./description.mjs" */

/**
 * What the template `field.hbs` draws of one field. Exactly one of the `is…` flags is set.
 * @typedef {object} Control
 * @property {string} path      Its name in the form.
 * @property {string} errorPath What the service calls it when it is wrong: a variant's kind is left out.
 * @property {string} id
 * @property {string} label
 * @property {string} help
 * @property {unknown} [value]
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {boolean} [checked]
 * @property {Option[]} [options]
 * @property {Part[]} [parts]
 * @property {boolean} [isNumber]
 * @property {boolean} [isSegments]
 * @property {boolean} [isSelect]
 * @property {boolean} [isFlag]
 * @property {boolean} [isText]
 * @property {boolean} [isParts]
 *
 * @typedef {object} Option
 * @property {string} id
 * @property {string|number} value
 * @property {string} label
 * @property {boolean} selected
 *
 * @typedef {object} Part  One of several groups of controls, of which only the chosen one is shown.
 * @property {string} name
 * @property {boolean} hidden
 * @property {Control[]} controls
 *
 * @typedef {object} Context
 * @property {string} id                 What the ids of this form's controls begin with.
 * @property {Choice[]} users            Whom a user field can name.
 * @property {HouseRules} [house]
 * @property {readonly string[]} [exclusive]
 * @property {string} [exclusiveLabel]   What is asked where exactly one of several fields is given.
 */

const SEGMENTS_AT_MOST = 4;
const LETTERS_IN_A_ROW = 40;

/**
 * Lay out the controls of a form.
 * @param {readonly Field[]} fields
 * @param {Entries} entries
 * @param {Context} context
 * @param {string} [prefix]
 * @param {string} [errorPrefix]
 * @returns {Control[]}
 */
export function controlsFor(fields, entries, context, prefix = "", errorPrefix = prefix) {
  const exclusive = prefix ? [] : (context.exclusive ?? []);
  /** @type {Control[]} */
  const controls = [];
  for (const field of askedFor(fields, context.house ?? {})) {
    if (!exclusive.includes(field.name)) {
      controls.push(controlFor(field, entries[field.name], context, prefix + field.name, errorPrefix + field.name));
    } else if (field.name === exclusiveIn(fields, exclusive)) {
      controls.push(oneOf(fields, entries, context, exclusive));
    }
  }
  return controls;
}

/**
 * The first of the fields that exclude each other: they stand together, where it stands.
 * @param {readonly Field[]} fields
 * @param {readonly string[]} exclusive
 * @returns {string|undefined}
 */
function exclusiveIn(fields, exclusive) {
  return fields.find((field) => exclusive.includes(field.name))?.name;
}

/**
 * @param {Field} field
 * @param {unknown} entry
 * @param {Context} context
 * @param {string} path
 * @param {string} [errorPath]
 * @returns {Control}
 */
export function controlFor(field, entry, context, path, errorPath = path) {
  const control = bare(field.label, field.help ?? "", path, errorPath, context);
  switch (field.type) {
    case "integer":
      return { ...control, isNumber: true, value: entry, minimum: field.minimum, maximum: field.maximum };
    case "flag":
      return { ...control, isFlag: true, checked: entry === true };
    case "choice":
      return withOptions(control, field.choices ?? [], entry);
    case "user":
      // Its help speaks of ids; the list has names.
      return { ...withOptions(control, context.users, entry), help: "", isSegments: false, isSelect: true };
    case "variant":
      return variant(control, field, /** @type {Entries} */ (entry ?? {}), context);
    default:
      return { ...control, isText: true, value: entry ?? "", maximum: field.maximum_length };
  }
}

/**
 * @param {string} label
 * @param {string} help
 * @param {string} path
 * @param {string} errorPath
 * @param {Context} context
 * @returns {Control}
 */
function bare(label, help, path, errorPath, context) {
  return { path, errorPath, id: `${context.id}-${path.replace(/[^A-Za-z0-9]+/g, "-")}`, label, help };
}

/**
 * @param {Control} control
 * @param {readonly Choice[]} choices
 * @param {unknown} chosen
 * @returns {Control}
 */
function withOptions(control, choices, chosen) {
  const options = choices.map((choice, place) => ({
    id: `${control.id}-${place}`,
    value: choice.value,
    label: choice.label,
    selected: choice.value === chosen,
  }));
  const letters = choices.reduce((sum, choice) => sum + choice.label.length, 0);
  const inARow = choices.length <= SEGMENTS_AT_MOST && letters <= LETTERS_IN_A_ROW;
  return { ...control, isSegments: inARow, isSelect: !inARow, options };
}

/**
 * @param {Control} control
 * @param {Field} field
 * @param {Entries} entry
 * @param {Context} context
 * @returns {Control}
 */
function variant(control, field, entry, context) {
  const kinds = field.kinds ?? [];
  const choices = kinds.map(({ kind, label }) => ({ value: kind, label }));
  return {
    ...withOptions(control, choices, entry["kind"]),
    path: `${control.path}.kind`,
    isSegments: false,
    isSelect: false,
    isParts: true,
    parts: kinds.map((kind) => ({
      name: kind.kind,
      hidden: kind.kind !== entry["kind"],
      controls: controlsFor(
        kind.fields,
        /** @type {Entries} */ (entry[kind.kind] ?? {}),
        context,
        `${control.path}.${kind.kind}.`,
        `${control.errorPath}.`,
      ),
    })),
  };
}

/**
 * Fields of which exactly one is given: a choice between them, and the chosen one.
 * @param {readonly Field[]} fields
 * @param {Entries} entries
 * @param {Context} context
 * @param {readonly string[]} exclusive
 * @returns {Control}
 */
function oneOf(fields, entries, context, exclusive) {
  const among = fields.filter((field) => exclusive.includes(field.name));
  const chosen = entries[WHICH] ?? among[0]?.name;
  const choices = among.map((field) => ({ value: field.name, label: field.label }));
  const control = bare(context.exclusiveLabel ?? "", "", WHICH, WHICH, context);
  return {
    ...withOptions(control, choices, chosen),
    isSegments: false,
    isSelect: false,
    isParts: true,
    parts: among.map((field) => ({
      name: field.name,
      hidden: field.name !== chosen,
      controls: [controlFor(field, entries[field.name], context, field.name)],
    })),
  };
}
