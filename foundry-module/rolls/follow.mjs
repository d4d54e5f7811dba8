import { EVENTS } from "../const.mjs";
import { ServiceProblem, Unreachable } from "../service/errors.mjs";
import { lease } from "../service/lease.mjs";
import * as outbox from "../service/outbox.mjs";
import { foundryUser } from "../service/pairing.mjs";
import { isOwn, role } from "../settings/user.mjs";
import { arrived, isOwnAlone, isThrown } from "./deliver.mjs";
import { refreshChallenge } from "./challenge.mjs";
import { messageOf, postRoll } from "./message.mjs";
import { showHere } from "./local.mjs";
import { remember } from "./records.mjs";

/** @import { RollRecord } from "../api.mjs" */

/**
 * Milliseconds for which a roll is left to those who are nearer to it: to the tab that clicked, and to the roller's
 * client before the GM's.
 */
const LEFT_TO_TAB = 4000;
const LEFT_TO_ROLLER = 20_000;
const ROLLER_GONE = 5000;
/** A roll that nobody posted in all this time is past. */
const OLDEST = 12 * 60 * 60 * 1000;
/** A lease that another tab held has run out by then. */
const LEASE_OVER = 31_000;

/**
 * Deal with a roll that the stream brought. The promise is kept when its message is there, or is nobody's business here.
 * @param {RollRecord} roll
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
export async function followRoll(roll, signal) {
  remember(roll);
  Hooks.callAll(EVENTS.roll, roll);
  refreshChallenge(roll);
  const mine = outbox.entryOf(roll);
  if (mine?.state === "here") return;
  if (mine) await arrived(mine, roll);
  // In each tab of a player's. All GMs are one user to the service: theirs stay where they were clicked.
  if (isOwnAlone(roll) && role() === "player" && isOwn(roll.user) && !isOld(roll)) await showHere(roll);
  if (mine || roll.visibility === "self") return;
  const patience = patienceFor(roll);
  if (patience === null || isOld(roll)) return;
  await pause(patience, signal);
  if (isPosted(roll)) return;
  if (role() === "gm") await postAsGm(roll, signal);
  else if (!outbox.entryOf(roll)) await postRoll(roll, null);
}

/**
 * How long to leave a roll to others; null where it is never this client's to post.
 * @param {RollRecord} roll
 * @returns {number|null}
 */
function patienceFor(roll) {
  if (roll.status === "pending" || roll.answers || isThrown(roll)) return null;
  if (isOwn(roll.user)) return LEFT_TO_TAB;
  if (role() !== "gm") return null;
  if (roll.visibility === "blind" && roll.status === "resolved") return 0;
  return foundryUser(roll.user)?.active ? LEFT_TO_ROLLER : ROLLER_GONE;
}

/**
 * Several GMs and tabs see the same roll: the one that holds the lease posts it, the others look again later.
 * @param {RollRecord} roll
 * @param {AbortSignal} signal
 */
async function postAsGm(roll, signal) {
  while (!isPosted(roll)) {
    if (await isLeased(roll)) {
      await postRoll(roll, null);
      return;
    }
    await pause(LEASE_OVER, signal);
  }
}

/** @param {RollRecord} roll @returns {Promise<boolean>} */
async function isLeased(roll) {
  try {
    return await lease(`post:${roll.id}:${roll.status}`);
  } catch (error) {
    if (error instanceof ServiceProblem || error instanceof Unreachable) return false; // away: later, then
    throw error;
  }
}

/** @param {RollRecord} roll @returns {boolean} */
function isPosted(roll) {
  return messageOf(roll) !== null || (roll.status === "awaiting" && messageOf(roll, true) !== null);
}

/** @param {RollRecord} roll @returns {boolean} */
function isOld({ created_at: created, resolved_at: resolved }) {
  return Date.now() - Date.parse(resolved ?? created) > OLDEST;
}

/** @param {number} milliseconds @param {AbortSignal} signal @returns {Promise<void>} */
function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(over, milliseconds);
    signal.addEventListener("abort", over, { once: true });
    function over() {
      clearTimeout(timer);
      signal.removeEventListener("abort", over);
      // Ended before its time, the event stays open and comes again from the cursor.
      if (signal.aborted) reject(signal.reason);
      else resolve();
    }
  });
}
