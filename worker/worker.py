"""The workers, one a queue, and how one is started."""

import contextlib
import gc
import logging

from redis import Redis
from redis.exceptions import RedisError

from service import logs
from service.settings import Settings
from service.store import Store
from service.store.connection import connect
from service.store.figures import COUNTING, FLUSH_EVERY
from service.store.jobs import DELIVERIES, REPORTS
from service.store.jobs import QUEUE as ROLLS
from worker.housekeeping import KEEP_HOUSE_EVERY, Housekeeping
from worker.one_queue import TallybonesWorker
from worker.pacing import Pause
from worker.rescue import RESCUE_EVERY, ReportRescue
from worker.sweep import SWEEP_EVERY, Sweeper
from worker.turns import RollsWorker

__all__ = ["TallybonesWorker", "make_worker", "run"]

CONNECTIONS = 3
"""One for commands, one for RQ's commands to the worker, one to spare."""

log = logging.getLogger(__name__)


def make_worker(queue: str, redis: Redis) -> TallybonesWorker:
    """Return the worker of a queue; that of the rolls also sweeps, that of the deliveries has lanes,
    that of the reports looks after those whose worker died.
    """
    worker = _rolls_worker(redis) if queue == ROLLS else TallybonesWorker([queue], connection=redis)
    worker.every(FLUSH_EVERY, lambda: COUNTING.flush(redis))
    worker.at_end(lambda: _say_last_figures(redis))
    if queue == REPORTS:
        rescue = ReportRescue(Store(redis), worker.queues[0])
        worker.every(RESCUE_EVERY, rescue.look)
        worker.every(KEEP_HOUSE_EVERY, Housekeeping(Store(redis), worker.heartbeat).look)
    if queue == DELIVERIES:
        # Here, as the other workers need none of what posts.
        from worker.webhooks.lanes import LOOK_EVERY, lanes_on

        lanes = lanes_on(worker.connection)
        worker.every(LOOK_EVERY, lanes.look)
        worker.at_end(lanes.stop)
    return worker


def _say_last_figures(redis: Redis) -> None:
    with contextlib.suppress(RedisError):  # they are worth no delay of the worker's leave
        COUNTING.flush(redis)


def _rolls_worker(redis: Redis) -> RollsWorker:
    worker = RollsWorker([ROLLS], connection=redis)
    worker.every(SWEEP_EVERY, worker.disown_jobs)  # before the sweep, which may then find them
    worker.every(SWEEP_EVERY, Sweeper(Store(redis), worker.queues[0]).sweep)
    return worker


def run(queue: str) -> None:
    """Work off one queue until SIGTERM or SIGINT; waits for a Redis that is not there yet."""
    settings = Settings.from_env()
    logs.set_up(settings)
    redis = connect(settings, CONNECTIONS)
    pause = Pause()
    while True:
        try:
            worker = make_worker(queue, redis)
            break
        except (RedisError, OSError) as error:
            pause.wait(f"Redis does not answer ({error})")
    # What was loaded stays: looking through it for garbage would hold up a roll now and then.
    gc.collect()
    gc.freeze()
    worker.work(logging_level="DEBUG" if settings.log_level == "debug" else "WARNING")
