import { api } from "../api.mjs";
import { actionNamed } from "../forms/description.mjs";
import { currentActor } from "../forms/who.mjs";
import { format } from "../i18n.mjs";
import { wantRoll } from "../windows/dialog/open.mjs";
import { tell } from "../windows/notice.mjs";
import { rollMeant } from "../windows/pad/buttons.mjs";
import { rollsOf } from "./macro.mjs";
import { paramsSet, wordsOf } from "./wording.mjs";

/**
 * Roll what words name: an action, or a skill of the current actor's sheet, with settings.
 * @param {string} text        `Climbing dv=3`, `skill-check stat=2 dv=1`.
 * @param {{label?: string, atOnce: boolean}} how
 * @returns {Promise<void>}
 */
export async function rollNamed(text, { label, atOnce }) {
  const { name, settings } = wordsOf(text);
  const ruleset = await api.description();
  const { actor, token } = currentActor();
  const bare = ruleset.actions.find((one) => one.name === name.toLowerCase() || one.title.toLowerCase() === name.toLowerCase());
  const onSheet = bare ? undefined : rollMeant(await rollsOf(actor), name);
  const action = bare ?? (onSheet && actionNamed(ruleset, onSheet.action));
  if (!action) {
    tell(format("TALLYBONES.Command.Unknown", { name }), "warning");
    return;
  }
  const { params, unknown } = paramsSet(action.fields, settings, api.houseRules());
  if (unknown.length) {
    const names = action.fields.map((field) => field.name).join(", ");
    tell(format("TALLYBONES.Command.UnknownSetting", { setting: unknown.join(", "), action: action.title, names }), "warning");
    return;
  }
  const called = label ?? onSheet?.label;
  await wantRoll({
    action: action.name,
    params,
    fixed: onSheet?.params ?? {},
    ...(called ? { label: called } : {}),
    actor,
    token,
    atOnce,
  });
}
