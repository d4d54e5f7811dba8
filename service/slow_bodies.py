"""A body has to come within a time: a client that trickles one, or stops in the middle, holds no place long.

gunicorn's gevent worker waits for ever for a body (for headers it waits as long as `keepalive` says).
"""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from gevent import Timeout
from werkzeug.exceptions import RequestTimeout

SECONDS = 20.0
"""For all of a body, however it comes; one of 64 KiB takes that long at 26 kbit/s."""

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Timed:
    """The stream of a request's body, whose reading must be over after so many seconds from its start."""

    def __init__(self, body: Any, seconds: float) -> None:
        self._body, self._seconds = body, seconds
        self._ends: float | None = None

    def read(self, size: int = -1) -> bytes:
        """Read; raise RequestTimeout when the time is up."""
        return self._within(self._body.read, size)

    def readline(self, size: int = -1) -> bytes:
        """Read a line; raise RequestTimeout when the time is up."""
        return self._within(self._body.readline, size)

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.readline, b"")

    def _within(self, read: Callable[[int], bytes], size: int) -> bytes:
        self._ends = self._ends or time.monotonic() + self._seconds
        late = Timeout(max(0.001, self._ends - time.monotonic()))
        late.start()
        try:
            return read(size)
        except Timeout as over:
            if over is not late:
                raise
            raise RequestTimeout(f"The body did not come within {self._seconds:.0f} s.") from None
        finally:
            late.close()


class TimedBodies:
    """Gives each request to an application a body that has to come in time."""

    def __init__(self, application: Application) -> None:
        self._application = application

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request."""
        body = environ.get("wsgi.input")
        if body is not None:
            environ["wsgi.input"] = Timed(body, SECONDS)
        return self._application(environ, start_response)
