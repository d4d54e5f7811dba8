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


class TooManyDice(ValueError):
    """A hand asks for more dice than anybody may throw at once."""

    def __init__(self, asked: int) -> None:
        super().__init__(f"{asked} dice in one hand; at most {MOST_DICE} are thrown")
        self.asked = asked


@dataclass(frozen=True)
class Hand:
    """Dice that are read together: how many of each role, and how they are read; at most 50.

    `sign` is -1 where what the dice show counts against the roller.

    Raises:
        TooManyDice: for more than 50.
    """

    dice: tuple[tuple[Role, int], ...]
    reading: Reading
    side: Side = Side.ROLLER
    sign: int = 1
    faces: int = 6

    def __post_init__(self) -> None:
        if self.size > MOST_DICE:
            raise TooManyDice(self.size)

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
    theirs = source if answer_source is None else answer_source
    dice: list[Die] = []
    values: list[int] = []
    for hand in action.hands():
        drawn_from = theirs if hand.side is Side.OPPONENT else source
        faces = [drawn_from.throw(hand.faces) for _ in range(hand.size)]
        values.append(hand.reading.read(faces))
        for role, face, (kept, counts) in zip(hand.roles(), faces, hand.reading.counted(faces), strict=True):
            dice.append(Die(hand.faces, face, role, kept, counts * hand.sign, hand.side))
    return Resolution(tuple(dice), action.judge(*values))
