import { EVENTS } from "../const.mjs";
import { drawPending } from "../rolls/pending.mjs";
import { start } from "../service/connection.mjs";
import { announceGm, listen } from "../service/pairing.mjs";
import { isKeyChange } from "../settings/client.mjs";

Hooks.once("ready", () => {
  listen();
  Hooks.on(EVENTS.status, drawPending);
  Hooks.on(EVENTS.status, announceGmOnce);
  window.addEventListener("storage", (event) => {
    if (isKeyChange(event)) start();
    else drawPending();
  });
  start();
});

let announced = "";

/** Tell players' clients when this GM's client is connected. @param {import("../api.mjs").Status} status */
function announceGmOnce({ connection, role, campaign }) {
  const now = connection === "online" && role === "gm" ? String(campaign) : "";
  if (now && now !== announced) announceGm();
  announced = now;
}
