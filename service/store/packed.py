"""Packed sessions: an ended session's events, compressed, and read as before.

A session is packed in chunks of `CHUNK` events, oldest first. Each is a field of one hash: the ms of its
first event → a byte that says how it is written, then the events in columns (see columns.py) under LZMA2.
"""

import lzma
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, cast

import orjson
from redis import Redis

from service.records import RollRecord
from service.store import keys
from service.store.columns import column, values
from service.store.ids import event_id, event_ms
from service.store.shared import text

CHUNK = 256
"""Events of a chunk: what a page of history has to unpack."""
MOST_REMEMBERED = 4
"""Chunks that a process keeps unpacked; one takes about 1 MB."""
_FORM = b"\x01"
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9, "dict_size": 1 << 20, "lc": 4, "lp": 0, "pb": 0}]


class Event(NamedTuple):
    """An event of a campaign; `kind` is roll, awaiting, session or report."""

    id: str
    kind: str
    record: Any

    @property
    def ms(self) -> int:
        """When it was written."""
        return event_ms(self.id)


class UnknownForm(Exception):
    """A chunk was packed by a newer version of this service."""

    def __init__(self, form: int) -> None:
        super().__init__(f"a packed session is written in form {form}, which this version cannot read")
        self.form = form


def pack(events: Sequence[Event]) -> bytes:
    """Return events, oldest first, as a chunk."""
    written = [column([event.ms for event in events]), column([event.kind for event in events])]
    return _FORM + squeezed([*written, column([event.record for event in events])])


def squeezed(value: Any) -> bytes:
    """Return a JSON value, compressed."""
    return lzma.compress(orjson.dumps(value), format=lzma.FORMAT_RAW, filters=_FILTERS)


def unsqueezed(packed: bytes) -> Any:
    """Return the JSON value that was compressed."""
    return orjson.loads(lzma.decompress(packed, format=lzma.FORMAT_RAW, filters=_FILTERS))


@lru_cache(MOST_REMEMBERED)
def unpack(chunk: bytes) -> tuple[Event, ...]:
    """Return the events of a chunk, oldest first; they are shared, so nobody may change them."""
    if not chunk.startswith(_FORM):
        raise UnknownForm(chunk[0])
    each = zip(*map(values, unsqueezed(chunk[1:])), strict=True)
    return tuple(Event(event_id(ms), kind, record) for ms, kind, record in each)


def chunks(events: Iterable[Event]) -> Iterator[tuple[int, bytes]]:
    """Yield (ms of the first event, chunk) for events that come oldest first."""
    batch: list[Event] = []
    for event in events:
        batch.append(event)
        if len(batch) == CHUNK:
            yield batch[0].ms, pack(batch)
            batch = []
    if batch:
        yield batch[0].ms, pack(batch)


class PackedSessions:
    """Reading packed sessions, chunk by chunk."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def chunks(self, session: str) -> Iterator[tuple[int, bytes]]:
        """Yield (ms of the first event, chunk), oldest first."""
        return self._chunks(session, None, None, newest_first=False)

    def backward(self, session: str, before: int | None, after: int | None) -> Iterator[Event]:
        """Yield events newest first; `before` and `after` are in ms and exclusive."""
        for start, chunk in self._chunks(session, before, after, newest_first=True):
            for event in reversed(unpack(chunk)):
                if (before is None or event.ms < before) and (after is None or event.ms > after):
                    yield event
            if after is not None and start <= after:
                return

    def forward(self, session: str, after: int, until: int | None = None) -> Iterator[Event]:
        """Yield events oldest first, those after a moment in ms; `until` is inclusive."""
        before = None if until is None else until + 1
        for _, chunk in self._chunks(session, before, after, newest_first=False):
            for event in unpack(chunk):
                if event.ms > after and (before is None or event.ms < before):
                    yield event

    def find(self, session: str, roll: str) -> tuple[int, bytes, RollRecord] | None:
        """Return a roll's record, and its chunk with the ms that it starts at; None where there is none."""
        for start, chunk in self._chunks(session, None, None, newest_first=True):
            for event in unpack(chunk):
                if event.kind == "roll" and event.record["id"] == roll:
                    return start, chunk, cast(RollRecord, event.record)
        return None

    def _chunks(
        self, session: str, before: int | None, after: int | None, *, newest_first: bool
    ) -> Iterator[tuple[int, bytes]]:
        starts = sorted(int(text(start)) for start in self._redis.hkeys(keys.packed(session)))
        if after is not None:
            # The last chunk that starts before `after` may reach beyond it.
            earlier = [start for start in starts if start <= after]
            starts = starts[max(len(earlier) - 1, 0) :]
        if before is not None:
            starts = [start for start in starts if start < before]
        for start in reversed(starts) if newest_first else starts:
            chunk: Any = self._redis.hget(keys.packed(session), str(start))
            if chunk is not None:
                yield start, chunk
