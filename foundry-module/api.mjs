import { EVENTS, MODULE, VISIBILITIES } from "./const.mjs";
import { answerChallenge, cancelRoll, requestRoll, rollHere } from "./rolls/request.mjs";
import { defaultVisibility } from "./rolls/visibility.mjs";
import { checkAndMark } from "./rolls/checked.mjs";
import * as campaign from "./service/campaign.mjs";
import { diagnose } from "./service/causes.mjs";
import { connect, disconnect } from "./service/connection.mjs";
import { entries } from "./service/outbox.mjs";
import { mint, players, revoke } from "./service/pairing.mjs";
import * as reports from "./service/reports.mjs";
import { status } from "./service/status.mjs";

/* -------------------------------------------- */
/*  What goes in and out                        */
/* -------------------------------------------- */

/**
 * @typedef {"public"|"gm"|"blind"|"self"} Visibility
 * @typedef {Record<string, unknown>} Params      An action's fields by name, as its description lists them.
 */

/**
 * A click on a button.
 * @typedef {object} RollRequest
 * @property {string} action                      The action's name, "skill-check".
 * @property {Params} params
 * @property {Actor|null} [actor]                 Who rolls; the speaker of the message.
 * @property {TokenDocument|null} [token]         The token that speaks, where one is selected.
 * @property {string|null} [label]                What the roll is called on its card, at most 80 characters.
 * @property {Visibility} [visibility]            Without it, as the chat is set.
 * @property {string|null} [formula]              `odds().formula`: lets the click be rolled in Foundry when the service is away.
 */

/**
 * The other side of an opposed roll.
 * @typedef {object} AnswerRequest
 * @property {Params} params
 * @property {Actor|null} [actor]
 * @property {TokenDocument|null} [token]
 * @property {string|null} [label]
 */

/**
 * One die of a roll. `counts` is what it adds to the score; the other side's dice have the role "opponent".
 * @typedef {{faces: number, value: number, role: string, kept: boolean, counts?: number|null}} DieResult
 */

/** @typedef {{fraction: string, probability: number}} Chance */

/**
 * @typedef {object} Odds
 * @property {Chance} success
 * @property {Record<string, Chance>} outcomes
 * @property {string|null} formula                 The same dice in Foundry's words, where one formula can throw them.
 */

/**
 * A roll as this user may see it; what is hidden, or not yet known, is null or empty.
 * @typedef {object} RollRecord
 * @property {string} id
 * @property {number|null} seq
 * @property {string} session
 * @property {"pending"|"awaiting"|"resolved"} status
 * @property {string} ruleset
 * @property {string} action
 * @property {string} title
 * @property {string|null} label
 * @property {string} user                         A Foundry user's id, or "gm".
 * @property {string} [user_name]
 * @property {{id: string, name: string}|null} actor
 * @property {Visibility} visibility
 * @property {Params|null} params
 * @property {DieResult[]} dice
 * @property {number|null} [total]
 * @property {number|null} [successes]
 * @property {number|null} target
 * @property {string|null} outcome
 * @property {boolean|null} success
 * @property {number|null} margin
 * @property {Odds|null} odds
 * @property {string} created_at
 * @property {string|null} resolved_at
 * @property {{commitment: string|null, nonce: string|null}} fairness
 * @property {{title: string, text: string, html: string, colour: string}|null} card
 * @property {string|null} [challenged]            Who must answer: a Foundry user's id, or "gm".
 * @property {string|null} [answers]               The challenge that this roll answered.
 * @property {string|null} [answered_by]           The roll that answered this challenge.
 * @property {OpponentSide|null} [opponent]        The other side, once a player has answered.
 */

/** @typedef {{user: string, user_name?: string, actor?: {id: string, name: string}|null, dice?: DieResult[], points?: number|null}} OpponentSide */

/**
 * A click that is not in the chat yet.
 * @typedef {object} Waiting
 * @property {string} key                          Its Idempotency-Key.
 * @property {"waiting"|"sent"|"awaiting"} state   Not sent for sure; sent, with or without an answer; the other side's turn.
 * @property {string} title                        What it is called.
 * @property {number} at                           Milliseconds since 1970.
 * @property {string|null} formula                 With one, and while waiting, it can be rolled in Foundry.
 */

/**
 * @typedef {object} Status
 * @property {"unset"|"unpaired"|"connecting"|"online"|"offline"} connection
 *   No service chosen; no key or token in this browser; first try; live; lost, and trying again.
 * @property {"gm"|"player"|null} role             What the key in this browser is good for.
 * @property {string|null} campaign                The campaign's id.
 * @property {string|null} ruleset                 The rule set's id.
 * @property {number} waiting                      Clicks in the outbox.
 * @property {boolean} revoked                     The GM has taken this user's token away.
 */

/**
 * What stands between this browser and the service, in the order in which it is looked for.
 * @typedef {object} Diagnosis
 * @property {"ok"|"no-address"|"mixed-content"|"unreachable"|"cross-origin"|"no-key"|"wrong-key"|"wrong-campaign"|"wrong-user"|"not-ready"|"older-service"|"newer-service"} cause
 * @property {string} message                      A sentence in the user's language.
 * @property {string} address
 * @property {string} [moduleVersion]
 * @property {string} [serviceVersion]
 */

/** @import { RuleSetDescription } from "./forms/description.mjs" */

/** @typedef {{label: string, group: string, action: string, params: Params}} SheetRoll */

/** What follows from a sheet; everything but these two is the rule set's own. @typedef {Record<string, unknown> & {sheet: Params, rolls: SheetRoll[]}} SheetResult */

/** @typedef {{id: string, title: string|null, started_at: string, ended_at: string|null, commitment: string, hidden_commitment?: string, seed: string|null, rolls: number}} Session */

/**
 * `user` and `name` as the service knows them; `revoked` says that the GM's client gives this user no token.
 * @typedef {{user: string, name: string, paired: boolean, revoked: boolean, active: boolean}} PairedPlayer
 */

/** @typedef {{id: string, name: string, ruleset: string, house_rules: Record<string, unknown>}} Campaign */

/**
 * @typedef {object} HistoryFilters
 * @property {string} [session]
 * @property {string} [user]
 * @property {string} [actor]
 * @property {string} [action]
 * @property {string} [outcome]
 * @property {string} [since]                      ISO 8601.
 * @property {string} [until]
 * @property {string} [cursor]
 * @property {number} [limit]
 */

/**
 * Which rolls a report is about; what is left out is not asked about.
 * @typedef {object} ReportWish
 * @property {string[]} [sessions]
 * @property {string} [user]
 * @property {string} [actor]
 * @property {string} [action]
 * @property {boolean} [publish]                   For everybody, of public rolls only (GM).
 */

/**
 * @typedef {object} ReportListed
 * @property {string} id
 * @property {string} user                         Who asked for it.
 * @property {boolean} published
 * @property {{sessions: string[]|null, user: string|null, actor: string|null, action: string|null}} about
 * @property {"queued"|"working"|"done"|"failed"} status
 * @property {{percent: number, step: string}} progress
 * @property {string} created_at
 * @property {string|null} finished_at
 * @property {string|null} error
 * @property {{title: string, text: string, html: string, colour: string}|null} card
 */

/** @typedef {{z: number, interval: number[], rests_on: number, verdict: "within"|"above"|"below"|null}} ReportLuck */

/** @typedef {{name: string, rolls: number, rate: number, expected_rate: number, luck: ReportLuck|null, says: string}} ReportRow */

/** @typedef {{chance: Chance, by: string, what: string, outcome: string, session_name: string}} ReportMoment */

/**
 * What a report says, as far as the module shows it; its page says more.
 * @typedef {object} ReportResult
 * @property {string[]} about
 * @property {string} whose
 * @property {string} summary
 * @property {ReportRow|null} total
 * @property {Array<{name: string, rows: ReportRow[], left_out: number}>} tables
 * @property {ReportMoment[]} best
 * @property {ReportMoment[]} worst
 * @property {string[]} notes
 */

/** @typedef {ReportListed & {result: ReportResult|null, plots: Array<{name: string, title: string, text: string}>}} Report */

/* -------------------------------------------- */
/*  The module's API                            */
/* -------------------------------------------- */

/**
 * `game.modules.get("tallybones").api`: all that windows, macros and other modules need.
 *
 * Calls that go to the service reject with one of the errors of service/errors.mjs: `ServiceProblem` (it answered no;
 * `status`, `detail`, `errors` by field), `Unreachable` (no answer) or `NotPaired` (no key here). `roll` and `answer`
 * reject only with a `ServiceProblem` or `NotPaired`: without a connection the click waits in the outbox.
 */
export const api = Object.freeze({
  id: MODULE,
  events: EVENTS,
  visibilities: VISIBILITIES,

  /** @type {() => Status} */
  status,

  /* ---- rolling ---- */

  /** Roll. Resolves with the roll, or with null where it waits in the outbox. @type {(request: RollRequest) => Promise<RollRecord|null>} */
  roll: requestRoll,
  /** Answer a challenge. Resolves with the answer's own roll. @type {(challenge: string, request: AnswerRequest) => Promise<RollRecord|null>} */
  answer: answerChallenge,
  /** The clicks that are not in the chat yet, oldest first. @type {() => Waiting[]} */
  waiting: entries,
  /** Take back a click that was not sent; false when it is too late. @type {(key: string) => Promise<boolean>} */
  cancel: cancelRoll,
  /** Throw a waiting click in Foundry instead; false when it is too late. @type {(key: string) => Promise<boolean>} */
  rollHere,
  /** The visibility that the chat is set to. @type {() => Visibility} */
  defaultVisibility,

  /** Roll what a macro has kept of a button; with shift held, at once. @type {(kept: import("./places/macro.mjs").KeptRoll, event?: {shiftKey?: boolean}) => Promise<void>} */
  rollKept: async (kept, event) => (await import("./places/macro.mjs")).rollKept(kept, event),

  /* ---- the rule set ---- */

  /** The description of the campaign's rule set, kept once read. @type {() => Promise<RuleSetDescription>} */
  description: campaign.description,
  /** The campaign's house rules, as this world knows them. @type {() => Record<string, unknown>} */
  houseRules: campaign.houseRules,
  /** Exact odds of an action. @type {(action: string, params: Params, options?: {signal?: AbortSignal}) => Promise<Odds>} */
  odds: campaign.odds,
  /** What follows from an actor's sheet (or from the fields given instead). @type {(actor: Actor|null, fields?: Params) => Promise<SheetResult>} */
  sheet: campaign.sheet,
  /** The fields kept in an actor's flags for the campaign's rule set. @type {(actor: Actor) => Params} */
  sheetFields: campaign.sheetFields,
  /** Keep an actor's fields. @type {(actor: Actor, fields: Params) => Promise<void>} */
  keepSheet: campaign.keepSheet,

  /* ---- the campaign ---- */

  /** One roll as this user may see it. @type {(id: string) => Promise<RollRecord>} */
  rollById: campaign.rollById,
  /** A page of sessions, newest first. @type {(cursor?: string) => Promise<{sessions: Session[], next_cursor: string|null}>} */
  sessions: campaign.sessions,
  /** Start a session (GM). @type {(title?: string) => Promise<Session>} */
  startSession: campaign.startSession,
  /** End a session (GM); the answer reveals its seed. @type {(id: string) => Promise<Session>} */
  endSession: campaign.endSession,
  /** A page of rolls, newest first; also a short or empty one goes on at its `next_cursor`, where it has one. @type {(filters?: HistoryFilters) => Promise<{rolls: RollRecord[], next_cursor: string|null}>} */
  history: campaign.history,
  /** All rolls that the filters leave, as a file's text. @type {(filters: HistoryFilters, format: "csv"|"ndjson") => Promise<string>} */
  exportHistory: campaign.exportHistory,
  /** The campaign (GM). @type {() => Promise<Campaign>} */
  campaign: campaign.read,
  /** Change house rules (GM); they are told to every client of this world. @type {(rules: Record<string, unknown>) => Promise<Campaign>} */
  setHouseRules: campaign.setHouseRules,

  /** Check an ended session's dice in this browser; what is wrong is named, and nothing is checked without its seed. @type {(session: string) => ReturnType<typeof checkAndMark>} */
  checkSession: checkAndMark,

  /* ---- reports ---- */

  /** The reports that this user may read, newest first. @type {() => Promise<ReportListed[]>} */
  reports: reports.list,
  /** Ask for a report; the hook `tallybones.report` tells how far it is. @type {(wish: ReportWish) => Promise<Report>} */
  askReport: reports.ask,
  /** One report, with what it says once it is done. @type {(id: string) => Promise<Report>} */
  report: reports.read,
  /** Delete a report for good. @type {(id: string) => Promise<void>} */
  deleteReport: reports.remove,
  /** A finished report as a file; a plot as PNG or SVG. @type {(id: string, kind: "html"|"csv"|"png"|"svg", plot?: string) => Promise<Blob>} */
  reportFile: reports.file,

  /* ---- pairing ---- */

  /** Connect this world with what a connect code says (GM). @type {(code: string) => Promise<Diagnosis>} */
  connect,
  /** Forget the key in this browser; the world keeps its address. @type {() => Promise<void>} */
  disconnect,
  /** Say what stands between this browser and the service. @type {() => Promise<Diagnosis>} */
  diagnose,
  /** The players of this world and whether each has a token (GM). @type {() => Promise<PairedPlayer[]>} */
  players,
  /** Give a user a new token and hand it to their client (GM); false when the client did not take it. @type {(userId: string) => Promise<boolean>} */
  mint,
  /** Take a user's token away until it is renewed (GM). @type {(userId: string) => Promise<void>} */
  revoke,
});
