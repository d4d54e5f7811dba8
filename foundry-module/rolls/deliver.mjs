import { EVENTS } from "../const.mjs";
import { log, unattended } from "../log.mjs";
import { callJson, inCampaign } from "../service/client.mjs";
import { words } from "../service/causes.mjs";
import { NotPaired, ServiceProblem, Unreachable } from "../service/errors.mjs";
import { withLock } from "../service/locks.mjs";
import * as outbox from "../service/outbox.mjs";
import { announce, notify, status } from "../service/status.mjs";
import { refill } from "./hidden.mjs";
import { postRoll } from "./message.mjs";
import { showHere } from "./local.mjs";
import { remember } from "./records.mjs";

/**
 * @import { RollRecord } from "../api.mjs"
 * @import { Entry } from "../service/outbox.mjs"
 */

/** Seconds that the service may keep the request until the dice have fallen; after that the stream brings the roll. */
const WAIT = 5;
/** Milliseconds until a click whose fate is open is sent again, with its key. */
const RETRY = 4000;

/** Clicks that will be sent again by a timer. @type {Set<string>} */
const retrying = new Set();

/**
 * Send a click and post what comes back. Only one tab does so at a time, and the service knows the key: sending twice
 * rolls once.
 *
 * Resolves with the roll, or with null where it has to wait. Rejects with the problem of a click that was refused.
 * @param {string} key
 * @param {{evenOffline?: boolean}} [options]  Try although the stream is broken.
 * @returns {Promise<RollRecord|null>}
 */
export async function deliver(key, { evenOffline = false } = {}) {
  return withLock(`roll.${key}`, async () => {
    const entry = outbox.entry(key);
    if (!entry || entry.state === "here") return null;
    if (status().connection === "offline" && !evenOffline) return null;
    if (entry.state === "waiting") outbox.change(key, { state: "sent" });
    try {
      return await settle(key, await send(entry));
    } catch (error) {
      return keepOrDrop(entry, error);
    }
  });
}

/** @param {Entry} entry @returns {Promise<RollRecord>} */
function send({ key, challenge, body, roll, state }) {
  // What the service has given an id is asked for; the rest is sent, again, with its key.
  if (roll && state === "awaiting") return callJson("GET", inCampaign(`/rolls/${encodeURIComponent(roll)}`));
  const path = challenge ? `/rolls/${encodeURIComponent(challenge)}/answer` : "/rolls";
  const headers = { "Idempotency-Key": key, Prefer: `wait=${WAIT}` };
  return callJson("POST", inCampaign(path), { body, headers });
}

/**
 * Deal with what has become of a click; the caller holds its lock.
 * @param {string} key
 * @param {RollRecord} roll
 * @returns {Promise<RollRecord>}
 */
async function settle(key, roll) {
  remember(roll);
  const entry = outbox.entry(key);
  if (!entry) return roll;
  if (roll.status === "pending") {
    outbox.change(key, { roll: roll.id });
    retryLater(key);
  } else if (roll.status === "awaiting") {
    outbox.change(key, { state: "awaiting", roll: roll.id });
    await postRoll(roll, entry.speaker);
  } else {
    await showResolved(roll, entry);
    outbox.remove(key);
  }
  announce();
  return roll;
}

/** @param {RollRecord} roll @param {Entry} entry */
async function showResolved(roll, entry) {
  if (roll.answers) return; // both sides stand on the challenge's card
  if (isThrown(roll) || isOwnAlone(roll)) await showHere(roll);
  else await postRoll(roll, entry.speaker);
  Hooks.callAll(EVENTS.roll, roll);
}

/** Whether this user learns only that it was thrown: the GM's client posts the card. @param {RollRecord} roll @returns {boolean} */
export function isThrown(roll) {
  return roll.visibility === "blind" && status().role !== "gm";
}

/** Whether nobody but the roller may see it, or that there was one: it is no document of the world. @param {RollRecord} roll @returns {boolean} */
export function isOwnAlone(roll) {
  return roll.visibility === "self" && roll.status === "resolved";
}

/**
 * The stream has brought a roll of this browser's own.
 * @param {Entry} entry
 * @param {RollRecord} roll
 * @returns {Promise<void>}
 */
export async function arrived({ key }, roll) {
  await withLock(`roll.${key}`, async () => {
    const entry = outbox.entry(key);
    if (entry && entry.state !== "here") await settle(key, roll);
  });
}

/**
 * What could not be sent waits; what was refused goes.
 * @param {Entry} entry
 * @param {unknown} error
 * @returns {null}
 */
function keepOrDrop({ key }, error) {
  if (error instanceof Unreachable) {
    retryLater(key); // sent or not, nobody knows: the same key makes it one roll
  } else if (error instanceof NotPaired) {
    outbox.change(key, { state: "waiting" });
  } else if (error instanceof ServiceProblem && (error.status === 429 || error.status >= 500 || error.status === 401)) {
    const refused = error.kind === "unavailable" || error.status === 429 || error.status === 401;
    if (refused) outbox.change(key, { state: "waiting" }); // for certain: nothing was accepted
    if (error.status !== 401) retryLater(key, (error.retryAfter ?? 0) * 1000);
  } else {
    outbox.remove(key);
    announce();
    throw error;
  }
  announce();
  return null;
}

/** @param {string} key @param {number} [milliseconds] */
function retryLater(key, milliseconds = 0) {
  if (retrying.has(key)) return;
  retrying.add(key);
  setTimeout(() => {
    retrying.delete(key);
    unattended(deliverQuietly(key));
  }, Math.max(RETRY, milliseconds));
}

/**
 * Send what waits, oldest first, one after the other: the connection is there.
 * @param {{evenOffline?: boolean}} [options]
 * @returns {Promise<void>}
 */
export async function flush(options) {
  if (outbox.removeOld()) notify("TALLYBONES.notice.tooOld"); // A click waited for too long and was given up.
  refill();
  for (const { key } of outbox.all()) await deliverQuietly(key, options);
}

/**
 * Send a click that nobody waits for: what is refused is told in a notice.
 * @param {string} key
 * @param {{evenOffline?: boolean}} [options]
 */
async function deliverQuietly(key, options) {
  try {
    await deliver(key, options);
  } catch (error) {
    if (!(error instanceof ServiceProblem)) throw error;
    log.debug("a waiting click was refused:", error.detail);
    ui.notifications.notify(words(error), "warning", { console: false });
  }
}
