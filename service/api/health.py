"""Whether the process is up, and whether the service can do its work."""

from datetime import UTC, datetime, timedelta

from flask import Response
from marshmallow import fields
from redis.exceptions import RedisError
from rq.utils import utcparse
from rq.worker_registration import WORKERS_BY_QUEUE_KEY

from service.auth import Who
from service.bodies import json_answer
from service.calls import Calls
from service.problems import NOT_READY, RETRY_SECONDS, Problem
from service.schemas.fields import Strict
from service.services import services

calls = Calls("health", __name__)

QUEUES = ("rolls", "deliveries", "reports")
SILENCE = timedelta(seconds=45)
"""A worker that was not heard of for this long counts as gone."""


class Health(Strict):
    """All is well."""

    status = fields.String(required=True)


class Readiness(Health):
    """All is well, and how many workers are alive on each queue."""

    workers = fields.Dict(keys=fields.String(), values=fields.Integer(), required=True)


@calls.call("GET", "/livez", who=Who.ANYBODY, answers={200: Health}, needs_redis=False)
def say_alive() -> Response:
    """Say that the process is up."""
    return json_answer({"status": "alive"})


@calls.call("GET", "/readyz", who=Who.ANYBODY, answers={200: Readiness})
def say_ready() -> Response:
    """Say whether Redis answers and a worker is alive on each queue."""
    try:
        workers = living_workers()
    except RedisError:
        raise _not_ready(["redis"], "Redis does not answer.") from None
    idle = [queue for queue, count in workers.items() if not count]
    if idle:
        missing = [f"worker on {queue}" for queue in idle]
        raise _not_ready(missing, f"No worker is alive on: {', '.join(idle)}. Start the worker processes.")
    return json_answer({"status": "ready", "workers": workers})


def living_workers() -> dict[str, int]:
    """Count the RQ workers that were heard of lately, by queue."""
    redis, now = services().redis, datetime.now(UTC)
    with redis.pipeline(transaction=False) as together:
        for queue in QUEUES:
            together.smembers(WORKERS_BY_QUEUE_KEY % queue)
        registered = together.execute()
    with redis.pipeline(transaction=False) as together:
        for workers in registered:
            for worker in workers:
                together.hget(worker, "last_heartbeat")
        heard = iter(together.execute())
    living = {}
    for queue, workers in zip(QUEUES, registered, strict=True):
        beats = [next(heard) for _ in workers]
        living[queue] = sum(beat is not None and now - utcparse(beat.decode()) < SILENCE for beat in beats)
    return living


def _not_ready(missing: list[str], sentence: str) -> Problem:
    return Problem(NOT_READY, sentence, missing=missing, headers={"Retry-After": str(RETRY_SECONDS)})
