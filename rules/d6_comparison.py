"""The alternate system of one die: two skills compared give what it must show (rules 3.1 and 3.2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from rules.action import Action, HouseRules
from rules.fields import choice, whole
from rules.heroes_2d6 import HeroSheet
from rules.readings import Total
from rules.ruleset import RuleSet
from rules.throw import Hand, Role
from rules.verdict import Verdict, at_least

# Rule 3.2: each difficulty stands for a monster's skill
DIFFICULTY_NUMBER = {
    "easy": 2,
    "moderate": 3,
    "difficult": 4,
    "very-difficult": 5,
    "heroic": 6,
    "near-impossible": 8,
}
DIFFICULTIES = {
    name: f"{name.replace('-', ' ').capitalize()} ({number})" for name, number in DIFFICULTY_NUMBER.items()
}


def needed(hero: int, monster: int) -> tuple[int, str]:
    """Return what the die must show or beat, and the band's name (rule 3.1); the extreme band wins."""
    if hero > 2 * monster:
        return 2, "most-likely"
    if 2 * hero < monster:
        return 6, "very-unlikely"
    if hero > monster:
        return 3, "likely"
    return (4, "even") if hero == monster else (5, "unlikely")


@dataclass(frozen=True, kw_only=True)
class Comparison(Action):
    """One die against what the comparison of two skills asks for."""

    target_label = "Needs"
    house: HouseRules = field(default_factory=HouseRules)

    skill: int = whole("Skill", 0, 50)

    @property
    def against(self) -> int:
        """The skill, or the difficulty number, on the other side."""
        raise NotImplementedError

    def hands(self) -> tuple[Hand, ...]:
        return (Hand(((Role.SKILL, 1),), Total()),)

    def judge(self, die: int) -> Verdict:  # type: ignore[override]
        """Compare the die with what the two skills ask for (rule 3.1)."""
        target, band = needed(self.skill, self.against)
        verdict = at_least(die, target)
        return Verdict(verdict.outcome, verdict.success, die, target, verdict.margin, (band,))

    def formula(self) -> str:
        return "1d6"


@dataclass(frozen=True, kw_only=True)
class OpposedCheck(Comparison):
    """A hero's skill against a monster's (rule 3.1)."""

    name: ClassVar[str] = "opposed-check"
    title: ClassVar[str] = "Opposed check"
    help: ClassVar[str] = "One die; the two skills say what it must show."

    opponent_skill: int = whole("Opponent's skill", 0, 50)

    @property
    def against(self) -> int:
        return self.opponent_skill

    def numbers(self) -> tuple[tuple[str, int], ...]:
        return (("Skill", self.skill), ("Opponent's skill", self.opponent_skill))


@dataclass(frozen=True, kw_only=True)
class UnopposedCheck(Comparison):
    """A hero's skill against a difficulty (rule 3.2)."""

    name: ClassVar[str] = "unopposed-check"
    title: ClassVar[str] = "Unopposed check"
    help: ClassVar[str] = "One die; the skill and the difficulty say what it must show."

    difficulty: str = choice("Difficulty", DIFFICULTIES)

    @property
    def against(self) -> int:
        return DIFFICULTY_NUMBER[self.difficulty]

    def numbers(self) -> tuple[tuple[str, int], ...]:
        return (("Skill", self.skill), ("Difficulty", self.against))


@dataclass(frozen=True, kw_only=True)
class ComparisonSheet(HeroSheet):
    """The same hero, played with one die."""

    offers = (OpposedCheck, UnopposedCheck)

    def work_out(self) -> dict[str, Any]:
        """Return what each skill's die must show against each difficulty."""
        needs = [
            {
                "skill": skill.name,
                "needs": {rung: needed(skill.level, number)[0] for rung, number in DIFFICULTY_NUMBER.items()},
            }
            for skill in self.skills
        ]
        return {"needs": needs}


RULE_SET = RuleSet(
    id="d6-comparison",
    title="The d6 comparison",
    blurb="One die; the comparison of two skills says what it must show.",
    actions=(OpposedCheck, UnopposedCheck),
    sheet=ComparisonSheet,
)
