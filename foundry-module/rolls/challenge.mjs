import { unattended } from "../log.mjs";
import { addAnswerButton } from "../places/card.mjs";
import { NotPaired, ServiceProblem, Unreachable } from "../service/errors.mjs";
import { messageById, shownOf } from "./chat.mjs";
import { messageId } from "./message.mjs";
import { flagsOf, record, recordOf } from "./records.mjs";

/** @import { RollRecord } from "../api.mjs" */

/**
 * Give a challenge its button, as soon as its roll is known. A hidden one gets it when it is filled.
 * @param {ChatMessage} message
 * @param {HTMLElement} html
 */
export function offerAnswer(message, html) {
  const flags = flagsOf(message);
  if (!flags?.challenge) return;
  if (recordOf(message)) addAnswerButton(message, html);
  else if (!flags.hidden) unattended(offerLater(message, html, flags.rollId));
}

/**
 * A challenge was made or answered: its message, where it is on screen, gains or loses the button.
 * @param {RollRecord} roll
 */
export function refreshChallenge(roll) {
  if (!roll.challenged) return;
  const message = messageById(messageId(roll.id, true));
  if (!message) return;
  for (const html of shownOf(message)) addAnswerButton(message, html);
}

/** @param {ChatMessage} message @param {HTMLElement} html @param {string} id */
async function offerLater(message, html, id) {
  try {
    await record(id);
    addAnswerButton(message, html);
  } catch (error) {
    const away = error instanceof ServiceProblem || error instanceof Unreachable || error instanceof NotPaired;
    if (!away) throw error; // asked for again when the log is drawn again
  }
}
