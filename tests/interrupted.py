"""Something else that happens in the middle of reading: before the first request to Redis, the second, …"""

from collections.abc import Callable, Iterator
from typing import Any

from redis import Redis
from redis.connection import Connection, ConnectionPool


class Interrupted:
    """A client before one of whose requests something else happens, once."""

    def __init__(self, url: str) -> None:
        interrupted = self

        class Watched(Connection):
            def send_packed_command(self, *args: Any, **more: Any) -> None:
                interrupted._before_a_request()
                super().send_packed_command(*args, **more)

        self.redis = Redis(connection_pool=ConnectionPool.from_url(url, connection_class=Watched))
        self._left, self._happens = 0, lambda: None

    def before(self, request: int, happens: Callable[[], object]) -> None:
        """Let something happen before the request of that number (from 1), counted from now."""
        self.redis.ping()  # nothing of what follows is for the connection's sake
        self._left, self._happens = request, happens

    @property
    def happened(self) -> bool:
        """Whether it did."""
        return self._left == 0

    def _before_a_request(self) -> None:
        if self._left:
            self._left -= 1
            if not self._left:
                self._happens()


def at_each_request(url: str) -> Iterator[tuple[Interrupted, int]]:
    """Yield (a client, the number of a request of it) for as long as there was such a request."""
    interrupted, request = Interrupted(url), 0
    while not request or interrupted.happened:
        request += 1
        yield interrupted, request
    assert request > 1
