/** The module's id, as in module.json: settings, flags, sockets and queries carry it. */
export const MODULE = "tallybones";

/** The Foundry hooks that this module calls; none of them is awaited. */
export const EVENTS = Object.freeze({
  /** `(status: Status)`: the connection, the pairing or what waits in the outbox has changed. */
  status: "tallybones.status",
  /** `(roll: Roll)`: a roll that this user may see was made, awaits an answer, or was resolved. */
  roll: "tallybones.roll",
  /** `(session: Session)`: a session was started or ended. */
  session: "tallybones.session",
  /** `(report: ReportListed)`: a report of the campaign moved on. */
  report: "tallybones.report",
});

/** The four visibilities, in the order in which a form offers them. */
export const VISIBILITIES = /** @type {const} */ (["public", "gm", "blind", "self"]);

/** The service's name for whoever holds a GM key. */
export const GM_USER = "gm";

/** The channel on which clients say that they have no token (`socket: true` in module.json). */
export const SOCKET = `module.${MODULE}`;

/** The query with which the GM's client hands a player's client its token. */
export const TOKEN_QUERY = `${MODULE}.token`;
