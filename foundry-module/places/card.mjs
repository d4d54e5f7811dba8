import { api } from "../api.mjs";
import { GM_USER } from "../const.mjs";
import { button } from "../html.mjs";
import { localize } from "../i18n.mjs";
import { recordOf } from "../rolls/records.mjs";
import { AnswerDialog } from "../windows/answer/answer.mjs";

/** @import { RollRecord } from "../api.mjs" */

const CLASS = "tallybones-answer-button";

/**
 * The button with which the challenged one answers; it goes when the challenge is answered.
 * @param {ChatMessage} message
 * @param {HTMLElement} html
 */
export function addAnswerButton(message, html) {
  const challenge = recordOf(message);
  const shown = html.querySelector(`.${CLASS}`);
  if (!challenge || !isMine(challenge)) {
    shown?.remove();
    return;
  }
  if (shown) return;
  const made = button(localize("TALLYBONES.Answer.Button"), "fa-solid fa-dice", () => {
    void AnswerDialog.show(recordOf(message) ?? challenge);
  });
  made.classList.add(CLASS, "tallybones-primary");
  (html.querySelector(".message-content") ?? html).append(made);
}

/**
 * Whether it is this user's turn to answer.
 * @param {RollRecord} challenge
 * @returns {boolean}
 */
function isMine({ status, challenged, answered_by: answeredBy }) {
  if (status !== "awaiting" || answeredBy) return false;
  return challenged === GM_USER ? api.status().role === "gm" : challenged === game.user.id;
}
