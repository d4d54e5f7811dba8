"""What a queue costs: drain, delay, round trips and commands."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import orjson
from redis import Redis
from redis.exceptions import RedisError

from service.store import keys
from tests.load.contenders import CONTENDERS, Enqueue, installed
from tests.load.ground import Table, cpu_of, median, percentile, process, server, server_cpu, wait_for

WARM_UP = 50
"""Rolls before the clock starts: imports and caches are behind the worker then."""


class Published:
    """Listens to what is published, and tells when each roll was."""

    def __init__(self, url: str) -> None:
        self._redis = Redis.from_url(url)
        self._subscription = self._redis.pubsub(ignore_subscribe_messages=True)
        self._subscription.subscribe(keys.LIVE)
        self._seen: dict[str, float] = {}
        self._changed = threading.Condition()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                message = self._subscription.get_message(timeout=1)
            except (RedisError, OSError, ValueError):
                return  # the server was stopped: the measure is over
            if message is None or message["type"] != "message":
                continue
            now = time.perf_counter()
            roll = orjson.loads(message["data"])["record"]["id"]
            with self._changed:
                self._seen[roll] = now
                self._changed.notify_all()

    def when(self, roll: str) -> float:
        """Wait for a roll; return when it came."""
        with self._changed:
            if not self._changed.wait_for(lambda: roll in self._seen, 10):
                raise TimeoutError(f"{roll} was not published")
            return self._seen[roll]


class Contender:
    """One contender at work on a server of its own: its worker, a table, and how a roll is queued for it."""

    def __init__(self, url: str, redis: Redis, enqueue: Enqueue, worker: int) -> None:
        self._redis, self._enqueue, self._worker = redis, enqueue, worker
        self._table, self._told = Table(redis), Published(url)

    def alone(self, rolls: int) -> dict[str, float]:
        """Return what a roll costs that finds the worker idle: seconds until published, trips, commands."""
        accepted = self._table.accept_unqueued(WARM_UP + rolls)
        for roll in accepted[:WARM_UP]:
            self._enqueue(roll)
            self._told.when(roll)
        before, delays = _spent(self._redis), []
        for roll in accepted[WARM_UP:]:
            began = time.perf_counter()
            self._enqueue(roll)
            delays.append(self._told.when(roll) - began)
            time.sleep(0.001)  # let the worker close its books
        after = _spent(self._redis)
        self._hold(signal.SIGSTOP)
        enqueuing = _cost_of_enqueuing(self._redis, self._enqueue, accepted[-1])
        self._hold(signal.SIGCONT)
        return {
            "p50": median(delays),
            "p99": percentile(delays, 0.99),
            "trips": (after[0] - before[0] - 1) / rolls - enqueuing[0],
            "commands": (after[1] - before[1] - 1) / rolls - enqueuing[1],
        }

    def drain(self, rolls: int) -> dict[str, float]:
        """Return how many rolls a second the worker takes out of a full queue.

        With it come the processor seconds a roll of worker and server: a busy machine changes them less.
        """
        self._hold(signal.SIGSTOP)  # first, or it takes rolls while they are being accepted
        accepted = self._table.accept_unqueued(rolls)
        for roll in accepted:
            self._enqueue(roll)
        used, served = cpu_of(self._worker), server_cpu(self._redis)
        began = time.perf_counter()
        self._hold(signal.SIGCONT)
        wait_for(lambda: self._redis.zcard(keys.PENDING) == 0, 120, 0.005)
        return {
            "drain": rolls / (time.perf_counter() - began),
            "worker cpu": (cpu_of(self._worker) - used) / rolls,
            "server cpu": (server_cpu(self._redis) - served) / rolls,
        }

    def _hold(self, sign: signal.Signals) -> None:
        os.kill(self._worker, sign)


@contextmanager
def contender(name: str) -> Iterator[Contender]:
    """Let one contender work."""
    with server() as url, Redis.from_url(url) as redis:
        os.environ["REDIS_URL"] = url
        enqueue = CONTENDERS[name][0](redis)
        with process(["-m", "tests.load.work", name], REDIS_URL=url) as worker:
            yield Contender(url, redis, enqueue, worker.pid)


def _spent(redis: Redis) -> tuple[int, int]:
    stats: Any = redis.info("stats")
    return stats["total_reads_processed"], stats["total_commands_processed"]


def _cost_of_enqueuing(redis: Redis, enqueue: Enqueue, roll: str) -> tuple[float, float]:
    enqueue(roll)
    before = _spent(redis)
    for _ in range(10):
        enqueue(roll)
    after = _spent(redis)
    return (after[0] - before[0] - 1) / 10, (after[1] - before[1] - 1) / 10


def measure(rounds: int, rolls: int, single: int) -> dict[str, dict[str, float]]:
    """Return the medians of every contender, their rounds interleaved."""
    found: dict[str, dict[str, list[float]]] = {name: {} for name in installed()}
    for _ in range(rounds):
        for name, figures in found.items():
            with contender(name) as at_work:
                for figure, value in (at_work.alone(single) | at_work.drain(rolls)).items():
                    figures.setdefault(figure, []).append(value)
    return {
        name: {figure: median(values) for figure, values in figures.items()}
        for name, figures in found.items()
    }
