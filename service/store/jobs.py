"""The RQ jobs of rolls and deliveries, in the fields that RQ 3.0 writes (Queue.enqueue_job, Job.to_dict)."""

from collections.abc import Callable
from enum import Enum
from typing import Any

from redis import Redis
from rq.exceptions import DeserializationError
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer
from rq.utils import now, utcformat

QUEUE = "rolls"
FUNCTION = "worker.resolve.resolve_roll"
TIMEOUT = 30
"""Seconds; a roll takes some ms."""
FAILURE_TTL = 24 * 60 * 60

REPORTS = "reports"
MAKE_REPORT = "worker.report.make_report"
DELIVERIES = "deliveries"
DELIVER = "worker.webhooks.deliver.deliver"

_PLACE_OF_ID = "ROLL"
_MADE_BY_SCRIPT = ("data", "description")
_TIMES = ("created_at", "enqueued_at")


def roll_job(roll_id: str, redis: Redis) -> Job:
    """Return the job that resolves a roll, ready to be queued by RQ."""
    return Job.create(
        FUNCTION,
        args=(roll_id,),
        id=roll_id,
        origin=QUEUE,
        status=JobStatus.QUEUED,
        timeout=TIMEOUT,
        result_ttl=0,
        failure_ttl=FAILURE_TTL,
        connection=redis,
        serializer=JSONSerializer,
    )


def delivery_job(delivery_id: str, redis: Redis) -> Job:
    """Return the job that sends a delivery, ready to be queued by RQ."""
    return Job.create(
        DELIVER,
        args=(delivery_id,),
        id=delivery_id,
        origin=DELIVERIES,
        status=JobStatus.QUEUED,
        timeout=TIMEOUT,
        result_ttl=0,
        failure_ttl=FAILURE_TTL,
        connection=redis,
        serializer=JSONSerializer,
    )


def calls(job: Job, *functions: str) -> bool:
    """Say whether a job calls one of these; one that cannot be read is somebody else's."""
    try:
        return job.func_name in functions
    except DeserializationError:
        return False


def delivery_template() -> dict[str, Any]:
    """Return what a script needs to queue the job of a delivery; it says no times, and RQ can do without."""
    # Connected to nothing: the script writes the job.
    return JobTemplate(Redis(), delivery_job).without_times()


def roll_template() -> dict[str, Any]:
    """Return what tells a plain roll's job from others, in the same terms."""
    return JobTemplate(Redis()).without_times()


class JobTemplate:
    """What a script needs to queue a job whose id it makes itself; that of a roll unless told otherwise."""

    def __init__(self, redis: Redis, make: Callable[[str, Redis], Job] = roll_job) -> None:
        job = make(_PLACE_OF_ID, redis)
        self._queue = job.origin
        written = job.to_dict()
        self._call = job.data.decode()
        self._description = job.description
        self._fixed: list[str] = []
        for name, value in written.items():
            if name not in (*_MADE_BY_SCRIPT, *_TIMES):
                self._fixed += [name, str(value.value if isinstance(value, Enum) else value)]

    def filled_in(self) -> dict[str, Any]:
        """Return the script's argument for a job made now."""
        time = utcformat(now())
        fields = [*self._fixed]
        for name in _TIMES:
            fields += [name, time]
        return {**self.without_times(), "fields": fields}

    def without_times(self) -> dict[str, Any]:
        """Return the script's argument without the times of the job's making and queueing."""
        fields = [*self._fixed]
        return {"queue": self._queue, "call": self._call, "description": self._description, "fields": fields}
