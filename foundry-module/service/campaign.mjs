import { MODULE } from "../const.mjs";
import { world, setWorld } from "../settings/world.mjs";
import { call, callJson, inCampaign } from "./client.mjs";
import { Unreachable } from "./errors.mjs";

/**
 * @import { Campaign, HistoryFilters, Odds, Params, RollRecord, Session, SheetResult } from "../api.mjs"
 * @import { RuleSetDescription } from "../forms/description.mjs"
 * @import { ConnectCode } from "./code.mjs"
 */

/* -------------------------------------------- */
/*  The rule set                                */
/* -------------------------------------------- */

/** Descriptions by the address they came from; they change only with the service. @type {Map<string, Promise<RuleSetDescription>>} */
const descriptions = new Map();

/** @returns {string} */
function inRuleset() {
  return `/v1/rulesets/${encodeURIComponent(world().ruleset)}`;
}

/** What each action is called, once a description has come. @type {Map<string, string>} */
const titles = new Map();

/** An action's title; its name until the description is known. @param {string} action @returns {string} */
export function titleOf(action) {
  return titles.get(action) ?? action;
}

/** @returns {Promise<RuleSetDescription>} */
export function description() {
  const place = world().address + inRuleset();
  const known = descriptions.get(place);
  if (known) return known;
  const asked = callJson("GET", inRuleset(), { token: null });
  descriptions.set(place, asked);
  asked.then(
    (/** @type {RuleSetDescription} */ { actions }) => actions.forEach(({ name, title }) => titles.set(name, title)),
    () => descriptions.delete(place),
  );
  return asked;
}

/** @returns {Record<string, unknown>} */
export function houseRules() {
  return world().houseRules;
}

/**
 * @param {string} action
 * @param {Params} params
 * @param {{signal?: AbortSignal}} [options]
 * @returns {Promise<Odds>}
 */
export function odds(action, params, options = {}) {
  const body = { action, params, house_rules: houseRules() };
  return callJson("POST", `${inRuleset()}/odds`, { ...options, body, token: null });
}

/**
 * @param {Actor|null} actor
 * @param {Params} [fields]
 * @returns {Promise<SheetResult>}
 */
export function sheet(actor, fields = actor ? sheetFields(actor) : {}) {
  return callJson("POST", `${inRuleset()}/sheet`, { body: fields, token: null });
}

/** @param {Actor} actor @returns {Params} */
export function sheetFields(actor) {
  const kept = actor.getFlag(MODULE, "sheet") ?? {};
  return structuredClone(kept[world().ruleset] ?? {});
}

/**
 * @param {Actor} actor
 * @param {Params} fields
 * @returns {Promise<void>}
 */
export async function keepSheet(actor, fields) {
  // Lists and objects replace what was there: an update would merge what was taken out back in.
  await actor.setFlag(MODULE, "sheet", { ...actor.getFlag(MODULE, "sheet"), [world().ruleset]: fields });
}

/* -------------------------------------------- */
/*  The campaign                                */
/* -------------------------------------------- */

/**
 * @param {ConnectCode} [code]  Of a campaign that the world is not connected with yet.
 * @returns {Promise<Campaign>}
 */
export function read(code) {
  if (!code) return callJson("GET", inCampaign());
  return callJson("GET", `/v1/campaigns/${encodeURIComponent(code.campaign)}`, { address: code.url, token: code.key });
}

/**
 * @param {Record<string, unknown>} rules
 * @returns {Promise<Campaign>}
 */
export async function setHouseRules(rules) {
  const campaign = await callJson("PATCH", inCampaign(), { body: { house_rules: rules } });
  await setWorld({ ruleset: campaign.ruleset, houseRules: campaign.house_rules });
  return campaign;
}

/** @param {string} [cursor] @returns {Promise<{sessions: Session[], next_cursor: string|null}>} */
export function sessions(cursor) {
  return callJson("GET", inCampaign(`/sessions${query({ cursor })}`));
}

/** @param {string} id @returns {Promise<Session>} */
export function session(id) {
  return callJson("GET", inCampaign(`/sessions/${encodeURIComponent(id)}`));
}

/** @param {string} [title] @returns {Promise<Session>} */
export function startSession(title) {
  return callJson("POST", inCampaign("/sessions"), { body: title?.trim() ? { title: title.trim() } : {} });
}

/** @param {string} id @returns {Promise<Session>} */
export function endSession(id) {
  return callJson("POST", inCampaign(`/sessions/${encodeURIComponent(id)}/end`));
}

/* -------------------------------------------- */
/*  Its rolls                                   */
/* -------------------------------------------- */

/** @param {string} id @returns {Promise<RollRecord>} */
export function rollById(id) {
  return callJson("GET", inCampaign(`/rolls/${encodeURIComponent(id)}`));
}

/** @param {HistoryFilters} [filters] @returns {Promise<{rolls: RollRecord[], next_cursor: string|null}>} */
export function history(filters = {}) {
  return callJson("GET", inCampaign(`/rolls${query(filters)}`));
}

/** @param {HistoryFilters} filters @param {"csv"|"ndjson"} format @returns {Promise<string>} */
export async function exportHistory({ cursor: _cursor, limit: _limit, ...filters }, format) {
  const headers = { Accept: format === "csv" ? "text/csv" : "application/x-ndjson" };
  const answer = await call("GET", inCampaign(`/rolls${query(filters)}`), { headers, lasting: true });
  try {
    return await answer.text();
  } catch (error) {
    throw new Unreachable(answer.url, error); // broken off in the middle
  }
}

/** @param {Record<string, string|number|null|undefined>} filters @returns {string} */
function query(filters) {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return given.length ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}` : "";
}
