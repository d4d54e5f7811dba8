import { offerAnswer } from "../rolls/challenge.mjs";
import { fillHidden } from "../rolls/hidden.mjs";
import { flagsOf } from "../rolls/records.mjs";

Hooks.on("renderChatMessageHTML", (message, html) => {
  if (!flagsOf(message)) return;
  html.classList.add("tallybones-message");
  fillHidden(message, html);
  offerAnswer(message, html);
});
