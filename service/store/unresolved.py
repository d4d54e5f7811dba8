"""Rolls of a session that are not resolved: under way, stuck, or waiting for their other side."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import orjson
from redis import Redis

from service.records import Chain, RollRecord
from service.store import keys
from service.store.shared import text


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers that rolls have which are not resolved, a chain each, in order."""

    open: list[int] = field(default_factory=list)
    hidden: list[int] = field(default_factory=list)
    self: list[int] = field(default_factory=list)

    def of(self, chain: Chain) -> list[int]:
        """Return those of a chain."""
        return {"open": self.open, "hidden": self.hidden, "self": self.self}[chain]


class Unresolved:
    """Reading what is not resolved."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def of(self, session: str) -> Iterator[dict[str, Any]]:
        """Yield a session's rolls that are not resolved, as they are kept.

        Each is {record, answer, closing}: for a challenge that waits, the id of its answer ("" where there is
        none yet) and what is kept for the case that nobody answers.
        """
        waiting = {
            text(roll): text(answer) for roll, answer in self._redis.hgetall(keys.awaiting(session)).items()
        }
        under_way = (*self._redis.zrange(keys.PENDING, 0, -1), *self._redis.zrange(keys.STUCK, 0, -1))
        mine = (roll for roll in map(text, under_way) if keys.session_of(roll) == session)
        for roll in dict.fromkeys((*waiting, *mine)):
            found = self._redis.get(keys.roll(roll))
            if found is not None:
                closing = self._redis.hgetall(keys.unanswered(roll))
                kept = {text(name): text(value) for name, value in closing.items()}
                yield {"record": _record(found), "answer": waiting.get(roll), "closing": kept or None}

    def numbers(self, sessions: Iterable[str]) -> dict[str, Numbers]:
        """Return the numbers of each session's rolls that are not resolved.

        To be asked after what the session says of its numbers: one that is given meanwhile is beyond those.
        """
        asked = dict.fromkeys(sessions)
        found: dict[str, dict[Chain, set[int]]] = {session: {} for session in asked}
        for record in self._records(asked):
            found[record["session"]].setdefault(record["chain"], set()).add(record["seq"])
        return {
            session: Numbers(**{chain: sorted(numbers) for chain, numbers in chains.items()})
            for session, chains in found.items()
        }

    def _records(self, sessions: Iterable[str]) -> Iterator[RollRecord]:
        asked = list(sessions)
        with self._redis.pipeline(transaction=False) as together:
            together.zrange(keys.PENDING, 0, -1)
            together.zrange(keys.STUCK, 0, -1)
            for session in asked:
                together.hkeys(keys.awaiting(session))
            pending, stuck, *waiting = together.execute()
        under_way: Sequence[str] = [text(roll) for roll in (*pending, *stuck)]
        known = frozenset(asked)
        mine = (roll for roll in under_way if keys.session_of(roll) in known)
        ids = dict.fromkeys((*mine, *(text(roll) for each in waiting for roll in each)))
        # Asked for even where there are none: how long it takes must not tell of hidden ones.
        for kept in self._redis.mget([keys.roll(roll) for roll in ids] or [keys.roll("")]):
            if kept is not None:
                yield _record(kept)


def _record(kept: bytes | str) -> RollRecord:
    return cast(RollRecord, orjson.loads(kept))
