"""Lantern: a rule set of another package whose one action has a field of every type."""

from dataclasses import dataclass

from rules.action import Action, HouseRules
from rules.fields import Params, choice, either, flag, list_of, user, whole
from rules.fields import name as text
from rules.readings import Total
from rules.ruleset import RuleSet
from rules.throw import Hand, Role
from rules.verdict import Verdict, at_least


@dataclass(frozen=True, kw_only=True)
class Flame(Params):
    """A flame of the lantern."""

    colour: str = text("Colour")
    size: int = whole("Size", 0, 50, default=1)
    shade: str = choice("Shade", {"pale": "Pale", "deep": "Deep"}, default="pale")
    blinks: bool = flag("Blinks")


@dataclass(frozen=True, kw_only=True)
class Alone(Params):
    """Nobody watches."""

    kind, label = "alone", "Alone"


@dataclass(frozen=True, kw_only=True)
class Watched(Params):
    """Somebody watches."""

    kind, label = "watched", "Watched"
    by: str = user("By whom")


@dataclass(frozen=True, kw_only=True)
class Light(Action):
    """Flames that reach a darkness."""

    name = "light"
    title = "Light"
    target_label = "Darkness"

    flames: tuple[Flame, ...] = list_of("Flames", Flame, most=3)
    darkness: int = whole("Darkness", 2, 90)
    motto: str = text("Motto", default="Shine")
    watch: Alone | Watched = either("Watch", Alone, Watched)  # noqa: RUF009  as rules.fields makes it

    def hands(self) -> tuple[Hand, ...]:
        return (Hand(((Role.SKILL, 1),), Total(), faces=20),)

    def judge(self, die: int) -> Verdict:  # type: ignore[override]
        return at_least(die + sum(flame.size for flame in self.flames), self.darkness)

    def formula(self) -> str:
        return "1d20"

    def numbers(self) -> tuple[tuple[str, int], ...]:
        return tuple((flame.colour, flame.size) for flame in self.flames)


RULE_SET = RuleSet("lantern", "Lantern", "Flames against the dark.", (Light,), HouseRules)
