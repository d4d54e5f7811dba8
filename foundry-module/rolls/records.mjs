import { MODULE } from "../const.mjs";
import { rollById } from "../service/campaign.mjs";

/** @import { RollRecord } from "../api.mjs" */

/** How many rolls are kept in memory, and how many are asked for at once. */
const MOST_KEPT = 500;
const AT_ONCE = 4;

/** Rolls as this user may see them, the last used at the end. @type {Map<string, RollRecord>} */
const known = new Map();
/** Those being asked for. @type {Map<string, Promise<RollRecord>>} */
const asked = new Map();
/** Ends of the calls that hold a place. @type {Array<() => void>} */
const waiting = [];
let running = 0;

/**
 * Keep a roll that came from the service.
 * @param {RollRecord} roll
 */
export function remember(roll) {
  const before = known.get(roll.id);
  if (before?.status === "resolved" && roll.status !== "resolved") return; // an older state, that came late
  known.delete(roll.id);
  known.set(roll.id, roll);
  const [oldest] = known.keys();
  if (known.size > MOST_KEPT && oldest) known.delete(oldest);
}

/**
 * What a message says of the roll it shows.
 * @param {ChatMessage} message
 * @returns {{rollId: string, challenge?: boolean, hidden?: boolean, key?: string, answer?: string}|null}
 */
export function flagsOf(message) {
  const flags = message.flags[MODULE];
  return flags?.rollId ? { ...flags, rollId: flags.rollId } : null;
}

/**
 * The roll that a message shows, where it is known already.
 * @param {ChatMessage} message
 * @returns {RollRecord|null}
 */
export function recordOf(message) {
  return known.get(flagsOf(message)?.rollId ?? "") ?? null;
}

/**
 * The roll of that id, as this user may see it, asked for where it is not known.
 * @param {string} id
 * @returns {Promise<RollRecord>}
 */
export async function record(id) {
  const kept = known.get(id);
  if (kept) return kept;
  const asking = asked.get(id) ?? inTurn(() => rollById(id));
  asked.set(id, asking);
  try {
    const roll = await asking;
    remember(roll);
    return roll;
  } finally {
    asked.delete(id);
  }
}

/** @template Result @param {() => Promise<Result>} work @returns {Promise<Result>} */
async function inTurn(work) {
  if (running >= AT_ONCE) {
    await new Promise((resolve) => {
      waiting.push(() => resolve(undefined));
    });
  }
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}
