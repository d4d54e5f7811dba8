import { placeOf, placesUnder, read, write } from "../settings/client.mjs";

/** @import { Params, Visibility, Waiting } from "../api.mjs" */

/**
 * The clicks that are not in the chat yet, each kept in localStorage under its own key: so a reload loses none, and
 * two tabs never write over each other.
 *
 * @typedef {object} Entry
 * @property {string} key                          The Idempotency-Key.
 * @property {Waiting["state"]|"here"} state       "here": thrown in Foundry instead, kept so that it is not shown twice.
 * @property {string|null} challenge               The challenge that it answers.
 * @property {object} body                         What is sent.
 * @property {string} title
 * @property {Visibility} visibility
 * @property {string|null} formula
 * @property {Speaker} speaker
 * @property {number} at                           Milliseconds since 1970.
 * @property {string|null} roll                    The roll's id, once the service has said it.
 *
 * @typedef {{scene?: string|null, actor?: string|null, token?: string|null, alias?: string}} Speaker
 */

/** Days after which the service forgets a key, less one: a click is never sent again after that. */
const KEPT_DAYS = 6;
const DAY = 24 * 60 * 60 * 1000;

/** @returns {string} */
function start() {
  return placeOf("outbox.");
}

/**
 * Every entry, oldest first.
 * @returns {Entry[]}
 */
export function all() {
  return placesUnder(start())
    .map((place) => parsed(read(place)))
    .filter((kept) => kept !== null)
    .sort((one, other) => one.at - other.at || (one.key < other.key ? -1 : 1));
}

/**
 * The entry of a key; null once it is done.
 * @param {string} key
 * @returns {Entry|null}
 */
export function entry(key) {
  return parsed(read(start() + key));
}

/**
 * The entry whose roll this is.
 * @param {{id: string, fairness?: {nonce: string|null}}} roll
 * @returns {Entry|null}
 */
export function entryOf(roll) {
  const nonce = roll.fairness?.nonce;
  return (nonce ? entry(nonce) : null) ?? all().find((each) => each.roll === roll.id) ?? null;
}

/**
 * Keep an entry, new or changed.
 * @param {Entry} kept
 */
export function keep(kept) {
  write(start() + kept.key, JSON.stringify(kept));
}

/**
 * Change what is kept of a click; nothing happens when it is done.
 * @param {string} key
 * @param {Partial<Entry>} changes
 */
export function change(key, changes) {
  const kept = entry(key);
  if (kept) keep({ ...kept, ...changes });
}

/**
 * Forget a click: its message is there, or it was taken back.
 * @param {string} key
 */
export function remove(key) {
  write(start() + key, null);
}

/**
 * Forget what is too old to be sent again.
 * @returns {number}  How many clicks were given up that may never have been thrown.
 */
export function removeOld() {
  const old = all().filter((each) => Date.now() - each.at > KEPT_DAYS * DAY);
  for (const { key } of old) remove(key);
  return old.filter(({ state }) => state === "waiting" || state === "sent").length;
}

/**
 * The clicks that are not in the chat yet, as the API shows them.
 * @returns {Waiting[]}
 */
export function entries() {
  return all().flatMap((kept) => {
    const { key, state, title, at } = kept;
    return state === "here" ? [] : [{ key, state, title, at, formula: formulaHere(kept) }];
  });
}

/**
 * The formula with which a click can be thrown in Foundry; null where there is none, and for a hidden roll: Foundry
 * would put its dice where others can read them.
 * @param {Entry} kept
 * @returns {string|null}
 */
export function formulaHere({ formula, visibility }) {
  return visibility === "public" ? formula : null;
}

/**
 * Read an entry; what is none (another version wrote it) counts as absent.
 * @param {string|null} text
 * @returns {Entry|null}
 */
function parsed(text) {
  if (text === null) return null;
  try {
    const kept = JSON.parse(text);
    return typeof kept?.key === "string" && typeof kept.at === "number" ? kept : null;
  } catch {
    return null;
  }
}
