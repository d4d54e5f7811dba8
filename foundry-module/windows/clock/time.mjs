import { api } from "../../api.mjs";
import { format, localize } from "../../i18n.mjs";

/**
 * The campaign's clock: Foundry's world time in the rule set's units. Which units there are, and how long, is
 * the service's to say (`time_units` of a sheet's answer); a rule set without them has no clock.
 *
 * @typedef {{name: string, label: string, seconds: number}} Unit
 */

/** The units that a time is told in, from the longest; longer ones only move it. */
const TOLD = ["day", "watch", "turn", "round"];

/** @type {Unit[]} */
let units = [];

/**
 * Ask once which units the campaign's rule set has.
 * @returns {Promise<Unit[]>}
 */
export async function readUnits() {
  if (!api.status().ruleset) return units;
  const result = await api.sheet(null);
  const seconds = /** @type {Record<string, unknown>} */ (result["time_units"] ?? {});
  units = Object.entries(seconds)
    .flatMap(([name, length]) => (typeof length === "number" && length > 0 ? [{ name, label: unitLabel(name), seconds: length }] : []))
    .sort((one, other) => one.seconds - other.seconds);
  return units;
}

/** Whether the campaign's rule set has a clock, as far as is known. */
export function knowsClock() {
  return units.length > 0;
}

/** The units known so far, shortest first. */
export function knownUnits() {
  return units;
}

/**
 * @param {string} name
 * @returns {string}
 */
function unitLabel(name) {
  const key = `TALLYBONES.Clock.Unit.${name}`;
  return game.i18n.has(key) ? localize(key) : name;
}

/**
 * A time in units, longest first; the first is counted from 1, as days are.
 * @param {number} seconds
 * @param {readonly Unit[]} known
 * @returns {Array<{name: string, label: string, count: number}>}
 */
export function timeIn(seconds, known) {
  let rest = Math.max(0, seconds);
  return TOLD.flatMap((name) => known.find((unit) => unit.name === name) ?? []).map(({ name, label, seconds: length }, place) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return { name, label, count: place === 0 ? count + 1 : count };
  });
}

/** The time in a line, such as "Day 3 · Watch 2 · Turn 11 · Round 0". @returns {string} */
export function clockLine() {
  return timeIn(game.time.worldTime, units)
    .map(({ label, count }) => format("TALLYBONES.Clock.Told", { label, count }))
    .join(" · ");
}
