import { GM_USER } from "../const.mjs";
import { key } from "./client.mjs";

/**
 * What the key in this browser is good for; its prefix says so.
 * @returns {"gm"|"player"|null}
 */
export function role() {
  const secret = key();
  if (secret.startsWith("tbg_")) return "gm";
  return secret ? "player" : null;
}

/**
 * What the service calls this user.
 * @returns {string}
 */
export function ownName() {
  return role() === "gm" ? GM_USER : game.user.id;
}

/**
 * Whether a user of the service, "gm" for whoever holds a GM key, is this one.
 * @param {string|null|undefined} user
 * @returns {boolean}
 */
export function isOwn(user) {
  return Boolean(user) && role() !== null && user === ownName();
}
