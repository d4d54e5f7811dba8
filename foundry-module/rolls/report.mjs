import { MODULE } from "../const.mjs";
import { unenriched } from "../html.mjs";
import { lease } from "../service/lease.mjs";
import { ServiceProblem, Unreachable } from "../service/errors.mjs";
import { withLock } from "../service/locks.mjs";
import { role } from "../settings/user.mjs";
import { messageById } from "./chat.mjs";
import { create, messageId } from "./message.mjs";

/** @import { ReportListed } from "../api.mjs" */

/** A report that was finished so long ago is past. */
const OLDEST = 12 * 60 * 60 * 1000;

/**
 * The stream has told of a report: one that is published is shown to the table, once, by a GM's client.
 * @param {ReportListed} report
 */
export async function showPublished({ id, published, status, finished_at: finished, card }) {
  const past = !finished || Date.now() - Date.parse(finished) > OLDEST;
  if (!published || status !== "done" || !card || past || role() !== "gm") return;
  await withLock(`post.${id}`, async () => {
    if (messageById(messageId(id)) || !(await isOurs(id))) return;
    await create({
      _id: messageId(id),
      author: game.user.id,
      speaker: { scene: null, token: null, actor: null, alias: game.user.name },
      content: unenriched(card.html),
      flags: { [MODULE]: { report: id } },
    });
  });
}

/** Several GMs hear of it: one of them posts. @param {string} id @returns {Promise<boolean>} */
async function isOurs(id) {
  try {
    return await lease(`post:report:${id}`);
  } catch (error) {
    if (error instanceof ServiceProblem || error instanceof Unreachable) return false; // told again? then again
    throw error;
  }
}
