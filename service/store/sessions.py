"""Sessions: one evening, with the seeds of its dice."""

import builtins
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from redis import Redis

from rules import fairness
from service.store import keys
from service.store.errors import SessionAlreadyOpen, UnknownCampaign, UnknownSession
from service.store.ids import new_id
from service.store.lua import Scripts
from service.store.shared import IDLE_MS, Clock, text
from service.visibility import Viewer, audiences_of

PAGE = 200
"""Sessions that are read at a time where all are."""
FIELDS = (
    "campaign",
    "title",
    "started_at",
    "ended_at",
    "commitment",
    "hidden_commitment",
    "seed",
    "hidden_seed",
    "seq:open",
    "seq:hidden",
    "deleted:open",
    "deleted:hidden",
)


@dataclass(frozen=True, slots=True)
class Session:
    """A session; times in ms. The seeds (hex) are None until it has ended; the hidden one is the GM's.

    `last_seq` is the last number given to a public roll, `deleted` those whose rolls were deleted for good;
    the hidden ones are of `gm` and `blind` rolls.
    """

    id: str
    campaign: str
    title: str | None
    started_at: int
    ended_at: int | None
    commitment: str
    hidden_commitment: str
    seed: str | None
    hidden_seed: str | None
    last_seq: int = 0
    hidden_last_seq: int = 0
    deleted: tuple[int, ...] = ()
    hidden_deleted: tuple[int, ...] = ()


def fresh_session(title: str | None = None) -> dict[str, str]:
    """Return a new session's id, seeds and commitments, for a script to open it with."""
    session, seed, hidden_seed = new_id(), fairness.new_seed(), fairness.new_seed()
    return {
        "id": session,
        "title": title or "",
        "seed": seed.hex(),
        "hidden_seed": hidden_seed.hex(),
        "commitment": fairness.commitment(session, seed),
        "hidden_commitment": fairness.commitment(session, hidden_seed),
    }


class Sessions:
    """Starting, ending and listing sessions."""

    def __init__(self, redis: Redis, scripts: Scripts, clock: Clock) -> None:
        self._redis, self._scripts, self._clock = redis, scripts, clock

    def start(self, campaign: str, title: str | None = None) -> Session:
        """Open a session; raise SessionAlreadyOpen or UnknownCampaign."""
        now = self._clock()
        ask = {
            "campaign": campaign,
            "now": now,
            "idle_since": now - IDLE_MS,
            "fresh": fresh_session(title),
        }
        outcome, session = self._scripts.run("start", [keys.campaign(campaign)], [ask])
        if outcome == b"unknown-campaign":
            raise UnknownCampaign(campaign)
        if outcome == b"open":
            raise SessionAlreadyOpen(text(session))
        return self._known(campaign, text(session))

    def end(self, campaign: str, session: str) -> Session:
        """End a session, which reveals its seeds; ending it again changes nothing. Raise UnknownSession."""
        if self._end(campaign, session) == b"unknown":
            raise UnknownSession(session)
        return self._known(campaign, session)

    def end_idle(self) -> list[str]:
        """End every session without a public roll for 6 hours, and return their ids."""
        idle_since = self._clock() - IDLE_MS
        idle = self._redis.zrangebyscore(keys.OPEN_SESSIONS, "-inf", f"({idle_since}")
        sessions = [text(session) for session in idle]
        return [session for session in sessions if self._end("", session, idle_since) == b"ended"]

    def get(self, campaign: str, session: str) -> Session | None:
        """Return the session, None when the campaign has none of that id."""
        found = _session(session, self._redis.hmget(keys.session(session), FIELDS))
        return found if found and found.campaign == campaign else None

    def open(self, campaign: str) -> Session | None:
        """Return the open session, None when there is none."""
        session = self._redis.hget(keys.campaign(campaign), "open")
        return self.get(campaign, text(session)) if session else None

    def list(self, campaign: str, before: str | None = None, limit: int = 50) -> builtins.list[Session]:
        """Return sessions, newest first, after the session `before`; raise UnknownSession."""
        newest: float | str = "+inf"
        if before is not None:
            started = self._redis.zscore(keys.sessions(campaign), before)
            if started is None:
                raise UnknownSession(before)
            newest = f"({started:.0f}"
        found = self._redis.zrevrangebyscore(keys.sessions(campaign), newest, "-inf", start=0, num=limit)
        return self._read([text(session) for session in found])

    def ids(self, campaign: str) -> builtins.list[str]:
        """Return the ids of all sessions, oldest first."""
        return [text(session) for session in self._redis.zrange(keys.sessions(campaign), 0, -1)]

    def all(self, campaign: str) -> builtins.list[Session]:
        """Return all sessions, oldest first; one that is deleted meanwhile is left out."""
        ids = self.ids(campaign)
        pages = (ids[start : start + PAGE] for start in range(0, len(ids), PAGE))
        return [session for page in pages for session in self._read(page)]

    def unknown_among(self, campaign: str, sessions: Sequence[str]) -> Sequence[str]:
        """Return those of the sessions that the campaign does not have."""
        started = self._redis.zmscore(keys.sessions(campaign), list(sessions))
        return [session for session, score in zip(sessions, started, strict=True) if score is None]

    def rolls_seen_by(self, session: str, caller: Viewer) -> int:
        """Return how many resolved rolls of the session the caller may see."""
        return self.rolls_seen_in([session], caller)[session]

    def rolls_seen_in(self, sessions: Iterable[str], caller: Viewer) -> dict[str, int]:
        """Return, for each session, how many of its resolved rolls the caller may see."""
        asked = list(sessions)
        with self._redis.pipeline(transaction=False) as together:
            for session in asked:
                together.hmget(keys.counts(session), audiences_of(caller))
            counted = together.execute()
        return {
            session: sum(int(count or 0) for count in counts)
            for session, counts in zip(asked, counted, strict=True)
        }

    def kept(self, session: str) -> dict[str, Any]:
        """Return what only the operator may know of a session: its seeds, and the numbers of `self` rolls.

        Raises UnknownSession.
        """
        fields = ("seed", "hidden_seed", "seq:self", "deleted:self")
        seed, hidden_seed, last, deleted = self._redis.hmget(keys.session(session), fields)
        if seed is None:
            raise UnknownSession(session)
        return {
            "seed": text(seed),
            "hidden_seed": text(hidden_seed),
            "self_last_seq": int(last or 0),
            "self_deleted": list(_numbers(text(deleted) if deleted else None)),
        }

    def settled(self, session: str) -> int:
        """Return how many rolls the session's ledger has, whoever may see them."""
        with self._redis.pipeline(transaction=False) as together:
            together.hget(keys.session(session), "packed")
            together.hlen(keys.index(session))
            packed, rolls = together.execute()
        return int(packed or rolls)

    def _end(self, campaign: str, session: str, idle_since: int = 0) -> bytes:
        ask = {"campaign": campaign, "session": session, "now": self._clock(), "idle_since": idle_since}
        outcome: bytes = self._scripts.run("end", [keys.session(session)], [ask])
        return outcome

    def _read(self, ids: builtins.list[str]) -> builtins.list[Session]:
        with self._redis.pipeline(transaction=False) as together:
            for session in ids:
                together.hmget(keys.session(session), FIELDS)
            read = (_session(*pair) for pair in zip(ids, together.execute(), strict=True))
            return [session for session in read if session]

    def _known(self, campaign: str, session: str) -> Session:
        found = self.get(campaign, session)
        if found is None:
            raise UnknownSession(session)
        return found


def _session(session: str, found: Iterable[Any]) -> Session | None:
    kept = {name: None if value is None else text(value) for name, value in zip(FIELDS, found, strict=True)}
    campaign, commitment, hidden_commitment = (
        kept[name] for name in ("campaign", "commitment", "hidden_commitment")
    )
    if campaign is None or kept["started_at"] is None or commitment is None or hidden_commitment is None:
        return None
    ended_at = kept["ended_at"]
    return Session(
        id=session,
        campaign=campaign,
        title=kept["title"],
        started_at=int(kept["started_at"]),
        ended_at=int(ended_at) if ended_at else None,
        commitment=commitment,
        hidden_commitment=hidden_commitment,
        seed=kept["seed"] if ended_at else None,
        hidden_seed=kept["hidden_seed"] if ended_at else None,
        last_seq=int(kept["seq:open"] or 0),
        hidden_last_seq=int(kept["seq:hidden"] or 0),
        deleted=_numbers(kept["deleted:open"]),
        hidden_deleted=_numbers(kept["deleted:hidden"]),
    )


def _numbers(kept: str | None) -> tuple[int, ...]:
    return tuple(sorted(map(int, (kept or "").split())))
