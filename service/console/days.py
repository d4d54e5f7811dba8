"""The days of the filters From and Before: they begin at midnight where the browser is.

Beside each day the page's script sends the moment at which it begins there: the browser knows its zone and
when its clocks change. Without the script a day begins at midnight UTC, and the form says so.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

BEGINS = {"since": "since_at", "until": "until_at"}
"""What each day's moment is called."""

EARLIEST, LATEST = timedelta(hours=-14), timedelta(hours=12)
"""A day begins somewhere on earth so long before midnight UTC, or after it."""


def days_of(values: Mapping[str, str]) -> dict[str, str]:
    """Return the moments that came with days among `values`, where they may be a midnight of that day."""
    return {at: values[at] for day, at in BEGINS.items() if _begins(values.get(day, ""), values.get(at, ""))}


def with_moments(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is asked as the API takes it: for a day, the moment that came with it."""
    query = {name: value for name, value in asked.items() if name not in BEGINS.values()}
    return query | {day: asked[at] for day, at in BEGINS.items() if at in asked}


def _begins(day: str, at: str) -> bool:
    try:
        apart = datetime.fromisoformat(at) - datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC)
    except (ValueError, TypeError):  # a text that is none, or a moment without its zone
        return False
    return EARLIEST <= apart <= LATEST
