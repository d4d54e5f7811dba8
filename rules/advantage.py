"""2d6 with sources of advantage and disadvantage: extra dice, or another target (rules 4.3 and 4.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from rules.action import Action, HouseRules
from rules.fields import choice, flag, whole
from rules.readings import BestTwo
from rules.throw import Hand, Role, Side
from rules.verdict import Outcome, Verdict

# Rule 4.4: outside combat, this many net sources settle it without a roll
SETTLED_BY = 2


@dataclass(frozen=True, kw_only=True)
class FortHouseRules(HouseRules):
    """What a table may settle for itself."""

    advantage_table: str = choice(
        "Advantage table",
        {
            "corrected": "Tests and contests throw extra dice, saves move the target",
            "as-printed": "Tests move the target, saves throw extra dice",
        },
        default="corrected",
        help="The book's table is printed with its columns shifted; corrected is what it means.",
    )
    stacking: bool = flag(
        "Advantage stacks in combat", default=True, help="Off: never more than one net source counts."
    )


def advantage_field() -> Any:
    """Make the field of the sources of advantage."""
    return whole("Advantage", 0, 5, default=0, help="Sources of advantage.")


def disadvantage_field() -> Any:
    """Make the field of the sources of disadvantage."""
    return whole("Disadvantage", 0, 5, default=0, help="Sources of disadvantage.")


def combat_field() -> Any:
    """Make the field that says whether the roll is made in combat (rule 4.4)."""
    return flag("In combat", help="Outside combat, two net sources settle it without a roll.")


def keeps_highest(shift: int, low_is_good: bool) -> bool:
    """Tell whether a throw shifted by so many net sources keeps its two highest dice (rule 4.3)."""
    return (shift >= 0) is not low_is_good


def two_of(shift: int, side: Side = Side.ROLLER, low_is_good: bool = False) -> Hand:
    """Return 2d6 with an extra die a net source, of which the best two, or the worst two, are kept."""
    extra, reading = abs(shift), BestTwo(keeps_highest(shift, low_is_good))
    if side is Side.OPPONENT:
        return Hand(((Role.OPPONENT, 2 + extra),), reading, side)
    return Hand(((Role.SKILL, 2), (Role.EXTRA, extra)), reading, side)


def formula(shift: int, low_is_good: bool = False) -> str:
    """Return the Foundry formula of the same dice."""
    keep = ("kh2" if keeps_highest(shift, low_is_good) else "kl2") if shift else ""
    return f"{2 + abs(shift)}d6{keep}"


def settled(net: int, combat: bool) -> int:
    """Return 1 for success without a roll, -1 for failure without one, 0 where dice are thrown (rule 4.4)."""
    if combat or abs(net) < SETTLED_BY:
        return 0
    return 1 if net > 0 else -1


class Advantaged(Action):
    """A roll of 2d6 with sources of advantage and disadvantage (rules 4.3 and 4.4).

    Each action below lists the three fields itself, in the place where its form asks for them.
    """

    advantage: int
    disadvantage: int
    combat: bool
    house: FortHouseRules

    @property
    def net(self) -> int:
        """Sources of advantage less sources of disadvantage, -5 to 5."""
        return self.advantage - self.disadvantage

    def counting(self, net: int) -> int:
        """Return how many net sources count: all of them, or one where they do not stack."""
        return net if self.house.stacking else max(-1, min(1, net))

    def numbers(self) -> tuple[tuple[str, int], ...]:
        entered = (("Advantage", self.advantage), ("Disadvantage", -self.disadvantage))
        return tuple((label, number) for label, number in entered if number)

    def stacking_in_play(self, *nets: int) -> dict[str, Any]:
        """Return the house rule `stacking` where any side that throws has more than one net source."""
        return {"stacking": self.house.stacking} if any(abs(net) > 1 for net in nets) else {}


class AgainstTarget(Advantaged):
    """A test or a save: the throw, or its target, shifts with the net advantage."""

    extra_dice_with: ClassVar[str]
    low_is_good: ClassVar[bool] = False
    target: int

    @property
    def throws_extra(self) -> bool:
        """Whether advantage means extra dice here, and not another target (rule 4.3)."""
        return self.house.advantage_table == self.extra_dice_with

    @property
    def shift(self) -> int:
        """How many extra dice are thrown; negative where they are a burden."""
        return self.counting(self.net) if self.throws_extra else 0

    @property
    def shifted_target(self) -> int:
        """The target after advantage, where advantage moves it."""
        return self.target if self.throws_extra else self.target + self.counting(self.net)

    def numbers(self) -> tuple[tuple[str, int], ...]:
        """Return the sources, and the target that they moved."""
        moved = self.shifted_target != self.target and not settled(self.net, self.combat)
        return ((("Target before advantage", self.target),) if moved else ()) + super().numbers()

    def hands(self) -> tuple[Hand, ...]:
        """Return the dice, none where the net advantage settles it (rules 4.3 and 4.4)."""
        if settled(self.net, self.combat):
            return ()
        return (two_of(self.shift, low_is_good=self.low_is_good),)

    def judge(self, total: int | None = None) -> Verdict:  # type: ignore[override]
        """Compare the kept dice with the target, or say what the net advantage settles (rule 4.4)."""
        if total is None:
            success = settled(self.net, self.combat) > 0
            named = Outcome.AUTOMATIC_SUCCESS if success else Outcome.AUTOMATIC_FAILURE
            return Verdict(named, success, target=self.target, notes=("without-a-roll",))
        return self.compare(total)

    def compare(self, total: int) -> Verdict:
        """Judge a thrown total."""
        raise NotImplementedError

    def formula(self) -> str | None:
        return None if settled(self.net, self.combat) else formula(self.shift, self.low_is_good)

    def house_rules_in_play(self) -> dict[str, Any]:
        if not self.net or settled(self.net, self.combat):
            return {}
        return {"advantage_table": self.house.advantage_table, **self.stacking_in_play(self.net)}
