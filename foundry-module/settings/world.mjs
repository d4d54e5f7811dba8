import { MODULE } from "../const.mjs";

/**
 * What every client of the world may know: where the service is, and what is played there. Never a key.
 *
 * @typedef {object} World
 * @property {string} address      Without a slash at its end; empty until the GM connects.
 * @property {string} campaign
 * @property {string} ruleset
 * @property {Record<string, unknown>} houseRules
 */

/** @type {Readonly<World>} */
const NOWHERE = Object.freeze({ address: "", campaign: "", ruleset: "", houseRules: {} });

/**
 * Register the settings of the world.
 * @param {() => void} onChange  Called where one of them has changed, on every client.
 */
export function registerWorldSettings(onChange) {
  game.settings.register(MODULE, "service", {
    scope: "world",
    config: false,
    type: Object,
    default: { ...NOWHERE },
    onChange,
  });
  game.settings.register(MODULE, "revoked", {
    scope: "world",
    config: false,
    type: Array,
    default: [],
    onChange,
  });
}

/**
 * Where the service is, and what is played there.
 * @returns {World}
 */
export function world() {
  return { ...NOWHERE, ...game.settings.get(MODULE, "service") };
}

/**
 * Tell the world (GM). Nothing is written where nothing changes.
 * @param {Partial<World>} changes
 * @returns {Promise<void>}
 */
export async function setWorld(changes) {
  const before = world();
  const after = { ...before, ...changes };
  if (JSON.stringify(after) === JSON.stringify(before)) return;
  await game.settings.set(MODULE, "service", after);
}

/**
 * The users who get no token until the GM renews it.
 * @returns {string[]}
 */
export function revokedUsers() {
  return [...game.settings.get(MODULE, "revoked")];
}

/**
 * Say whether a user gets a token (GM).
 * @param {string} user
 * @param {boolean} revoked
 * @returns {Promise<void>}
 */
export async function setRevoked(user, revoked) {
  const users = revokedUsers();
  if (users.includes(user) === revoked) return;
  await game.settings.set(MODULE, "revoked", revoked ? [...users, user] : users.filter((each) => each !== user));
}
