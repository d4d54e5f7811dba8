import { button, element } from "../html.mjs";
import { format, localize } from "../i18n.mjs";
import { unattended } from "../log.mjs";
import { entries } from "../service/outbox.mjs";
import { status } from "../service/status.mjs";
import { drawLocal, logs } from "./local.mjs";
import { cancelRoll, rollHere } from "./request.mjs";

/** @import { Waiting } from "../api.mjs" */

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
  }
  drawLocal();
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
