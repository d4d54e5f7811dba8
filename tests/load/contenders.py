"""The queues that are compared. Each does the same for a roll: it reads it, resolves it, and commits it."""

import os
from collections.abc import Callable
from importlib.util import find_spec

from redis import Redis
from rq.queue import Queue
from rq.serializers import JSONSerializer
from rq.worker import SimpleWorker

from service.store import Store
from worker.resolve import resolve_in

BARE_LIST = "bench:bare"

Enqueue = Callable[[str], object]


def url() -> str:
    """The server's address."""
    return os.environ["REDIS_URL"]


# Ours, and stock RQ: the job is written when the roll is accepted


def _enqueue_rq(redis: Redis) -> Enqueue:
    return lambda roll: redis.rpush("rq:queue:rolls", roll)


def _work_ours() -> None:
    from worker.worker import run

    run("rolls")


def _work_stock() -> None:
    redis = Redis.from_url(url())
    SimpleWorker(
        [Queue("rolls", redis, serializer=JSONSerializer)], connection=redis, serializer=JSONSerializer
    ).work(logging_level="ERROR")


# A bare loop: the least that any queue on Redis could do


def _enqueue_bare(redis: Redis) -> Enqueue:
    return lambda roll: redis.lpush(BARE_LIST, roll)


def _work_bare() -> None:
    redis = Redis.from_url(url())
    store = Store(redis)
    while True:
        popped = redis.brpop([BARE_LIST], timeout=1)
        if popped:
            resolve_in(store, popped[1].decode())


# huey


def _huey():
    from huey import RedisHuey

    huey = RedisHuey("bench", url=url(), results=False)
    store = Store(Redis.from_url(url()))

    def resolve(roll: str) -> None:
        resolve_in(store, roll)

    return huey, huey.task(name="resolve")(resolve)


def _enqueue_huey(redis: Redis) -> Enqueue:
    return _huey()[1]


def _work_huey() -> None:
    huey, _ = _huey()
    huey.create_consumer(workers=1, periodic=False, check_worker_health=False).run()


# celery


def _celery():
    from celery import Celery

    app = Celery("bench", broker=url())
    app.conf.update(
        task_ignore_result=True,
        worker_hijack_root_logger=False,
        broker_connection_retry_on_startup=True,
        task_serializer="json",
    )
    store = Store(Redis.from_url(url()))

    @app.task(name="resolve")
    def resolve(roll: str) -> None:
        resolve_in(store, roll)

    return app, resolve


def _enqueue_celery(redis: Redis) -> Enqueue:
    app, task = _celery()
    producer = app.amqp.Producer(app.connection_for_write())
    return lambda roll: task.apply_async((roll,), producer=producer)


def _work_celery() -> None:
    app, _ = _celery()
    app.worker_main(
        [
            "worker",
            "--pool=solo",
            "--without-gossip",
            "--without-mingle",
            "--without-heartbeat",
            "--loglevel=ERROR",
        ]
    )


CONTENDERS: dict[str, tuple[Callable[[Redis], Enqueue], Callable[[], None]]] = {
    "tallybones": (_enqueue_rq, _work_ours),
    "bare BRPOP loop": (_enqueue_bare, _work_bare),
    "huey": (_enqueue_huey, _work_huey),
    "celery": (_enqueue_celery, _work_celery),
    "RQ SimpleWorker": (_enqueue_rq, _work_stock),
}


def installed() -> list[str]:
    """Name the contenders that can be measured here."""
    return [name for name in CONTENDERS if name not in ("huey", "celery") or find_spec(name)]
