"""The sweeper: what was accepted and not resolved, and is in nobody's hands, is queued again.

A worker that is killed leaves its job in RQ's intermediate list (popped, not started) or in RQ's registry of
started jobs. RQ cleans up after minutes, and then fails the job; a table wants its card within seconds.
"""

import logging
from collections.abc import Iterable
from typing import Literal, cast

from redis import Redis
from rq.executions import Execution
from rq.job import Job, JobStatus
from rq.job_lifecycle import record_job_failure
from rq.queue import Queue
from rq.serializers import JSONSerializer

from service.store import Store, keys
from service.store.jobs import FUNCTION, JobTemplate, calls, roll_job
from service.store.shared import text

SWEEP_EVERY = 2.0
"""Seconds between two sweeps."""
LOCK_MS = 1500
"""At most one sweep in this time, whatever the number of workers."""
MOST_TRIES = 5
"""How often a roll's job is queued again before it is given up."""
LEFT_ALONE_MS = 10 * 60 * 1000
"""How long a roll that was given up is left alone: it may kill each worker that tries it."""
TRIES_TTL = 24 * 60 * 60
MOST_AT_ONCE = 1000

Attempts = dict[str, dict[str, bool]]
"""Job → execution → whether its worker lives."""

log = logging.getLogger(__name__)


class Sweeper:
    """Sweeps up after workers that died, and ends sessions that nobody ended."""

    def __init__(self, store: Store, queue: Queue) -> None:
        self._store, self._queue = store, queue
        self._redis: Redis = store.redis
        self._job = JobTemplate(store.redis)
        self._at_start = True

    def sweep(self) -> list[str]:
        """Queue again what got lost, end idle sessions; return the rolls whose jobs were queued again.

        A job that two sweeps in a row did not find is taken for lost: one that was popped only just now is in
        nobody's books yet. No clock is asked, as those of two machines may differ. Rolls that were given up
        get one more chance at a worker's start, some time after the last one, when all others had theirs.
        """
        retried = self._retry_stuck() if self._at_start else []
        self._at_start = False
        if not self._redis.set(keys.SWEEPING, 1, nx=True, px=LOCK_MS):
            return retried
        self._store.sessions.end_idle()
        attempts = self._attempts()
        missing = self._missing(attempts)
        self._tidy(attempts, missing)
        before = {text(roll) for roll in self._redis.smembers(keys.SUSPECTS)}
        with self._redis.pipeline() as together:
            together.delete(keys.SUSPECTS)
            if missing:
                together.sadd(keys.SUSPECTS, *missing)
                together.pexpire(keys.SUSPECTS, 3 * int(SWEEP_EVERY * 1000))
            together.execute()
        return retried + [
            roll for roll, dead in missing.items() if roll in before and self._try_again(roll, dead)
        ]

    def _missing(self, attempts: Attempts) -> dict[str, list[str]]:
        """Return the rolls whose job is neither queued nor in a living worker's hands.

        With each come the executions that dead workers left of it.
        """
        pending = self._redis.zrange(keys.PENDING, 0, MOST_AT_ONCE - 1)
        if not pending:
            return {}
        queued = {text(job) for job in self._redis.lrange(self._queue.key, 0, -1)}
        return {
            roll: list(attempts.get(roll, ()))
            for roll in map(text, pending)
            if roll not in queued and not any(attempts.get(roll, {}).values())
        }

    def _tidy(self, attempts: Attempts, missing: Iterable[str]) -> None:
        """Clear away what is left of rolls' jobs whose worker died between the commit and telling RQ.

        Any other job is RQ's to try again or to fail, when the time that it was given is over.
        """
        left = [job for job in attempts.keys() - set(missing) if not any(attempts[job].values())]
        for roll, job in zip(left, Job.fetch_many(left, self._redis, JSONSerializer), strict=True):
            if job is None or calls(job, FUNCTION):
                names = [keys.PENDING, keys.STUCK, Job.key_for(roll)]
                self._store.scripts.run("tidy", names, [roll, self._queue.name, *attempts[roll]])

    def _attempts(self) -> Attempts:
        """Return, of each job that RQ has as started, its executions and whether their workers live."""
        started = self._redis.zrange(self._queue.started_job_registry.key, 0, -1)
        found = [Execution.from_composite_key(text(key), self._redis) for key in started]
        with self._redis.pipeline(transaction=False) as together:
            for execution in found:
                together.hget(execution.key, "worker_name")
            workers = [text(name) if name else "" for name in together.execute()]
            for worker in workers:
                together.exists(keys.alive(worker))
            alive = map(bool, together.execute())
        attempts: Attempts = {}
        for execution, lives in zip(found, alive, strict=True):
            attempts.setdefault(execution.job_id, {})[execution.id] = lives
        return attempts

    def _try_again(self, roll: str, dead: list[str]) -> bool:
        with self._redis.pipeline() as together:
            together.incr(keys.tries(roll))
            together.expire(keys.tries(roll), TRIES_TTL)
            tries = int(together.execute()[0])
        if tries > MOST_TRIES:
            self._give_up(roll)
            return False
        log.warning("roll %s: its job was lost, queued again (%d of %d)", roll, tries, MOST_TRIES)
        return self._requeue(roll, dead, "first")

    def _requeue(self, roll: str, dead: list[str], place: Literal["first", "last"]) -> bool:
        names = [keys.roll(roll), self._queue.key]
        args = [roll, self._job.filled_in(), self._store.clock(), place, *dead]
        return bool(self._store.scripts.run("requeue", names, args))

    def _give_up(self, roll: str) -> None:
        """Leave the roll's job in RQ's registry of failed jobs, with the error that it failed with if any."""
        job = self._queue.fetch_job(roll) or roll_job(roll, self._redis)
        with self._redis.pipeline() as together:
            if job.get_status(refresh=False) != JobStatus.FAILED:
                job.save(pipeline=together)
                record_job_failure(job, f"no worker survived this roll in {MOST_TRIES + 1} tries", together)
            together.zrem(keys.PENDING, roll)
            together.zadd(keys.STUCK, {roll: self._store.clock()})
            together.execute()
        log.error(
            "roll %s: not resolved in %d tries, given up; restart a rolls worker in %d minutes to try again",
            *(roll, MOST_TRIES + 1, LEFT_ALONE_MS // 60_000),
        )

    def _retry_stuck(self) -> list[str]:
        """Queue rolls that were given up once more; return them.

        One may kill this worker too: the one that follows at once then leaves it alone, and rolls that wait
        come first. The last try may have been by another machine's clock, which is ahead.
        """
        stuck = cast(list[tuple[bytes, float]], self._redis.zrange(keys.STUCK, 0, -1, withscores=True))
        now = self._store.clock()
        due = [text(roll) for roll, last_try in stuck if abs(now - last_try) >= LEFT_ALONE_MS]
        for roll in due:
            log.warning("roll %s: was given up, gets another try", roll)
        return [roll for roll in due if self._requeue(roll, [], "last")]
