"""RQ's books of a worker, kept by time.

Stock RQ 3.0 tells Redis at each job that the worker lives and what it does, and asks whether it is suspended;
here all of that happens once a second. `rq info`, `rq suspend` and `rq resume` work as ever.
"""

import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from redis.client import Pipeline
from rq import worker_registration
from rq.job import Job
from rq.queue import Queue
from rq.worker import SimpleWorker, WorkerStatus

from service.store import keys

TICK = 1.0
"""Seconds between two heartbeats; also how long an idle worker waits for a job before it looks around."""
ALIVE_MS = 5000
"""A worker that has said nothing for so long is taken for dead by the sweeper."""


_BEAT: ContextVar[Callable[[], object]] = ContextVar("_BEAT", default=lambda: None)


def say_alive() -> None:
    """Say that the worker lives whose job this is, if it is one's; for jobs that may take long."""
    _BEAT.get()()


class BooksByTime(SimpleWorker):
    """A worker that writes its heartbeat and state, and looks for a suspension, once a tick."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._heartbeat_due = self._state_due = self._suspension_due = 0.0
        self._promised = 0
        super().__init__(*args, **kwargs)

    @property
    def books_are_due(self) -> bool:
        """Whether it is time for a heartbeat, or for a look whether work is suspended."""
        return time.monotonic() >= min(self._heartbeat_due, self._suspension_due)

    def heartbeat(self, timeout: int | None = None, pipeline: Pipeline | None = None) -> None:
        """Say that the worker lives, once a tick or when a longer time is promised.

        Follows BaseWorker.heartbeat of RQ 3.0; adds the state, and the sign that the sweeper goes by.
        """
        promised = timeout or self.worker_ttl + 60
        if time.monotonic() < self._heartbeat_due and promised <= self._promised:
            return
        self._heartbeat_due, self._promised = time.monotonic() + TICK, promised
        if pipeline is not None:
            self._beat(promised, pipeline)
            return
        with self.connection.pipeline() as together:
            # RQ 3.0 goes by whether the heartbeat is a new field; one within a pipeline may have been before.
            together.hexists(self.key, "birth")
            self._beat(promised, together)
            known, *_ = together.execute()
            if not known and self.birth_date is not None:  # the server forgot this worker meanwhile
                together.hset(self.key, mapping=self.serialize())
                worker_registration.register(self, together)
                together.execute()

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Do a job, which can `say_alive` (SimpleWorker.execute_job of RQ 3.0: silent until its end)."""
        before = _BEAT.set(lambda: self.heartbeat(self.get_heartbeat_ttl(job)))
        try:
            super().execute_job(job, queue)
        finally:
            _BEAT.reset(before)

    def _beat(self, promised: int, together: Pipeline) -> None:
        super().heartbeat(promised, together)
        together.hset(self.key, "state", self._state)
        together.set(keys.alive(self.name), 1, px=ALIVE_MS)

    def set_state(self, state: str, pipeline: Pipeline | None = None) -> None:
        """Note the state; busy and idle are written once a tick (RQ 3.0: at each job's start and end)."""
        by_and_by = state in (WorkerStatus.BUSY, WorkerStatus.IDLE) and time.monotonic() < self._state_due
        if by_and_by:
            self._state = state
            return
        self._state_due = time.monotonic() + TICK
        super().set_state(state, pipeline)

    def check_for_suspension(self, burst: bool) -> None:
        """Wait while `rq suspend` holds, looking once a tick (RQ 3.0: before each job)."""
        if time.monotonic() < self._suspension_due:
            return
        self.heartbeat()
        super().check_for_suspension(burst)
        self._suspension_due = time.monotonic() + TICK
