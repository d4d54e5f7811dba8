import assert from "node:assert/strict";
import { test } from "node:test";
import { WHICH } from "../../../foundry-module/forms/description.mjs";
import { entriesOf, mustAsk, paramsOf, readEntries, wholeNumber } from "../../../foundry-module/forms/entries.mjs";
import { errorsByPath } from "../../../foundry-module/forms/errors.mjs";
import { controlsFor } from "../../../foundry-module/forms/model.mjs";
import { summaryOf } from "../../../foundry-module/forms/summary.mjs";
import { DESCRIPTIONS, action } from "./descriptions.mjs";

const check = action("moon-hangs-low", "skill-check");
const unopposed = action("heroes-2d6", "unopposed-test");
const opposed = action("heroes-2d6", "opposed-test");
const users = [{ value: "gm", label: "The GM" }];

test("a form starts with what is given, else the default, else with what is neither least nor hard", () => {
  const entries = entriesOf(check.fields, { stat: 4, knack: true });
  assert.deepEqual(entries, { stat: 4, skill: "untrained", knack: true, bonus: 0, penalty: 0, dv: 2 });
});

test("a roll can be made at once when the sheet, an earlier choice or the rules give all that it needs", () => {
  assert.equal(mustAsk(check.fields, { stat: 3 }), true);
  assert.equal(mustAsk(check.fields, { stat: 3, dv: 2 }), false);
  const exclusive = unopposed.exactly_one_of;
  assert.equal(mustAsk(unopposed.fields, { skill: 3 }, { exclusive }), true);
  assert.equal(mustAsk(unopposed.fields, { skill: 3, tn: 9 }, { exclusive }), false);
  assert.equal(mustAsk(opposed.fields, { skill: 3 }), true);
});

test("every action of every rule set can be asked for as its form stands at first", () => {
  for (const ruleset of Object.values(DESCRIPTIONS)) {
    for (const { name, fields, exactly_one_of: exclusive } of ruleset.actions) {
      const params = paramsOf(fields, entriesOf(fields, {}, exclusive), { exclusive });
      const required = fields.filter(field => field.required).map(field => field.name);
      for (const field of required) assert.notEqual(params[field], undefined, `${ruleset.id} ${name} ${field}`);
      assert.equal(exclusive.filter(field => field in params).length, exclusive.length ? 1 : 0);
    }
  }
});

test("of fields that exclude each other only the chosen one is sent", () => {
  const exclusive = unopposed.exactly_one_of;
  const entries = entriesOf(unopposed.fields, { tn: 11 }, exclusive);
  assert.equal(entries[WHICH], "tn");
  assert.deepEqual(paramsOf(unopposed.fields, entries, { exclusive }), { skill: 2, tn: 11 });
  entries[WHICH] = "difficulty";
  entries.difficulty = "hard";
  assert.deepEqual(paramsOf(unopposed.fields, entries, { exclusive }), { skill: 2, difficulty: "hard" });
});

test("what a house rule allows is asked and sent only under it", () => {
  const names = house => controlsFor(unopposed.fields, entriesOf(unopposed.fields), { id: "x", users, house, exclusive: unopposed.exactly_one_of }).map(({ path }) => path);
  assert.ok(!names({}).includes("modifier"));
  assert.ok(names({ unopposed_modifiers: true }).includes("modifier"));
  const entries = { ...entriesOf(unopposed.fields), modifier: 2 };
  assert.ok(!("modifier" in paramsOf(unopposed.fields, entries)));
  assert.equal(paramsOf(unopposed.fields, entries, { house: { unopposed_modifiers: true } }).modifier, 2);
});

test("a variant keeps what was entered for each kind, and sends the chosen one", () => {
  const entries = entriesOf(opposed.fields, { skill: 3, opponent: { kind: "creature", skill: 5, modifier: 0, take7: true } });
  assert.equal(entries.opponent.creature.take7, true);
  assert.deepEqual(paramsOf(opposed.fields, entries).opponent, { kind: "creature", skill: 5, modifier: 0, take7: true });
  entries.opponent.kind = "player";
  entries.opponent.player.user = "gm";
  assert.deepEqual(paramsOf(opposed.fields, entries).opponent, { kind: "player", user: "gm" });
});

test("the controls of a form are read back as they stand, each value of its own type", () => {
  const controls = new Map([
    ["skill", " 7 "],
    ["modifier", "-2"],
    ["purpose", "dodge"],
    ["opponent.kind", "creature"],
    ["opponent.creature.skill", "4"],
    ["opponent.creature.modifier", "0"],
    ["opponent.creature.take7", "on"],
    ["opponent.player.user", "gm"],
  ]);
  assert.deepEqual(paramsOf(opposed.fields, readEntries(opposed.fields, controls)), {
    skill: 7,
    modifier: -2,
    purpose: "dodge",
    opponent: { kind: "creature", skill: 4, modifier: 0, take7: true },
  });
});

test("what is no whole number stays as typed, for the service to say what is wrong", () => {
  assert.equal(wholeNumber("−3"), -3);
  for (const typed of ["2.5", "1e3", "two", "0x10", "99999999999"]) assert.equal(wholeNumber(typed), typed);
});

test("a list of rows is read as long as it is", () => {
  const sheet = DESCRIPTIONS["heroes-2d6"].sheet;
  const controls = new Map([["skills.0", "row"], ["skills.0.name", "Sword"], ["skills.0.level", "5"], ["skills.1", "row"], ["skills.1.name", "Lore"], ["skills.1.level", "2"]]);
  const { skills } = readEntries(sheet, controls);
  assert.deepEqual(skills, [{ name: "Sword", level: 5 }, { name: "Lore", level: 2 }]);
  assert.deepEqual(readEntries(sheet, new Map()).skills, []);
});

test("a variant's errors find their field, whichever kind it is", () => {
  const controls = controlsFor(opposed.fields, entriesOf(opposed.fields), { id: "x", users });
  const opponent = controls.find(({ path }) => path === "opponent.kind");
  const errorPaths = opponent.parts.flatMap(part => part.controls.map(control => control.errorPath));
  assert.deepEqual(errorPaths, ["opponent.skill", "opponent.modifier", "opponent.take7", "opponent.user"]);
  const found = errorsByPath({ skill: ["Too low."], opponent: { skill: ["Too high."] }, skills: { 1: { name: ["No."] } } });
  assert.deepEqual([...found], [["skill", ["Too low."]], ["opponent.skill", ["Too high."]], ["skills.1.name", ["No."]]]);
});

test("a short choice is a row of buttons, a long one a list", () => {
  const shown = controlsFor(check.fields, entriesOf(check.fields), { id: "x", users });
  assert.equal(shown.find(({ path }) => path === "skill").isSegments, true);
  const long = controlsFor(opposed.fields, entriesOf(opposed.fields), { id: "x", users });
  assert.equal(long.find(({ path }) => path === "purpose").isSelect, true);
});

test("a line says what stands in a form", () => {
  const entries = entriesOf(check.fields, { stat: 3, skill: "mastered", knack: true });
  assert.equal(summaryOf(check.fields.slice(0, 3), entries), "Stat 3 · Mastered · Knack");
  assert.equal(summaryOf(opposed.fields.slice(-1), entriesOf(opposed.fields)), "A creature");
});
