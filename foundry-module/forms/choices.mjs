import { MODULE } from "../const.mjs";

/** @import { Params } from "./description.mjs" */

const ACTORS_AT_MOST = 60;

/**
 * What each actor chose last, by action: kept in this browser, so that a player's habits are their own.
 * @returns {Record<string, Record<string, Params>>}
 */
function kept() {
  try {
    return JSON.parse(localStorage.getItem(place()) ?? "{}");
  } catch {
    return {}; // What somebody else wrote there is no loss.
  }
}

/** @returns {string} */
function place() {
  return `${MODULE}.choices.${game.world.id}.${game.user.id}`;
}

/**
 * @param {string|null|undefined} actor  The actor's id; without an actor the choices are the user's own.
 * @param {string} action
 * @returns {Params}
 */
export function lastChoices(actor, action) {
  return kept()[actor ?? ""]?.[action] ?? {};
}

/**
 * @param {string|null|undefined} actor
 * @param {string} action
 * @param {Params} params
 */
export function keepChoices(actor, action, params) {
  const { [actor ?? ""]: before, ...others } = kept();
  const entries = Object.entries(others).slice(1 - ACTORS_AT_MOST);
  const all = Object.fromEntries([...entries, [actor ?? "", { ...before, [action]: params }]]);
  try {
    localStorage.setItem(place(), JSON.stringify(all));
  } catch {
    // A full or forbidden store only means that the next dialog starts afresh.
  }
}
