"""The worker: RQ's own SimpleWorker, on one queue, that outlives Redis and keeps its books by time.

Stock RQ 3.0 tells Redis at each job that it lives and what it does, and asks whether it is suspended; here
all of that happens once a second. `rq info`, `rq suspend`, `rq resume` and RQ's commands work as ever.
"""

import logging
import os
import signal
import time
from collections.abc import Callable
from datetime import datetime
from types import FrameType
from typing import Any

from redis import Redis
from redis.client import Pipeline, PubSub, PubSubWorkerThread
from redis.exceptions import RedisError
from rq import worker_registration
from rq.defaults import DEFAULT_LOGGING_DATE_FORMAT, DEFAULT_LOGGING_FORMAT
from rq.exceptions import DequeueTimeout, StopRequested
from rq.executions import Execution
from rq.job import Job
from rq.queue import Queue
from rq.serializers import JSONSerializer
from rq.utils import now
from rq.worker import DequeueStrategy, SimpleWorker, WorkerStatus

from service.settings import Settings
from service.store import Store, keys
from service.store.connection import connect
from service.store.jobs import QUEUE as ROLLS
from service.store.reports import QUEUE as REPORTS
from worker.pacing import LONGEST_PAUSE, Chore, Pause
from worker.rescue import RESCUE_EVERY, ReportRescue
from worker.sweep import SWEEP_EVERY, Sweeper

WORKER_TTL = 30
"""Seconds after which (and another 60) RQ forgets a worker that says nothing."""
TICK = 1.0
"""Seconds between two heartbeats; also how long an idle worker waits for a job before it looks around."""
ALIVE_MS = 5000
"""A worker that has said nothing for so long is taken for dead by the sweeper."""
CONNECTIONS = 3
"""One for commands, one for RQ's commands to the worker, one to spare."""

log = logging.getLogger(__name__)


class JobStopped(Exception):
    """The job was stopped by RQ's stop command."""


class TallybonesWorker(SimpleWorker):
    """An RQ worker on one queue, where a popped job cannot get lost (RQ moves it to an intermediate list)."""

    log_result_lifespan = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["serializer"] = kwargs.get("serializer") or JSONSerializer  # never RQ's own default, pickle
        kwargs.setdefault("worker_ttl", WORKER_TTL)
        kwargs.setdefault("log_job_description", False)
        self._chores: list[Chore] = []
        self._heartbeat_due = self._state_due = self._suspension_due = 0.0
        self._promised = 0
        self._dropped: list[Execution] = []
        super().__init__(*args, **kwargs)

    def every(self, seconds: float, chore: Callable[[], object]) -> None:
        """Do a chore at the start and then every so many seconds, between jobs."""
        self._chores.append(Chore(seconds, chore))

    @property
    def dequeue_timeout(self) -> int:
        """Short, so that a signal, a suspension or a chore waits no longer (RQ 3.0: worker_ttl - 15)."""
        return int(TICK)

    @property
    def connection_timeout(self) -> int:
        """Seconds for an answer, longer than a blocking pop (RQ 3.0: dequeue_timeout + 10)."""
        return self.dequeue_timeout + 4

    def work(
        self,
        burst: bool = False,
        logging_level: str | None = None,
        date_format: str = DEFAULT_LOGGING_DATE_FORMAT,
        log_format: str = DEFAULT_LOGGING_FORMAT,
        max_jobs: int | None = None,
        max_idle_time: int | None = None,
        with_scheduler: bool = False,
        dequeue_strategy: DequeueStrategy = DequeueStrategy.DEFAULT,
    ) -> bool:
        """Work until told to stop; return whether any job was done. Follows BaseWorker.work of RQ 3.0.

        RQ leaves when Redis does not answer, or on an error of its own; this one waits and goes on.
        """
        self._dequeue_strategy = dequeue_strategy
        self._install_signal_handlers()
        pause = Pause()
        done, born, idle_since = 0, False, time.monotonic()
        try:
            while not self._stop_requested:
                try:
                    if not born:
                        self.bootstrap(logging_level, date_format, log_format)
                        born = True
                        if with_scheduler:
                            self._start_scheduler(burst, logging_level, date_format, log_format)
                    worked = self._turn(burst)
                    pause.over()
                except StopRequested:
                    break
                except (RedisError, OSError) as error:
                    self._drop_job()
                    pause.wait(f"Redis does not answer ({error})")
                    continue
                except Exception:
                    self._drop_job()
                    log.exception("worker %s: an error between jobs", self.name)
                    time.sleep(LONGEST_PAUSE)
                    continue
                if worked:
                    done, idle_since = done + 1, time.monotonic()
                if (burst and not worked) or (max_jobs is not None and done >= max_jobs):
                    break
                if max_idle_time is not None and time.monotonic() - idle_since >= max_idle_time:
                    break
        finally:
            if born:
                self.teardown()
        return bool(done)

    def _turn(self, burst: bool) -> bool:
        """Look around, then do one job; return whether there was one within a tick."""
        self._disown_dropped()
        self.check_for_suspension(burst)
        if self.should_run_maintenance_tasks:
            self.run_maintenance_tasks()  # type: ignore[no-untyped-call]
        for chore in self._chores:
            chore.do_if_due()
        if self._stop_requested:
            return False
        found = self.dequeue_job_and_maintain_ttl(None if burst else self.dequeue_timeout)
        if found is None:
            self.heartbeat()
            return False
        self.execute_job(*found)
        self.heartbeat()
        return True

    def _drop_job(self) -> None:
        """Note that the job at hand slipped away, as where Redis left in the middle of it."""
        self._dropped += self.executions.values()
        self.executions.clear()
        self._state = WorkerStatus.IDLE

    def _disown_dropped(self) -> None:
        """Tell RQ that this worker no longer has those jobs, so that the sweeper sees that nobody has."""
        if not self._dropped:
            return
        with self.connection.pipeline() as together:
            for execution in self._dropped:
                execution.delete(execution.job, together)
            together.execute()
        self._dropped.clear()

    def dequeue_job_and_maintain_ttl(
        self, timeout: int | None, max_idle_time: int | None = None
    ) -> tuple[Job, Queue] | None:
        """Pop one job, None where none came in time (RQ 3.0 waits on in here, and quits on some errors)."""
        if self._state != WorkerStatus.IDLE:
            self.set_state(WorkerStatus.IDLE)
        try:
            found = self.queue_class.dequeue_any(
                self._ordered_queues,
                timeout,
                connection=self.connection,
                job_class=self.job_class,
                serializer=self.serializer,
                death_penalty_class=self.death_penalty_class,
            )
        except DequeueTimeout:
            return None
        if found is not None:
            found[0].redis_server_version = self.get_redis_server_version()  # type: ignore[no-untyped-call]
        return found

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
            self._beat(promised, together)
            new_field, *_ = together.execute()
            if new_field == 1 and self.birth_date is not None:  # the server forgot this worker meanwhile
                together.hset(self.key, mapping=self.serialize())
                worker_registration.register(self, together)
                together.execute()

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

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """Note that the worker should stop; it does after the job at hand, or within a tick.

        RQ 3.0 talks to Redis in here, or raises StopRequested wherever the worker is, also between popping a
        job and starting it.
        """
        self._shutdown_requested_date: datetime | None = now()
        signal.signal(signal.SIGINT, self.request_force_stop)
        signal.signal(signal.SIGTERM, self.request_force_stop)
        self._stop_requested = True

    def _install_signal_handlers(self) -> None:
        super()._install_signal_handlers()  # type: ignore[no-untyped-call]
        signal.signal(signal.SIGUSR1, self._interrupt_job)

    def kill_horse(self, sig: signal.Signals = signal.SIGUSR1) -> None:
        """Stop the job at hand; called by the thread that listens for commands (RQ 3.0: it runs on)."""
        os.kill(os.getpid(), signal.SIGUSR1)

    def _interrupt_job(self, signum: int, frame: FrameType | None) -> None:
        if any(execution.job_id == self._stopped_job_id for execution in self.executions.values()):
            raise JobStopped(self._stopped_job_id)

    def _pubsub_exception_handler(
        self, exc: Exception, pubsub: PubSub, pubsub_thread: PubSubWorkerThread
    ) -> None:
        """Listen for commands again after any trouble with Redis (RQ 3.0: after lost connections only)."""
        if not isinstance(exc, RedisError | OSError):
            raise exc
        time.sleep(LONGEST_PAUSE)

    def teardown(self) -> None:
        """Take leave; where Redis does not answer, RQ forgets the worker by itself."""
        log.info("worker %s: stopping", self.name)
        try:
            if self._stop_requested:
                self.set_shutdown_requested_date()  # type: ignore[no-untyped-call]
            super().teardown()  # type: ignore[no-untyped-call]
            self.connection.delete(keys.alive(self.name))
        except (RedisError, OSError) as error:
            log.warning("worker %s: left without taking leave (%s)", self.name, error)


def make_worker(queue: str, redis: Redis) -> TallybonesWorker:
    """Return the worker of a queue; that of the rolls also sweeps."""
    worker = TallybonesWorker([queue], connection=redis)
    if queue == ROLLS:
        sweeper = Sweeper(Store(redis), worker.queues[0])
        worker.every(SWEEP_EVERY, sweeper.sweep)
    if queue == REPORTS:
        rescue = ReportRescue(Store(redis), worker.queues[0])
        worker.every(RESCUE_EVERY, rescue.look)
    return worker


def run(queue: str) -> None:
    """Work off one queue until SIGTERM or SIGINT; waits for a Redis that is not there yet."""
    settings = Settings.from_env()
    level = settings.log_level.upper()
    logging.basicConfig(level=level, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    redis = connect(settings, CONNECTIONS)
    pause = Pause()
    while True:
        try:
            worker = make_worker(queue, redis)
            break
        except (RedisError, OSError) as error:
            pause.wait(f"Redis does not answer ({error})")
    worker.work(logging_level="DEBUG" if level == "DEBUG" else "WARNING")
