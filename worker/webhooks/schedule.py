"""When to try again: the waits between attempts, jitter, and what a receiver asks for."""

import math
import random
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

MINUTE, HOUR = 60, 60 * 60
WAITS = (5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR)
"""Seconds after the first attempt, the second, and so on; after the last of them a delivery has failed."""
JITTER = 0.1
"""Waits differ by up to this part of themselves, so that what failed together does not come back together."""
LONGEST_ASKED = 48 * HOUR
"""Seconds for which a receiver is obeyed at most."""


def wait(step: int) -> float | None:
    """Return how many seconds to wait after so many waits, None where there is no further attempt."""
    if step >= len(WAITS):
        return None
    return WAITS[step] * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311  jitter, no secret


def retry_after(value: str | None, now: float) -> float | None:
    """Return the seconds that a `Retry-After` asks for: a number (Discord's has decimals) or a date.

    None where it is absent or unreadable. `now` is in seconds since the epoch.
    """
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            moment = parsedate_to_datetime(value)
        except ValueError:
            return None
        seconds = moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() - now
    return min(max(seconds, 0.0), LONGEST_ASKED) if math.isfinite(seconds) else None


def utc(milliseconds: int) -> datetime:
    """Return a time in ms as a datetime in UTC."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
