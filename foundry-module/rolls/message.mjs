import { MODULE } from "../const.mjs";
import { unenriched } from "../html.mjs";
import { foundryUser } from "../service/pairing.mjs";
import { withLock } from "../service/locks.mjs";
import { messageById, messages } from "./chat.mjs";
import { rollsOf } from "./dice.mjs";
import { flagsOf } from "./records.mjs";
import { audienceOf } from "./visibility.mjs";

/**
 * @import { RollRecord } from "../api.mjs"
 * @import { Speaker } from "../service/outbox.mjs"
 */

const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ID_LENGTH = 16;
/** What the ids of the service are written in (base32), and a dash. */
const DIGITS = "abcdefghijklmnopqrstuvwxyz234567";

/**
 * The id of a roll's message. It follows from the roll's own, and the world refuses an id that it has: so whoever posts
 * a roll, and how often, there is one message.
 * @param {string} roll
 * @param {boolean} [challenge]  The message with the button, which the roll's message replaces.
 * @returns {string}
 */
export function messageId(roll, challenge = false) {
  let number = challenge ? 1n : 0n;
  for (const letter of roll) {
    const digit = DIGITS.indexOf(letter.toLowerCase());
    number = number * 37n + BigInt(digit < 0 ? 36 : digit) + 1n;
  }
  let id = "";
  for (let at = 0; at < ID_LENGTH; at += 1) {
    id += LETTERS[Number(number % 62n)];
    number /= 62n;
  }
  return id;
}

/**
 * The message that shows a roll, or the click that led to it; null where there is none.
 * @param {RollRecord} roll
 * @param {boolean} [challenge]
 * @returns {ChatMessage|null}
 */
export function messageOf(roll, challenge = false) {
  const direct = messageById(messageId(roll.id, challenge));
  if (direct || challenge) return direct;
  const nonce = roll.fairness.nonce;
  const shows = (/** @type {ChatMessage} */ message) => {
    const flags = flagsOf(message);
    if (nonce && message.flags[MODULE]?.key === nonce) return true;
    return Boolean(flags && !flags.challenge && (flags.rollId === roll.id || flags.answer === roll.id));
  };
  return messages().find(shows) ?? null;
}

/**
 * Post a roll that is not its roller's alone, once: not where its message is there, whoever posted it.
 * @param {RollRecord} roll       Resolved, or awaiting the other side.
 * @param {Speaker|null} speaker  As it was at the click; null for a roll that was not made here.
 * @returns {Promise<void>}
 */
export async function postRoll(roll, speaker) {
  const challenge = roll.status === "awaiting";
  await withLock(`post.${roll.id}`, async () => {
    if (messageOf(roll) || (challenge && messageOf(roll, true))) return;
    await create(await messageFor(roll, speaker, challenge));
  });
  if (!challenge && roll.challenged) await removeChallenge(roll);
}

/** The challenge is answered: its button goes. @param {RollRecord} roll */
async function removeChallenge(roll) {
  const message = messageOf(roll, true);
  if (message?.isOwner) await message.delete();
}

/**
 * Put a message into the chat, unless somebody's client was first.
 * @param {ChatMessage.CreateData} message
 * @returns {Promise<void>}
 */
export async function create(message) {
  try {
    await ChatMessage.create(message, { keepId: true });
  } catch (error) {
    // Somebody else's client was first, in the moment since we looked.
    if (!(error instanceof Error && error.message.includes(`[${message._id}] already exists`))) throw error;
  }
}

/**
 * @param {RollRecord} roll
 * @param {Speaker|null} speaker
 * @param {boolean} challenge
 * @returns {Promise<ChatMessage.CreateData>}
 */
async function messageFor(roll, speaker, challenge) {
  const hidden = roll.visibility !== "public";
  const rolls = hidden || challenge ? [] : thrownRolls(roll);
  return {
    _id: messageId(roll.id, challenge),
    author: game.user.id,
    speaker: hidden ? nobody() : (speaker ?? speakerOf(roll)),
    ...audienceOf(roll, game.user.id),
    rolls,
    content: hidden ? "" : await contentOf(roll, rolls),
    sound: rolls.length || (hidden && !challenge) ? CONFIG.sounds.dice : null,
    flags: { [MODULE]: flagsFor(roll, hidden, challenge) },
  };
}

/**
 * What a message is known by. Of a hidden roll it says nothing else: every client can read it.
 * @param {RollRecord} roll
 * @param {boolean} hidden
 * @param {boolean} challenge
 */
function flagsFor(roll, hidden, challenge) {
  return {
    rollId: roll.id,
    ...(challenge ? { challenge } : {}),
    ...(hidden ? { hidden } : {}),
    ...(!hidden && !challenge && roll.fairness.nonce ? { key: roll.fairness.nonce } : {}),
    ...(roll.answered_by ? { answer: roll.answered_by } : {}),
  };
}

/**
 * The dice of a roll as Foundry's own rolls: the roller's, and the other side's where it threw.
 * @param {RollRecord} roll
 */
export function thrownRolls(roll) {
  return rollsOf(roll).map((thrown) => Roll.fromData(/** @type {Roll.Data} */ (/** @type {unknown} */ (thrown))));
}

/**
 * The card, with Foundry's own block of the roll below it: a click opens its tooltip.
 * @param {RollRecord} roll
 * @param {ReadonlyArray<{render(): Promise<string>}>} rolls
 * @returns {Promise<string>}
 */
export async function contentOf(roll, rolls) {
  const blocks = await Promise.all(rolls.map((thrown) => thrown.render()));
  const card = unenriched(roll.card?.html ?? "");
  return blocks.length ? `${card}<div class="tallybones-thrown">${blocks.join("")}</div>` : card;
}

/**
 * Who speaks, for a hidden roll: no character, since every client can read it. The card, once filled, says who rolled.
 * @returns {Speaker}
 */
function nobody() {
  return { scene: null, token: null, actor: null, alias: game.user.name };
}

/**
 * Who speaks, for a roll that was made elsewhere.
 * @param {RollRecord} roll
 * @returns {Speaker}
 */
function speakerOf({ actor, user, user_name: name }) {
  const known = actor && game.actors.get(actor.id);
  const alias = actor?.name ?? name ?? foundryUser(user)?.name ?? user;
  return { scene: null, token: null, actor: known ? known.id : null, alias };
}
