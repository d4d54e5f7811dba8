import assert from "node:assert/strict";
import { test } from "node:test";
import { paramsSet, wordsOf } from "../../../foundry-module/places/wording.mjs";
import { action } from "./descriptions.mjs";

const check = action("moon-hangs-low", "skill-check");
const opposed = action("heroes-2d6", "opposed-test");

test("a command is a name and its settings, in any order", () => {
  assert.deepEqual(wordsOf("Sleight of hand dv=3  knack=yes"), {
    name: "Sleight of hand",
    settings: [{ path: "dv", value: "3" }, { path: "knack", value: "yes" }],
  });
  assert.deepEqual(wordsOf('stat=2 skill-check skill="Mastered"'), {
    name: "skill-check",
    settings: [{ path: "stat", value: "2" }, { path: "skill", value: "Mastered" }],
  });
  assert.deepEqual(wordsOf("  "), { name: "", settings: [] });
});

test("settings become an action's params, each of its own type", () => {
  const { params, unknown } = paramsSet(check.fields, wordsOf("stat=2 skill=mast knack=yes dv=3").settings);
  assert.deepEqual(params, { stat: 2, skill: "mastered", knack: true, dv: 3 });
  assert.deepEqual(unknown, []);
});

test("the other side is set by its kind, or by what only one kind has", () => {
  assert.deepEqual(paramsSet(opposed.fields, wordsOf("opponent=creature opponent.skill=4 opponent.take7=yes").settings).params, {
    opponent: { kind: "creature", skill: 4, take7: true },
  });
  assert.deepEqual(paramsSet(opposed.fields, wordsOf("opponent.user=gm").settings).params, { opponent: { kind: "player", user: "gm" } });
});

test("what an action does not have is named, and what is wrong is left for the service to refuse", () => {
  const { params, unknown } = paramsSet(check.fields, wordsOf("luck=9 dv=many __proto__=1 constructor=2").settings);
  assert.deepEqual(unknown, ["luck", "__proto__", "constructor"]);
  assert.deepEqual(params, { dv: "many" });
});
