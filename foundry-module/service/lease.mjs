import { callJson, inCampaign } from "./client.mjs";
import { TAB } from "./keys.mjs";

/**
 * Take a lease, which one GM's tab in the world holds for half a minute: several GMs, and several tabs of one GM, see
 * the same roll, and one of them posts it.
 * @param {string} name
 * @returns {Promise<boolean>}  False when another tab holds it.
 */
export async function lease(name) {
  const { held } = await callJson("POST", inCampaign("/lease"), { body: { name, holder: TAB } });
  return held === true;
}
