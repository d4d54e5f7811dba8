"""Rolls: accepted, awaiting their other side, and committed to the ledger."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Unpack, cast

import orjson
from redis import Redis

from rules.action import Action
from service.recording import BEFORE_FIRST, CHAINS, asked
from service.records import UNANSWERED, ActorRecord, Chain, RollRecord
from service.store import keys
from service.store.committing import commit_request
from service.store.errors import (
    AlreadyAnswered,
    KeyReused,
    NotAwaiting,
    SessionNotOpen,
    UnknownCampaign,
    UnknownRoll,
)
from service.store.ids import new_id
from service.store.jobs import JobTemplate
from service.store.ledger import Ledger, Limits
from service.store.lua import Scripts
from service.store.packed import Event, PackedSessions
from service.store.pending import Pending, pending_roll
from service.store.sessions import fresh_session
from service.store.shared import IDLE_MS, Clock, text
from service.store.tokens import Caller
from service.visibility import PUBLIC, audience, webhook_audience

KEY_TTL = 7 * 24 * 60 * 60
"""Seconds for which an idempotency key is remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRoll:
    """A roll to be accepted.

    `session`, where given, must be the open one; `challenged_name` is the name of the action's `challenged`.
    """

    campaign: str
    caller: Caller
    ruleset: str
    action: Action
    key: str
    body_hash: str
    visibility: str = PUBLIC
    actor: ActorRecord | None = None
    label: str | None = None
    session: str | None = None
    challenged_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAnswer:
    """The other side of a challenge; `action` is the challenge's, answered."""

    campaign: str
    caller: Caller
    challenge: RollRecord
    action: Action
    key: str
    body_hash: str
    actor: ActorRecord | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Accepted:
    """An accepted roll; `replayed` where its key had been used for it before."""

    record: RollRecord
    replayed: bool


class Rolls:
    """The way of a roll through the store."""

    def __init__(self, redis: Redis, scripts: Scripts, clock: Clock) -> None:
        self._redis, self._scripts, self._clock = redis, scripts, clock
        self._job = JobTemplate(redis)
        self._ledger = Ledger(redis)
        self._packed = PackedSessions(redis)

    def accept(self, new: NewRoll) -> Accepted:
        """Give a roll its id and number, keep it, and queue its job: one round trip, all or nothing.

        Opens a session where none is open; one without a public roll for 6 hours is ended first.

        Raises:
            KeyReused: the caller used the key for another body.
            SessionNotOpen: the roll names a session that is not the open one.
            UnknownCampaign: the campaign is gone.
        """
        now = self._clock()
        ask = self._ask(new, CHAINS[new.visibility], now) | {
            "idle_since": now - IDLE_MS,
            "session": new.session or "",
            "fresh": fresh_session(),
        }
        record = _new_record(new, new.ruleset, new.visibility, new.action.params(), now)
        record["challenged"] = new.action.challenged
        record["challenged_name"] = new.challenged_name
        names = [keys.campaign(new.campaign), _idempotency(new)]
        outcome, roll, found = self._scripts.run("accept", names, [ask, self._job.filled_in(), _rest(record)])
        if outcome == b"unknown-campaign":
            raise UnknownCampaign(new.campaign)
        if outcome == b"not-open":
            raise SessionNotOpen(new.session or "")
        return self._accepted(outcome, roll, found, new.key)

    def accept_answer(self, new: NewAnswer) -> Accepted:
        """Accept the other side of a challenge, as a roll of its own in the challenge's session.

        Raises:
            KeyReused: the caller used the key for another body.
            AlreadyAnswered: somebody was faster.
            NotAwaiting: the challenge was closed when its session ended, or does not wait yet.
            UnknownRoll: the campaign has no such challenge.
        """
        now, challenge = self._clock(), new.challenge
        if new.action.answer is None:
            raise ValueError("the action of an answer must be answered")
        ask = self._ask(new, challenge["chain"], now) | {
            "session": challenge["session"],
            "challenge": challenge["id"],
        }
        params = new.action.answer.params()
        record = _new_record(new, challenge["ruleset"], challenge["visibility"], params, now)
        record["answers"] = challenge["id"]
        names = [keys.session(challenge["session"]), _idempotency(new)]
        outcome, roll, found = self._scripts.run("answer", names, [ask, self._job.filled_in(), _rest(record)])
        if outcome == b"answered":
            raise AlreadyAnswered(challenge["id"])
        if outcome == b"unknown":
            raise UnknownRoll(challenge["id"])
        if outcome == b"not-awaiting":
            raise _why_not_awaiting(challenge["id"], self._found(found, challenge["id"]))
        return self._accepted(outcome, roll, found, new.key)

    def get(self, campaign: str, roll: str) -> RollRecord | None:
        """Return the record of a roll, whatever its status; None when the campaign has none of that id."""
        session = keys.session_of(roll)
        found, packed = self._scripts.run("roll", [keys.session(session)], [campaign, session, roll])
        # No more requests where there is none: how long it takes must not tell it from a hidden one.
        return self._found(found, roll) if found or packed else None

    def pending(self, roll: str) -> Pending | None:
        """Return what it takes to resolve a roll, None when there is nothing (more) to do."""
        with self._redis.pipeline(transaction=False) as together:
            together.get(keys.roll(roll))
            together.hmget(keys.session(keys.session_of(roll)), "campaign", "seed", "hidden_seed")
            found, (campaign, seed, hidden_seed) = together.execute()
        answers = _record(found)["answers"] if found else None
        challenge: Any = self._redis.get(keys.roll(answers)) if answers else None
        return pending_roll(found, campaign, seed, hidden_seed, challenge)

    def commit(self, campaign: str, records: Sequence[RollRecord]) -> int:
        """Move resolved rolls of one session to its ledger, in one script, and publish them.

        Return how many stand there as they are given; one that was committed otherwise is left as it is.
        """
        ask = commit_request(campaign, records, self._clock())
        return int(self._scripts.run("commit", [], [ask, *(orjson.dumps(record) for record in records)]))

    def put_awaiting(self, campaign: str, record: RollRecord) -> bool:
        """Let a challenge wait for its other side, and publish it; False where it waited already.

        Where its session has ended meanwhile, it is closed instead.
        """
        ask = {
            "id": record["id"],
            "campaign": campaign,
            "session": record["session"],
            "now": self._clock(),
            "audiences": audience(record),
            "webhooks": webhook_audience(record) or "",
        }
        awaiting = {**record, "status": "awaiting"}
        closed = _unanswered(record)
        names = [keys.roll(record["id"])]
        return bool(self._scripts.run("await", names, [ask, orjson.dumps(awaiting), _rest(closed)]))

    def history(self, campaign: str, **limits: Unpack[Limits]) -> Iterator[tuple[str, RollRecord]]:
        """Yield (stream id, record) of resolved rolls, newest first."""
        return self._ledger.history(campaign, **limits)

    def events_of(self, session: str) -> Iterator[Event]:
        """Yield all events of one session, oldest first."""
        return self._ledger.events_of(session)

    def events_after(self, campaign: str, stream_id: str, until: str | None = None) -> Iterator[Event]:
        """Yield (stream id, event, record) of all that came after a stream id, see Ledger.events_after."""
        return self._ledger.events_after(campaign, stream_id, until)

    def newest_events(self, campaign: str) -> Iterator[Event]:
        """Yield (stream id, event, record) of all that came, newest first."""
        return self._ledger.events_before(campaign)

    def _accepted(self, outcome: bytes, roll: bytes, found: bytes, key: str) -> Accepted:
        if outcome == b"key-reused":
            raise KeyReused(key)
        record = self._found(found, text(roll))
        if record is None:
            raise UnknownRoll(text(roll))
        return Accepted(record, replayed=outcome == b"replayed")

    def _found(self, found: bytes, roll: str) -> RollRecord | None:
        """Return the record that a script found; where it found none, the session may be packed."""
        if found:
            return _record(found)
        packed = self._packed.find(keys.session_of(roll), roll)
        return packed[2] if packed else None

    def _ask(self, new: NewRoll | NewAnswer, chain: Chain, now: int) -> dict[str, Any]:
        return {
            "campaign": new.campaign,
            "now": now,
            "body": new.body_hash,
            "suffix": new_id(),
            "chain": chain,
            "before_first": BEFORE_FIRST[chain],
            "key_ttl": KEY_TTL,
        }


def _idempotency(new: NewRoll | NewAnswer) -> str:
    digest = hashlib.sha256(new.key.encode()).hexdigest()[:24]
    return keys.idempotency(new.campaign, new.caller.user, digest)


def _new_record(
    new: NewRoll | NewAnswer, ruleset: str, visibility: str, params: dict[str, Any], now: int
) -> dict[str, Any]:
    """Return a pending record without what the script gives it (id, session, seq, commitment)."""
    return asked(
        new.action,
        ruleset=ruleset,
        params=params,
        user=new.caller.user,
        user_name=new.caller.name,
        nonce=new.key,
        now=now,
        visibility=visibility,
        actor=new.actor,
        label=new.label,
    )


def _unanswered(record: RollRecord) -> dict[str, Any]:
    """Return a challenge as it is closed when nobody answered, without the time of that."""
    closed: dict[str, Any] = dict(record)
    del closed["resolved_at"]
    nothing = dict.fromkeys(("points", "target", "outcome", "success", "margin", "odds"))
    return closed | nothing | {"status": "resolved", "dice": [], "numbers": [], "notes": [UNANSWERED]}


def _rest(record: dict[str, Any]) -> bytes:
    """Return the record's JSON without its opening brace, for a script to put fields before it."""
    return orjson.dumps(record)[1:]


def _record(found: Any) -> RollRecord:
    return cast(RollRecord, orjson.loads(found))


def _why_not_awaiting(challenge: str, record: RollRecord | None) -> Exception:
    if record is None:
        return UnknownRoll(challenge)
    return AlreadyAnswered(challenge) if record["answered_by"] else NotAwaiting(challenge)
