"""Every request is counted and told of in the log, under an id that its answer carries."""

import logging
import re
import secrets
import threading
import time
import uuid

from flask import Flask, Response, g, request
from redis.exceptions import RedisError

from service.auth import ON_BEHALF
from service.logs import REQUEST, told
from service.services import Services
from service.store import figures
from service.store.figures import COUNTING, ERRORS, FLUSH_EVERY, REQUESTS

HEADER = "X-Request-ID"
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
QUIET = frozenset({"/livez", "/readyz", "/metrics"})
"""Asked for all the time: told of at the level DEBUG only."""
PROCESS = uuid.uuid4().hex

log = logging.getLogger(__name__)


def register(app: Flask) -> None:
    """Watch the requests to `app`."""
    app.before_request(_begin)
    app.after_request(_tell)
    app.teardown_request(_end)


def mention(event: str, **about: str) -> None:
    """Let the log's line of the request say what came of it, and of which roll."""
    g.event, g.about = event, about


def _begin() -> None:
    g.began = time.monotonic()
    # What the console asks of the API within the process is part of the browser's request.
    if ON_BEHALF in request.environ and REQUEST.get():
        return
    given = request.headers.get(HEADER, "")
    g.outermost = True
    REQUEST.set(given if REQUEST_ID.fullmatch(given) else secrets.token_hex(8))


def _tell(answer: Response) -> Response:
    call = request.url_rule.rule if request.url_rule else "none"
    status = answer.status_code
    COUNTING.count(REQUESTS, request.method if call != "none" else "any", call, str(status))
    if status >= 500 and request.path not in QUIET:  # that of /readyz is its finding, no error
        COUNTING.count(ERRORS, str(status))
    answer.headers[HEADER] = REQUEST.get()
    if log.isEnabledFor(logging.INFO):
        _write(call, status)
    return answer


def _write(call: str, status: int) -> None:
    about = dict(g.get("about", {}))
    caller = g.get("caller")
    if caller is not None:
        about |= {"campaign": caller.campaign, "user": caller.user}
    ms = round((time.monotonic() - g.began) * 1000, 1) if "began" in g else None
    level = logging.DEBUG if request.path in QUIET and status < 500 else logging.INFO
    # Not the path: what a caller makes up would be in the log, and with it what they pasted by mistake.
    log.log(
        level,
        g.get("event", "request"),
        extra=told(method=request.method, call=call, status=status, ms=ms, **about),
    )


def _end(_: BaseException | None) -> None:
    if g.pop("outermost", False):
        REQUEST.set("")


def say_figures(services: Services) -> None:
    """Add this process's counts to those in Redis, and say how many streams it has open."""
    COUNTING.flush(services.redis)
    figures.say_streams(services.redis, PROCESS, services.hub.open_streams())


def keep_saying(services: Services, stopped: threading.Event) -> None:
    """Do so again and again, in a thread of its own, until stopped and then once more."""

    def say() -> None:
        last = False
        while not last:
            last = stopped.wait(FLUSH_EVERY)
            try:
                say_figures(services)
            except RedisError as error:
                log.debug("the figures wait for Redis: %s", error)

    threading.Thread(target=say, name="tallybones-figures", daemon=True).start()
