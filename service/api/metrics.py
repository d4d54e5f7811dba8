"""What a monitor reads."""

from flask import Response
from redis.exceptions import RedisError

from service.auth import Who, is_admin
from service.calls import Calls
from service.services import services
from service.store import figures
from service.watching import say_figures
from service.workers import QUEUES, living

calls = Calls("metrics", __name__)


@calls.call(
    "GET",
    "/metrics",
    who=Who.ANYBODY,
    answers={200: {"type": "string"}},
    media_type="text/plain",
    needs_redis=False,
)
def read_metrics() -> Response:
    """Read the figures of this service, in Prometheus' text format.

    They are sums over all campaigns. With the admin token they hold what hidden rolls move as well: those
    rolls, requests by call, memory.
    """
    # Here, as a web process that no monitor asks needs none of what it brings along.
    from service import metrics

    store, redis = services().store, services().redis
    found, workers = None, {}
    try:
        say_figures(services())
        found, workers = figures.read(redis, QUEUES, store.clock()), living(redis)
    except RedisError:
        found = None  # which the figures say
    written = metrics.write(found, workers, whole=is_admin())
    return Response(written, content_type=metrics.MEDIA_TYPE, headers={"Cache-Control": "no-store"})
