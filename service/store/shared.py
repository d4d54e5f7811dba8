"""What the parts of the store have in common."""

from collections.abc import Callable
from typing import Any

Clock = Callable[[], int]
"""Tells the time in ms since the epoch."""

IDLE_MS = 6 * 60 * 60 * 1000
"""A session without a public roll for this long is ended; did hidden ones count, its end would tell of
them."""

CLOCK_SKEW_MS = 60_000
"""How much earlier than its making a roll may seem to be resolved, when web and worker clocks differ."""


def text(answer: Any) -> str:
    """Return a string that Redis answered; our connections answer in bytes."""
    return answer.decode() if isinstance(answer, bytes) else str(answer)
