import { call, callJson, inCampaign } from "./client.mjs";
import { Unreachable } from "./errors.mjs";

/** @import { Report, ReportListed, ReportWish } from "../api.mjs" */

/**
 * Ask for a report: a player's is of their own rolls; one to be published counts public rolls only.
 * @param {ReportWish} wish
 * @returns {Promise<Report>}
 */
export function ask(wish) {
  return callJson("POST", inCampaign("/reports"), { body: wish });
}

/** The reports that this user may read, newest first. @returns {Promise<ReportListed[]>} */
export async function list() {
  return (await callJson("GET", inCampaign("/reports"))).reports;
}

/** @param {string} id @returns {Promise<Report>} */
export function read(id) {
  return callJson("GET", place(id));
}

/** @param {string} id @returns {Promise<void>} */
export async function remove(id) {
  await callJson("DELETE", place(id));
}

/**
 * A finished report as a file: the page, the table, or one of its plots. An `<img>` or a link cannot send a token.
 * @param {string} id
 * @param {"html"|"csv"|"png"|"svg"} kind
 * @param {string} [plot]
 * @returns {Promise<Blob>}
 */
export async function file(id, kind, plot) {
  const named = plot ? `?plot=${encodeURIComponent(plot)}` : "";
  const answer = await call("GET", `${place(id)}.${kind}${named}`, { headers: { Accept: "*/*" } });
  try {
    return await answer.blob();
  } catch (error) {
    throw new Unreachable(answer.url, error);
  }
}

/** @param {string} id */
function place(id) {
  return inCampaign(`/reports/${encodeURIComponent(id)}`);
}
