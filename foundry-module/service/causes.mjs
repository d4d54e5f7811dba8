import { MODULE } from "../const.mjs";
import { format, localize } from "../i18n.mjs";
import { key } from "../settings/client.mjs";
import { ownName } from "../settings/user.mjs";
import { world } from "../settings/world.mjs";
import { callJson } from "./client.mjs";
import { ServiceProblem, Unreachable } from "./errors.mjs";

/**
 * @import { Diagnosis } from "../api.mjs"
 * @import { ConnectCode } from "./code.mjs"
 */

/** Hosts that a browser lets an https page call over http. */
const OWN_MACHINE = /^(localhost|127(\.\d+){3}|\[::1\]|.+\.localhost)$/;

/** @returns {Promise<Diagnosis>} */
export function diagnose() {
  const { address, campaign } = world();
  return diagnoseWith({ url: address, campaign, key: key() }, ownName());
}

/**
 * Find out what stands between this browser and a service, looking at one thing after the other.
 * @param {ConnectCode} code
 * @param {string} [user]  Whom the service should know by that key.
 * @returns {Promise<Diagnosis>}
 */
export async function diagnoseWith(code, user) {
  const moduleVersion = game.modules.get(MODULE)?.version ?? "";
  const manifest = code.url && !isMixed(code.url) ? await manifestAt(code.url) : null;
  const serviceVersion = manifest?.version;
  const cause = await causeOf(code, user, manifest, moduleVersion);
  const places = { address: code.url, origin: window.location.origin, moduleVersion, serviceVersion: serviceVersion ?? "?" };
  const message = format(`TALLYBONES.cause.${cause}`, places);
  return { cause, message, address: code.url, moduleVersion, ...(serviceVersion ? { serviceVersion } : {}) };
}

/**
 * @param {ConnectCode} code
 * @param {string|undefined} user
 * @param {{version: string}|null} manifest
 * @param {string} moduleVersion
 * @returns {Promise<Diagnosis["cause"]>}
 */
async function causeOf(code, user, manifest, moduleVersion) {
  if (!code.url) return "no-address";
  if (isMixed(code.url)) return "mixed-content";
  if (!manifest) return "unreachable";
  const versions = compareVersions(moduleVersion, manifest.version);
  if (versions !== 0) return versions > 0 ? "older-service" : "newer-service";
  if (!code.key) return (await opens(code.url)) ? "no-key" : "cross-origin";
  try {
    const path = `/v1/campaigns/${encodeURIComponent(code.campaign)}/me`;
    const me = await callJson("GET", path, { address: code.url, token: code.key });
    if (user === undefined ? me.role !== "gm" : me.user !== user) return user === undefined ? "wrong-key" : "wrong-user";
  } catch (error) {
    if (error instanceof Unreachable) return (await manifestAt(code.url)) ? "cross-origin" : "unreachable";
    if (!(error instanceof ServiceProblem)) throw error;
    if (error.status === 404) return "wrong-campaign";
    return error.status === 401 || error.status === 403 ? "wrong-key" : "not-ready";
  }
  return (await isReady(code.url)) ? "ok" : "not-ready";
}

/**
 * Whether a browser would refuse the call because this page is https and the service is not.
 * @param {string} address
 * @returns {boolean}
 */
function isMixed(address) {
  const { protocol, hostname } = new URL(address);
  return window.location.protocol === "https:" && protocol === "http:" && !OWN_MACHINE.test(hostname);
}

/**
 * The module's manifest there, which every origin may read; null where nobody answers with one.
 * @param {string} address
 * @returns {Promise<{version: string}|null>}
 */
async function manifestAt(address) {
  try {
    const manifest = await callJson("GET", "/foundry/module.json", { address, token: null });
    return typeof manifest?.version === "string" && manifest.id === MODULE ? manifest : null;
  } catch (error) {
    if (error instanceof ServiceProblem || error instanceof Unreachable) return null;
    throw error;
  }
}

/** Whether this page's origin may call the API at all. @param {string} address @returns {Promise<boolean>} */
async function opens(address) {
  try {
    await callJson("GET", "/v1/rulesets", { address, token: null });
    return true;
  } catch (error) {
    if (error instanceof ServiceProblem) return true;
    if (error instanceof Unreachable) return false;
    throw error;
  }
}

/** Whether the store and the workers behind the service are up. @param {string} address @returns {Promise<boolean>} */
async function isReady(address) {
  try {
    await callJson("GET", "/readyz", { address, token: null });
    return true;
  } catch (error) {
    if (error instanceof ServiceProblem || error instanceof Unreachable) return false;
    throw error;
  }
}

/**
 * Which of two versions is later: 1, -1, or 0 where they work together (the same major version, and minor before 1.0).
 * @param {string} one
 * @param {string} other
 * @returns {number}
 */
export function compareVersions(one, other) {
  const [major = 0, minor = 0] = one.split(".").map((part) => Number.parseInt(part, 10) || 0);
  const [otherMajor = 0, otherMinor = 0] = other.split(".").map((part) => Number.parseInt(part, 10) || 0);
  return Math.sign(major - otherMajor) || (major === 0 ? Math.sign(minor - otherMinor) : 0);
}

/**
 * Say an error of a call in the user's language, where it has words of its own there.
 * @param {unknown} error
 * @returns {string}
 */
export function words(error) {
  if (error instanceof ServiceProblem) return error.detail || localize("TALLYBONES.error.refused"); // The dice service refused.
  if (error instanceof Unreachable) return localize("TALLYBONES.error.unreachable"); // The dice service does not answer.
  return localize("TALLYBONES.error.notPaired"); // This browser has no key for the dice service yet.
}
