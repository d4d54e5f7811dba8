import { button, element } from "../html.mjs";
import { format, localize } from "../i18n.mjs";
import { unattended } from "../log.mjs";
import { entries } from "../service/outbox.mjs";
import { status } from "../service/status.mjs";
import { contentOf, thrownRolls } from "./message.mjs";
import { cancelRoll, rollHere } from "./request.mjs";

/** @import { RollRecord, Waiting } from "../api.mjs" */

/** The rolls that are shown in this client alone, until the page is left. @type {Map<string, HTMLElement>} */
const thrown = new Map();

/** Draw what waits below the chat's messages, in this client alone: none of it is a document. */
export function drawPending() {
  for (const log of logs()) {
    const wanted = entries().filter((entry) => entry.state !== "awaiting");
    const shown = new Map([...log.querySelectorAll(":scope > [data-tallybones-key]")].map((item) => [item.getAttribute("data-tallybones-key"), item]));
    for (const entry of wanted) {
      const item = pendingItem(entry);
      const before = shown.get(entry.key);
      shown.delete(entry.key);
      if (before) {
        before.replaceWith(item);
      } else {
        log.append(item);
        item.scrollIntoView({ block: "nearest" });
      }
    }
    for (const item of shown.values()) item.remove();
    for (const item of thrown.values()) if (!item.isConnected) log.append(item);
  }
}

/**
 * Show a roll in this client alone: that a blind one was thrown, or all of one that is its roller's own.
 * @param {RollRecord} roll
 */
export async function showHere(roll) {
  const rolls = roll.visibility === "self" ? thrownRolls(roll) : [];
  const html = foundry.utils.cleanHTML(await contentOf(roll, rolls));
  if (thrown.has(roll.id)) return;
  const item = element("li", { class: "chat-message message flexcol tallybones-local", "data-tallybones-thrown": roll.id });
  const content = element("div", { class: "message-content" });
  content.innerHTML = html;
  item.append(content);
  item.addEventListener("click", openTooltip);
  thrown.set(roll.id, item);
  drawPending();
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

/** @param {Waiting} entry @returns {HTMLElement} */
function pendingItem({ key, state, title, formula }) {
  const offline = status().connection !== "online";
  const item = element("li", { class: "chat-message message flexcol tallybones-local tallybones-pending", "data-tallybones-key": key });
  // Rolling … · Waits for the dice service: …
  const sentence = offline ? format("TALLYBONES.pending.waits", { roll: title }) : format("TALLYBONES.pending.rolling", { roll: title });
  item.append(element("p", { class: "tallybones-pending-text", role: "status" }, sentence));
  const buttons = element("div", { class: "tallybones-pending-buttons" });
  if (state === "waiting") {
    // Cancel
    buttons.append(button(localize("TALLYBONES.pending.cancel"), "fa-solid fa-xmark", () => unattended(cancelRoll(key))));
  }
  if (offline && formula) {
    // Roll in Foundry instead
    buttons.append(button(localize("TALLYBONES.pending.rollHere"), "fa-solid fa-dice", () => unattended(rollHere(key))));
  }
  if (buttons.childElementCount) item.append(buttons);
  return item;
}

/** The lists of messages on screen. @returns {HTMLElement[]} */
function logs() {
  return [...document.querySelectorAll("#chat .chat-log, #chat-popout .chat-log")].filter((log) => log instanceof HTMLElement);
}
