"""The campaign clock and the units by which it moves (rule 4.9)."""

from __future__ import annotations

# Rule 4.9
SECONDS = {
    "round": 10,
    "turn": 10 * 60,
    "watch": 4 * 60 * 60,
    "day": 24 * 60 * 60,
    "week": 7 * 24 * 60 * 60,
    "month": 30 * 24 * 60 * 60,
    "season": 4 * 30 * 24 * 60 * 60,
}
UNITS = {
    "round": "Rounds",
    "turn": "Turns",
    "watch": "Watches",
    "day": "Days",
    "week": "Weeks",
    "month": "Months",
    "season": "Seasons",
}

LONGEST = 1000 * SECONDS["season"]
"""The latest time, in seconds, that a sheet's clock may stand at."""


def clock(elapsed: int) -> dict[str, int]:
    """Return a time, in seconds since the campaign began, as the clock shows it.

    `day`, `week`, `month` and `season` count the whole ones that have passed since the beginning; `watch`
    counts those of the day, `turn` those of the watch and `round` those of the turn, each from 0.
    """
    since = {unit: elapsed // SECONDS[unit] for unit in ("season", "month", "week", "day")}
    watch, rest = divmod(elapsed % SECONDS["day"], SECONDS["watch"])
    turn, rest = divmod(rest, SECONDS["turn"])
    return {"elapsed": elapsed, **since, "watch": watch, "turn": turn, "round": rest // SECONDS["round"]}
