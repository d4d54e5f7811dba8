"""The figures as Prometheus reads them.

Anybody may read /metrics, players too. So what a hidden roll moves (by its being asked for, resolved, kept or
delivered) is told only to who brings the admin token: a player who reads often sees no hidden roll go by. No
figure says which campaign it is of.
"""

from collections.abc import Iterable, Iterator, Mapping

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector, CollectorRegistry

from service.store import figures
from service.store.figures import BUCKETS_MS, HIDDEN, Figures
from service.visibility import EVERYONE

MEDIA_TYPE = CONTENT_TYPE_PLAIN_0_0_4
OUTCOMES = {"delivered": "delivered", "failed": "failed", "pending": "retry"}
"""What came of an attempt at a delivery, and what it is called here."""


class _Collected(Collector):
    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = list(families)

    def collect(self) -> Iterable[Metric]:
        return self._families


def write(found: Figures | None, workers: Mapping[str, int], *, whole: bool) -> bytes:
    """Return the figures in Prometheus' text format; `found` is None where Redis is away.

    `whole` tells what only the operator may know as well.
    """
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collected(_families(found, workers, whole)))
    return generate_latest(registry)


def _families(found: Figures | None, workers: Mapping[str, int], whole: bool) -> Iterator[Metric]:
    up = "Whether Redis answers; while it does not, nothing else is told."
    yield GaugeMetricFamily("tallybones_redis_up", up, value=int(found is not None))
    if found is None:
        return
    audiences = (EVERYONE, HIDDEN) if whole else (EVERYONE,)
    yield _by_labels(
        GaugeMetricFamily,
        "tallybones_workers",
        "Workers alive.",
        ("queue",),
        {(queue,): count for queue, count in workers.items()},
    )
    yield _by_labels(
        GaugeMetricFamily,
        "tallybones_queue_depth",
        "Jobs that wait for a worker.",
        ("queue", "audience"),
        {name: count for name, count in found.depth.items() if name[1] in audiences},
    )
    yield GaugeMetricFamily("tallybones_open_streams", "Streams of cards that are open.", value=found.streams)
    yield _clicks_to_cards(found, audiences)
    for counted, help_ in (
        (figures.ACCEPTED, "Rolls accepted."),
        (figures.RESOLVED, "Rolls resolved."),
    ):
        yield _by_labels(
            CounterMetricFamily,
            f"tallybones_rolls_{counted}",
            help_,
            ("audience",),
            {(audience,): found.counts.get((counted, audience), 0) for audience in audiences},
        )
    yield _by_labels(
        CounterMetricFamily,
        "tallybones_delivery_attempts",
        "Attempts to deliver to webhooks, by what came of them.",
        ("result", "audience"),
        {
            (result, audience): found.counts.get((figures.DELIVERED, outcome, audience), 0)
            for outcome, result in OUTCOMES.items()
            for audience in audiences
        },
    )
    yield _by_labels(
        CounterMetricFamily,
        "tallybones_http_errors",
        "Answers with a status of 500 or above.",
        ("status",),
        {("500",): 0, ("503",): 0} | _counted(found, figures.ERRORS),
    )
    if whole:
        yield from _operators(found)


def _operators(found: Figures) -> Iterator[Metric]:
    """Yield what any roll moves, hidden or not."""
    yield _by_labels(
        CounterMetricFamily,
        "tallybones_http_requests",
        "Answers, by call and status.",
        ("method", "call", "status"),
        _counted(found, figures.REQUESTS),
    )
    for name, help_, value in (
        ("tallybones_rolls_pending", "Rolls accepted and not resolved yet.", found.pending),
        ("tallybones_rolls_stuck", "Rolls that were given up for now.", found.stuck),
        ("tallybones_webhooks_due", "Webhooks that have something to send now.", found.webhooks_due),
        ("tallybones_redis_memory_bytes", "Memory that Redis uses.", found.memory),
        (
            "tallybones_redis_memory_limit_bytes",
            "Memory that Redis may use; 0 is no limit.",
            found.memory_limit,
        ),
    ):
        yield GaugeMetricFamily(name, help_, value=value)
    yield _by_labels(
        GaugeMetricFamily,
        "tallybones_failed_jobs",
        "Jobs that RQ keeps as failed.",
        ("queue",),
        {(queue,): count for queue, count in found.failed_jobs.items()},
    )


def _clicks_to_cards(found: Figures, audiences: Iterable[str]) -> Metric:
    family = HistogramMetricFamily(
        "tallybones_click_to_card_seconds",
        "Time from a roll's acceptance to its card.",
        labels=("audience",),
    )
    for audience in audiences:
        buckets, so_far = [], 0
        for bound in (*map(str, BUCKETS_MS), "more"):
            so_far += found.counts.get((figures.CARDS, audience, bound), 0)
            upper = "+Inf" if bound == "more" else str(int(bound) / 1000)
            buckets.append((upper, float(so_far)))
        total = found.counts.get((figures.CARDS_MS, audience), 0) / 1000
        family.add_metric((audience,), buckets=buckets, sum_value=total)
    return family


def _counted(found: Figures, counted: str) -> dict[tuple[str, ...], int]:
    return {name[1:]: count for name, count in sorted(found.counts.items()) if name[0] == counted}


def _by_labels(
    kind: type[CounterMetricFamily] | type[GaugeMetricFamily],
    name: str,
    help_: str,
    labels: tuple[str, ...],
    values: Mapping[tuple[str, ...], int],
) -> Metric:
    family = kind(name, help_, labels=labels)
    for valued, count in values.items():
        family.add_metric(valued, count)
    return family
