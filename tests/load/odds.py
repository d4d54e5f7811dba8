"""The odds of a large pool against icepool's."""

import time
from collections.abc import Callable

from rules import registry
from rules.odds import odds
from tests.load.ground import median

POOL = {"stat": 5, "skill": "trained", "knack": True, "bonus": 5, "penalty": 6, "dv": 3}
"""12d6 at 4 or more, minus 6d6 at 5 or more, to reach 3."""


def _by_icepool() -> object:
    from icepool import d6

    return (12 @ (d6 >= 4) - 6 @ (d6 >= 5)).probability(">=", 3)


def _seconds(work: Callable[[], object], times: int) -> float:
    work()
    began = time.perf_counter()
    for _ in range(times):
        work()
    return (time.perf_counter() - began) / times


def measure(rounds: int, times: int) -> dict[str, float]:
    """Return the seconds of each way, warm, as medians of rounds that take turns."""
    action = registry.get("moon-hangs-low").load("skill-check", POOL)
    if odds(action).success != _by_icepool():
        raise AssertionError("the two do not agree")
    ways = {
        "tallybones, asked before": lambda: odds(action),
        "tallybones, first time for this DV": lambda: odds.__wrapped__(action),
        "icepool": _by_icepool,
    }
    found: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, work in ways.items():
            found[name].append(_seconds(work, times))
    return {name: median(values) for name, values in found.items()}
