"""Tallies: the running counts of each session, moved by each commit; what they hold: service.tallying."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import orjson
from redis import Redis

from service.records import RollRecord
from service.store import keys
from service.store.columns import column, values
from service.store.errors import UnknownSession
from service.store.ids import new_id
from service.store.ledger import Ledger
from service.store.lua import Scripts
from service.store.packed import squeezed, unsqueezed
from service.store.shared import text
from service.tallying import move_of

BATCH = 50
"""Rolls that are tallied anew in one script, so that nobody waits for it."""
TRIES = 20
"""How often a rebuild looks for rolls that came meanwhile."""

Field = tuple[Any, ...]


class Tally(NamedTuple):
    """One entry of a session's tallies: the members of its field's name, and its value."""

    field: Field
    value: str


class RebuildFailed(Exception):
    """Rolls kept coming faster than a session's tallies could be made anew."""

    def __init__(self, session: str) -> None:
        super().__init__(f"the tallies of session {session} could not be made anew")
        self.session = session


class Tallies:
    """Reading tallies, and making them anew from the ledger."""

    def __init__(self, redis: Redis, scripts: Scripts) -> None:
        self._redis, self._scripts = redis, scripts
        self._ledger = Ledger(redis)

    def read(self, campaign: str, session: str) -> list[Tally]:
        """Return a session's tallies; made anew first where they are not complete.

        That is so for sessions from before there were tallies, and where a roll came late to a packed one.
        """
        if not self.complete(session):
            self.rebuild(campaign, session)
        return [
            Tally(tuple(orjson.loads(field)), value)
            for field, value in self._raw(session).items()
            if field.startswith("[")
        ]

    def complete(self, session: str) -> bool:
        """Say whether every roll of the session is in its tallies."""
        key = keys.tallies(session)
        if text(self._redis.type(key)) == "string":
            return True
        with self._redis.pipeline(transaction=False) as together:
            together.hget(key, "t")
            together.hlen(keys.index(session))
            together.hget(keys.session(session), "packed")
            tallied, rolls, packed = together.execute()
        return int(tallied or 0) == int(packed or rolls)

    def rebuild(self, campaign: str, session: str) -> int:
        """Make a session's tallies anew from the ledger, and return how many rolls it has.

        Rolls may be committed meanwhile. Raises UnknownSession and, should they never pause, RebuildFailed.
        """
        if self._redis.zscore(keys.sessions(campaign), session) is None:
            raise UnknownSession(session)
        aside = f"{keys.tallies(session)}:{new_id()}"
        names = [aside, keys.tallies(session), keys.index(session)]
        settled, newest = 0, None
        for _ in range(TRIES):
            # Newest first is how it comes; in memory, as a session is an evening.
            records = list(self._ledger.history(campaign, after=newest, sessions=[session]))
            newest = records[0][0] if records else newest
            settled += len(records)
            if not settled:
                self._redis.delete(keys.tallies(session))
                return 0
            batches = list(_batches([record for _, record in reversed(records)])) or [[]]
            done = 0
            for place, batch in enumerate(batches, start=1):
                ask = {"moves": batch, "settled": settled if place == len(batches) else 0}
                done = self._scripts.run("retally", names, [ask])
            if done:
                return settled
        self._redis.delete(aside)
        raise RebuildFailed(session)

    def pack(self, session: str) -> int:
        """Keep an ended session's tallies compressed; return how many bytes they take.

        They are read as before. A roll that is committed later makes them incomplete, so that they are made
        anew when they are read next.
        """
        key = keys.tallies(session)
        packed = b""

        def replace(together: Any) -> None:
            nonlocal packed
            kept = self._raw(session)
            together.multi()
            if kept:
                fields = sorted(kept)
                packed = squeezed([column(fields), column([kept[field] for field in fields])])
                together.set(key, packed)

        self._redis.transaction(replace, key)
        return len(packed)

    def _raw(self, session: str) -> Mapping[str, str]:
        key = keys.tallies(session)
        if text(self._redis.type(key)) == "string":
            packed: Any = self._redis.get(key)
            return dict(zip(*map(values, unsqueezed(packed)), strict=True)) if packed else {}
        return {text(field): text(value) for field, value in self._redis.hgetall(key).items()}


def _batches(records: list[RollRecord]) -> Iterator[list[dict[str, Any] | None]]:
    for start in range(0, len(records), BATCH):
        yield [move_of(record) for record in records[start : start + BATCH]]
