"""A report counted again, roll by roll, from what the API shows the caller; plain Python fractions."""

from collections import Counter
from fractions import Fraction
from itertools import groupby
from math import sqrt
from typing import Any

from service.presenting import present
from service.store import Store
from service.visibility import Viewer


def rolls_shown(store: Store, campaign: str, viewer: Viewer) -> list[dict[str, Any]]:
    """Every roll whose result the viewer is shown, oldest first."""
    records = [record for _, record in store.rolls.history(campaign)]
    shown = [present(record, viewer) for record in reversed(records)]
    return [roll for roll in shown if roll is not None and roll["outcome"] is not None]


def recount(rolls: list[dict[str, Any]]) -> dict[str, Any] | None:
    """What a row says of these rolls."""
    if not rolls:
        return None
    chances = [Fraction(roll["odds"]["success"]["fraction"]) for roll in rolls]
    expected, variance = sum(chances, Fraction(0)), sum((p * (1 - p) for p in chances), Fraction(0))
    won = sum(roll["success"] is True for roll in rolls)
    counted: dict[str, Any] = {
        "rolls": len(rolls),
        "successes": won,
        "expected": expected,
        "variance": variance,
        "in_doubt": sum(0 < p < 1 for p in chances),
        "z": float(won - expected) / sqrt(variance) if variance else None,
    }
    outcomes = Counter(roll["outcome"] for roll in rolls)
    for kind, name in (("successes", "critical-success"), ("failures", "critical-failure")):
        likely = [roll["odds"]["outcomes"].get(name, {"fraction": "0"}) for roll in rolls]
        counted[f"critical_{kind}"] = outcomes[name]
        counted[f"expected_{kind}"] = float(sum(Fraction(chance["fraction"]) for chance in likely))
    margins = [roll["margin"] for roll in rolls if roll["margin"] is not None]
    counted["margin"] = sum(margins) / len(margins) if margins else None
    return counted


def longest_runs(rolls: list[dict[str, Any]]) -> tuple[int, int]:
    """The most successes and failures in a row, of rolls that could have gone either way."""
    doubtful = [
        None if r["outcome"] == "tie" else r["success"]
        for r in rolls
        if 0 < Fraction(r["odds"]["success"]["fraction"]) < 1
    ]
    runs = [(result, len(list(run))) for result, run in groupby(doubtful)]
    return (
        max((length for result, length in runs if result is True), default=0),
        max((length for result, length in runs if result is False), default=0),
    )


def faces(rolls: list[dict[str, Any]]) -> dict[int, Counter[int]]:
    """How often each face fell, by the size of the die."""
    fallen: dict[int, Counter[int]] = {}
    for roll in rolls:
        for die in roll["dice"]:
            fallen.setdefault(die["faces"], Counter())[die["value"]] += 1
    return fallen


def least_likely(rolls: list[dict[str, Any]], success: bool) -> list[Fraction]:
    """The chances of the five least likely successes (or failures)."""
    chances = []
    for roll in rolls:
        p = Fraction(roll["odds"]["success"]["fraction"])
        if roll["success"] is success and roll["outcome"] != "tie" and 0 < p < 1:
            chances.append(p if success else 1 - p)
    return sorted(chances)[:5]
