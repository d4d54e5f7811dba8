"""Rate limits: so many requests a minute for each token and each GM at the console, else for each address.

They protect the service; they are not meant to be felt. Where nobody looks at the token the address counts:
else whoever makes up a new one for each request would never be refused. Unknown tokens, and requests for what
does not exist, count for their address too. What the console asks of the API within the process is part of
the browser's request.
"""

import logging
import time

from flask import Flask, Response, request
from flask_limiter import Limiter, RateLimitExceeded
from limits import parse
from redis import Redis
from redis.exceptions import RedisError

from service.auth import ON_BEHALF, bearer_token
from service.console import guard
from service.console.pages import pages
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
OF_CAMPAIGNS = "/v1/campaigns"
"""How the paths begin at which a token is needed, and looked up."""

log = logging.getLogger(__name__)


def caller_key() -> str:
    """Name the bucket of this request: its token's, without keeping the token, its GM's, or its address's."""
    if request.blueprint == pages.name:
        gm = _gm_at_console()
        return f"console:{gm[:32]}" if gm else _address()
    token = _token()
    return f"token:{digest(token)[:32]}" if token else _address()


def _token() -> str | None:
    """Return the token of a request that is let in by one."""
    rule = request.url_rule
    return bearer_token() if rule is not None and rule.rule.startswith(OF_CAMPAIGNS) else None


def _gm_at_console() -> str | None:
    """Return the digest of the GM key that the request is signed in with; all its sign-ins share a bucket."""
    try:
        gm = guard.find_signed_in()
    except RedisError as error:  # the page says so; here it is only not known who asks
        log.info("a sign-in was not looked up: %s", error)
        return None
    return gm.token if gm else None


def _address() -> str:
    return f"address:{request.remote_addr}"


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
        within = ON_BEHALF in request.environ
        return within or request.method == "OPTIONS" or request.path in UNLIMITED

    def _exceeded(_: RateLimitExceeded) -> Response:
        breached = limiter.current_limit
        wait = 1 if breached is None else max(1, breached.reset_at - int(time.time()))
        time.sleep(HELD_BACK)  # under gunicorn this is gevent's, and holds up nobody else
        came = "from this address" if caller_key() == _address() else "with this token"
        sentence = f"More than {EACH_CALLER} came {came}; wait {wait} s and send it again."
        return Problem(TOO_MANY, sentence, headers={"Retry-After": str(wait)}).response()

    @app.after_request
    def _count_stranger(answer: Response) -> Response:
        # Each token has its own bucket, so whoever makes up many is counted by address as well, and those
        # buckets are not kept. And nothing was counted yet of a request that no route is for.
        unknown = answer.status_code == 401 and _token() is not None
        if not enabled or ON_BEHALF in request.environ or not (unknown or request.url_rule is None):
            return answer
        try:
            if unknown and (counted := limiter.current_limit):
                limiter.limiter.clear(counted.limit, *counted.request_args)
            if limiter.limiter.hit(parse(EACH_CALLER), "tb", "strangers", str(request.remote_addr)):
                return answer
        except RedisError as error:  # here Flask would answer 500: no error handler is asked any more
            log.info("a stranger was not counted: %s", error)
            return answer
        sentence = (
            f"More than {EACH_CALLER} came from this address with unknown tokens, or for what is not here; "
            "wait a minute."
        )
        return Problem(TOO_MANY, sentence, headers={"Retry-After": "60"}).response()

    app.register_error_handler(RateLimitExceeded, _exceeded)
    limiter.init_app(app)
