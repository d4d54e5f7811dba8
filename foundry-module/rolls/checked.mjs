import { element } from "../html.mjs";
import { localize } from "../i18n.mjs";
import { checkSession, checkedRoll } from "../service/checking.mjs";
import { messages, shownOf } from "./chat.mjs";
import { flagsOf } from "./records.mjs";

/** @import { Checked } from "../verify/verifying.mjs" */

const CLASS = "tallybones-checked";

/**
 * Say in a card's details what this browser has found when it checked the session's dice.
 * @param {ChatMessage} message
 * @param {HTMLElement} html
 */
export function markChecked(message, html) {
  html.querySelector(`.${CLASS}`)?.remove();
  const flags = flagsOf(message);
  const place = html.querySelector(".tallybones-fairness");
  if (!flags || !place) return;
  const found = [flags.rollId, ...(flags.answer ? [flags.answer] : [])].map(checkedRoll);
  const verdict = found.includes("wrong") ? "wrong" : found.includes(null) ? null : "good";
  if (!verdict) return;
  const mark = element("span", { "aria-hidden": "true" }, verdict === "good" ? "✓" : "✗");
  place.after(element("p", { class: `${CLASS} ${CLASS}-${verdict}` }, mark, ` ${localize(`TALLYBONES.card.checked.${verdict}`)}`));
}

/**
 * Check a session's dice, and mark the cards that are on screen.
 * @param {string} session
 * @returns {Promise<Checked>}
 */
export async function checkAndMark(session) {
  const checked = await checkSession(session);
  for (const message of messages()) {
    if (flagsOf(message)) shownOf(message).forEach((html) => markChecked(message, html));
  }
  return checked;
}
