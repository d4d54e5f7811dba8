import { placeOf, placesUnder, read as readKept, write } from "../settings/client.mjs";
import { read } from "../verify/reading.mjs";
import { check } from "../verify/verifying.mjs";
import { exportHistory, session as sessionById } from "./campaign.mjs";

/**
 * Checking a session's dice in this browser, with what the service's page /verify does it with.
 *
 * @import { ReadRoll, ReadSession } from "../verify/reading.mjs"
 * @import { Checked } from "../verify/verifying.mjs"
 *
 * @typedef {object} Kept       What is kept of a check, for the cards.
 * @property {number} at
 * @property {string} open      The session's commitments, to the seed of public rolls and to that of hidden ones.
 * @property {string|null} hidden
 * @property {Record<string, string>} good  Rolls whose dice follow from the seed, by the last part of their ids: what
 *   their cards have to show, the dice of the roller's side and then of the other.
 * @property {string[]} wrong
 *
 * @typedef {{verdict: "wrong"} | {verdict: "good", dice: string, open: string, hidden: string|null}} CheckedRoll
 */

const MOST_KEPT = 30;
const NAME = "checked.";

/**
 * Compute each die of an ended session anew. Of hidden rolls the GM's browser alone is given the seed.
 * @param {string} id
 * @returns {Promise<Checked & {seedKnown: boolean}>}
 */
export async function checkSession(id) {
  const [told, history] = await Promise.all([sessionById(id), exportHistory({ session: id }, "ndjson")]);
  const { sessions: [session], rolls } = read(`${JSON.stringify(told)}\n${history}`);
  if (!session) throw new Error(`the service told of no session ${id}`);
  const checked = await check(session, rolls);
  if (session.seed !== null) {
    const seeds = { open: session.seed, hidden: session.hiddenSeed, self: session.hiddenSeed };
    const seen = rolls.filter(({ seq, nonce, chain }) => seq !== null && nonce !== null && seeds[chain] !== null);
    keep(session, seen, checked);
  }
  return { ...checked, seedKnown: session.seed !== null };
}

/**
 * @param {ReadSession} session
 * @param {ReadRoll[]} seen    Rolls whose dice could be computed.
 * @param {Checked} checked
 */
function keep(session, seen, { findings }) {
  const wrong = new Set(findings.flatMap(({ roll }) => roll ?? []));
  // With a seed that is not the session's own no die was computed.
  const good = findings.some(({ fault }) => fault === "wrong-seed") ? [] : seen.filter(({ id }) => !wrong.has(id));
  const kept = {
    at: Date.now(),
    open: session.commitment,
    hidden: session.hiddenCommitment,
    good: Object.fromEntries(good.map((roll) => [lastPart(roll.id), diceOf(roll)])),
    wrong: [...wrong].map(lastPart),
  };
  write(placeOf(NAME + session.id), JSON.stringify(kept));
  known.set(session.id, kept);
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
 * @returns {CheckedRoll|null}
 */
export function checkedRoll(roll) {
  const [session = ""] = roll.split("-");
  if (!known.has(session)) known.set(session, parsed(readKept(placeOf(NAME + session))));
  const kept = known.get(session);
  if (kept?.wrong.includes(lastPart(roll))) return { verdict: "wrong" };
  const dice = kept?.good[lastPart(roll)];
  return kept && dice !== undefined ? { verdict: "good", dice, open: kept.open, hidden: kept.hidden } : null;
}

/** What a roll's card has to show. @param {ReadRoll} roll @returns {string} */
function diceOf({ values, own, theirs }) {
  const side = (/** @type {boolean} */ mine) => values.filter((_, place) => own[place] === mine);
  return [...side(true), ...side(false), ...(theirs ?? []).map(({ value }) => value)].join(" ");
}

/** @param {string} roll @returns {string} */
function lastPart(roll) {
  return roll.slice(roll.indexOf("-") + 1);
}

/** @param {string|null} text @returns {Kept|null} */
function parsed(text) {
  try {
    const kept = JSON.parse(text ?? "null");
    const good = kept?.good && typeof kept.good === "object" && !Array.isArray(kept.good);
    return good && typeof kept.open === "string" && Array.isArray(kept.wrong) ? kept : null;
  } catch {
    return null; // What somebody else wrote there is no check.
  }
}
