import assert from "node:assert/strict";
import { test } from "node:test";
import { SheetDraft } from "../../../foundry-module/forms/draft.mjs";
import { placesWith } from "../../../foundry-module/forms/pack.mjs";
import { shapeOf } from "../../../foundry-module/forms/shape.mjs";
import { padButtons, rollMeant, sameRoll } from "../../../foundry-module/windows/pad/buttons.mjs";
import { DESCRIPTIONS } from "./descriptions.mjs";

const fort = DESCRIPTIONS["fort-ref-will"].sheet;
const names = fields => fields.map(({ name }) => name);

function packed(...things) {
  const draft = new SheetDraft(fort, { items: things.map(([name, place]) => ({ name, place })) });
  draft.slots = 10;
  return draft;
}
const where = draft => Object.fromEntries(draft.things.map(({ name, place }) => [name, place]));

test("a sheet's fields fall into numbers, tracks, tables and the pack, by their description alone", () => {
  const shape = shapeOf(fort);
  assert.deepEqual(names(shape.numbers).slice(0, 3), ["fortitude", "reflex", "will"]);
  assert.deepEqual(shape.tracks.map(({ now, most }) => [now.name, most.name]), [["stamina", "stamina_maximum"], ["wounds", "wounds_maximum"]]);
  assert.equal(shape.pack.name, "items");
  assert.deepEqual(shapeOf(DESCRIPTIONS["moon-hangs-low"].sheet).tables.map(({ name }) => name), ["skills"]);
});

test("the campaign's clock is no matter of a character's sheet", () => {
  const { params } = new SheetDraft(fort, {});
  for (const name of ["elapsed", "passing", "unit"]) assert.ok(!(name in params), name);
});

test("there are ten slots: four places with one each, and six in the pack", () => {
  const places = placesWith(shapeOf(fort).pack, [], { slots: 10, used: 0 });
  assert.deepEqual(places.map(({ place, slots }) => [place, slots.length]), [["left-hand", 1], ["right-hand", 1], ["body", 1], ["head", 1], ["pack", 6], ["over", 1]]);
});

test("what has no place of its own takes slots of the pack from the end", () => {
  const draft = packed(["Rope", "pack"]);
  const pack = placesWith(draft.shape.pack, draft.things, { slots: 10, used: 3 }).find(({ place }) => place === "pack");
  assert.deepEqual(pack.slots.map(({ thing, taken }) => (thing !== null ? "thing" : taken ? "taken" : "free")), ["thing", "free", "free", "free", "taken", "taken"]);
});

test("a thing moves to a free place, and changes places where there is no room", () => {
  const draft = packed(["Sword", "right-hand"], ["Torch", "pack"]);
  draft.move(1, "left-hand", null);
  assert.deepEqual(where(draft), { Sword: "right-hand", Torch: "left-hand" });
  assert.equal(draft.swaps, 1);
  draft.move(1, "right-hand", null);
  assert.deepEqual(where(draft), { Sword: "left-hand", Torch: "right-hand" });
  assert.equal(draft.swaps, 1, "from hand to hand is no swap with the inventory");
  draft.newRound();
  assert.equal(draft.swaps, 0);
});

test("a new thing goes into the pack, and over the limit when the pack is full", () => {
  const draft = packed();
  for (let count = 1; count <= 7; count += 1) draft.addThing(` Thing ${count} `);
  assert.equal(draft.things.filter(({ place }) => place === "pack").length, 6);
  assert.deepEqual(draft.things.at(-1), { name: "Thing 7", place: "over" });
  assert.equal(draft.addThing("   "), false);
  draft.removeThing(0);
  assert.equal(draft.things[0].name, "Thing 2");
});

test("a pad has a group for each of the sheet's, and a button for each kind of roll", () => {
  const moon = DESCRIPTIONS["moon-hangs-low"];
  const roll = { label: "Climbing", group: "Physique", action: "skill-check", params: { stat: 3, skill: "mastered", knack: true } };
  const { groups, buttons } = padButtons(moon, [roll], "Any roll");
  assert.deepEqual(groups.map(({ label }) => label), ["Physique", "Any roll"]);
  assert.equal(buttons[0].note, "Stat 3 · Mastered · Knack");
  assert.deepEqual(buttons.map(({ label }) => label), ["Climbing", "Skill check"]);
});

test("a roll is found by its name, or by a beginning that only it has", () => {
  const rolls = ["Climbing", "Combat", "Stealth"].map(label => ({ label, group: "", action: "skill-check", params: {} }));
  assert.equal(rollMeant(rolls, "climbing").label, "Climbing");
  assert.equal(rollMeant(rolls, "ste").label, "Stealth");
  assert.equal(rollMeant(rolls, "c"), undefined);
  assert.equal(rollMeant(rolls, ""), undefined);
  assert.equal(sameRoll(rolls, { action: "skill-check", label: "Combat" }).label, "Combat");
});
