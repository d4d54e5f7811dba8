"""Deleting for good: a roll, an ended session, a whole campaign. Each is one script, safe to ask twice."""

import hashlib
from collections.abc import Iterable, Iterator
from itertools import islice

from redis import Redis

from service.records import RollRecord
from service.store import keys
from service.store.errors import NotResolved, SessionStillOpen
from service.store.ledger import Ledger
from service.store.lua import Scripts
from service.store.packed import Event, PackedSessions, pack, unpack
from service.store.shared import Clock, text
from service.store.tallies import Tallies
from service.visibility import audience

DAY_MS = 24 * 60 * 60 * 1000
TRIES = 20
"""How often a roll's deletion starts again because its session was packed or changed meanwhile."""
BATCH = 500


class Erasing:
    """Deleting, and nothing left behind: in the webhooks' logs neither."""

    def __init__(self, redis: Redis, scripts: Scripts, clock: Clock, tallies: Tallies) -> None:
        self._redis, self._scripts, self._clock, self._tallies = redis, scripts, clock, tallies
        self._ledger, self._packed = Ledger(redis), PackedSessions(redis)

    def roll(self, campaign: str, record: RollRecord) -> bool:
        """Delete a resolved roll; both sides of an opposed one. Raise NotResolved.

        Its number is noted as deleted, so that the session can still be verified. Counts move back, tallies
        are made anew. False where it is gone already.
        """
        if record["status"] != "resolved":
            raise NotResolved(record["id"])
        session = record["session"]
        wanted = {record["id"], record["answers"], record["answered_by"]} - {None}
        for _ in range(TRIES):
            events = [event for event in self._events(session) if event.record.get("id") in wanted]
            rolls = [event.record for event in events if event.kind == "roll"]
            if not rolls:
                return False
            outcome = self._erase_rolls(campaign, session, rolls, events)
            if outcome != "changed":
                break
        if outcome != "erased":
            return False
        if self._redis.hexists(keys.session(session), "packed"):
            self._tallies.pack(campaign, session)
        return True

    def session(self, campaign: str, session: str) -> bool:
        """Delete an ended session with all its rolls; raise SessionStillOpen. False where there is none."""
        if self._redis.zscore(keys.sessions(campaign), session) is None:
            return False
        if not self._redis.hexists(keys.session(session), "ended_at"):
            raise SessionStillOpen(session)
        outcome = self._scripts.run("erase_session", [keys.session(session)], [campaign, session])
        if outcome == b"open":
            raise SessionStillOpen(session)
        return bool(outcome == b"erased")

    def campaign(self, campaign: str) -> bool:
        """Delete a campaign with all that belongs to it, end its streams; False where there is none.

        Its tokens stop working first, so nothing new comes; clicks that were remembered are forgotten last.
        """
        known = bool(self._scripts.run("erase_campaign", [keys.campaign(campaign)], [campaign]))
        for pattern in (keys.idempotency(campaign, "*", "*"), f"{keys.campaign(campaign)}:*"):
            found = self._redis.scan_iter(pattern, count=BATCH)
            while batch := list(islice(found, BATCH)):
                self._redis.unlink(*batch)
        return known

    def expired(self, campaign: str, days: int, most: int) -> list[str]:
        """Delete sessions that ended more than `days` days ago, at most so many; return them."""
        latest = self._clock() - days * DAY_MS
        old = self._redis.zrangebyscore(keys.sessions(campaign), "-inf", latest, 0, most)
        erased = []
        for session in map(text, old):
            ended = self._redis.hget(keys.session(session), "ended_at")
            if ended is not None and int(ended) <= latest and self.session(campaign, session):
                erased.append(session)
        return erased

    def _events(self, session: str) -> Iterator[Event]:
        return self._ledger.events_of(session)

    def _erase_rolls(
        self, campaign: str, session: str, rolls: Iterable[RollRecord], events: Iterable[Event]
    ) -> str:
        gone = {event.id for event in events}
        chunks, kept = [], list[bytes]()
        for start, chunk in self._packed.chunks(session):
            left = [event for event in unpack(chunk) if event.id not in gone]
            if len(left) < len(unpack(chunk)):
                chunks.append({"start": str(start), "was": hashlib.sha1(chunk).hexdigest()})  # noqa: S324
                kept.append(pack(left) if left else b"")
        ask = {
            "campaign": campaign,
            "rolls": [
                {
                    "id": roll["id"],
                    "own": roll["id"].partition("-")[2],
                    "chain": roll["chain"],
                    "seq": roll["seq"],
                    "audiences": audience(roll),
                }
                for roll in rolls
            ],
            "events": [] if chunks else sorted(gone),
            "chunks": chunks,
        }
        names = (keys.session, keys.stream, keys.index, keys.packed, keys.counts, keys.tallies)
        return text(self._scripts.run("erase_roll", [name(session) for name in names], [ask, *kept]))
