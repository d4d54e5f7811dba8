"""The worker of the rolls: one at a time while little is asked, in turns of up to 32 under load.

A job on its own makes three round trips: the pop, the start, and the end, which starts the next ones if there
are any. So in a turn each job costs a fraction of one. RQ's books say of each job of a turn what they say of
one on its own, and each may fail, time out or be stopped on its own. Any job that is not exactly what this
service queues for a roll (RQ's retries, callbacks, dependents and so on) goes RQ's own way, on its own.
"""

import logging
import sys
import time
from typing import Any

from redis.exceptions import RedisError
from rq.exceptions import DequeueTimeout, NoSuchJobError
from rq.executions import Execution
from rq.job import Job
from rq.timeouts import JobTimeoutException
from rq.worker import WorkerStatus

from service.store import Store
from service.store.jobs import TIMEOUT
from service.store.shared import text
from service.store.turns import Ended, OtherJob, StartedRoll, Turn, Turns
from worker.one_queue import TallybonesWorker
from worker.resolve import resolve_pending, tell_of

MOST_JOBS = 32
"""Jobs of one turn: more would gain little, and the first of them wait for the last."""
LONGEST_TURN = 0.1
"""Seconds after which a turn commits what it has resolved and goes on with the rest."""

log = logging.getLogger(__name__)


class RollsWorker(TallybonesWorker):
    """A worker of the queue of the rolls."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._store = Store(self.connection)
        self._turns = Turns(self.connection, self._store.scripts, self._store.clock, self.name)

    def _work_off(self, burst: bool, most: int | None) -> int:
        """Do jobs, in turns, as long as there are any and nothing else is due."""
        first = self._pop(burst)
        if first is None:
            return 0
        left = sys.maxsize if most is None else most
        turn, done = self._turns.start(first), 0
        while turn.started:
            self._state = WorkerStatus.BUSY
            done += len(turn.started)
            turn = self._do(turn, left - done)
        if turn.other is not None:
            self._do_other(turn.other)
            done += 1
        self._state = WorkerStatus.IDLE
        return max(done, 1)  # a job that was gone is work as well: in a burst, there may be more

    def _pop(self, burst: bool) -> str | None:
        """Pop a job into the intermediate list, as Queue.dequeue_any of RQ 3.0 does."""
        if self._state != WorkerStatus.IDLE:
            self.set_state(WorkerStatus.IDLE)
        try:
            found = self.queue_class.lmove(
                self.connection, self.queues[0].key, None if burst else self.dequeue_timeout
            )
        except DequeueTimeout:
            return None
        return None if found is None else text(found[1])

    def _do(self, turn: Turn, left: int) -> Turn:
        """Do the jobs of a turn; return the next one, empty where there is something else to do first."""
        ended, failed, began = Ended(), list[tuple[StartedRoll, Exception]](), time.monotonic()
        for job in turn.started:
            if ended.jobs and time.monotonic() - began > LONGEST_TURN:
                ended, began = self._end_some(ended, began), time.monotonic()
            try:
                self._resolve(job, ended)
                ended.jobs.append(job)
            except RedisError:
                raise
            except Exception as error:  # noqa: BLE001  whatever it is, it is this job's and goes to RQ's failed ones
                failed.append((job, error))
        ended.seconds = time.monotonic() - began
        room = 0 if failed or turn.other or self._time_to_look else min(MOST_JOBS, left)
        following = self._turns.end(ended, room) if ended.jobs else Turn([], None, frozenset())
        _tell(ended)
        self._end_kept(ended, following.kept)
        for job, why in failed:
            self._fail(job, why)
        return Turn(following.started, following.other or turn.other, frozenset())

    def _end_some(self, ended: Ended, began: float) -> Ended:
        ended.seconds = time.monotonic() - began
        kept = self._turns.end(ended, 0).kept
        _tell(ended)
        self._end_kept(ended, kept)
        return Ended()

    def _resolve(self, job: StartedRoll, ended: Ended) -> None:
        """Resolve one roll of a turn, under RQ's timeout and where RQ's stop command reaches it."""
        pending = job.pending
        if pending is None:
            return
        execution = self._execution_of(job)
        self.executions[execution.id] = execution
        try:
            with self.death_penalty_class(TIMEOUT, JobTimeoutException, job_id=job.job):
                records = resolve_pending(pending, self._store.clock())
                if records is None:
                    self._store.rolls.put_awaiting(pending.campaign, pending.record)
                else:
                    ended.commits.append((pending.campaign, records))
        finally:
            self.executions.pop(execution.id, None)

    def _end_kept(self, ended: Ended, kept: frozenset[str]) -> None:
        """Let RQ end jobs that others have come to depend on."""
        for job in ended.jobs:
            if job.job in kept:
                found, execution = self._taken_up(job)
                found.ended_at = found.started_at
                self.handle_job_success(found, self.queues[0], self.queues[0].started_job_registry, execution)

    def _fail(self, job: StartedRoll, error: Exception) -> None:
        """Let RQ put a job among the failed ones."""
        try:
            found, execution = self._taken_up(job)
        except NoSuchJobError:
            log.error("roll %s failed, and its job is gone", job.job, exc_info=error)
            self._drop_jobs()
            return
        self._finalize_failure(found, self.queues[0], execution, (type(error), error, error.__traceback__))

    def _taken_up(self, job: StartedRoll) -> tuple[Job, Execution]:
        found = self.job_class.fetch(job.job, self.connection, self.serializer)
        execution = self._execution_of(job)
        self.executions[execution.id] = execution
        return found, execution

    def _execution_of(self, job: StartedRoll) -> Execution:
        return Execution(job.execution, job.job, self.connection, self.name)

    def _do_other(self, other: OtherJob) -> None:
        """Do a job as RQ does; it lies in the intermediate list as RQ's own pop leaves it."""
        job = self.job_class(other.id, self.connection, self.serializer)
        job.restore(other.fields)
        job.redis_server_version = self.get_redis_server_version()  # type: ignore[no-untyped-call]
        self.execute_job(job, self.queues[0])


def _tell(ended: Ended) -> None:
    """Count and log what a turn has committed."""
    tell_of([record for _, records in ended.commits for record in records])
