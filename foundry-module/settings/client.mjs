import { MODULE } from "../const.mjs";
import { world } from "./world.mjs";

/**
 * What stays in this browser: the key, and (straight in localStorage, since other tabs write it too) where the
 * stream was left and what waits to be sent. Everything is kept apart by world, campaign and user: two people may
 * share a browser.
 */

/**
 * Register the settings of this browser.
 * @param {() => void} onChange  Called where the key has changed.
 */
export function registerClientSettings(onChange) {
  game.settings.register(MODULE, "keys", {
    scope: "client",
    config: false,
    type: Object,
    default: {},
    onChange,
  });
}

/**
 * Whose things these are: this world's, campaign's and user's.
 * @returns {string}
 */
export function scope() {
  return `${game.world.id}.${world().campaign}.${game.user.id}`;
}

/**
 * The GM key or player token of this user in this campaign; empty where there is none.
 * @returns {string}
 */
export function key() {
  return game.settings.get(MODULE, "keys")[scope()] ?? "";
}

/**
 * Keep a key, or forget it.
 * @param {string|null} secret
 * @returns {Promise<void>}
 */
export async function setKey(secret) {
  const { [scope()]: _forgotten, ...others } = game.settings.get(MODULE, "keys");
  await game.settings.set(MODULE, "keys", secret ? { ...others, [scope()]: secret } : others);
}

/** Whether a change in localStorage, made by another tab, is one of the keys. @param {StorageEvent} event @returns {boolean} */
export function isKeyChange(event) {
  return event.key === `${MODULE}.keys`;
}

/* -------------------------------------------- */
/*  Straight in localStorage                    */
/* -------------------------------------------- */

/** What could not be stored (private windows, a full storage) is kept as long as the page lives. @type {Map<string, string>} */
const unstored = new Map();

/**
 * The full name of something kept for this scope.
 * @param {string} name
 * @returns {string}
 */
export function placeOf(name) {
  return `${MODULE}.${scope()}.${name}`;
}

/**
 * Read what is kept at a place.
 * @param {string} place
 * @returns {string|null}
 */
export function read(place) {
  return unstored.get(place) ?? window.localStorage.getItem(place);
}

/**
 * Keep a text at a place; null removes it.
 * @param {string} place
 * @param {string|null} text
 */
export function write(place, text) {
  unstored.delete(place);
  if (text === null) {
    window.localStorage.removeItem(place);
    return;
  }
  try {
    window.localStorage.setItem(place, text);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    unstored.set(place, text);
  }
}

/**
 * The places whose name begins so.
 * @param {string} start
 * @returns {string[]}
 */
export function placesUnder(start) {
  const stored = Object.keys(window.localStorage);
  return [...new Set([...stored, ...unstored.keys()])].filter((place) => place.startsWith(start));
}
