import { actionNamed } from "../../forms/description.mjs";
import { entriesOf } from "../../forms/entries.mjs";
import { summaryOf } from "../../forms/summary.mjs";

/**
 * @import { Params, SheetRoll } from "../../api.mjs"
 * @import { RuleSetDescription } from "../../forms/description.mjs"
 *
 * @typedef {object} PadButton
 * @property {number} index
 * @property {string} label
 * @property {string} note      What the sheet gives, in a line.
 * @property {string} words     What it can be found by.
 * @property {SheetRoll} roll
 */

/**
 * The buttons of a pad, in groups: what the sheet offers, then each kind of roll without a sheet.
 * @param {RuleSetDescription} ruleset
 * @param {readonly SheetRoll[]} rolls
 * @param {string} others   The last group's name.
 * @returns {{groups: Array<{label: string, buttons: PadButton[]}>, buttons: PadButton[]}}
 */
export function padButtons(ruleset, rolls, others) {
  const bare = ruleset.actions
    .filter(({ name, title }) => !rolls.some((roll) => roll.action === name && roll.label === title))
    .map(({ name, title }) => ({ label: title, group: others, action: name, params: {} }));
  const buttons = [...rolls, ...bare].map((roll, index) => ({
    index,
    label: roll.label,
    note: noteOf(ruleset, roll),
    words: `${roll.label} ${roll.group}`.toLocaleLowerCase(),
    roll,
  }));
  const labels = [...new Set(buttons.map(({ roll }) => roll.group))];
  return {
    groups: labels.map((label) => ({ label, buttons: buttons.filter(({ roll }) => roll.group === label) })),
    buttons,
  };
}

/**
 * @param {RuleSetDescription} ruleset
 * @param {SheetRoll} roll
 * @returns {string}
 */
function noteOf(ruleset, { action: name, label, params }) {
  const fields = (actionNamed(ruleset, name)?.fields ?? []).filter((field) => field.name in params);
  const entries = entriesOf(fields, params);
  // A choice whose label is the button's own says nothing new: "Fortitude · Target 9".
  const telling = fields.filter((field) => field.choices?.find(({ value }) => value === entries[field.name])?.label !== label);
  return summaryOf(telling, entries);
}

/**
 * The roll that a sheet offers now under the name of one that was kept, in a macro for instance.
 * @param {readonly SheetRoll[]} rolls
 * @param {{action: string, label?: string|undefined}} kept
 * @returns {SheetRoll|undefined}
 */
export function sameRoll(rolls, { action, label }) {
  return rolls.find((roll) => roll.action === action && roll.label === label);
}

/**
 * What a player means by a name: the roll whose label it is, or which alone begins with it, upper or lower case.
 * @param {readonly SheetRoll[]} rolls
 * @param {string} name
 * @returns {SheetRoll|undefined}
 */
export function rollMeant(rolls, name) {
  const wanted = name.trim().toLocaleLowerCase();
  const exact = rolls.find(({ label }) => label.toLocaleLowerCase() === wanted);
  if (exact || !wanted) return exact;
  const near = rolls.filter(({ label }) => label.toLocaleLowerCase().startsWith(wanted));
  return new Set(near.map(({ label }) => label)).size === 1 ? near[0] : undefined;
}
