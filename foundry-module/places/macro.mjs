import { api } from "../api.mjs";
import { currentActor } from "../forms/who.mjs";
import { wantRoll } from "../windows/dialog/open.mjs";
import { isRefusal } from "../windows/notice.mjs";
import { sameRoll } from "../windows/pad/buttons.mjs";

/**
 * @import { Params, SheetRoll } from "../api.mjs"
 *
 * @typedef {object} KeptRoll     What a macro remembers of a pad's button.
 * @property {string} action
 * @property {string} [label]
 * @property {string} [group]
 * @property {Params} [params]    As the sheet was then; its present numbers are used where it still has the roll.
 * @property {string|null} [actor]
 */

/**
 * Roll what a macro has kept: for the actor it was made with while that one is the user's, else for the current one.
 * @param {KeptRoll} kept
 * @param {{shiftKey?: boolean}} [event]   With shift held the roll is made at once.
 */
export async function rollKept(kept, event) {
  const made = kept.actor ? /** @type {Actor.Implementation|null} */ (await fromUuid(/** @type {`Actor.${string}`} */ (kept.actor))) : null;
  const { actor, token } = made?.isOwner ? { actor: made, token: null } : currentActor();
  const now = sameRoll(await rollsOf(actor), kept);
  await wantRoll({
    action: kept.action,
    fixed: now?.params ?? kept.params ?? {},
    ...(kept.label ? { label: kept.label } : {}),
    actor,
    token,
    atOnce: event?.shiftKey === true,
  });
}

/**
 * The rolls that an actor's sheet offers; none while the service is away.
 * @param {Actor.Implementation|null} actor
 * @returns {Promise<SheetRoll[]>}
 */
export async function rollsOf(actor) {
  try {
    return actor ? (await api.sheet(actor)).rolls : [];
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return [];
  }
}
