import { api } from "../api.mjs";
import { element, unenriched } from "../html.mjs";
import { format, localize } from "../i18n.mjs";
import { currentActor } from "../forms/who.mjs";
import { sayWhy } from "../windows/notice.mjs";
import { rollsOf } from "./macro.mjs";
import { rollNamed } from "./named.mjs";

/** What a message of ours begins with: the command as a word, `/tb`. */
const COMMAND = /^\/tb(?=\s|$)/i;

/**
 * Take `/tb …` from the chat.
 * @param {unknown} _log
 * @param {string} text   Version 14 gives it as HTML, in a paragraph.
 * @returns {false|undefined}  False, at once, for our own prefix: nothing is posted.
 */
export function onChatMessage(_log, text) {
  const plain = plainText(text);
  if (!COMMAND.test(plain)) return undefined;
  const asked = plain.replace(COMMAND, "").trim();
  const done = /^(help|\?)?$/i.test(asked) ? showHelp() : obey(asked);
  done.catch(sayWhy);
  return false;
}

/**
 * What was typed, whether it came as text or as HTML.
 * @param {string} text
 * @returns {string}
 */
export function plainText(text) {
  const trimmed = text.trim();
  if (!/^<[a-z]/i.test(trimmed)) return trimmed;
  // Parsed, never inserted: nothing in it runs.
  return (new DOMParser().parseFromString(trimmed, "text/html").body.textContent ?? "").replace(/\u00a0/g, " ").trim();
}

/**
 * A `?` after the name asks first: `/tb Climbing ?`.
 * @param {string} asked
 */
async function obey(asked) {
  const dialog = /\s\?$/.test(asked);
  await rollNamed(asked.replace(/\s\?$/, ""), { atOnce: !dialog });
}

/** Show what can be typed, in a message that only this user sees. */
async function showHelp() {
  const ruleset = await api.description();
  const { actor } = currentActor();
  const rolls = await rollsOf(actor);
  const names = [...new Set(rolls.map(({ label }) => label))];
  const actions = ruleset.actions.flatMap((action) => [
    element("dt", {}, element("code", {}, `/tb ${action.name}`)),
    element("dd", {}, action.fields.map(({ name }) => name).join(", ")),
  ]);
  const help = element(
    "div",
    { class: "tallybones-chat-help" },
    element("h4", {}, localize("TALLYBONES.Command.Help")),
    element("p", {}, localize("TALLYBONES.Command.HowAction")),
    element("dl", {}, ...actions),
    element("p", {}, localize(names.length ? "TALLYBONES.Command.HowSkill" : "TALLYBONES.Command.NoSkills")),
    ...(names.length ? [element("p", {}, names.join(", "))] : []),
    element("p", {}, format("TALLYBONES.Command.Example", { example: exampleOf(ruleset.actions[0], names[0]) })),
  );
  await ChatMessage.create({
    author: game.user.id,
    content: unenriched(help.outerHTML),
    whisper: [game.user.id],
    speaker: { alias: ruleset.title },
  });
}

/**
 * @param {import("../forms/description.mjs").ActionDescription|undefined} action
 * @param {string|undefined} skill
 * @returns {string}
 */
function exampleOf(action, skill) {
  const last = action?.fields.filter(({ type }) => type === "integer").at(-1);
  return `/tb ${skill ?? action?.name ?? ""} ${last ? `${last.name}=${Math.max(last.minimum ?? 0, 2)}` : ""}`.trim();
}
