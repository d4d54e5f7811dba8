import { GM_USER } from "../const.mjs";
import { localize } from "../i18n.mjs";

/** @import { Choice } from "./description.mjs" */

/**
 * The actor whose rolls are offered: the selected token's, else the user's own character.
 * @returns {{actor: Actor.Implementation|null, token: TokenDocument.Implementation|null}}
 */
export function currentActor() {
  const token = canvas?.tokens?.controlled.find((one) => one.actor?.isOwner) ?? null;
  if (token?.actor) return { actor: token.actor, token: token.document };
  return { actor: game.user?.character ?? null, token: null };
}

/**
 * Whom a roll can challenge: the GM, and each player but oneself.
 * @returns {Choice[]}
 */
export function opponents() {
  const players = (game.users?.contents ?? [])
    .filter((user) => !user.isGM && user.id !== game.user?.id)
    .map((user) => ({ value: user.id, label: user.character?.name ? `${user.name} (${user.character.name})` : user.name }));
  const gm = game.user?.isGM ? [] : [{ value: GM_USER, label: localize("TALLYBONES.Form.TheGM") }];
  return [...gm, ...players];
}
