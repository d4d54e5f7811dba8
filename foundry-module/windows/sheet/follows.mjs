import { format, localize } from "../../i18n.mjs";

/**
 * What follows from a sheet, in words. The service works it out; a rule set that answers something else shows less.
 *
 * @import { SheetResult } from "../../api.mjs"
 *
 * @typedef {{kind: "danger"|"caution"|"note", icon: string, text: string}} Warning
 * @typedef {{label: string, value: string}} Fact
 */

/** From how many stress short of death on a sheet warns. */
const WARN_BEFORE_DEATH = 2;

/**
 * @param {SheetResult} result
 * @param {number|undefined} deadly  The stress that kills: the most that the field takes.
 * @returns {Warning[]}
 */
export function warningsOf(result, deadly) {
  /** @type {Warning[]} */
  const warnings = [];
  const stress = result.sheet["stress"];
  if (result["dead"] === true) {
    warnings.push({ kind: "danger", icon: "fa-solid fa-skull", text: localize("TALLYBONES.Sheet.Dead") });
  } else if (typeof stress === "number" && deadly !== undefined && deadly - stress <= WARN_BEFORE_DEATH) {
    const left = deadly - stress;
    const key = left === 1 ? "TALLYBONES.Sheet.NearDeathOne" : "TALLYBONES.Sheet.NearDeath";
    warnings.push({ kind: "danger", icon: "fa-solid fa-skull", text: format(key, { left: String(left) }) });
  }
  const over = result["over"];
  if (result["encumbered"] === true && typeof over === "number") {
    const key = over === 1 ? "TALLYBONES.Sheet.EncumberedOne" : "TALLYBONES.Sheet.Encumbered";
    warnings.push({ kind: "caution", icon: "fa-solid fa-weight-hanging", text: format(key, { over: String(over) }) });
  }
  if (result["action_left"] === false) {
    warnings.push({ kind: "caution", icon: "fa-solid fa-hand", text: localize("TALLYBONES.Sheet.ActionSpent") });
  }
  for (const { item, seconds } of listIn(result["donning"])) {
    const turn = /** @type {{turn?: unknown}|undefined} */ (result["time_units"])?.turn;
    if (seconds !== turn) continue;
    warnings.push({ kind: "note", icon: "fa-solid fa-shirt", text: format("TALLYBONES.Sheet.Donning", { item: String(item) }) });
  }
  return warnings;
}

/**
 * @param {SheetResult} result
 * @returns {Fact[]}
 */
export function factsOf(result) {
  /** @type {Fact[]} */
  const facts = [];
  if (typeof result["slots_used"] === "number") {
    const value = `${result["slots_used"]} / ${String(result["slots"] ?? "")}`;
    facts.push({ label: localize("TALLYBONES.Sheet.SlotsUsed"), value });
  }
  if (result["speed"] !== undefined) {
    const factor = result["speed_factor"];
    const slowed = factor !== undefined && factor !== "1/1" ? ` (× ${factor === "0/1" ? "0" : String(factor)})` : "";
    facts.push({ label: localize("TALLYBONES.Sheet.Speed"), value: `${String(result["speed"])}${slowed}` });
  }
  return facts;
}

/**
 * What follows for each row of a table, by the row's name.
 * @param {SheetResult} result
 * @returns {Map<string, string>}
 */
export function rowsFollowing(result) {
  /** @type {Map<string, string>} */
  const said = new Map();
  for (const { skill, pool, success_on: least } of listIn(result["pools"])) {
    said.set(String(skill), format("TALLYBONES.Sheet.Pool", { dice: String(pool), least: String(least) }));
  }
  for (const { skill, needs } of listIn(result["needs"])) {
    const faces = Object.values(/** @type {Record<string, number>} */ (needs ?? {})).map((face) => `${face}+`);
    said.set(String(skill), faces.join(" · "));
  }
  return said;
}

/**
 * How many of a thing are left to choose, where the rule set counts them.
 * @param {SheetResult} result
 * @returns {string}
 */
export function knacksLeft(result) {
  const left = result["knacks_left"];
  if (typeof left !== "number") return "";
  const key = ["TALLYBONES.Sheet.KnacksAll", "TALLYBONES.Sheet.KnacksOne"][left] ?? "TALLYBONES.Sheet.KnacksLeft";
  return format(key, { left: String(left) });
}

/**
 * @param {unknown} value
 * @returns {Array<Record<string, unknown>>}
 */
function listIn(value) {
  return Array.isArray(value) ? value : [];
}
