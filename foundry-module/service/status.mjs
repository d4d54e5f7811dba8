import { EVENTS } from "../const.mjs";
import { localize } from "../i18n.mjs";
import { role } from "../settings/user.mjs";
import { revokedUsers, world } from "../settings/world.mjs";
import { entries } from "./outbox.mjs";

/** @import { Status } from "../api.mjs" */

/** @type {Status["connection"]} */
let connection = "unset";

/** Whether people were told that the connection is lost, so that they are told once, and told when it is back. */
let toldOfLoss = false;

/**
 * How things stand between this browser and the service.
 * @returns {Status}
 */
export function status() {
  const { campaign, ruleset } = world();
  return Object.freeze({
    connection,
    role: role(),
    campaign: campaign || null,
    ruleset: ruleset || null,
    waiting: entries().length,
    revoked: revokedUsers().includes(game.user.id),
  });
}

/** Tell everybody who listens how things stand. */
export function announce() {
  Hooks.callAll(EVENTS.status, status());
}

/**
 * Say what has become of the connection.
 * @param {Status["connection"]} now
 */
export function setConnection(now) {
  if (now === connection) return;
  connection = now;
  if (now === "online" && toldOfLoss) notify("TALLYBONES.notice.back"); // The dice service is back.
  if (now !== "offline") toldOfLoss = false;
  announce();
}

/** Tell the user, once, that the connection is lost. */
export function tellLoss() {
  if (toldOfLoss) return;
  toldOfLoss = true;
  notify("TALLYBONES.notice.lost", "warning"); // The dice service does not answer. Rolls wait here and go when it is back.
}

/**
 * Show one calm notice.
 * @param {string} key
 * @param {"info"|"warning"|"error"} [kind]
 */
export function notify(key, kind = "info") {
  ui.notifications.notify(localize(key), kind, { console: false });
}
