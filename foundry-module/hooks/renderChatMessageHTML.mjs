import { MODULE } from "../const.mjs";
import { offerAnswer } from "../rolls/challenge.mjs";
import { markChecked } from "../rolls/checked.mjs";
import { fillHidden } from "../rolls/hidden.mjs";
import { flagsOf } from "../rolls/records.mjs";

Hooks.on("renderChatMessageHTML", (message, html) => {
  if (flagsOf(message) || message.flags[MODULE]?.report) html.classList.add("tallybones-message");
  if (!flagsOf(message)) return;
  fillHidden(message, html);
  offerAnswer(message, html);
  markChecked(message, html);
});
