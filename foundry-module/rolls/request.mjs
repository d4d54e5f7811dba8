import { MODULE } from "../const.mjs";
import { escape, unenriched } from "../html.mjs";
import { localize } from "../i18n.mjs";
import { key as secret } from "../settings/client.mjs";
import { titleOf } from "../service/campaign.mjs";
import { NotPaired } from "../service/errors.mjs";
import { uuid } from "../service/keys.mjs";
import { withLock } from "../service/locks.mjs";
import { serviceName } from "../service/names.mjs";
import * as outbox from "../service/outbox.mjs";
import { announce } from "../service/status.mjs";
import { deliver } from "./deliver.mjs";
import { defaultVisibility } from "./visibility.mjs";

/**
 * @import { AnswerRequest, RollRecord, RollRequest, Visibility } from "../api.mjs"
 * @import { Entry } from "../service/outbox.mjs"
 */

/** Milliseconds in which the same click again is a slip of the finger. */
const DOUBLE_CLICK = 600;

/** The clicks that are on their way, or were made just now, by what they ask. @type {Map<string, Promise<RollRecord|null>>} */
const recent = new Map();

/**
 * Roll: the click gets its key and goes to the outbox, and from there to the service.
 * @param {RollRequest} request
 * @returns {Promise<RollRecord|null>}
 */
export function requestRoll({ action, params, actor = null, token = null, label, visibility = defaultVisibility(), formula }) {
  const body = { action, params, visibility, ...whoAndWhat(actor, label) };
  const title = label?.trim() || titleOf(action);
  return click({ challenge: null, body, title, visibility, formula: formula ?? null }, actor, token);
}

/**
 * Answer a challenge; both sides then stand on its card.
 * @param {string} challenge
 * @param {AnswerRequest} request
 * @returns {Promise<RollRecord|null>}
 */
export function answerChallenge(challenge, { params, actor = null, token = null, label }) {
  const body = { params, ...whoAndWhat(actor, label) };
  return click({ challenge, body, title: label?.trim() || localize("TALLYBONES.Answer.Title"), visibility: "public", formula: null }, actor, token);
}

/**
 * @param {Pick<Entry, "challenge"|"body"|"title"|"visibility"|"formula">} asked
 * @param {Actor|null} actor
 * @param {TokenDocument|null} token
 * @returns {Promise<RollRecord|null>}
 */
async function click(asked, actor, token) {
  if (!secret()) throw new NotPaired();
  const what = JSON.stringify([asked.challenge, asked.body]);
  const first = recent.get(what);
  if (first) return first;
  const key = uuid();
  const speaker = ChatMessage.getSpeaker({ ...(actor ? { actor } : {}), ...(token ? { token } : {}) });
  outbox.keep({ ...asked, key, state: "waiting", speaker: plain(speaker), at: Date.now(), roll: null });
  announce();
  const rolled = deliver(key);
  recent.set(what, rolled);
  const forget = () => recent.get(what) === rolled && recent.delete(what);
  const guard = new Promise((resolve) => {
    setTimeout(resolve, DOUBLE_CLICK);
  });
  Promise.allSettled([rolled, guard]).then(forget);
  return rolled;
}

/**
 * The actor and label as the service takes them.
 * @param {Actor|null} actor
 * @param {string|null|undefined} label
 * @returns {{actor?: {id: string, name: string}, label?: string}}
 */
function whoAndWhat(actor, label) {
  const id = actor?.id;
  return {
    ...(actor && id ? { actor: { id, name: serviceName(actor.name) } } : {}),
    ...(label?.trim() ? { label: serviceName(label) } : {}),
  };
}

/** @param {ChatMessage.SpeakerData} speaker @returns {Entry["speaker"]} */
function plain({ scene = null, actor = null, token = null, alias = "" }) {
  return { scene, actor, token, alias };
}

/**
 * Take back a click that was not sent.
 * @param {string} key
 * @returns {Promise<boolean>}  False when it is too late.
 */
export async function cancelRoll(key) {
  return withLock(`roll.${key}`, async () => {
    if (outbox.entry(key)?.state !== "waiting") return false;
    outbox.remove(key);
    announce();
    return true;
  });
}

/**
 * Throw a public click in Foundry instead, where the service is away. Should the service have taken it after all, that roll is
 * not shown: the message carries the click's key.
 * @param {string} key
 * @returns {Promise<boolean>}  False when it is too late, or no one formula can throw it.
 */
export async function rollHere(key) {
  return withLock(`roll.${key}`, async () => {
    const entry = outbox.entry(key);
    const formula = entry && outbox.formulaHere(entry);
    if (!formula || !["waiting", "sent"].includes(entry.state)) return false;
    outbox.change(key, { state: "here" });
    announce();
    const roll = await Roll.create(formula).evaluate();
    await ChatMessage.create({
      author: game.user.id,
      speaker: entry.speaker,
      flavor: unenriched(escape(entry.title)), // shown as HTML
      rolls: [roll],
      sound: CONFIG.sounds.dice,
      flags: { [MODULE]: { key } },
    });
    return true;
  });
}
