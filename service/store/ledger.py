"""Reading the ledger: the sessions' streams, as one sequence of events a campaign.

An event's id is cursor, `Last-Event-ID` and stream id at once, and rises strictly within a campaign. One
session is open at a time, so sessions follow one another; only a roll that was committed after a newer
session had started breaks that, and the few sessions that hold such rolls (`late`) are merged in.
"""

import heapq
from collections.abc import Iterable, Iterator
from typing import Any, TypedDict, Unpack, cast

import orjson
from redis import Redis

from service.records import RollRecord
from service.store import keys
from service.store.ids import event_ms
from service.store.packed import Event, PackedSessions
from service.store.shared import text

PAGE = 100
"""Entries that are read from a stream at a time."""
SESSIONS = 50
"""Sessions that are looked up at a time."""


class Limits(TypedDict, total=False):
    """Which events are read.

    `before` and `after` are stream ids and exclusive; `sessions` limits it to those of the campaign,
    `started_before` (in ms) leaves later sessions out as far as they need not be read.
    """

    before: str | None
    after: str | None
    sessions: Iterable[str] | None
    started_before: int | None


class Ledger:
    """A campaign's events, newest or oldest first."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._packed = PackedSessions(redis)

    def history(self, campaign: str, **limits: Unpack[Limits]) -> Iterator[tuple[str, RollRecord]]:
        """Yield (stream id, record) of resolved rolls, newest first."""
        for event in self.events_before(campaign, **limits):
            if event.kind == "roll":
                yield event.id, cast(RollRecord, event.record)

    def events_before(self, campaign: str, **limits: Unpack[Limits]) -> Iterator[Event]:
        """Yield (stream id, kind, record) of events, newest first, reading a page at a time as it goes."""
        before, after, sessions = limits.get("before"), limits.get("after"), limits.get("sessions")
        upper = f"({before}" if before else "+"
        lower = f"({after}" if after else "-"
        late = self._late(campaign)
        if sessions is None:
            in_turn = self._sessions_newest_first(campaign, before, after, limits.get("started_before"))
        else:
            chosen = self._chosen_newest_first(campaign, sessions)
            late &= set(chosen)
            in_turn = iter(chosen)
        ordinary = (event for s in in_turn if s not in late for event in self._backward(s, upper, lower))
        apart = (self._backward(session, upper, lower) for session in late)
        return heapq.merge(ordinary, *apart, key=lambda event: -event.ms)

    def events_after(self, campaign: str, stream_id: str, until: str | None = None) -> Iterator[Event]:
        """Yield (stream id, kind, record) of all that came after a stream id, oldest first.

        Without `until` (a stream id, inclusive) a late roll that comes meanwhile may be missed, or come late.
        """
        ms, by_start = event_ms(stream_id), keys.sessions(campaign)
        with self._redis.pipeline(transaction=False) as together:
            together.zrevrangebyscore(by_start, ms, "-inf", start=0, num=1)
            together.zrangebyscore(by_start, f"({ms}", "+inf")
            together.smembers(keys.late_sessions(campaign))
            open_then, started_since, overlapping = together.execute()
        late = {text(session) for session in overlapping}
        in_turn = (text(session) for session in (*open_then, *started_since))
        ordinary = (event for s in in_turn if s not in late for event in self._forward(s, stream_id, until))
        apart = (self._forward(session, stream_id, until) for session in late)
        return heapq.merge(ordinary, *apart, key=lambda event: event.ms)

    def events_of(self, session: str) -> Iterator[Event]:
        """Yield all events of one session, oldest first."""
        return self._forward(session, "0-0")

    def _late(self, campaign: str) -> set[str]:
        return {text(session) for session in self._redis.smembers(keys.late_sessions(campaign))}

    def _sessions_newest_first(
        self, campaign: str, before: str | None, after: str | None, started_before: int | None
    ) -> Iterator[str]:
        bounds = [event_ms(before)] if before else []
        bounds += [] if started_before is None else [started_before]
        newest = f"({min(bounds)}" if bounds else "+inf"
        oldest = event_ms(after) if after else 0
        while True:
            found = cast(
                list[tuple[bytes, float]],
                self._redis.zrevrangebyscore(
                    keys.sessions(campaign), newest, "-inf", start=0, num=SESSIONS, withscores=True
                ),
            )
            for session, started in found:
                yield text(session)
                if started <= oldest:
                    return
            if len(found) < SESSIONS:
                return
            newest = f"({found[-1][1]:.0f}"

    def _chosen_newest_first(self, campaign: str, sessions: Iterable[str]) -> list[str]:
        asked = list(dict.fromkeys(sessions))
        if not asked:
            return []
        started = self._redis.zmscore(keys.sessions(campaign), asked)
        known = [(score, session) for score, session in zip(started, asked, strict=True) if score is not None]
        return [session for _, session in sorted(known, reverse=True)]

    def _backward(self, session: str, upper: str, lower: str) -> Iterator[Event]:
        """Yield what is in the session's stream, then what is packed: it may be packed in between."""
        while True:
            page: Any = self._redis.xrevrange(keys.stream(session), upper, lower, count=PAGE)
            for entry in page:
                yield _event(entry)
            if page:
                upper = f"({text(page[-1][0])}"
            if len(page) < PAGE:
                yield from self._packed.backward(session, _bound(upper), _bound(lower))
                return

    def _forward(self, session: str, after: str, until: str | None = None) -> Iterator[Event]:
        """Yield what is in the session's stream, then what is packed, as above."""
        while True:
            page: Any = self._redis.xrange(keys.stream(session), f"({after}", until or "+", count=PAGE)
            for entry in page:
                yield _event(entry)
            if page:
                after = text(page[-1][0])
            if len(page) < PAGE:
                yield from self._packed.forward(session, event_ms(after), event_ms(until) if until else None)
                return


def _bound(place: str) -> int | None:
    """Return the ms of an exclusive bound as Redis takes it, None where it is none."""
    return None if place in "+-" else event_ms(place[1:])


def _event(entry: tuple[bytes, dict[bytes, bytes]]) -> Event:
    stream_id, fields = entry
    return Event(text(stream_id), text(fields[b"e"]), orjson.loads(fields[b"r"]))
