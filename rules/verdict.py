"""What a throw came to."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Outcome(StrEnum):
    """Every way a roll can end, in all rule sets."""

    CRITICAL_SUCCESS = "critical-success"
    SUCCESS = "success"
    FAILURE = "failure"
    CRITICAL_FAILURE = "critical-failure"
    TIE = "tie"
    AUTOMATIC_SUCCESS = "automatic-success"
    AUTOMATIC_FAILURE = "automatic-failure"


class Verdict(NamedTuple):
    """The judgement of one throw.

    `success` is None where nobody won (a tie that the rules leave open). `score` is what was reached (a
    total, or net successes), None when nothing was thrown; `margin` is by how much the target was beaten
    (negative: missed), whichever way the roll has to go. `notes` are short names of what the card mentions.
    """

    outcome: Outcome
    success: bool | None
    score: int | None = None
    target: int | None = None
    margin: int | None = None
    notes: tuple[str, ...] = ()


def at_least(score: int, target: int) -> Verdict:
    """Judge a roll that has to reach its target."""
    success = score >= target
    return Verdict(Outcome.SUCCESS if success else Outcome.FAILURE, success, score, target, score - target)


def at_most(score: int, target: int) -> Verdict:
    """Judge a roll that has to stay at or under its target."""
    success = score <= target
    return Verdict(Outcome.SUCCESS if success else Outcome.FAILURE, success, score, target, target - score)
