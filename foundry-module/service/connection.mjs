import { EVENTS } from "../const.mjs";
import { log, unattended } from "../log.mjs";
import { flush } from "../rolls/deliver.mjs";
import { followRoll } from "../rolls/follow.mjs";
import { showPublished } from "../rolls/report.mjs";
import { key, setKey } from "../settings/client.mjs";
import { role } from "../settings/user.mjs";
import { setWorld, world } from "../settings/world.mjs";
import { read as readCampaign } from "./campaign.mjs";
import { diagnoseWith } from "./causes.mjs";
import { callJson } from "./client.mjs";
import { parseCode } from "./code.mjs";
import { Cursor } from "./cursor.mjs";
import { ServiceProblem, Unreachable } from "./errors.mjs";
import { refused, seekToken } from "./pairing.mjs";
import { announce, notify, setConnection, tellLoss } from "./status.mjs";
import { follow } from "./stream.mjs";

/**
 * @import { Diagnosis, Session } from "../api.mjs"
 * @import { ServerEvent } from "./events.mjs"
 */

/** Ends the stream that is open now. */
let current = new AbortController();

/** What the open stream was opened with. */
let opened = "";

/**
 * Connect as the settings say: once at the start, and again where the world, the key or the token has changed.
 */
export function start() {
  const { address, campaign } = world();
  const secret = key();
  const wanted = JSON.stringify([address, campaign, secret]);
  if (wanted === opened) {
    announce();
    return;
  }
  stop();
  if (!address) {
    setConnection("unset");
  } else if (!secret) {
    setConnection("unpaired");
    seekToken();
  } else {
    opened = wanted;
    setConnection("connecting");
    current = new AbortController();
    unattended(follow(listener(current.signal), current.signal));
  }
}

/** Close the stream. */
export function stop() {
  current.abort();
  opened = "";
}

/**
 * What is done with the stream of one connection.
 * @param {AbortSignal} signal
 * @returns {import("./stream.mjs").Listener}
 */
function listener(signal) {
  const cursor = new Cursor();
  /** What this page has had is not asked for again when the stream breaks, dealt with or not. */
  let received = "";
  return {
    lastId: () => received || cursor.id,
    onOpen() {
      setConnection("online");
      unattended(flush());
      if (role() === "gm" && game.user.isActiveGM) unattended(tellWorld());
    },
    onEvent(event) {
      received = event.id;
      unattended(cursor.pass(event.id, dispatch(event, signal)));
    },
    onLost(attempt) {
      setConnection("offline");
      if (attempt > 0) tellLoss();
      if (attempt > 1) unattended(sendWithoutStream());
    },
    onRefused(problem) {
      log.debug("the key was refused:", problem.detail);
      unattended(dropKey());
    },
  };
}

/**
 * Deal with one event. Hooks are called and not waited for; the promise is kept when the roll needs nothing more here.
 * @param {ServerEvent} event
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
async function dispatch({ event, data }, signal) {
  const told = JSON.parse(data);
  if (event === "roll") await followRoll(told, signal);
  else if (event === "session") Hooks.callAll(EVENTS.session, /** @type {Session} */ (told));
  else if (event === "report") {
    Hooks.callAll(EVENTS.report, told);
    await showPublished(told);
  }
}

/** A proxy may stop streams and let calls pass: then what waits goes all the same. */
async function sendWithoutStream() {
  try {
    await callJson("GET", "/livez", { token: null });
  } catch (error) {
    if (error instanceof ServiceProblem || error instanceof Unreachable) return;
    throw error;
  }
  await flush({ evenOffline: true });
}

/** Tell the world's other clients what the campaign plays by; their live odds depend on it. */
async function tellWorld() {
  const { ruleset, house_rules: houseRules } = await readCampaign();
  await setWorld({ ruleset, houseRules });
}

/** The key in this browser is no good any more. */
async function dropKey() {
  const wasGm = role() === "gm";
  opened = "";
  refused();
  await setKey(null);
  if (wasGm) notify("TALLYBONES.notice.keyRefused", "warning"); // The GM key in this browser is no longer good. Paste a new connect code.
  start();
}

/**
 * Connect this world with what a connect code says. Nothing is kept unless it works.
 * @param {string} text
 * @returns {Promise<Diagnosis>}
 */
export async function connect(text) {
  const code = parseCode(text);
  const diagnosis = await diagnoseWith(code);
  if (diagnosis.cause !== "ok" && diagnosis.cause !== "not-ready") return diagnosis;
  stop();
  const { ruleset, house_rules: houseRules } = await readCampaign(code);
  await setWorld({ address: code.url, campaign: code.campaign, ruleset, houseRules });
  await setKey(code.key);
  start();
  return diagnosis;
}

/**
 * Forget the key in this browser; the world keeps its address, and players keep their tokens.
 * @returns {Promise<void>}
 */
export async function disconnect() {
  stop();
  await setKey(null);
  start();
}
