import assert from "node:assert/strict";
import { test } from "node:test";
import { rollsOf } from "../../../foundry-module/rolls/dice.mjs";

const die = (value, role = "skill", more = {}) => ({ faces: 6, value, role, kept: true, counts: value, ...more });
const pool = (value, role, counts) => die(value, role, { counts });
const dropped = (value, role = "extra") => die(value, role, { kept: false, counts: 0 });
const record = more => ({ dice: [], odds: null, target: null, opponent: null, ...more });
const faces = term => term.results.map(({ result }) => result);

test("a pool shows its successes, and the penalty dice that cancel them in a term of their own", () => {
  const [roll, ...others] = rollsOf(record({
    dice: [pool(5, "skill", 1), pool(2, "skill", 0), pool(4, "bonus", 1), pool(6, "penalty", -1), pool(1, "penalty", 0)],
    successes: 1,
    odds: { formula: "3d6cs>=4 - 2d6cs>=5" },
  }));
  assert.equal(others.length, 0);
  assert.equal(roll.formula, "3d6cs>=4 - 2d6cs>=5");
  assert.equal(roll.total, 1);
  assert.equal(roll.evaluated, true);
  const [own, minus, penalty] = roll.terms;
  assert.deepEqual(own.modifiers, ["cs>=4"]);
  assert.deepEqual(own.results, [
    { result: 5, active: true, success: true, count: 1 },
    { result: 2, active: true, success: false, count: 0 },
    { result: 4, active: true, success: true, count: 1 },
  ]);
  assert.equal(minus.operator, "-");
  assert.deepEqual(faces(penalty), [6, 1]);
  assert.deepEqual(penalty.results.map(({ count }) => count), [1, 0]);
});

test("a pool that was cancelled out shows no fewer than no successes", () => {
  const [roll] = rollsOf(record({
    dice: [pool(2, "skill", 0), pool(6, "penalty", -1)], successes: 0, odds: { formula: "1d6cs>=5 - 1d6cs>=5" },
  }));
  assert.equal(roll.total, 0);
  assert.equal(roll.formula, "1d6cs>=5 - 1d6cs>=5");
});

test("a pool of bonus dice and skill dice is one hand, with no number behind it", () => {
  const [roll] = rollsOf(record({ dice: [pool(6, "skill", 1)], successes: 1, odds: { formula: "1d6cs>=3" } }));
  assert.equal(roll.terms.length, 1);
});

test("two dice and a skill add up to the total", () => {
  const [roll] = rollsOf(record({ dice: [die(3), die(4)], total: 12, odds: { formula: "2d6 + 5" } }));
  assert.equal(roll.formula, "2d6 + 5");
  assert.deepEqual(roll.terms.map(term => term.class), ["Die", "OperatorTerm", "NumericTerm"]);
  assert.equal(roll.terms[2].number, 5);
  assert.deepEqual(roll.terms[0].results[0], { result: 3, active: true });
});

test("a negative sum is taken off", () => {
  const [roll] = rollsOf(record({ dice: [die(3), die(4)], total: 3, odds: { formula: "2d6 - 4" } }));
  assert.equal(roll.formula, "2d6 - 4");
  assert.equal(roll.terms[1].operator, "-");
});

test("dropped dice are discarded, in their place", () => {
  const [roll] = rollsOf(record({ dice: [die(2), die(5), dropped(1)], total: 7, odds: { formula: "3d6kh2" } }));
  assert.equal(roll.formula, "3d6kh2");
  assert.deepEqual(roll.terms[0].modifiers, ["kh2"]);
  assert.deepEqual(roll.terms[0].results[2], { result: 1, active: false, discarded: true });
  assert.equal(roll.terms.length, 1);
});

test("a creature's dice are a second roll, with what it adds", () => {
  const [own, theirs] = rollsOf(record({
    dice: [die(3), die(4), die(6, "opponent"), die(2, "opponent")], total: 12, target: 11, odds: { formula: "2d6 + 5" },
  }));
  assert.equal(own.total, 12);
  assert.equal(theirs.formula, "2d6 + 3");
  assert.equal(theirs.total, 11);
  assert.deepEqual(faces(theirs.terms[0]), [6, 2]);
});

test("a creature that keeps the lowest two says so", () => {
  const [, theirs] = rollsOf(record({
    dice: [die(3), die(4), die(6, "opponent", { kept: false, counts: 0 }), die(2, "opponent"), die(1, "opponent")],
    total: 7, target: 3, odds: { formula: "2d6" },
  }));
  assert.equal(theirs.formula, "3d6kl2");
  assert.equal(theirs.total, 3);
});

test("a player's answer is a second roll", () => {
  const [own, theirs] = rollsOf(record({
    dice: [die(3), die(4)], total: 9, target: 8, odds: { formula: "2d6 + 2" },
    opponent: { user: "u", dice: [die(1), die(2)], points: 8 },
  }));
  assert.equal(own.formula, "2d6 + 2");
  assert.equal(theirs.formula, "2d6 + 5");
});

test("what was settled without dice has no roll", () => {
  assert.deepEqual(rollsOf(record({ total: null })), []);
});

test("a formula that does not fit the dice gives way to the dice", () => {
  const [roll] = rollsOf(record({ dice: [die(3), { ...die(4), faces: 8 }], total: 7, odds: { formula: "2d6" } }));
  assert.equal(roll.formula, "1d6 + 1d8");
  const [other] = rollsOf(record({ dice: [die(3)], total: 5, odds: { formula: "(1d6 + 2) * 1" } }));
  assert.equal(other.formula, "1d6 + 2");
});
