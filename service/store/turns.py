"""Turns of the rolls worker: ending the jobs of one and starting those of the next, in one trip.

What is written is what RQ 3.0 writes of a started job (prepare_execution, prepare_job_execution) and of one
that succeeded and keeps no result (handle_job_success), at once for all jobs of a turn.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import orjson
from redis import Redis
from rq.executions import WORKER_EXECUTIONS_KEY_TEMPLATE
from rq.intermediate_queue import IntermediateQueue
from rq.queue import Queue
from rq.utils import now, utcformat
from rq.worker import BaseWorker

from service.records import RollRecord
from service.store.committing import commit_request
from service.store.jobs import QUEUE, TIMEOUT
from service.store.lua import Scripts
from service.store.pending import Pending, pending_roll
from service.store.shared import Clock, text

EXECUTION_TTL = TIMEOUT + 60
"""Seconds, as SimpleWorker.get_heartbeat_ttl of RQ 3.0 has it."""


@dataclass(frozen=True, slots=True)
class StartedRoll:
    """A roll's job that was started; `pending` is None where there is nothing (more) to do."""

    job: str
    execution: str
    pending: Pending | None


@dataclass(frozen=True, slots=True)
class OtherJob:
    """A job that was popped and is no plain roll's: its id and what RQ keeps of it."""

    id: str
    fields: dict[bytes, bytes]


@dataclass(slots=True)
class Ended:
    """What a turn has done: jobs that succeeded, what they resolved, and for how many seconds they worked."""

    jobs: list[StartedRoll] = field(default_factory=list)
    commits: list[tuple[str, list[RollRecord]]] = field(default_factory=list)
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Turn:
    """The jobs of the next turn; `kept` are those of the last that RQ must end, as others depend on them."""

    started: Sequence[StartedRoll]
    other: OtherJob | None
    kept: frozenset[str]


class Turns:
    """The turns of one worker on the queue of the rolls."""

    def __init__(self, redis: Redis, scripts: Scripts, clock: Clock, worker: str) -> None:
        self._scripts, self._clock, self._worker = scripts, clock, worker
        queue = Queue(QUEUE, connection=redis)
        self._keys = (
            queue.key,
            IntermediateQueue.get_intermediate_queue_key(queue.key),
            queue.started_job_registry.key,
            BaseWorker.redis_worker_namespace_prefix + worker,
            WORKER_EXECUTIONS_KEY_TEMPLATE.format(worker),
        )
        self._new_turn: Callable[[], str] = lambda: uuid4().hex[:30]

    def start(self, job: str) -> Turn:
        """Start a job that was popped into the queue's intermediate list."""
        return self._take(Ended(), first=job, most=1)

    def end(self, done: Ended, most: int) -> Turn:
        """Commit and end what a turn has done, and start up to `most` jobs of the queue.

        Asked twice (the answer got lost) it changes nothing more, and answers the same jobs again.
        """
        return self._take(done, first="", most=most)

    def _take(self, done: Ended, first: str, most: int) -> Turn:
        time = self._clock()
        records = [record for _, several in done.commits for record in several]
        ask = {
            "turn": self._new_turn(),
            "worker": self._worker,
            "first": first,
            "most": most,
            "now": time,
            "time": utcformat(now()),
            "ttl": EXECUTION_TTL,
            "ended": [(each.job, each.execution) for each in done.jobs],
            "seconds": done.seconds,
            "commits": [commit_request(campaign, several, time) for campaign, several in done.commits],
        }
        started, other, kept = self._scripts.run("turn", self._keys, [ask, *map(orjson.dumps, records)])
        return Turn(
            [_started(*found) for found in started],
            OtherJob(text(other[0]), _pairs(other[1])) if other else None,
            frozenset(map(text, kept)),
        )


def _started(
    job: bytes,
    execution: bytes,
    record: bytes,
    campaign: bytes,
    seed: bytes,
    hidden_seed: bytes,
    other: bytes,
) -> StartedRoll:
    pending = pending_roll(record, campaign, seed, hidden_seed, other)
    return StartedRoll(text(job), text(execution), pending)


def _pairs(flat: Sequence[Any]) -> dict[bytes, bytes]:
    return dict(zip(flat[::2], flat[1::2], strict=True))
