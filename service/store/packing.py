"""Packing ended sessions, some time after their end; reading them is as before (see packed.py)."""

from collections.abc import Iterator
from typing import Any, cast

import orjson
from redis import Redis

from service.store import keys
from service.store.errors import UnknownSession
from service.store.ledger import PAGE
from service.store.lua import Scripts
from service.store.packed import Event, chunks
from service.store.shared import Clock, text
from service.store.tallies import Tallies

REST_MS = 10 * 60 * 1000
"""How long a session is left alone after its end."""


class Packing:
    """Finding sessions that can be packed, and packing them."""

    def __init__(self, redis: Redis, scripts: Scripts, clock: Clock, tallies: Tallies) -> None:
        self._redis, self._scripts, self._clock, self._tallies = redis, scripts, clock, tallies

    def due(self, most: int = 10) -> list[str]:
        """Return sessions that ended a while ago and are not packed, those that wait for longest first."""
        latest = self._clock() - REST_MS
        return [text(found) for found in self._redis.zrangebyscore(keys.UNPACKED, "-inf", latest, 0, most)]

    def pack(self, session: str) -> bool:
        """Pack an ended session, in one swap; False where it is to wait, gone, or packed before.

        A session waits as long as any roll of it is pending, or awaits its other side; it is due again after
        another rest.
        """
        campaign = text(self._redis.hget(keys.session(session), "campaign") or b"")
        try:
            deleted = self._tallies.deleted(campaign, session)  # before the first event is read
        except UnknownSession:
            self._redis.zrem(keys.UNPACKED, session)
            return False
        newest, rolls, packed = "", 0, list[bytes]()

        def events() -> Iterator[Event]:
            nonlocal newest, rolls
            for event in self._events(session):
                newest, rolls = event.id, rolls + (event.kind == "roll")
                yield event

        for start, chunk in chunks(events()):
            packed += [str(start).encode(), chunk]
        ask = {
            "session": session,
            "newest": newest,
            "deleted": deleted,
            "rolls": rolls,
            "now": self._clock(),
            "rest": REST_MS,
        }
        names = [
            keys.session(session),
            keys.stream(session),
            keys.index(session),
            keys.packed(session),
            keys.awaiting(session),
        ]
        outcome = text(self._scripts.run("pack", names, [ask, *packed]))
        if outcome not in ("packed", "packed-before"):
            # Behind all others: what it waits for may never come.
            self._redis.zadd(keys.UNPACKED, {session: self._clock()}, xx=True)
            return False
        self._tallies.pack(campaign, session)
        return outcome == "packed"

    def _events(self, session: str) -> Iterator[Event]:
        after = "-"
        while True:
            page = cast(Any, self._redis.xrange(keys.stream(session), after, "+", count=PAGE))
            for stream_id, fields in page:
                yield Event(text(stream_id), text(fields[b"e"]), orjson.loads(fields[b"r"]))
            if len(page) < PAGE:
                return
            after = f"({text(page[-1][0])}"
