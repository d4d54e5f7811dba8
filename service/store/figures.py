"""Figures of the service for monitors: counts that last, and what can be looked up when asked.

Web processes and workers count in their own memory and add to the counts in Redis from time to time, so that
no roll pays for being counted; a process that is killed takes its last seconds along. Players may read them
too, so whatever a hidden roll moves is kept apart: under HIDDEN, not under EVERYONE.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import orjson
from redis import Redis
from redis.exceptions import RedisError

from service.store import keys
from service.store.jobs import DELIVERIES
from service.store.jobs import QUEUE as ROLLS
from service.store.shared import text
from service.visibility import EVERYONE, PUBLIC

HIDDEN = "hidden"
FLUSH_EVERY = 5.0
"""Seconds between two additions to the counts in Redis."""
STREAMS_KEPT = 20
"""Seconds for which a web process's number of open streams counts, unless it says so again."""
MOST_SORTED = 1000
"""Jobs of a queue that are told apart by who may know of them; those beyond count as hidden."""

BUCKETS_MS = (5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000)
"""Upper bounds of the histogram of the time from click to card."""

REQUESTS, ERRORS, ACCEPTED = "requests", "errors", "accepted"
RESOLVED, CARDS, CARDS_MS = "resolved", "cards", "cards_ms"
DELIVERED = "deliveries"
"""Counted by attempted.lua."""

Name = tuple[str, ...]
"""A count's name, then its labels; none holds a tab."""


def sees(record: Mapping[str, object]) -> str:
    """Return whom the figures of a roll may be shown to."""
    return EVERYONE if record["visibility"] == PUBLIC else HIDDEN


class Counting:
    """The counts of this process that are not in Redis yet."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[Name] = Counter()

    def count(self, *name: str, by: int = 1) -> None:
        """Add to a count."""
        with self._lock:
            self._counts[name] += by

    def resolved(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Count resolved rolls, and how long their cards took.

        A challenge waits for a person: its card's time is that of the answer.
        """
        with self._lock:
            for record in records:
                audience = sees(record)
                self._counts[RESOLVED, audience] += 1
                if record["challenged"] is None or record["answers"] is not None:
                    ms = max(0, record["resolved_at"] - record["created_at"])
                    self._counts[CARDS, audience, _bucket(ms)] += 1
                    self._counts[CARDS_MS, audience] += ms

    def flush(self, redis: Redis) -> None:
        """Add the counts to those in Redis; where it is away they are kept for the next time."""
        with self._lock:
            counts, self._counts = self._counts, Counter()
        if not counts:
            return
        try:
            with redis.pipeline() as together:
                for name, number in counts.items():
                    together.hincrby(keys.FIGURES, "\t".join(name), number)
                together.execute()
        except RedisError:
            with self._lock:
                self._counts.update(counts)
            raise


COUNTING = Counting()
"""This process's."""


def _bucket(ms: int) -> str:
    return next((str(bound) for bound in BUCKETS_MS if ms <= bound), "more")


@dataclass(frozen=True, slots=True)
class Figures:
    """What a monitor is told. `depth` is by queue and audience; `counts` by name and labels."""

    counts: Mapping[Name, int]
    depth: Mapping[tuple[str, str], int]
    streams: int
    pending: int
    stuck: int
    failed_jobs: Mapping[str, int]
    webhooks_due: int
    memory: int
    memory_limit: int


def say_streams(redis: Redis, process: str, streams: int) -> None:
    """Note how many streams a web process has open."""
    with redis.pipeline() as together:
        together.sadd(keys.WEB, process)
        together.set(keys.streams(process), streams, ex=STREAMS_KEPT)
        together.execute()


def read(redis: Redis, queues: Iterable[str], now: int) -> Figures:
    """Read the figures; `now` in ms."""
    queues = tuple(queues)
    with redis.pipeline(transaction=False) as together:
        together.hgetall(keys.FIGURES)
        together.smembers(keys.WEB)
        together.zcard(keys.PENDING)
        together.zcard(keys.STUCK)
        together.zcount(keys.DELIVERIES_DUE, "-inf", now)
        together.info("memory")
        for queue in queues:
            together.llen(f"rq:queue:{queue}")
            together.zcard(f"rq:failed:{queue}")
            together.lrange(f"rq:queue:{queue}", 0, MOST_SORTED - 1)
        counts, processes, pending, stuck, due, memory, *of_queues = together.execute()
    depth: dict[tuple[str, str], int] = {}
    for queue, length, jobs in zip(queues, of_queues[::3], of_queues[2::3], strict=True):
        open_to_all = _open_to_all(redis, queue, [text(job) for job in jobs])
        depth[queue, EVERYONE], depth[queue, HIDDEN] = open_to_all, length - open_to_all
    return Figures(
        counts={tuple(text(name).split("\t")): int(count) for name, count in counts.items()},
        depth=depth,
        streams=_streams(redis, sorted(map(text, processes))),
        pending=pending,
        stuck=stuck,
        failed_jobs=dict(zip(queues, of_queues[1::3], strict=True)),
        webhooks_due=due,
        memory=int(memory["used_memory"]),
        memory_limit=int(memory.get("maxmemory", 0)),
    )


def _open_to_all(redis: Redis, queue: str, jobs: list[str]) -> int:
    """Count the jobs that anybody may know of."""
    looks: dict[str, Callable[[Redis, list[str]], int]] = {ROLLS: _public_rolls, DELIVERIES: _open_deliveries}
    return looks[queue](redis, jobs) if queue in looks and jobs else len(jobs) if queue not in looks else 0


def _public_rolls(redis: Redis, rolls: list[str]) -> int:
    found = cast(list[bytes | None], redis.mget([keys.roll(roll) for roll in rolls]))
    return sum(1 for record in found if record and sees(orjson.loads(record)) == EVERYONE)


def _open_deliveries(redis: Redis, deliveries: list[str]) -> int:
    """Count those to webhooks that hear of no hidden roll."""
    with redis.pipeline(transaction=False) as together:
        for delivery in deliveries:
            together.hget(keys.webhook(keys.webhook_of(delivery)), "hidden")
        return sum(hidden == b"0" for hidden in together.execute())


def _streams(redis: Redis, processes: list[str]) -> int:
    if not processes:
        return 0
    found = cast(list[bytes | None], redis.mget([keys.streams(process) for process in processes]))
    gone = [process for process, streams in zip(processes, found, strict=True) if streams is None]
    if gone:
        redis.srem(keys.WEB, *gone)
    return sum(int(streams) for streams in found if streams)
