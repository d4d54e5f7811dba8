"""Tallybones' worker: RQ's own SimpleWorker, on one queue, that outlives Redis."""

import contextlib
import logging
import time
from collections.abc import Callable
from typing import Any

from redis.client import Pipeline, PubSub, PubSubWorkerThread
from redis.exceptions import RedisError
from rq.defaults import DEFAULT_LOGGING_DATE_FORMAT, DEFAULT_LOGGING_FORMAT
from rq.exceptions import DequeueTimeout, StopRequested
from rq.executions import Execution
from rq.job import Job
from rq.queue import Queue
from rq.serializers import JSONSerializer
from rq.worker import DequeueStrategy, WorkerStatus

from service.store import keys
from service.store.jobs import DELIVER, FAILURE_TTL, FUNCTION, MAKE_REPORT, calls
from service.store.shared import text
from worker.books import TICK
from worker.pacing import LONGEST_PAUSE, Chore, Pause
from worker.stopping import Stoppable

WORKER_TTL = 30
"""Seconds after which (and another 60) RQ forgets a worker that says nothing."""
OWN_JOBS = (FUNCTION, DELIVER, MAKE_REPORT)
"""What this service's jobs call; it finds by itself those that nobody has."""

log = logging.getLogger(__name__)


class TallybonesWorker(Stoppable):
    """An RQ worker on one queue, where a popped job cannot get lost (RQ moves it to an intermediate list)."""

    log_result_lifespan = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["serializer"] = kwargs.get("serializer") or JSONSerializer  # never RQ's own default, pickle
        kwargs.setdefault("worker_ttl", WORKER_TTL)
        kwargs.setdefault("log_job_description", False)
        self._chores: list[Chore] = []
        self._farewells: list[Callable[[], object]] = []
        self._dropped = False
        super().__init__(*args, **kwargs)

    def every(self, seconds: float, chore: Callable[[], object]) -> None:
        """Do a chore at the start and then every so many seconds, between jobs."""
        self._chores.append(Chore(seconds, chore))

    def at_end(self, farewell: Callable[[], object]) -> None:
        """Do this when the worker leaves, after its last job."""
        self._farewells.append(farewell)

    @property
    def dequeue_timeout(self) -> int:
        """Short, so that a signal, a suspension or a chore waits no longer (RQ 3.0: worker_ttl - 15)."""
        return int(TICK)

    @property
    def connection_timeout(self) -> int:
        """Seconds for an answer, longer than a blocking pop (RQ 3.0: dequeue_timeout + 10)."""
        return self.dequeue_timeout + 4

    def register_birth(self) -> None:
        """Register, though an attempt before got half way.

        BaseWorker.register_birth of RQ 3.0 takes that for another worker, until its key expires.
        """
        if self.birth_date is not None:
            self.connection.delete(self.key)
        super().register_birth()  # type: ignore[no-untyped-call]

    def subscribe(self) -> None:
        """Listen for commands, once though an attempt before did (BaseWorker.subscribe of RQ 3.0: twice)."""
        if self.pubsub_thread is not None:
            with contextlib.suppress(RedisError, OSError):
                self.unsubscribe()
            self.pubsub_thread.stop()  # also where Redis did not hear of it
        super().subscribe()  # type: ignore[no-untyped-call]

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
                    worked = self._look_and_work(burst, None if max_jobs is None else max_jobs - done)
                    pause.over()
                except StopRequested:
                    break
                except (RedisError, OSError) as error:
                    self._drop_jobs()
                    pause.wait(f"Redis does not answer ({error})")
                    continue
                except Exception:
                    self._drop_jobs()
                    log.exception("worker %s: an error between jobs", self.name)
                    time.sleep(LONGEST_PAUSE)
                    continue
                if worked:
                    done, idle_since = done + worked, time.monotonic()
                if (burst and not worked) or (max_jobs is not None and done >= max_jobs):
                    break
                if max_idle_time is not None and time.monotonic() - idle_since >= max_idle_time:
                    break
        finally:
            if born:
                self.teardown()
        return bool(done)

    def _look_and_work(self, burst: bool, most: int | None) -> int:
        """Look around, then work; return how many jobs were done, 0 where none came within a tick."""
        self._disown_dropped()
        self.check_for_suspension(burst)
        if self.should_run_maintenance_tasks:
            self.run_maintenance_tasks()  # type: ignore[no-untyped-call]
        for chore in self._chores:
            chore.do_if_due()
        done = 0 if self._stop_requested else self._work_off(burst, most)
        self.heartbeat()
        return done

    def _work_off(self, burst: bool, most: int | None) -> int:
        """Do one job, or a few but at most `most`; return how many, 0 where none came within a tick."""
        found = self.dequeue_job_and_maintain_ttl(None if burst else self.dequeue_timeout)
        if found is None:
            return 0
        self.execute_job(*found)
        return 1

    @property
    def _time_to_look(self) -> bool:
        """Whether something is due that is done between jobs, or the worker is to stop."""
        return (
            self._stop_requested
            or self.books_are_due
            or self.should_run_maintenance_tasks
            or any(chore.is_due for chore in self._chores)
        )

    def _drop_jobs(self) -> None:
        """Note that the jobs at hand slipped away, as where Redis left in the middle of them."""
        self._dropped = True
        self.executions.clear()
        self._state = WorkerStatus.IDLE

    def _disown_dropped(self) -> None:
        if self._dropped:
            self.disown_jobs()
            self._dropped = False

    def disown_jobs(self) -> None:
        """Tell RQ that this worker, between jobs, has none: the sweeper sees then that nobody has them.

        What Redis knows counts: the start of a job may never have been heard of here, or have reached Redis
        long after it was given up.
        """
        members = map(text, self.connection.smembers(self.executions_key))
        executions = [Execution.from_composite_key(member, self.connection) for member in members]
        names = [execution.job_id for execution in executions]
        jobs = self.job_class.fetch_many(names, self.connection, self.serializer)
        with self.connection.pipeline() as together:
            for execution, job in zip(executions, jobs, strict=True):
                execution.worker_name = self.name
                self._disown(execution, job, together)
            together.execute()

    def _disown(self, execution: Execution, job: Job | None, together: Pipeline) -> None:
        if job is not None and not calls(job, *OWN_JOBS):
            # Still in RQ's books as started: RQ tries it again, or fails it, when its time is over.
            together.srem(execution.worker_executions_key, execution.composite_key)
            return
        left = job or self.job_class(execution.job_id, self.connection, self.serializer)
        left.origin = self.queues[0].name
        execution.delete(left, together)
        together.expire(left.key, FAILURE_TTL)  # for where nobody needs to take it up again

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
        for farewell in self._farewells:
            farewell()
        try:
            if self._stop_requested:
                self.set_shutdown_requested_date()  # type: ignore[no-untyped-call]
            super().teardown()  # type: ignore[no-untyped-call]
            self.connection.delete(keys.alive(self.name))
        except (RedisError, OSError) as error:
            log.warning("worker %s: left without taking leave (%s)", self.name, error)
