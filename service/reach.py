"""Reaching the Redis or Valkey server, or saying in one sentence why not."""

from dataclasses import replace
from urllib.parse import urlsplit

from redis import Redis
from redis.exceptions import AuthenticationError, BusyLoadingError, NoPermissionError, RedisError

from service.embedded import url_of
from service.settings import Settings
from service.store.connection import connect


class Unreachable(Exception):
    """No server answers; `sentence` says what to do."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def reach(settings: Settings) -> Redis:
    """Return a client that the server in use (REDIS_URL, else the embedded one) has answered.

    Raises Unreachable.
    """
    url = settings.redis_url or url_of(settings.data)
    if url is None:
        raise Unreachable(
            "No Redis is set up: set REDIS_URL, or start the embedded one with `tallybones up`."
        )
    try:
        redis = connect(replace(settings, redis_url=url))
        redis.ping()
    except (RedisError, OSError, ValueError) as error:
        if settings.redis_url is None:
            raise Unreachable("The embedded Valkey does not run: start it with `tallybones up`.") from error
        raise Unreachable(_sentence(url, error)) from error
    return redis


def place(url: str) -> str:
    """Return where an address points, without user and password."""
    parts = urlsplit(url)
    return parts.path if parts.scheme == "unix" else f"{parts.hostname or 'localhost'}:{parts.port or 6379}"


def _sentence(url: str, error: Exception) -> str:
    where = f"The Redis of REDIS_URL ({place(url)})"
    if isinstance(error, AuthenticationError | NoPermissionError):
        return f"{where} refuses the user or password: correct them in REDIS_URL."
    if isinstance(error, BusyLoadingError):
        return f"{where} is still loading its data: wait a moment, then start again."
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return f"{where} shows no valid certificate: set REDIS_TLS_VERIFY=0 if it is self-signed."
    return (
        f"{where} does not answer: start it, correct the address, or unset REDIS_URL to use the embedded one."
    )
