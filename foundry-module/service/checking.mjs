import { placeOf, placesUnder, read as readKept, write } from "../settings/client.mjs";
import { read } from "../verify/reading.mjs";
import { check } from "../verify/verifying.mjs";
import { exportHistory, session as sessionById } from "./campaign.mjs";

/**
 * Checking a session's dice in this browser, with what the service's page /verify does it with.
 *
 * @import { Checked } from "../verify/verifying.mjs"
 *
 * @typedef {object} Kept       What is kept of a check, for the cards.
 * @property {number} at
 * @property {string[]} good    Rolls whose dice follow from the seed: the last part of their ids.
 * @property {string[]} wrong
 */

const MOST_KEPT = 30;
const NAME = "checked.";

/**
 * Compute each die of an ended session anew. Of hidden rolls the GM's browser alone is given the seed.
 * @param {string} id
 * @returns {Promise<Checked>}
 */
export async function checkSession(id) {
  const [told, history] = await Promise.all([sessionById(id), exportHistory({ session: id }, "ndjson")]);
  const { sessions: [session], rolls } = read(`${JSON.stringify(told)}\n${history}`);
  if (!session) throw new Error(`the service told of no session ${id}`);
  const checked = await check(session, rolls);
  if (session.seed !== null) {
    const seeds = { open: session.seed, hidden: session.hiddenSeed, self: session.hiddenSeed };
    const seen = rolls.filter(({ seq, nonce, chain }) => seq !== null && nonce !== null && seeds[chain] !== null);
    keep(id, seen.map((roll) => roll.id), checked);
  }
  return checked;
}

/**
 * @param {string} session
 * @param {string[]} seen    Rolls whose dice could be computed.
 * @param {Checked} checked
 */
function keep(session, seen, { findings }) {
  const wrong = new Set(findings.flatMap(({ roll }) => roll ?? []));
  // With a seed that is not the session's own no die was computed.
  const good = findings.some(({ fault }) => fault === "wrong-seed") ? [] : seen.filter((id) => !wrong.has(id));
  const kept = { at: Date.now(), good: good.map(lastPart), wrong: [...wrong].map(lastPart) };
  write(placeOf(NAME + session), JSON.stringify(kept));
  known.set(session, kept);
  const places = placesUnder(placeOf(NAME));
  if (places.length <= MOST_KEPT) return;
  const oldest = places.map((place) => ({ place, at: parsed(readKept(place))?.at ?? 0 })).sort((one, other) => one.at - other.at);
  for (const { place } of oldest.slice(0, places.length - MOST_KEPT)) write(place, null);
}

/** What was kept, as read: every card asks. @type {Map<string, Kept|null>} */
const known = new Map();

/**
 * What a check in this browser has said of a roll; null where there was none.
 * @param {string} roll
 * @returns {"good"|"wrong"|null}
 */
export function checkedRoll(roll) {
  const [session = ""] = roll.split("-");
  if (!known.has(session)) known.set(session, parsed(readKept(placeOf(NAME + session))));
  const kept = known.get(session);
  if (kept?.wrong.includes(lastPart(roll))) return "wrong";
  return kept?.good.includes(lastPart(roll)) ? "good" : null;
}

/** @param {string} roll @returns {string} */
function lastPart(roll) {
  return roll.slice(roll.indexOf("-") + 1);
}

/** @param {string|null} text @returns {Kept|null} */
function parsed(text) {
  try {
    const kept = JSON.parse(text ?? "null");
    return Array.isArray(kept?.good) && Array.isArray(kept?.wrong) ? kept : null;
  } catch {
    return null; // What somebody else wrote there is no check.
  }
}
