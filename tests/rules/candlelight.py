"""Candlelight: a d20 and a talent against a difficulty; the last candle burns twice as bright."""

from dataclasses import dataclass, field

from rules.action import Action, HouseRules
from rules.fields import choice, flag, whole
from rules.readings import Total
from rules.ruleset import RuleSet
from rules.throw import Hand, Role
from rules.verdict import Verdict, at_least

DIFFICULTIES = {"near": 8, "far": 12, "dark": 16}


@dataclass(frozen=True, kw_only=True)
class CandleHouseRules(HouseRules):
    """What a table may settle for itself."""

    last_candle: bool = flag("The last candle counts", help="Alone in the dark, a talent counts twice.")


@dataclass(frozen=True, kw_only=True)
class Venture(Action):
    """A d20 and a talent that reach a difficulty."""

    name = "venture"
    title = "Venture"
    target_label = "Difficulty"

    talent: int = whole("Talent", 0, 10)
    difficulty: str = choice("Difficulty", {name: name.capitalize() for name in DIFFICULTIES}, default="near")
    alone: bool = flag("Alone", only_with="last_candle")
    house: CandleHouseRules = field(default_factory=CandleHouseRules)

    @property
    def added(self) -> int:
        return self.talent * (2 if self.alone else 1)

    def hands(self) -> tuple[Hand, ...]:
        return (Hand(((Role.SKILL, 1),), Total(), faces=20),)

    def judge(self, die: int) -> Verdict:  # type: ignore[override]
        return at_least(die + self.added, DIFFICULTIES[self.difficulty])

    def formula(self) -> str:
        return f"1d20 + {self.added}"

    def numbers(self) -> tuple[tuple[str, int], ...]:
        return (("Talent", self.added),)

    def house_rules_in_play(self) -> dict[str, bool]:
        return {"last_candle": True} if self.alone else {}


RULE_SET = RuleSet("candlelight", "Candlelight", "A d20 and a talent.", (Venture,), CandleHouseRules)
