import { unattended } from "../log.mjs";
import { localize } from "../i18n.mjs";
import { element } from "../html.mjs";
import { addAnswerButton } from "../places/card.mjs";
import { NotPaired, ServiceProblem, Unreachable } from "../service/errors.mjs";
import { messageById } from "./chat.mjs";
import { markChecked } from "./checked.mjs";
import { contentOf, thrownRolls } from "./message.mjs";
import { flagsOf, record, recordOf } from "./records.mjs";

/**
 * Hidden rolls. Foundry hands every message to every client, and only shows whispers to those they are for; so the
 * message of a `gm` or `blind` roll is an empty frame, and each client fills it with what the service shows its user.
 * A `self` roll has none: its roller's client shows it by itself (pending.mjs).
 * The dice are then real dice of that message, on this client alone.
 *
 * @import { RollRecord } from "../api.mjs"
 */

/** The frames that wait for what is in them, by message; not all of them are on screen yet. @type {Map<string, Set<WeakRef<HTMLElement>>>} */
const frames = new Map();

/**
 * Fill the frame of a hidden roll, now where its roll is known, else when it has come.
 * @param {ChatMessage} message
 * @param {HTMLElement} html
 */
export function fillHidden(message, html) {
  const flags = flagsOf(message);
  if (!flags?.hidden || !message.visible) return;
  if (recordOf(message) && message.content !== "") return;
  put(html, element("p", { class: "tallybones-hidden-wait" }, localize("TALLYBONES.card.fetching"))); // Asking the dice service for this roll …
  const id = String(message.id);
  const waiting = frames.get(id) ?? new Set();
  waiting.add(new WeakRef(html));
  frames.set(id, waiting);
  unattended(fetchInto(message, flags.rollId));
}

/** Try again for the frames that could not be filled: the service is back, or there is a key now. */
export function refill() {
  for (const id of frames.keys()) {
    const message = messageById(id);
    const flags = message && flagsOf(message);
    if (message && flags) unattended(fetchInto(message, flags.rollId));
    else frames.delete(id);
  }
}

/**
 * Make the dice of a hidden roll fall, where a module throws them: no message that others can read brings them.
 * @param {ChatMessage} message
 */
export async function throwHidden(message) {
  const flags = flagsOf(message);
  const dice3d = game.dice3d;
  if (!flags?.hidden || flags.challenge || !message.visible || !dice3d) return;
  try {
    const roll = await record(flags.rollId);
    for (const thrown of thrownRolls(roll)) await dice3d.showForRoll(thrown, message.author, false);
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
}

/** @param {ChatMessage} message @param {string} id */
async function fetchInto(message, id) {
  try {
    await fill(message, await record(id));
  } catch (error) {
    if (!isAbsence(error)) throw error;
    const sentence = localize(whyEmpty(error));
    for (const html of framesOf(message)) put(html, element("p", { class: "tallybones-hidden-wait" }, sentence));
  }
}

/** @param {ChatMessage} message @param {RollRecord} roll */
async function fill(message, roll) {
  const rolls = thrownRolls(roll);
  // Cleaned as Foundry's server cleans what it stores: this content never passes through it.
  const content = foundry.utils.cleanHTML(await contentOf(roll, rolls));
  // In this client's memory only; what is sent to the world later are changes, and these are none.
  message.updateSource({ content, rolls: rolls.map((thrown) => JSON.stringify(thrown)) });
  for (const html of framesOf(message)) {
    const shown = document.createElement("template");
    shown.innerHTML = content;
    put(html, shown.content);
    addAnswerButton(message, html);
    markChecked(message, html);
  }
  frames.delete(String(message.id));
}

/** @param {ChatMessage} message @returns {HTMLElement[]} */
function framesOf(message) {
  return [...(frames.get(String(message.id)) ?? [])].flatMap((frame) => frame.deref() ?? []);
}

/** @param {HTMLElement} html @param {Node} node */
function put(html, node) {
  html.querySelector(".message-content")?.replaceChildren(node);
}

/** @param {unknown} error @returns {string} */
function whyEmpty(error) {
  if (error instanceof NotPaired) return "TALLYBONES.error.notPaired";
  if (error instanceof ServiceProblem && error.status === 404) return "TALLYBONES.card.notYours"; // This roll is hidden.
  return "TALLYBONES.card.away"; // The dice service keeps this hidden roll, and does not answer now.
}

/** @param {unknown} error @returns {boolean} */
function isAbsence(error) {
  return error instanceof ServiceProblem || error instanceof Unreachable || error instanceof NotPaired;
}
