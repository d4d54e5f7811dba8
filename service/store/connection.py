"""Connections to Redis, from the settings."""

from typing import Any

from redis import BlockingConnectionPool, Redis
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError
from redis.retry import Retry

from service.settings import Settings

CONNECT_TIMEOUT = 2.0
ANSWER_TIMEOUT = 5.0
SILENCE = 15
"""Seconds after which a subscription asks whether the server is still there."""
CONNECTIONS = 5
"""Connections of one process; small plans allow about 20 in all."""


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
    return Redis.from_pool(pool)


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
