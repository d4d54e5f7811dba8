"""The queues, and which of them has a worker that is alive."""

from datetime import UTC, datetime, timedelta

from redis import Redis
from rq.utils import utcparse
from rq.worker_registration import WORKERS_BY_QUEUE_KEY

QUEUES = ("rolls", "deliveries", "reports")
SILENCE = timedelta(seconds=45)
"""A worker that was not heard of for this long counts as gone."""


def living(redis: Redis) -> dict[str, int]:
    """Count the RQ workers that were heard of lately, by queue."""
    now = datetime.now(UTC)
    with redis.pipeline(transaction=False) as together:
        for queue in QUEUES:
            together.smembers(WORKERS_BY_QUEUE_KEY % queue)
        registered = together.execute()
    with redis.pipeline(transaction=False) as together:
        for workers in registered:
            for worker in workers:
                together.hget(worker, "last_heartbeat")
        heard = iter(together.execute())
    alive = {}
    for queue, workers in zip(QUEUES, registered, strict=True):
        beats = [next(heard) for _ in workers]
        alive[queue] = sum(beat is not None and now - utcparse(beat.decode()) < SILENCE for beat in beats)
    return alive
