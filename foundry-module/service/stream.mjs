import { call, inCampaign } from "./client.mjs";
import { ServiceProblem, Unreachable } from "./errors.mjs";
import { EventReader } from "./events.mjs";

/** @import { ServerEvent } from "./events.mjs" */

/** Milliseconds: the first pause, the longest, and the silence (heartbeats come every 15 s) that means a dead line. */
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 30_000;
const SILENCE = 40_000;

/**
 * @typedef {object} Listener
 * @property {() => string} lastId                 The id of the last event that was dealt with.
 * @property {() => void} onOpen                   The stream is live.
 * @property {(event: ServerEvent) => void} onEvent
 * @property {(attempt: number) => void} onLost    The stream broke (0), or a try to open it again failed (1, 2, …).
 * @property {(problem: ServiceProblem) => void} onRefused  The key is no good (401, 403, 404); the stream has ended.
 */

/**
 * Follow the campaign's events until aborted, over a fetch: `EventSource` cannot send a token.
 * @param {Listener} listener
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
export async function follow(listener, signal) {
  let attempt = 0;
  while (!signal.aborted) {
    try {
      await readOnce(listener, signal, () => {
        attempt = 0;
      });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ServiceProblem && [401, 403, 404].includes(error.status)) {
        listener.onRefused(error);
        return;
      }
      if (!(error instanceof ServiceProblem || error instanceof Unreachable)) throw error;
    }
    if (signal.aborted) return;
    listener.onLost(attempt);
    await pause(Math.min(FIRST_PAUSE * 2 ** attempt, LONGEST_PAUSE) * (0.5 + Math.random() / 2), signal);
    attempt += 1;
  }
}

/**
 * Open the stream and read it to its end. Rejects with `ServiceProblem` or `Unreachable`.
 * @param {Listener} listener
 * @param {AbortSignal} signal
 * @param {() => void} onFirst
 */
async function readOnce({ lastId, onOpen, onEvent }, signal, onFirst) {
  const silent = new AbortController();
  const last = lastId();
  const headers = { Accept: "text/event-stream", ...(last ? { "Last-Event-ID": last } : {}) };
  let watch = setTimeout(() => silent.abort(), SILENCE);
  const answer = await open(headers, AbortSignal.any([signal, silent.signal])).catch((error) => {
    clearTimeout(watch);
    throw error;
  });
  const reader = bodyOf(answer).getReader();
  const decoder = new TextDecoder();
  const events = new EventReader();
  try {
    onFirst();
    onOpen();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      clearTimeout(watch);
      watch = setTimeout(() => silent.abort(), SILENCE);
      for (const event of events.push(decoder.decode(piece.value, { stream: true }))) onEvent(event);
    }
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof DOMException)) throw error;
    throw new Unreachable(answer.url, error);
  } finally {
    clearTimeout(watch);
    reader.cancel().catch(() => undefined); // already broken
  }
}

/** @param {Response} answer @returns {ReadableStream<Uint8Array<ArrayBuffer>>} */
function bodyOf(answer) {
  if (!answer.body) throw new Unreachable(answer.url, "the answer has no body");
  return answer.body;
}

/**
 * Open the stream; unlike other calls it may last.
 * @param {Record<string, string>} headers
 * @param {AbortSignal} signal
 * @returns {Promise<Response>}
 */
async function open(headers, signal) {
  try {
    return await call("GET", inCampaign("/stream"), { headers, signal, lasting: true });
  } catch (error) {
    if (error instanceof DOMException) throw new Unreachable(inCampaign("/stream"), error);
    throw error;
  }
}

/**
 * Wait; being back on the network or on screen, or aborted, ends the wait.
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", over);
      window.removeEventListener("online", over);
      document.removeEventListener("visibilitychange", shown);
      resolve();
    };
    const shown = () => document.visibilityState === "visible" && over();
    const timer = setTimeout(over, milliseconds);
    signal.addEventListener("abort", over);
    window.addEventListener("online", over);
    document.addEventListener("visibilitychange", shown);
  });
}
