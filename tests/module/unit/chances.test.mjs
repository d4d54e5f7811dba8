import assert from "node:assert/strict";
import { test } from "node:test";
import { fraction, inWords } from "../../../foundry-module/forms/chances.mjs";

const said = written => {
  const { key, numbers } = inWords(fraction(written));
  return numbers ? `${key} ${numbers.n} in ${numbers.d}` : key;
};

test("chances are said exactly where that is short", () => {
  assert.equal(said("0/1"), "Impossible");
  assert.equal(said("1/1"), "Certain");
  assert.equal(said("1/2"), "Even");
  assert.equal(said("7/12"), "Exactly 7 in 12");
  assert.equal(said("35/36"), "Exactly 35 in 36");
  assert.equal(said("1/1296"), "Exactly 1 in 1296");
  assert.equal(said("1295/1296"), "Exactly 1295 in 1296");
});

test("other chances are said about, and never become a certainty", () => {
  assert.equal(said("721/1296"), "About 5 in 9");
  assert.equal(said("647/1296"), "AboutEven");
  assert.equal(said("7/1296"), "About 1 in 190");
  assert.equal(said("1289/1296"), "About 189 in 190");
  assert.equal(said(`1/${10n ** 12n}`), "LessThanAMillionth");
  assert.equal(said(`${10n ** 12n - 1n}/${10n ** 12n}`), "AllButAMillionth");
});

test("fractions far beyond what a number can hold are said too", () => {
  const under = 6n ** 50n;
  assert.equal(said(`${under / 3n + 1n}/${under}`), "About 1 in 3");
});
