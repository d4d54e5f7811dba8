"""Bringing a campaign back: written aside, then put in place by one script, all of it or nothing."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any, cast

import orjson
from redis import Redis

from service.store import keys
from service.store.columns import column
from service.store.errors import StoreError
from service.store.ids import new_id
from service.store.lua import Scripts
from service.store.packed import Event, chunks, squeezed
from service.store.shared import Clock, text
from service.tallying import move_of
from service.visibility import audience

ASIDE_SECONDS = 3600
"""How long what is written aside is kept, should its writer die."""
BATCH = 50
Kept = Mapping[str, Any]


class NotRestored(StoreError):
    """Nothing was put in place; `why` is exists, session-taken, token-taken or lost."""

    def __init__(self, why: str) -> None:
        super().__init__(f"nothing was restored: {why}")
        self.why = why


class Restoring:
    """One campaign on its way back."""

    def __init__(self, redis: Redis, scripts: Scripts, clock: Clock) -> None:
        self._redis, self._scripts, self._clock = redis, scripts, clock
        self._aside = f"{keys.PREFIX}import:{new_id()}:"
        self._sessions: list[dict[str, Any]] = []

    def session(
        self, session: str, kept: Mapping[str, Any], events: Iterable[Event], *, to_pack: bool
    ) -> None:
        """Write a session aside: packed, unless it is open or has rolls under way."""
        fields = {name: value for name, value in kept.items() if value not in (None, "")}
        counts, seen, newest = Counter[str](), 0, 0

        def noted() -> Iterable[Event]:
            nonlocal seen, newest
            batch: list[Any] = []
            for event in events:
                newest = event.ms
                if event.kind == "roll":
                    seen += 1
                    counts.update(audience(event.record))
                    batch.append(move_of(event.record))
                    if len(batch) == BATCH:
                        self._tally(session, batch, seen - BATCH)
                        batch = []
                yield event
            self._tally(session, batch, seen - len(batch))

        if to_pack:
            packed = self._name(keys.packed(session))
            for start, chunk in chunks(noted()):
                with self._redis.pipeline() as together:
                    together.hset(packed, str(start), chunk)
                    together.expire(packed, ASIDE_SECONDS)
                    together.execute()
            fields["packed"] = seen
        else:
            self._write_stream(session, noted())
        with self._redis.pipeline() as together:
            together.hset(self._name(keys.session(session)), mapping=cast(Any, fields))
            if counts:
                together.hset(self._name(keys.counts(session)), mapping=cast(Any, counts))
            for name in (keys.session, keys.counts, keys.packed, keys.stream, keys.index, keys.tallies):
                together.expire(self._name(name(session)), ASIDE_SECONDS)
            together.execute()
        if to_pack:
            self._pack_tallies(session)
        self._sessions.append(
            {
                "id": session,
                "started": str(fields["started_at"]),
                "ended": str(fields.get("ended_at", "")),
                "newest": newest,
            }
        )

    def finish(
        self,
        campaign: str,
        kept: Mapping[str, Any],
        players: Sequence[tuple[str, bytes, str, bytes]],
        gm: tuple[str, bytes],
        unresolved: Sequence[Kept],
        *,
        replace: bool,
    ) -> None:
        """Put everything in place; raise NotRestored, and then nothing has changed.

        `players` are (user, what is kept, token's hash, its holder), `gm` is the key's hash and its holder;
        `unresolved` as Rolls.unresolved has them.
        """
        ask = {
            "aside": self._aside,
            "campaign": campaign,
            "replace": replace,
            "fields": _flat(kept),
            "created_at": str(kept["created_at"]),
            "players": [[user, *map(text, rest)] for user, *rest in players],
            "gm": list(map(text, gm)),
            "sessions": self._sessions,
            "late": self._late(),
            "unresolved": [
                {
                    "id": each["record"]["id"],
                    "session": each["record"]["session"],
                    "record": text(orjson.dumps(each["record"])),
                    "pending": each["record"]["status"] == "pending",
                    "answer": each["answer"],
                    "closing": _flat(each["closing"] or {}),
                }
                for each in unresolved
            ],
            "now": str(self._clock()),
        }
        outcome = text(self._scripts.run("restore", [keys.campaign(campaign)], [ask]))
        if outcome != "restored":
            self.drop()
            raise NotRestored(outcome)

    def drop(self) -> None:
        """Forget what was written aside."""
        found = self._redis.scan_iter(f"{self._aside}*", count=1000)
        while batch := list(islice(found, BATCH)):
            self._redis.unlink(*batch)

    def _late(self) -> list[str]:
        """Return the sessions that hold an event from after the start of the next one."""
        in_turn = sorted(self._sessions, key=lambda session: int(session["started"]))
        pairs = pairwise(in_turn)
        return [one["id"] for one, following in pairs if one["newest"] > int(following["started"])]

    def _name(self, key: str) -> str:
        return self._aside + key.removeprefix(keys.PREFIX)

    def _write_stream(self, session: str, events: Iterable[Event]) -> None:
        stream, index = self._name(keys.stream(session)), self._name(keys.index(session))
        for event in events:
            with self._redis.pipeline() as together:
                entry = {"e": event.kind, "r": orjson.dumps(event.record)}
                together.xadd(stream, entry, id=event.id)  # type: ignore[arg-type]
                together.expire(stream, ASIDE_SECONDS)
                if event.kind == "roll":
                    own = event.record["id"].partition("-")[2]
                    together.hset(index, own, str(event.ms))
                    together.expire(index, ASIDE_SECONDS)
                together.execute()

    def _tally(self, session: str, moves: Sequence[Any], before: int) -> None:
        if moves:
            aside = self._name(keys.tallies(session))
            ask = {"moves": list(moves), "before": before, "settled": 0}
            names = [aside, keys.tallies(session), keys.index(session)]
            if self._scripts.run("retally", names, [ask]) != b"more":
                raise NotRestored("lost")

    def _pack_tallies(self, session: str) -> None:
        name = self._name(keys.tallies(session))
        kept = {text(field): text(value) for field, value in self._redis.hgetall(name).items()}
        if kept:
            fields = sorted(kept)
            packed = squeezed([column(fields), column([kept[field] for field in fields])])
            self._redis.set(name, packed, ex=ASIDE_SECONDS)


def _flat(kept: Mapping[str, Any]) -> list[str]:
    return [str(part) for pair in kept.items() for part in pair]
