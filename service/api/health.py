"""Whether the process is up, and whether the service can do its work."""

from flask import Response
from marshmallow import fields
from redis.exceptions import RedisError

from service.auth import Who
from service.bodies import json_answer
from service.calls import Calls
from service.problems import NOT_READY, RETRY_SECONDS, Problem
from service.schemas.fields import Strict
from service.services import services
from service.workers import living

calls = Calls("health", __name__)


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
        workers = living(services().redis)
    except RedisError:
        raise _not_ready(["redis"], "Redis does not answer.") from None
    idle = [queue for queue, count in workers.items() if not count]
    if idle:
        missing = [f"worker on {queue}" for queue in idle]
        raise _not_ready(missing, f"No worker is alive on: {', '.join(idle)}. Start the worker processes.")
    return json_answer({"status": "ready", "workers": workers})


def _not_ready(missing: list[str], sentence: str) -> Problem:
    return Problem(NOT_READY, sentence, missing=missing, headers={"Retry-After": str(RETRY_SECONDS)})
