import assert from "node:assert/strict";
import { test } from "node:test";
import { outOfRange } from "../../../foundry-module/forms/check.mjs";
import { entriesOf } from "../../../foundry-module/forms/entries.mjs";
import { DESCRIPTIONS, action } from "./descriptions.mjs";

globalThis.game = { i18n: { format: (key, { minimum, maximum }) => `${minimum} to ${maximum}` } };

const check = action("moon-hangs-low", "skill-check");
const opposed = action("heroes-2d6", "opposed-test");
const unopposed = action("heroes-2d6", "unopposed-test");
const slips = (fields, entries, rules) => Object.fromEntries(outOfRange(fields, entries, rules));

test("a number out of its range is told with the range that the description gives", () => {
  const entries = { ...entriesOf(check.fields), dv: 51, bonus: -1, stat: "2.5" };
  assert.deepEqual(slips(check.fields, entries), { stat: ["1 to 5"], bonus: ["0 to 20"], dv: ["1 to 50"] });
  assert.deepEqual(slips(check.fields, entriesOf(check.fields)), {});
});

test("what must be given may not be left empty, what has a default may", () => {
  assert.deepEqual(Object.keys(slips(check.fields, { ...entriesOf(check.fields), dv: "", bonus: "" })), ["dv"]);
});

test("only what is in use is looked at", () => {
  const creature = entriesOf(opposed.fields, { opponent: { kind: "creature", skill: 99, modifier: 0 } });
  assert.deepEqual(Object.keys(slips(opposed.fields, creature)), ["opponent.skill"]);
  creature.opponent.kind = "player";
  assert.deepEqual(slips(opposed.fields, creature), {});
  const exclusive = unopposed.exactly_one_of;
  assert.deepEqual(slips(unopposed.fields, { ...entriesOf(unopposed.fields, {}, exclusive), tn: 99 }, { exclusive }), {});
});

test("rows of a sheet are looked at one by one", () => {
  const sheet = DESCRIPTIONS["heroes-2d6"].sheet;
  assert.deepEqual(Object.keys(slips(sheet, entriesOf(sheet, { skills: [{ name: "Lore", level: 3 }, { name: "Sword", level: 77 }] }))), ["skills.1.level"]);
});

