"""Tallies: the running counts of each session, moved by each commit; what they hold: service.tallying."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
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

DELETED = ("deleted:open", "deleted:hidden", "deleted:self")
"""Where a session notes the numbers of deleted rolls, a chain each."""

Field = tuple[Any, ...]


class Tally(NamedTuple):
    """One entry of a session's tallies: the members of its field's name, and its value."""

    field: Field
    value: str


class RebuildFailed(Exception):
    """Rolls kept coming or going faster than a session's tallies could be made anew."""

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

        That is so for sessions from before there were tallies, where a roll came late to a packed one, and
        after one was deleted, be it meanwhile. Raises RebuildFailed, should that never pause.
        """
        whole = self._whole(session)
        for _ in range(TRIES):
            if whole is not None:
                break
            try:
                self.rebuild(campaign, session)
            except UnknownSession:  # deleted meanwhile
                return []
            whole = self._whole(session)
        if whole is None:
            raise RebuildFailed(session)
        return [
            Tally(tuple(orjson.loads(field)), value)
            for field, value in whole.items()
            if field.startswith("[")
        ]

    def complete(self, session: str) -> bool:
        """Say whether every roll of the session is in its tallies."""
        return self._whole(session) is not None

    def rebuild(self, campaign: str, session: str) -> int:
        """Make a session's tallies anew from the ledger, and return how many rolls it has.

        Rolls may be committed or deleted meanwhile. Raises UnknownSession, of a session that is deleted
        meanwhile too; and RebuildFailed, should that never pause.
        """
        aside = f"{keys.tallies(session)}:{new_id()}"
        names = [aside, keys.tallies(session), keys.index(session), keys.session(session)]
        outcome = "anew"
        for _ in range(TRIES):
            if outcome == "anew":  # all that was tallied so far may hold a deleted roll
                tallied, settled, newest, deleted = 0, 0, None, self.deleted(campaign, session)
            # Newest first is how it comes; in memory, as a session is an evening.
            records = list(self._ledger.history(campaign, after=newest, sessions=[session]))
            newest = records[0][0] if records else newest
            settled += len(records)
            if not settled:
                self._redis.delete(keys.tallies(session))
                return 0
            batches = list(_batches([record for _, record in reversed(records)])) or [[]]
            for place, batch in enumerate(batches, start=1):
                whole = settled if place == len(batches) else 0
                ask = {"moves": batch, "before": tallied, "settled": whole, "deleted": deleted}
                outcome = text(self._scripts.run("retally", names, [ask]))
                if outcome == "anew":
                    break
                tallied += len(batch)
            if outcome == "done":
                return settled
        self._redis.delete(aside)
        raise RebuildFailed(session)

    def pack(self, campaign: str, session: str) -> int:
        """Keep an ended session's tallies compressed, made anew first where they are not complete.

        Returns how many bytes they take; 0 where there is nothing to keep or rolls kept changing meanwhile,
        and then they are made anew when they are read next. So they are, too, after a roll that comes later.
        """
        key = keys.tallies(session)
        packed = b""
        with suppress(RebuildFailed):
            self.read(campaign, session)

        def replace(together: Any) -> None:
            nonlocal packed
            kept = self._whole(session) or {}
            together.multi()
            if kept:
                fields = sorted(kept)
                packed = squeezed([column(fields), column([kept[field] for field in fields])])
                together.set(key, packed)

        self._redis.transaction(replace, key)
        return len(packed)

    def deleted(self, campaign: str, session: str) -> dict[str, str]:
        """Return the session's deleted numbers as deleted.lua compares them; raise UnknownSession."""
        with self._redis.pipeline() as together:
            together.zscore(keys.sessions(campaign), session)
            together.hmget(keys.session(session), DELETED)
            started, numbers = together.execute()
        if started is None:
            raise UnknownSession(session)
        return {chain: text(each or b"") for chain, each in zip(DELETED, numbers, strict=True)}

    def _whole(self, session: str) -> Mapping[str, str] | None:
        """Return the session's tallies as they are kept, None where not every roll is in them."""
        names = [keys.tallies(session), keys.index(session), keys.session(session)]
        state, found = self._scripts.run("tallied", names)
        if state == b"incomplete":
            return None
        if state == b"packed":
            return dict(zip(*map(values, unsqueezed(found)), strict=True))
        return dict(zip(map(text, found[::2]), map(text, found[1::2]), strict=True))


def _batches(records: list[RollRecord]) -> Iterator[list[dict[str, Any] | None]]:
    for start in range(0, len(records), BATCH):
        yield [move_of(record) for record in records[start : start + BATCH]]
