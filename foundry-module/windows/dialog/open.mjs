import { api } from "../../api.mjs";
import { keepChoices, lastChoices } from "../../forms/choices.mjs";
import { actionNamed } from "../../forms/description.mjs";
import { entriesOf, mustAsk, paramsOf } from "../../forms/entries.mjs";
import { currentActor } from "../../forms/who.mjs";
import { format } from "../../i18n.mjs";
import { ServiceProblem, Unreachable } from "../../service/errors.mjs";
import { sayWhy, tell } from "../notice.mjs";
import { RollDialog } from "./dialog.mjs";

/**
 * @import { Odds, Params, Visibility } from "../../api.mjs"
 *
 * @typedef {object} Wanted
 * @property {string} action
 * @property {Params} [fixed]             What the sheet says.
 * @property {Params} [params]            What else is already known.
 * @property {string} [label]
 * @property {Visibility} [visibility]
 * @property {Actor.Implementation|null} [actor]   Without it, whoever is current.
 * @property {TokenDocument.Implementation|null} [token]
 * @property {boolean} [atOnce]           Roll without asking, with the last choices; what is still open is asked all the same.
 */

/** The rolls that are on their way without a dialog: a double click makes one. @type {Set<string>} */
const underWay = new Set();

/**
 * Ask for a roll, or roll at once: the way of every button, macro, link and command.
 * @param {Wanted} wanted
 * @returns {Promise<void>}
 */
export async function wantRoll(wanted) {
  try {
    const ruleset = await api.description();
    const action = actionNamed(ruleset, wanted.action);
    if (!action) {
      tell(format("TALLYBONES.Roll.UnknownAction", { action: wanted.action, ruleset: ruleset.title }), "warning");
      return;
    }
    const { actor, token } = wanted.actor === undefined ? currentActor() : { actor: wanted.actor, token: wanted.token ?? null };
    const fixed = wanted.fixed ?? {};
    const params = { ...lastChoices(actor?.id, action.name), ...wanted.params, ...fixed };
    const label = wanted.label ?? action.title;
    const visibility = wanted.visibility ? { visibility: wanted.visibility } : {};
    const open = mustAsk(action.fields, params, { exclusive: action.exactly_one_of, house: api.houseRules() });
    if (open || !wanted.atOnce) {
      await new RollDialog({ action, label, fixed, params, actor, token, ...visibility }).render({ force: true });
      return;
    }
    const key = JSON.stringify([actor?.id, action.name, label]);
    if (underWay.has(key)) return;
    underWay.add(key);
    try {
      const exclusive = action.exactly_one_of;
      const filled = paramsOf(action.fields, entriesOf(action.fields, params, exclusive), { exclusive, house: api.houseRules() });
      keepChoices(actor?.id, action.name, Object.fromEntries(Object.entries(filled).filter(([name]) => !(name in fixed))));
      await api.roll({
        action: action.name,
        params: filled,
        actor,
        token,
        label: label === action.title ? null : label,
        ...visibility,
        formula: await soon(formulaOf(action.name, filled)),
      });
    } finally {
      underWay.delete(key);
    }
  } catch (error) {
    sayWhy(error);
  }
}

/** How long a roll waits for what is only good to have, in milliseconds. */
const SOON = 250;

/**
 * @template T
 * @param {Promise<T>} asked
 * @returns {Promise<T|null>}  Null where it takes too long.
 */
function soon(asked) {
  const late = new Promise((resolve) => {
    setTimeout(() => resolve(null), SOON);
  });
  return Promise.race([asked, late]);
}

/**
 * What would throw the same dice in Foundry, as far as that is known.
 * @param {string} action
 * @param {Params} params
 * @returns {Promise<string|null>}
 */
async function formulaOf(action, params) {
  try {
    return (await api.odds(action, params)).formula;
  } catch (error) {
    if (error instanceof Unreachable || error instanceof ServiceProblem) return null; // The roll itself says why.
    throw error;
  }
}
