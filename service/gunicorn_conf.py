"""gunicorn's settings: gevent workers, so that open streams cost next to nothing."""

import gc
import os
import signal
import threading
from typing import Any

from service.gunicorn_logs import Events
from service.settings import Settings, SettingsError


def _read_settings() -> Settings:
    """Return the settings; what is wrong with them is said in one sentence, not in a traceback."""
    try:
        settings = Settings.from_env()
    except SettingsError as error:
        raise SystemExit(f"tallybones: {error.sentence}") from None
    if settings.redis_url is None:
        raise SystemExit(
            "tallybones: Set REDIS_URL to a Redis or Valkey server, or start with `tallybones up`."
        )
    return settings


_settings = _read_settings()

bind = f"0.0.0.0:{_settings.port}"
worker_class = "gevent"
workers = _settings.web_concurrency
worker_connections = 2000
timeout = 30
# A platform gives 30 s; only a request that is under way takes any of them.
graceful_timeout = 25
# Idle connections hold up a stopping worker for so many seconds.
keepalive = 2
loglevel = _settings.log_level
logger_class = Events
wsgi_app = "service.wsgi:app"
control_socket_disable = True
# The proxy before us speaks http to us; it says which scheme the caller used.
forwarded_allow_ips = "*" if _settings.trusts_proxy else "127.0.0.1,::1"

STOPPING = (signal.SIGTERM, signal.SIGQUIT, signal.SIGINT)
LOOK = 0.2
"""Seconds between looks whether this worker has been told to stop."""


def on_starting(server: Any) -> None:
    """Let what stops a worker end it at once until it has taken that over: it has nothing under way.

    Until then it would have its parent's handlers, which only note a signal, and the parent tells it once: a
    service that is stopped as it starts would stand for all of its 25 s. What comes during the fork waits.
    """
    os.register_at_fork(
        before=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING),
        after_in_parent=lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING),
        after_in_child=_stop_at_once,
    )


def _stop_at_once() -> None:
    for each in STOPPING:
        signal.signal(each, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)


def post_worker_init(worker: Any) -> None:
    """End the open streams when the worker is told to stop: it would wait for them until it is killed."""
    # Imported here: what it brings along must not be loaded before gevent has patched the process.
    from service.services import EXTENSION
    from service.watching import keep_saying

    services, stopped = worker.wsgi.extensions[EXTENSION], threading.Event()

    def watch() -> None:
        while worker.alive:
            stopped.wait(LOOK)
        services.hub.stop()
        stopped.set()

    keep_saying(services, stopped)
    threading.Thread(target=watch, name="tallybones-stop", daemon=True).start()
    # What was loaded stays: to look through it for garbage would hold up every stream for 20 ms at a time.
    gc.collect()
    gc.freeze()
