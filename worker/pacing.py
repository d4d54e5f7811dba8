"""What a worker does by time: chores, and pauses while Redis is away."""

import logging
import time
from collections.abc import Callable

from redis.exceptions import RedisError

FIRST_PAUSE, LONGEST_PAUSE = 0.1, 2.0
"""Seconds between two attempts to reach Redis."""

log = logging.getLogger(__name__)


class Chore:
    """Something to be done from time to time."""

    def __init__(self, seconds: float, do: Callable[[], object]) -> None:
        self._seconds, self._do, self._due = seconds, do, 0.0

    @property
    def is_due(self) -> bool:
        """Whether it is time for it."""
        return time.monotonic() >= self._due

    def do_if_due(self) -> None:
        """Do it if it is due; an error of its own must not stop the rolls."""
        if not self.is_due:
            return
        self._due = time.monotonic() + self._seconds
        try:
            self._do()
        except (RedisError, OSError):
            raise
        except Exception:
            log.exception("a chore of the worker failed")


class Pause:
    """Growing pauses between attempts to reach Redis; says so once."""

    def __init__(self) -> None:
        self._seconds = FIRST_PAUSE

    def wait(self, why: str) -> None:
        """Pause, each time for twice as long, at most for 2 s."""
        if self._seconds == FIRST_PAUSE:
            log.warning("%s; trying again until it does", why)
        time.sleep(self._seconds)
        self._seconds = min(2 * self._seconds, LONGEST_PAUSE)

    def over(self) -> None:
        """Say that Redis is back, if it was away."""
        if self._seconds > FIRST_PAUSE:
            log.warning("Redis answers again")
        self._seconds = FIRST_PAUSE
