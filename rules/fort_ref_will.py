"""2d6 tests, saves and contests with advantage, and a pack to carry (rules 4.1 to 4.9)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from rules.action import Action, HouseRules, Player
from rules.fields import Params, choice, either, flag, whole
from rules.pack import PackSheet
from rules.readings import BestTwo
from rules.ruleset import RuleSet
from rules.throw import Hand, Role, Side
from rules.verdict import Outcome, Verdict, at_least, at_most

# Rule 4.1
ATTRIBUTES = {"FOR": "Fortitude", "REF": "Reflex", "WIL": "Will"}

# Rule 4.2
TYPICAL_TARGET = 7

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


def two_best(extra: int, highest: bool, side: Side = Side.ROLLER) -> Hand:
    """Return 2d6 and `extra` more, of which the two highest or the two lowest are kept (rule 4.3)."""
    if side is Side.OPPONENT:
        return Hand(((Role.OPPONENT, 2 + extra),), BestTwo(highest), side)
    return Hand(((Role.SKILL, 2), (Role.EXTRA, extra)), BestTwo(highest), side)


def settled(net: int, combat: bool) -> int:
    """Return 1 for success without a roll, -1 for failure without one, 0 where dice are thrown (rule 4.4)."""
    if combat or abs(net) < SETTLED_BY:
        return 0
    return 1 if net > 0 else -1


def formula(hand: Hand) -> str:
    """Return the Foundry formula of one side's dice."""
    assert isinstance(hand.reading, BestTwo)
    keep = ("kh2" if hand.reading.highest else "kl2") if hand.size > 2 else ""
    return f"{hand.size}d6{keep}"


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

    def house_rules_in_play(self) -> dict[str, Any]:
        in_play: dict[str, Any] = {}
        if self.net:
            in_play["advantage_table"] = self.house.advantage_table
        if self.combat and abs(self.net) > 1:
            in_play["stacking"] = self.house.stacking
        return in_play


class AgainstTarget(Advantaged):
    """A test or a save: the throw, or its target, shifts with the net advantage."""

    extra_dice_with: ClassVar[str]
    advantage_keeps_highest: ClassVar[bool] = True
    target: int

    @property
    def throws_extra(self) -> bool:
        """Whether advantage means extra dice here, and not another target (rule 4.3)."""
        return self.house.advantage_table == self.extra_dice_with

    @property
    def shifted_target(self) -> int:
        """The target after advantage, where advantage moves it."""
        return self.target if self.throws_extra else self.target + self.counting(self.net)

    def hands(self) -> tuple[Hand, ...]:
        if settled(self.net, self.combat):
            return ()
        shift = self.counting(self.net) if self.throws_extra else 0
        return (two_best(abs(shift), (shift >= 0) is self.advantage_keeps_highest),)

    def judge(self, total: int | None = None) -> Verdict:  # type: ignore[override]
        if total is None:
            success = settled(self.net, self.combat) > 0
            named = Outcome.AUTOMATIC_SUCCESS if success else Outcome.AUTOMATIC_FAILURE
            return Verdict(named, success, target=self.target, notes=("without-a-roll",))
        return self.compare(total)

    def compare(self, total: int) -> Verdict:
        """Judge a thrown total."""
        raise NotImplementedError

    def formula(self) -> str | None:
        hands = self.hands()
        return formula(hands[0]) if hands else None


@dataclass(frozen=True, kw_only=True)
class Test(AgainstTarget):
    """2d6 that reach a target (rules 4.2 to 4.4)."""

    __test__ = False  # a rule, not a test case

    name: ClassVar[str] = "test"
    title: ClassVar[str] = "Test"
    help: ClassVar[str] = "Throw 2d6 and reach the target."
    extra_dice_with = "corrected"

    target: int = whole("Target", 0, 20, default=TYPICAL_TARGET, help="7 unless the referee says otherwise.")
    advantage: int = advantage_field()
    disadvantage: int = disadvantage_field()
    combat: bool = combat_field()

    house: FortHouseRules = field(default_factory=FortHouseRules)

    def compare(self, total: int) -> Verdict:
        return at_least(total, self.shifted_target)


@dataclass(frozen=True, kw_only=True)
class Save(AgainstTarget):
    """2d6 that stay at or under a target (rules 4.1 to 4.4)."""

    name: ClassVar[str] = "save"
    title: ClassVar[str] = "Save"
    help: ClassVar[str] = "Throw 2d6 and stay at or under the target that the attribute and items give."
    extra_dice_with = "as-printed"
    advantage_keeps_highest = False  # low is good

    attribute: str = choice("Attribute", ATTRIBUTES)
    target: int = whole("Target", 0, 20, help="What the attribute and items give.")
    advantage: int = advantage_field()
    disadvantage: int = disadvantage_field()
    combat: bool = combat_field()

    house: FortHouseRules = field(default_factory=FortHouseRules)

    def compare(self, total: int) -> Verdict:
        return at_most(total, self.shifted_target)


@dataclass(frozen=True, kw_only=True)
class Npc(Params):
    """A non-player on the other side."""

    kind = "npc"
    label = "A non-player"

    advantage: int = advantage_field()
    disadvantage: int = disadvantage_field()


@dataclass(frozen=True, kw_only=True)
class ContestAnswer(Params):
    """The other side of a contest, by the one who was challenged."""

    advantage: int = advantage_field()
    disadvantage: int = disadvantage_field()


@dataclass(frozen=True, kw_only=True)
class Contest(Advantaged):
    """Both throw 2d6, higher wins, and a player wins a tie (rules 4.2 to 4.4)."""

    name: ClassVar[str] = "contest"
    title: ClassVar[str] = "Contest"
    help: ClassVar[str] = (
        "Both throw 2d6; the higher total wins, and a player wins a tie against a non-player."
    )
    target_label = "Opponent's total"
    answer_type = ContestAnswer

    advantage: int = advantage_field()
    disadvantage: int = disadvantage_field()
    combat: bool = combat_field()
    opponent: Npc | Player = either("Against", Npc, Player)

    house: FortHouseRules = field(default_factory=FortHouseRules)
    answer: ContestAnswer | None = None

    @property
    def their_net(self) -> int:
        """The other side's net advantage."""
        other = self.opponent if isinstance(self.opponent, Npc) else self.answer
        assert other is not None, "the other side has not answered"
        return other.advantage - other.disadvantage

    @property
    def standing(self) -> int:
        """1 or -1 where the roller wins or loses without a roll, 0 where both throw (rule 4.4)."""
        mine, theirs = settled(self.net, self.combat), settled(self.their_net, self.combat)
        return (mine > theirs) - (mine < theirs)

    @property
    def wins_ties(self) -> Side | None:
        """The side that is a player's where the other is not, None between two of a kind (rule 4.2)."""
        if isinstance(self.opponent, Npc):
            return Side.ROLLER
        if self.roller_is_player == self.opponent.is_player:
            return None
        return Side.ROLLER if self.roller_is_player else Side.OPPONENT

    def hands(self) -> tuple[Hand, ...]:
        if self.standing:
            return ()
        nets = (self.net, Side.ROLLER), (self.their_net, Side.OPPONENT)
        return tuple(two_best(abs(self.counting(net)), net >= 0, side) for net, side in nets)

    def judge(self, total: int | None = None, target: int | None = None) -> Verdict:  # type: ignore[override]
        if total is None or target is None:
            won = self.standing > 0
            named = Outcome.AUTOMATIC_SUCCESS if won else Outcome.AUTOMATIC_FAILURE
            return Verdict(named, won, notes=("without-a-roll",))
        if total == target and self.wins_ties is None:
            return Verdict(Outcome.TIE, None, total, target, 0)
        success = total > target or (total == target and self.wins_ties is Side.ROLLER)
        named = Outcome.SUCCESS if success else Outcome.FAILURE
        notes = ("player-wins-ties",) if total == target else ()
        return Verdict(named, success, total, target, total - target, notes)

    def formula(self) -> str | None:
        if self.challenged is None or self.answer is not None:
            return formula(self.hands()[0]) if self.hands() else None
        return formula(two_best(abs(self.counting(self.net)), self.net >= 0))

    def against_an_equal(self) -> Self:
        return replace(self, answer=ContestAnswer(advantage=self.advantage, disadvantage=self.disadvantage))

    def other_side(self, roller: str) -> Self:
        assert self.answer is not None and isinstance(self.opponent, Player), "nobody answered"
        return replace(
            self,
            advantage=self.answer.advantage,
            disadvantage=self.answer.disadvantage,
            opponent=Player(user=roller),
            answer=ContestAnswer(advantage=self.advantage, disadvantage=self.disadvantage),
            roller_is_player=self.opponent.is_player,
        )


@dataclass(frozen=True, kw_only=True)
class FortSheet(PackSheet):
    """Three attributes, stamina and wounds, and what is carried (rules 4.1, 4.5 to 4.8)."""

    fortitude: int = whole("Fortitude", 0, 20, default=TYPICAL_TARGET)
    reflex: int = whole("Reflex", 0, 20, default=TYPICAL_TARGET)
    will: int = whole("Will", 0, 20, default=TYPICAL_TARGET)

    def rolls(self) -> list[dict[str, Any]]:
        scores = {"FOR": self.fortitude, "REF": self.reflex, "WIL": self.will}
        saves = [
            self.button(label, "Saves", Save.name, {"attribute": short, "target": scores[short]})
            for short, label in ATTRIBUTES.items()
        ]
        return [
            *saves,
            self.button(Test.title, "Tests and contests", Test.name, {}),
            self.button(Contest.title, "Tests and contests", Contest.name, {}),
        ]


RULE_SET = RuleSet(
    id="fort-ref-will",
    title="Fortitude, Reflex, Will",
    blurb="2d6 tests, saves and contests with advantage, and ten slots to carry things in.",
    actions=(Test, Save, Contest),
    house_rules=FortHouseRules,
    sheet=FortSheet,
)
