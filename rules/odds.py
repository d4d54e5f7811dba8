"""Exact odds: the action's own judgement, weighed by how often each reading comes up."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any

from rules.action import Action
from rules.readings import distribution
from rules.verdict import Outcome


def fraction_text(value: Fraction) -> str:
    """Write a fraction as "7/12"; zero is "0/1" and one "1/1"."""
    return f"{value.numerator}/{value.denominator}"


def as_json(value: Fraction) -> dict[str, Any]:
    """Return a probability as its exact fraction, and as a float for people."""
    return {"fraction": fraction_text(value), "probability": float(value)}


@dataclass(frozen=True)
class Odds:
    """The chance of success and of each outcome that can happen, before anything is thrown.

    `formula` throws the same dice in Foundry, where one formula can.
    """

    success: Fraction
    outcomes: dict[Outcome, Fraction]
    formula: str | None

    def as_json(self) -> dict[str, Any]:
        """Return the odds as the API answers them."""
        return {
            "success": as_json(self.success),
            "outcomes": {outcome.value: as_json(chance) for outcome, chance in self.outcomes.items()},
            "formula": self.formula,
        }


@lru_cache(maxsize=4096)
def odds(action: Action) -> Odds:
    """Return the exact odds of an action.

    Against a player who has not answered yet they are the odds against an equal throw of theirs.
    """
    whole = action.against_an_equal() if action.challenged and action.answer is None else action
    hands = whole.hands()
    ways: dict[Outcome, int] = {}
    won = 0
    for readings in product(*(distribution(hand.reading, hand.size, hand.faces) for hand in hands)):
        values, counts = zip(*readings, strict=True) if readings else ((), ())
        verdict = whole.judge(*values)
        count = prod(counts)
        ways[verdict.outcome] = ways.get(verdict.outcome, 0) + count
        if verdict.success:
            won += count
    throws = prod(hand.faces**hand.size for hand in hands)
    outcomes = {outcome: Fraction(ways[outcome], throws) for outcome in Outcome if outcome in ways}
    return Odds(Fraction(won, throws), outcomes, action.formula())
