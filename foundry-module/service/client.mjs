import { key } from "../settings/client.mjs";
import { world } from "../settings/world.mjs";
import { NotPaired, ServiceProblem, Unreachable } from "./errors.mjs";

/** Milliseconds until a call counts as lost; longer than any wait that is asked for. */
const TIMEOUT = 20_000;

/**
 * @typedef {object} Call
 * @property {unknown} [body]                      Sent as JSON.
 * @property {Record<string, string>} [headers]
 * @property {AbortSignal} [signal]
 * @property {string|null} [token]                 Another than this browser's own; null for none.
 * @property {string} [address]                    Another than the world's.
 * @property {boolean} [lasting]                   A stream, which no timeout ends.
 */

/**
 * Call the service and return its answer.
 *
 * Rejects with `ServiceProblem`, `Unreachable`, or `NotPaired` where a token is needed and there is none; an aborted
 * call rejects with the signal's reason.
 * @param {string} method
 * @param {string} path
 * @param {Call} [options]
 * @returns {Promise<Response>}
 */
export async function call(method, path, options = {}) {
  const { body, headers = {}, signal, token = key(), address = world().address, lasting = false } = options;
  if (token === "") throw new NotPaired();
  const sent = new Headers({ Accept: "application/json", ...headers });
  if (token) sent.set("Authorization", `Bearer ${token}`);
  if (body !== undefined) sent.set("Content-Type", "application/json");
  const signals = [...(signal ? [signal] : []), ...(lasting ? [] : [AbortSignal.timeout(TIMEOUT)])];
  let answer;
  try {
    answer = await fetch(address + path, {
      method,
      headers: sent,
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.any(signals),
      credentials: "omit",
      cache: "no-store",
      referrerPolicy: "no-referrer",
    });
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw new Unreachable(address, error);
  }
  if (!answer.ok) throw await problemOf(answer);
  return answer;
}

/**
 * Call the service and return the JSON of its answer; null where it has none.
 * @param {string} method
 * @param {string} path
 * @param {Call} [options]
 * @returns {Promise<any>}
 */
export async function callJson(method, path, options) {
  const answer = await call(method, path, options);
  if (answer.status === 204) return null;
  try {
    return await answer.json();
  } catch (error) {
    options?.signal?.throwIfAborted();
    throw new Unreachable(answer.url, error);
  }
}

/**
 * A path of the campaign.
 * @param {string} rest
 * @returns {string}
 */
export function inCampaign(rest = "") {
  return `/v1/campaigns/${encodeURIComponent(world().campaign)}${rest}`;
}

/**
 * The problem that an answer tells of.
 * @param {Response} answer
 * @returns {Promise<ServiceProblem>}
 */
export async function problemOf(answer) {
  const seconds = Number(answer.headers.get("Retry-After"));
  const retryAfter = seconds > 0 ? seconds : null;
  const isProblem = answer.headers.get("Content-Type")?.startsWith("application/problem+json");
  let told = {};
  try {
    told = isProblem ? await answer.json() : {};
  } catch {
    told = {}; // cut off on its way: the status says enough
  }
  return new ServiceProblem(answer.status, { title: answer.statusText, ...told }, retryAfter);
}
