import { element } from "../html.mjs";
import { unattended } from "../log.mjs";
import { contentOf, thrownRolls } from "./message.mjs";

/** @import { RollRecord } from "../api.mjs" */

/** The rolls that are shown in this client alone, until the page is left. @type {Map<string, HTMLElement>} */
const shown = new Map();

/** Draw them below the chat's messages: none of them is a document. */
export function drawLocal() {
  for (const log of logs()) {
    for (const item of shown.values()) if (!item.isConnected) log.append(item);
  }
}

/**
 * Show a roll in this client alone: that a blind one was thrown, or all of one that is its roller's own.
 * @param {RollRecord} roll
 */
export async function showHere(roll) {
  const rolls = roll.visibility === "self" ? thrownRolls(roll) : [];
  const html = foundry.utils.cleanHTML(await contentOf(roll, rolls));
  if (shown.has(roll.id)) return;
  const item = element("li", { class: "chat-message message flexcol tallybones-local", "data-tallybones-thrown": roll.id });
  const content = element("div", { class: "message-content" });
  content.innerHTML = html;
  item.append(content);
  item.addEventListener("click", openTooltip);
  shown.set(roll.id, item);
  drawLocal();
  item.scrollIntoView({ block: "nearest" });
  if (rolls.length && !game.dice3d) foundry.audio.AudioHelper.play({ src: CONFIG.sounds.dice }, false);
  for (const each of rolls) unattended(Promise.resolve(game.dice3d?.showForRoll(each, game.user, false)));
}

/** Open Foundry's block of a roll, and close it. Foundry's own listener looks for a message, and there is none. @param {MouseEvent} event */
function openTooltip(event) {
  const block = event.target instanceof Element ? event.target.closest(".dice-roll") : null;
  if (!block) return;
  event.stopPropagation();
  const open = block.classList.toggle("expanded");
  for (const tooltip of block.querySelectorAll(".dice-tooltip")) tooltip.classList.toggle("expanded", open);
}

/** The lists of messages on screen. @returns {HTMLElement[]} */
export function logs() {
  return [...document.querySelectorAll("#chat .chat-log, #chat-popout .chat-log")].filter((log) => log instanceof HTMLElement);
}
