import { localize } from "../i18n.mjs";

/** @import { RollRecord } from "../api.mjs" */

/** @typedef {{value: string, label: string}} Option */

/**
 * Options of a list that may be left as it is.
 * @param {readonly Option[]} options
 * @param {string} [chosen]
 */
export function allOr(options, chosen = "") {
  const all = { value: "", label: localize("TALLYBONES.GM.Filter.all") };
  return [all, ...options].map((option) => ({ ...option, selected: option.value === chosen }));
}

/** The GM and this world's players, as the service knows them. @returns {Option[]} */
export function userOptions() {
  const users = game.users.contents.filter((user) => !user.isGM).map((user) => ({ value: user.id, label: user.name }));
  return [{ value: "gm", label: localize("TALLYBONES.Form.TheGM") }, ...users];
}

/**
 * The actors that have a player, or are this user's own, and those seen in rolls.
 * @param {readonly RollRecord[]} rolls
 * @param {boolean} [everybodys]
 * @returns {Option[]}
 */
export function actorOptions(rolls, everybodys = true) {
  const actors = /** @type {Actor.Implementation[]} */ (game.actors.contents);
  const owned = actors.filter((actor) => (everybodys ? actor.hasPlayerOwner : actor.isOwner));
  const rolled = rolls.flatMap(({ actor }) => (actor ? [/** @type {const} */ ([actor.id ?? "", actor.name])] : []));
  const named = owned.map((actor) => /** @type {const} */ ([actor.id ?? "", actor.name]));
  return [...new Map([...rolled, ...named])].map(([value, label]) => ({ value, label }));
}
