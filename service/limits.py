"""Rate limits: so many requests a minute for each token, else for each address.

They protect the service; they are not meant to be felt. Unknown tokens count for their address too.
"""

import logging
import time

from flask import Flask, Response, request
from flask_limiter import Limiter, RateLimitExceeded
from limits import parse
from redis import Redis
from redis.exceptions import RedisError

from service.auth import bearer_token
from service.problems import TOO_MANY, Problem
from service.store.tokens import digest

EACH_CALLER = "1200 per minute"
CONNECTIONS, ANSWER_TIMEOUT = 2, 0.4
"""Connections of one process for counting, and seconds after which it is counted without a silent Redis.

Less than half of the second that Flask-Limiter leaves between two looks whether Redis is back: where Redis
answers its look and not the count, as when writes are paused, it would go round until it does.
"""
HELD_BACK = 0.25
"""Seconds that a refusal is held back: who floods waits for it, and leaves the processor to the others."""
UNLIMITED = frozenset({"/livez", "/readyz"})

log = logging.getLogger(__name__)


def caller_key() -> str:
    """Name the bucket of this request: its token's, without keeping the token, or its address's."""
    token = bearer_token()
    return f"token:{digest(token)[:32]}" if token else f"address:{request.remote_addr}"


def register(app: Flask, redis: Redis, *, enabled: bool) -> None:
    """Limit the requests to `app`: one script call each on the pool of `redis`.

    When Redis is away each process counts for itself meanwhile: an outage never fails a request here.
    """
    limiter = Limiter(
        caller_key,
        application_limits=[EACH_CALLER],
        storage_uri="redis://",
        storage_options={"connection_pool": redis.connection_pool},  # type: ignore[dict-item]
        key_prefix="tb",
        in_memory_fallback=[EACH_CALLER],
        in_memory_fallback_enabled=True,
        enabled=enabled,
    )

    @limiter.request_filter
    def _is_unlimited() -> bool:
        return request.method == "OPTIONS" or request.path in UNLIMITED

    def _exceeded(_: RateLimitExceeded) -> Response:
        breached = limiter.current_limit
        wait = 1 if breached is None else max(1, breached.reset_at - int(time.time()))
        time.sleep(HELD_BACK)  # under gunicorn this is gevent's, and holds up nobody else
        sentence = f"More than {EACH_CALLER} came with this token; wait {wait} s and send it again."
        return Problem(TOO_MANY, sentence, headers={"Retry-After": str(wait)}).response()

    @app.after_request
    def _count_stranger(answer: Response) -> Response:
        # Each token has its own bucket, so whoever makes up many is counted by address as well.
        if answer.status_code != 401 or not enabled or bearer_token() is None:
            return answer
        try:
            if limiter.limiter.hit(parse(EACH_CALLER), "tb", "strangers", str(request.remote_addr)):
                return answer
        except RedisError as error:  # here Flask would answer 500: no error handler is asked any more
            log.info("an unknown token was not counted: %s", error)
            return answer
        sentence = f"More than {EACH_CALLER} came from this address with unknown tokens; wait a minute."
        return Problem(TOO_MANY, sentence, headers={"Retry-After": "60"}).response()

    app.register_error_handler(RateLimitExceeded, _exceeded)
    limiter.init_app(app)
