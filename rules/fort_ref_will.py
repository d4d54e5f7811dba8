"""2d6 tests, saves and contests with advantage, and a pack to carry (rules 4.1 to 4.9)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from rules.action import NotAnswered, Player
from rules.advantage import (
    Advantaged,
    AgainstTarget,
    FortHouseRules,
    advantage_field,
    combat_field,
    disadvantage_field,
    formula,
    settled,
    two_of,
)
from rules.fields import Params, choice, either, whole
from rules.pack import PackSheet
from rules.ruleset import RuleSet
from rules.throw import Hand, Side
from rules.verdict import Outcome, Verdict, at_least, at_most

# Rule 4.1
ATTRIBUTES = {"FOR": "Fortitude", "REF": "Reflex", "WIL": "Will"}

# Rule 4.2
TYPICAL_TARGET = 7


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
    low_is_good = True

    attribute: str = choice("Attribute", ATTRIBUTES)
    target: int = whole("Target", 0, 20, help="What the attribute and items give.")
    advantage: int = advantage_field()
    disadvantage: int = disadvantage_field()
    combat: bool = combat_field()

    house: FortHouseRules = field(default_factory=FortHouseRules)

    def heading(self) -> str:
        return f"{ATTRIBUTES[self.attribute]} save"

    def compare(self, total: int) -> Verdict:
        return at_most(total, self.shifted_target)


@dataclass(frozen=True, kw_only=True)
class ContestAnswer(Params):
    """The other side of a contest, by the one who was challenged."""

    advantage: int = advantage_field()
    disadvantage: int = disadvantage_field()


@dataclass(frozen=True, kw_only=True)
class Npc(ContestAnswer):
    """A non-player on the other side."""

    kind = "npc"
    label = "A non-player"


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
        """The other side's net advantage; raise NotAnswered."""
        other = self.opponent if isinstance(self.opponent, Npc) else self.answer
        if other is None:
            raise NotAnswered(self.name)
        return other.advantage - other.disadvantage

    @property
    def waits(self) -> bool:
        """Whether the other side has still to answer."""
        return self.challenged is not None and self.answer is None

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
        """Return both sides' dice, none where one side's standing is better (rules 4.3 and 4.4)."""
        if self.standing:
            return ()
        mine, theirs = self.counting(self.net), self.counting(self.their_net)
        return two_of(mine), two_of(theirs, Side.OPPONENT)

    def judge(self, total: int | None = None, target: int | None = None) -> Verdict:  # type: ignore[override]
        """Compare the two totals, or the standings where nobody throws (rules 4.2 and 4.4)."""
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
        return None if not self.waits and self.standing else formula(self.counting(self.net))

    def house_rules_in_play(self) -> dict[str, Any]:
        if self.waits:
            return self.stacking_in_play(self.net)
        return {} if self.standing else self.stacking_in_play(self.net, self.their_net)

    def against_an_equal(self) -> Self:
        return replace(self, answer=ContestAnswer(advantage=self.advantage, disadvantage=self.disadvantage))

    def other_side(self, roller: str) -> Self:
        if self.answer is None or not isinstance(self.opponent, Player):
            raise NotAnswered(self.name)
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

    stats = ("fortitude", "reflex", "will")

    fortitude: int = whole(ATTRIBUTES["FOR"], 0, 20, default=TYPICAL_TARGET)
    reflex: int = whole(ATTRIBUTES["REF"], 0, 20, default=TYPICAL_TARGET)
    will: int = whole(ATTRIBUTES["WIL"], 0, 20, default=TYPICAL_TARGET)

    def rolls(self) -> list[dict[str, Any]]:
        scores = (self.fortitude, self.reflex, self.will)
        saves = [
            self.button(label, "Saves", Save.name, {"attribute": attribute, "target": score})
            for (attribute, label), score in zip(ATTRIBUTES.items(), scores, strict=True)
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
