"""The names of all that is kept in Redis, in one place."""

PREFIX = "tb:"

CAMPAIGNS = PREFIX + "campaigns"
"""Sorted set: campaign by the time it was made, in ms."""

PENDING = PREFIX + "pending"
"""Sorted set: roll by the time it was accepted or last queued again, in ms."""

STUCK = PREFIX + "stuck"
"""Sorted set: rolls that the sweeper gave up on, by the time it did."""

OPEN_SESSIONS = PREFIX + "sessions:open"
"""Sorted set: open session by the time of its last roll, in ms."""

UNPACKED = PREFIX + "sessions:unpacked"
"""Sorted set: ended session that is not packed, by its end, in ms."""

LIVE = PREFIX + "live"
"""Channel on which every event is published as it is written."""

SWEEPING = PREFIX + "sweeping"
"""Lock: held for a moment by the worker that sweeps."""

SUSPECTS = PREFIX + "suspects"
"""Set that expires: rolls whose job the last sweep did not find."""


REPORTS_UNFINISHED = PREFIX + "reports:unfinished"
"""Sorted set: report that is queued or being made, by the time it was asked for, in ms."""


FIGURES = PREFIX + "figures"
"""Hash: count for monitors (its name and labels, with tabs between) → number; see figures.py."""

ASKED = PREFIX + "asked:"
"""Prefix of strings that expire: what came of a request, by its id; see once.lua."""

WEB = PREFIX + "web"
"""Set: web process that has said how many streams it has open."""


def streams(process: str) -> str:
    """String that expires: how many streams a web process has open."""
    return f"{WEB}:{process}:streams"


def campaign(campaign_id: str) -> str:
    """Hash: name, ruleset, house_rules, created_at, gm_key, open (session), last_ms (its newest event), …"""
    return f"{PREFIX}campaign:{campaign_id}"


def players(campaign_id: str) -> str:
    """Hash: user → JSON of name, token (SHA-256) and created_at."""
    return f"{PREFIX}campaign:{campaign_id}:players"


def sessions(campaign_id: str) -> str:
    """Sorted set: session by its start, in ms."""
    return f"{PREFIX}campaign:{campaign_id}:sessions"


def late_sessions(campaign_id: str) -> str:
    """Set: sessions that got a roll after a newer one had started, so that their events overlap."""
    return f"{PREFIX}campaign:{campaign_id}:late"


def token(digest: str) -> str:
    """String: JSON of role, campaign, user and name of the holder of the token with that SHA-256."""
    return f"{PREFIX}token:{digest}"


def sign_in(digest: str) -> str:
    """String that expires: the SHA-256 of the GM key that the console's cookie of that SHA-256 stands for."""
    return f"{PREFIX}signin:{digest}"


def session(session_id: str) -> str:
    """Hash: campaign, title, started_at, ended_at, seeds, commitments, seq:open, seq:hidden, seq:self."""
    return f"{PREFIX}session:{session_id}"


def stream(session_id: str) -> str:
    """Stream: the session's events, `e` the kind and `r` the record."""
    return f"{session(session_id)}:stream"


def index(session_id: str) -> str:
    """Hash: the own part of a roll's id → the ms of its stream entry."""
    return f"{session(session_id)}:index"


def packed(session_id: str) -> str:
    """Hash: the ms of the first event of a chunk → the chunk, in place of stream and index; see packed.py."""
    return f"{session(session_id)}:packed"


def counts(session_id: str) -> str:
    """Hash: audience (see service.visibility) → resolved rolls that it sees."""
    return f"{session(session_id)}:counts"


def tallies(session_id: str) -> str:
    """Hash (compressed into a string when packed): the session's running counts, see service.tallying."""
    return f"{session(session_id)}:tallies"


def awaiting(session_id: str) -> str:
    """Hash: challenge that waits for its other side → the answer's id once there is one, else nothing."""
    return f"{session(session_id)}:awaiting"


def roll(roll_id: str) -> str:
    """String: the record of a roll that is pending or awaiting."""
    return f"{PREFIX}roll:{roll_id}"


def unanswered(roll_id: str) -> str:
    """Hash: how a challenge that waits is closed where nobody answers: record, audiences, webhooks."""
    return f"{roll(roll_id)}:unanswered"


def tries(roll_id: str) -> str:
    """String: how often the sweeper has queued the roll again."""
    return f"{PREFIX}tries:{roll_id}"


def idempotency(campaign_id: str, user: str, digest: str) -> str:
    """String: "ROLL BODY-HASH" of what the user accepted under a key with that (shortened) SHA-256."""
    return f"{PREFIX}key:{campaign_id}:{user}:{digest}"


def reports(campaign_id: str) -> str:
    """Sorted set: report by the time it was asked for, in ms."""
    return f"{PREFIX}campaign:{campaign_id}:reports"


def report(report_id: str) -> str:
    """Hash that expires: a report's wish, status and progress, and what came of it; see reports.py."""
    return f"{PREFIX}report:{report_id}"


def report_held(report_id: str) -> str:
    """String that expires: a worker is at work on the report."""
    return f"{report(report_id)}:held"


def lease(campaign_id: str, name: str) -> str:
    """String that expires: who holds that lease of the campaign."""
    return f"{PREFIX}campaign:{campaign_id}:lease:{name}"


def alive(worker: str) -> str:
    """String that expires: the worker of that name lives."""
    return f"{PREFIX}alive:{worker}"


def session_of(roll_id: str) -> str:
    """Return the session's id, with which each roll's id begins."""
    return roll_id.partition("-")[0]


DELIVERIES_DUE = PREFIX + "deliveries:due"
"""Sorted set: webhook by the moment (ms) at which it has something to send."""


def webhooks(campaign_id: str) -> str:
    """Sorted set: webhook by the time it was made, in ms."""
    return f"{PREFIX}campaign:{campaign_id}:webhooks"


def webhook(webhook_id: str) -> str:
    """Hash: campaign, kind, url, name, events, hidden, enabled, secret, failing_since, …: see webhooks.py."""
    return f"{PREFIX}webhook:{webhook_id}"


def webhook_log(webhook_id: str) -> str:
    """Sorted set: delivery by the time it was made, in ms."""
    return f"{webhook(webhook_id)}:deliveries"


def webhook_lane(webhook_id: str) -> str:
    """String that expires: who is sending the webhook's deliveries."""
    return f"{webhook(webhook_id)}:lane"


def delivery(delivery_id: str) -> str:
    """Hash: webhook, event, subject, status, created_at, next_at, settled_at, step, request, forgotten, …"""
    return f"{PREFIX}delivery:{delivery_id}"


def attempts(delivery_id: str) -> str:
    """List: JSON of each of the last attempts at a delivery."""
    return f"{delivery(delivery_id)}:attempts"


def webhook_of(delivery_id: str) -> str:
    """Return the webhook's id, with which each delivery's id begins."""
    return delivery_id.partition("-")[0]
