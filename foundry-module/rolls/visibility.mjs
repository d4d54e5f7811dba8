import { GM_USER } from "../const.mjs";

/** @import { RollRecord, Visibility } from "../api.mjs" */

/** What the chat's modes are called here: version 13's names, then version 14's. */
const OF_MODE = /** @type {Record<string, Visibility>} */ ({
  publicroll: "public",
  gmroll: "gm",
  blindroll: "blind",
  selfroll: "self",
  public: "public",
  ic: "public",
  gm: "gm",
  blind: "blind",
  self: "self",
});

/**
 * The visibility that the chat is set to. A mode that another module made is taken for the GM's eyes: a roll that was
 * meant to be hidden must not be shown.
 * @returns {Visibility}
 */
export function defaultVisibility() {
  const mode = game.settings.get("core", hasMessageModes() ? "messageMode" : "rollMode");
  return OF_MODE[mode ?? "public"] ?? "gm";
}

/**
 * Whether this is version 14 or later, whose old names answer with a warning, or with nothing.
 * @returns {boolean}
 */
function hasMessageModes() {
  return "modes" in CONFIG.ChatMessage;
}

/**
 * Who gets the message of a roll: `whisper` and `blind`, said outright and never left to the chat's mode. A `self` roll
 * has no message.
 *
 * Other clients' consoles can read a whispered message too, so these say who is shown it, and not what is in it: see
 * hidden.mjs. A blind roll is not called blind: its author is the GM, and it looks like a roll of the GM's own.
 * @param {Pick<RollRecord, "visibility"|"challenged">} roll
 * @param {string} author  A Foundry user's id.
 * @returns {{whisper: string[], blind: false}}
 */
export function audienceOf({ visibility, challenged }, author) {
  if (visibility === "public") return { whisper: [], blind: false };
  const gms = game.users.filter((user) => user.isGM).map((user) => user.id);
  const other = challenged && challenged !== GM_USER && game.users.has(challenged) ? [challenged] : [];
  const own = visibility === "blind" ? [] : [author];
  return { whisper: [...new Set([...gms, ...other, ...own])], blind: false };
}
