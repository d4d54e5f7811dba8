import { element } from "../html.mjs";
import { localize } from "../i18n.mjs";
import { checkSession, checkedRoll } from "../service/checking.mjs";
import { messages, shownOf } from "./chat.mjs";
import { flagsOf } from "./records.mjs";

const CLASS = "tallybones-checked";

/**
 * Say in a card's details what this browser has found when it checked the session's dice.
 * @param {ChatMessage} message
 * @param {HTMLElement} html
 */
export function markChecked(message, html) {
  html.querySelector(`.${CLASS}`)?.remove();
  const place = html.querySelector(".tallybones-fairness");
  const verdict = place && verdictOn(message);
  if (!verdict) return;
  const good = verdict === "good";
  const mark = element("span", { "aria-hidden": "true" }, good ? "✓" : "✗");
  const sentence = ` ${localize(`TALLYBONES.card.checked.${verdict}`)}`;
  place.after(element("p", { class: `${CLASS} ${CLASS}-${good ? "good" : "wrong"}` }, mark, sentence));
}

/**
 * What can be said of a card: that its rolls are as they were thrown, and that it shows these. Null where they were not
 * checked here.
 * @param {ChatMessage} message
 * @returns {"good"|"wrong"|"otherDice"|"otherCommitment"|null}
 */
function verdictOn(message) {
  const flags = flagsOf(message);
  if (!flags) return null;
  const roll = checkedRoll(flags.rollId);
  const answer = flags.answer ? checkedRoll(flags.answer) : null;
  if (roll?.verdict === "wrong" || answer?.verdict === "wrong") return "wrong";
  if (!roll || (flags.answer && !answer)) return null;
  const posted = postedOn(message);
  if (posted.dice !== roll.dice || posted.thrown !== roll.dice) return "otherDice";
  return posted.commitment === (flags.hidden ? roll.hidden : roll.open) ? "good" : "otherCommitment";
}

/**
 * What a message holds of its roll, as it was posted: the dice on its card, those of Foundry's own rolls below it, and
 * the commitment.
 * @param {ChatMessage} message
 */
function postedOn({ content, rolls }) {
  const card = document.createElement("template");
  card.innerHTML = content;
  const texts = (/** @type {string} */ selector) => [...card.content.querySelectorAll(selector)].map((found) => found.textContent?.trim());
  return {
    dice: texts(".tallybones-dice .tallybones-value").join(" "),
    thrown: rolls.flatMap(({ dice }) => dice.flatMap(({ results }) => results.map(({ result }) => result))).join(" "),
    commitment: texts(".tallybones-fairness dd").at(-1),
  };
}

/**
 * Check a session's dice, and mark the cards that are on screen.
 * @param {string} session
 * @returns {ReturnType<typeof checkSession>}
 */
export async function checkAndMark(session) {
  const checked = await checkSession(session);
  for (const message of messages()) {
    if (flagsOf(message)) shownOf(message).forEach((html) => markChecked(message, html));
  }
  return checked;
}
