import { GM_USER, SOCKET, TOKEN_QUERY } from "../const.mjs";
import { log, unattended } from "../log.mjs";
import { key, setKey } from "../settings/client.mjs";
import { isOwn, role } from "../settings/user.mjs";
import { revokedUsers, setRevoked, world } from "../settings/world.mjs";
import { callJson, inCampaign } from "./client.mjs";
import { ServiceProblem, Unreachable } from "./errors.mjs";
import { lease } from "./lease.mjs";
import { serviceName } from "./names.mjs";
import { announce, notify } from "./status.mjs";

/**
 * Pairing is a push. A player's client says that it has no token; the active GM's client mints one and sends it to that
 * user alone. A query's handler is not told who asks, so no token is ever given in an answer, and a pushed token is kept
 * only when the service says that it is this user's.
 *
 * @import { PairedPlayer } from "../api.mjs"
 *
 * @typedef {{kind: "no-token", user: string}|{kind: "gm-here"}} Said  What clients say on the socket.
 * @typedef {{user: string, campaign: string, token: string}} Push
 */

/** Milliseconds in which a push must be taken, and in which one user gets no second token. */
const PUSH_TIMEOUT = 10_000;
const MINT_PAUSE = 5000;
/** Milliseconds after which a client that still has no token says so again. */
const ASK_AGAIN = 20_000;

/** Whether this client has said that it needs a token. */
let seeking = false;
/** @type {ReturnType<typeof setTimeout>|undefined} */
let asking;
/** Whether the user was told that it waits for the GM. */
let toldToWait = false;
/** When each user was last given a token by this tab. @type {Map<string, number>} */
const minted = new Map();
/** The users who get one as soon as they may. @type {Map<string, ReturnType<typeof setTimeout>>} */
const postponed = new Map();

/** Listen to what other clients say, and take tokens that are pushed. */
export function listen() {
  game.socket.on(SOCKET, (/** @type {Said} */ said) => {
    if (said?.kind === "no-token") unattended(provide(said.user));
    else if (said?.kind === "gm-here") ask();
  });
}

/** The handler of the query that carries a token. @param {Push} push @returns {Promise<boolean>} */
export async function takeToken({ user, campaign, token }) {
  if (user !== game.user.id || campaign !== world().campaign || typeof token !== "string") return false;
  if (role() === "gm" || !token.startsWith("tbp_")) return false;
  if (!seeking && key() && (await owner(key())) === user) return false;
  if ((await owner(token)) !== user) return false;
  seeking = false;
  const waited = toldToWait;
  toldToWait = false;
  await setKey(token);
  if (waited) notify("TALLYBONES.notice.paired"); // You are connected with the dice service.
  return true;
}

/** Whose token it is; null for nobody's. @param {string} token @returns {Promise<string|null>} */
async function owner(token) {
  try {
    return (await callJson("GET", inCampaign("/me"), { token })).user;
  } catch (error) {
    if (error instanceof ServiceProblem || error instanceof Unreachable) return null;
    throw error;
  }
}

/* -------------------------------------------- */
/*  The player's client                         */
/* -------------------------------------------- */

/** Say that this user has no token, and that it comes when the GM does. */
export function seekToken() {
  if (game.user.isGM) return; // whoever runs the game pastes the connect code
  if (revokedUsers().includes(game.user.id)) {
    if (!toldToWait) notify("TALLYBONES.notice.revoked"); // The GM has taken away your key to the dice service.
    toldToWait = true;
    return;
  }
  seeking = true;
  ask();
  if (!game.users.activeGM && !toldToWait) {
    toldToWait = true;
    notify("TALLYBONES.notice.waitForGm"); // Your GM's browser gives you the key to the dice service as soon as your GM is here.
  }
}

/** Say it again from time to time: the GM's client may have been busy, or its service away. */
function ask() {
  clearTimeout(asking);
  if (!seeking) return;
  say({ kind: "no-token", user: game.user.id });
  asking = setTimeout(ask, ASK_AGAIN);
}

/** The token was refused: the next one is taken. */
export function refused() {
  seeking = false;
}

/* -------------------------------------------- */
/*  The GM's client                             */
/* -------------------------------------------- */

/** Tell players' clients that tokens can be had. */
export function announceGm() {
  if (canProvide()) say({ kind: "gm-here" });
}

/** @returns {boolean} */
function canProvide() {
  return role() === "gm" && game.user.isActiveGM;
}

/** Give a user whose client has no token one, unless the GM took it away. @param {string} userId */
async function provide(userId) {
  const user = game.users.get(userId);
  if (!canProvide() || !user?.active || user.isGM || revokedUsers().includes(userId)) return;
  const rest = (minted.get(userId) ?? 0) + MINT_PAUSE - Date.now();
  if (rest > 0) {
    provideLater(userId, rest);
    return;
  }
  try {
    // The active GM may have several tabs, and a second token would end the first.
    if (await lease(`mint:${userId}`)) await mint(userId);
  } catch (error) {
    if (!(error instanceof ServiceProblem || error instanceof Unreachable)) throw error;
    log.debug("no token for", user.name, error.message);
  }
}

/** Another browser of the same user asks: it is served a moment later, once. @param {string} userId @param {number} rest */
function provideLater(userId, rest) {
  if (postponed.has(userId)) return;
  const timer = setTimeout(() => {
    postponed.delete(userId);
    unattended(provide(userId));
  }, rest);
  postponed.set(userId, timer);
}

/** @param {string} userId @returns {Promise<boolean>} */
export async function mint(userId) {
  const user = game.users.get(userId, { strict: true });
  minted.set(userId, Date.now());
  await setRevoked(userId, false);
  const name = serviceName(user.name);
  const { token } = await callJson("POST", inCampaign("/players"), { body: { user: userId, name } });
  try {
    const taken = await user.query(TOKEN_QUERY, { user: userId, campaign: world().campaign, token }, { timeout: PUSH_TIMEOUT });
    if (taken === true) {
      clearTimeout(postponed.get(userId)); // asked before this one came
      postponed.delete(userId);
    }
    return taken === true;
  } catch (error) {
    log.debug(`${user.name} did not take the token`, error); // gone meanwhile: the client asks again when it is back
    return false;
  } finally {
    announce();
  }
}

/** @param {string} userId */
export async function revoke(userId) {
  await setRevoked(userId, true);
  try {
    await callJson("DELETE", inCampaign(`/players/${encodeURIComponent(userId)}`));
  } catch (error) {
    if (!(error instanceof ServiceProblem && error.status === 404)) throw error; // had none
  }
  announce();
}

/** @returns {Promise<PairedPlayer[]>} */
export async function players() {
  /** @type {{players: Array<{user: string, name: string}>}} */
  const { players: known } = await callJson("GET", inCampaign("/players"));
  const paired = new Map(known.map((player) => [player.user, player]));
  const revoked = revokedUsers();
  const users = game.users.filter((user) => !user.isGM).map((user) => ({
    user: user.id,
    name: user.name,
    paired: paired.delete(user.id),
    revoked: revoked.includes(user.id),
    active: user.active,
  }));
  const gone = [...paired.values()].map(({ user, name }) => ({ user, name, paired: true, revoked: false, active: false }));
  return [...users, ...gone];
}

/** @param {Said} said */
function say(said) {
  game.socket.emit(SOCKET, said);
}

/** The Foundry user that the service means; for "gm" whoever is the active GM. @param {string} user @returns {User|null} */
export function foundryUser(user) {
  if (isOwn(user)) return game.user;
  return user === GM_USER ? game.users.activeGM : (game.users.get(user) ?? null);
}
