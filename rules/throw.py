"""Throwing an action's dice and reading what fell."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from rules.dice import DiceSource
from rules.readings import Reading
from rules.verdict import Verdict

if TYPE_CHECKING:
    from rules.action import Action

MOST_DICE = 50
"""The most dice of one hand."""


class Role(StrEnum):
    """Why a die was thrown; its colour on the card."""

    SKILL = "skill"
    BONUS = "bonus"
    PENALTY = "penalty"
    EXTRA = "extra"
    OPPONENT = "opponent"


class Side(StrEnum):
    """Who threw a die."""

    ROLLER = "roller"
    OPPONENT = "opponent"


@dataclass(frozen=True)
class Hand:
    """Dice that are read together: how many of each role, and how they are read.

    `sign` is -1 where what the dice show counts against the roller.
    """

    dice: tuple[tuple[Role, int], ...]
    reading: Reading
    side: Side = Side.ROLLER
    sign: int = 1
    faces: int = 6

    @property
    def size(self) -> int:
        """The number of dice."""
        return sum(count for _, count in self.dice)

    def roles(self) -> list[Role]:
        """Return the role of each die, in order."""
        return [role for role, count in self.dice for _ in range(count)]


@dataclass(frozen=True, slots=True)
class Die:
    """One die as it fell: `kept` is False for a dropped die, `counts` is what it added to the score."""

    faces: int
    value: int
    role: Role
    kept: bool
    counts: int
    side: Side


@dataclass(frozen=True)
class Resolution:
    """A throw and its judgement."""

    dice: tuple[Die, ...]
    verdict: Verdict


def resolve(action: Action, source: DiceSource, answer_source: DiceSource | None = None) -> Resolution:
    """Throw an action's dice in the order in which they are listed, and judge them.

    Where another player answered, their dice come from `answer_source`; a creature's come from `source`.
    """
    dice: list[Die] = []
    values: list[int] = []
    for hand in action.hands():
        drawn_from = answer_source if answer_source and hand.side is Side.OPPONENT else source
        faces = [drawn_from.throw(hand.faces) for _ in range(hand.size)]
        values.append(hand.reading.read(faces))
        for role, face, (kept, counts) in zip(hand.roles(), faces, hand.reading.counted(faces), strict=True):
            dice.append(Die(hand.faces, face, role, kept, counts * hand.sign, hand.side))
    return Resolution(tuple(dice), action.judge(*values))
