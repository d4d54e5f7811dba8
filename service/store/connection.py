"""Connections to Redis, from the settings."""

from collections.abc import Sequence
from typing import Any

from redis import BlockingConnectionPool, Redis
from redis.backoff import NoBackoff
from redis.client import Pipeline
from redis.exceptions import ConnectionError
from redis.retry import Retry

from service.settings import Settings

CONNECT_TIMEOUT = 2.0
ANSWER_TIMEOUT = 5.0
SILENCE = 15
"""Seconds after which a subscription asks whether the server is still there."""
CONNECTIONS = 5
"""Connections of one process; small plans allow about 20 in all."""


class DiscreetPipeline(Pipeline):
    """A pipeline whose errors hold no values: they are logged, and addresses of webhooks are secrets."""

    def annotate_exception(self, exception: Exception, number: int, command: Sequence[Any]) -> None:
        """Name the command that failed (redis-py 8.1: with the first 100 characters of its values)."""
        name = command[0].decode() if isinstance(command[0], bytes) else str(command[0])
        super().annotate_exception(exception, number, name.split()[:1])  # type: ignore[no-untyped-call]


class DiscreetRedis(Redis):
    """A client whose pipelines are discreet."""

    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> Pipeline:
        """Return a new pipeline, in a transaction or not."""
        return DiscreetPipeline(self.connection_pool, self.response_callbacks, transaction, shard_hint)


def connect(
    settings: Settings, connections: int = CONNECTIONS, answer_timeout: float = ANSWER_TIMEOUT
) -> Redis:
    """Return a client for short commands, answers in bytes.

    Waits at most 2 s for a free connection or a new one and `answer_timeout` seconds for an answer. Where a
    connection turns out to be dead (the server was restarted) a new one is tried: each of our scripts is
    safe to run twice (see Scripts). A server that does not answer is not asked again: whoever waits should
    hear of it soon.
    """
    pool = BlockingConnectionPool.from_url(
        _url(settings),
        max_connections=connections,
        timeout=CONNECT_TIMEOUT,
        socket_connect_timeout=CONNECT_TIMEOUT,
        socket_timeout=answer_timeout,
        socket_keepalive=True,
        retry=Retry(NoBackoff(), 1, supported_errors=(ConnectionError,)),
        **_tls(settings),
    )
    return DiscreetRedis.from_pool(pool)


def connect_subscriber(settings: Settings) -> Redis:
    """Return a client of its own for a subscription, which may be silent for as long as it likes.

    Whatever breaks or does not answer raises at once: the hub tries again, and tells everybody.
    """
    return Redis.from_url(
        _url(settings),
        socket_connect_timeout=CONNECT_TIMEOUT,
        socket_timeout=ANSWER_TIMEOUT,  # while it connects; listening has its own
        socket_keepalive=True,
        health_check_interval=SILENCE,
        retry=Retry(NoBackoff(), 0),
        **_tls(settings),
    )


def _url(settings: Settings) -> str:
    if settings.redis_url is None:
        raise ValueError("no Redis address is set; the embedded server's is known once it runs")
    return settings.redis_url


def _tls(settings: Settings) -> dict[str, Any]:
    if _url(settings).startswith("rediss://") and not settings.redis_tls_verify:
        return {"ssl_cert_reqs": "none", "ssl_check_hostname": False}
    return {}
