"""2d6 and a skill against a target number, or against another's 2d6 and skill (rules 2.1 to 2.6)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from rules.action import Action, HouseRules, NotAnswered, Player
from rules.fields import Params, choice, either, flag, list_of, name, whole
from rules.readings import Total
from rules.ruleset import RuleSet, Sheet, unique_names
from rules.throw import Hand, Role, Side
from rules.verdict import Outcome, Verdict

# Rule 2.1
LADDER = {"simple": 6, "easy": 8, "moderate": 10, "hard": 12, "very-hard": 14, "heroic": 16, "insane": 18}
DIFFICULTIES = {
    rung: f"{rung.replace('-', ' ').capitalize()} (TN {number})" for rung, number in LADDER.items()
}

# Rule 2.2: of two six-sided dice only a double six comes to 12, and only a double one to 2
DOUBLE_SIX, DOUBLE_ONE = 12, 2

# Rule 2.4
TAKEN = 7

# Rule 2.5
MODIFIERS = {
    -4: "Very unfavourable (−4)",
    -2: "Unfavourable (−2)",
    0: "None",
    2: "Favourable (+2)",
    4: "Very favourable (+4)",
}

# Rule 2.6
PURPOSES = {
    "attack": "Attack",
    "dodge": "Dodge",
    "weapon-parry": "Weapon parry",
    "unarmed-parry": "Unarmed parry",
    "shield-block": "Shield block",
    "cast-spell": "Cast a spell",
    "resist-magic": "Resist magic",
    "other": "Other",
}


@dataclass(frozen=True, kw_only=True)
class HeroesHouseRules(HouseRules):
    """What a table may settle for itself; the defaults are the rules as written."""

    criticals: str = choice(
        "Criticals",
        {
            "override": "A double six succeeds, a double one fails, whatever the total",
            "flavour": "Marked on the card, but the total decides",
            "off": "Not played",
        },
        default="override",
    )
    tie: str = choice(
        "Equal totals in an opposed test",
        {"both-fail": "Both are unsuccessful", "hero-wins": "The hero wins"},
        default="both-fail",
    )
    unopposed_modifiers: bool = flag(
        "Modifiers in unopposed tests", help="As written, only opposed tests have them."
    )
    player_facing: bool = flag(
        "Player-facing rolls", help="The players make all rolls: a creature always takes 7."
    )


def modifier_field(only_with: str | None = None) -> Any:
    """Make the field of a circumstance modifier (rule 2.5)."""
    return choice("Circumstance", MODIFIERS, default=0, only_with=only_with)


def own_throw(side: Side = Side.ROLLER) -> Hand:
    """Return the 2d6 of one side."""
    return Hand(((Role.SKILL if side is Side.ROLLER else Role.OPPONENT, 2),), Total(), side)


def rank(dice: int) -> int:
    """Return 1 for a double six, -1 for a double one, 0 for all else (rule 2.2)."""
    return (dice == DOUBLE_SIX) - (dice == DOUBLE_ONE)


def mattered(in_play: dict[str, Any], verdict: Verdict) -> dict[str, Any]:
    """Leave out how criticals are played where none was thrown, and ties where the totals differ."""
    critical = any(note.endswith(("double-six", "double-one")) for note in verdict.notes)
    moot = ({"criticals"} if not critical else set()) | ({"tie"} if verdict.margin else set())
    return {rule: value for rule, value in in_play.items() if rule not in moot}


def marks(dice: int) -> tuple[str, ...]:
    """Return the note that a critical throw earns on its card."""
    return {1: ("double-six",), -1: ("double-one",)}.get(rank(dice), ())


def outcome(success: bool, dice: int, house: HeroesHouseRules) -> Outcome:
    """Name a won or lost test; a critical throw is called so where the outcome agrees with it."""
    critical = rank(dice) if house.criticals != "off" else 0
    if success:
        return Outcome.CRITICAL_SUCCESS if critical > 0 else Outcome.SUCCESS
    return Outcome.CRITICAL_FAILURE if critical < 0 else Outcome.FAILURE


class HeroTest(Action):
    """2d6 and a skill, with a circumstance modifier where one is allowed."""

    skill: int
    modifier: int
    house: HeroesHouseRules

    def total(self, dice: int) -> int:
        """Return what the dice come to with all that is added."""
        return dice + self.skill + self.modifier

    def formula(self) -> str:
        added = self.total(0)
        return f"2d6 {'+' if added > 0 else '-'} {abs(added)}" if added else "2d6"

    def numbers(self) -> tuple[tuple[str, int], ...]:
        return (("Skill", self.skill), *((("Circumstance", self.modifier),) if self.modifier else ()))


@dataclass(frozen=True, kw_only=True)
class UnopposedTest(HeroTest):
    """2d6 and a skill against a target number (rules 2.1 and 2.2)."""

    name: ClassVar[str] = "unopposed-test"
    title: ClassVar[str] = "Unopposed test"
    help: ClassVar[str] = "Throw 2d6, add the skill, and reach the target number."
    target_label = "TN"
    exactly_one_of = ("tn", "difficulty")

    skill: int = whole("Skill", 0, 50)
    difficulty: str | None = choice("Difficulty", DIFFICULTIES, default=None, help="A rung of the ladder.")
    tn: int | None = whole("Target number", 2, 30, default=None, help="Any number instead of a rung.")
    modifier: int = modifier_field(only_with="unopposed_modifiers")

    house: HeroesHouseRules = field(default_factory=HeroesHouseRules)

    @property
    def target(self) -> int:
        """The target number, 2 to 30."""
        return self.tn if self.tn is not None else LADDER[self.difficulty or ""]

    def hands(self) -> tuple[Hand, ...]:
        return (own_throw(),)

    def judge(self, dice: int) -> Verdict:  # type: ignore[override]
        """Look for a critical, then compare the total with the target number (rules 2.1 and 2.2)."""
        total = self.total(dice)
        success = total >= self.target
        if self.house.criticals == "override" and rank(dice):
            success = rank(dice) > 0
        notes = marks(dice) if self.house.criticals != "off" else ()
        return Verdict(
            outcome(success, dice, self.house), success, total, self.target, total - self.target, notes
        )

    def house_rules_in_play(self) -> dict[str, Any]:
        in_play: dict[str, Any] = {"criticals": self.house.criticals}
        return in_play | ({"unopposed_modifiers": True} if self.modifier else {})

    def house_rules_that_mattered(self, verdict: Verdict) -> dict[str, Any]:
        return mattered(self.house_rules_in_play(), verdict)


@dataclass(frozen=True, kw_only=True)
class OpposedAnswer(Params):
    """The other side of an opposed test, by the one who was challenged."""

    skill: int = whole("Skill", 0, 50)
    modifier: int = modifier_field()


@dataclass(frozen=True, kw_only=True)
class Creature(OpposedAnswer):
    """An opponent whose numbers come with the request (rule 2.4)."""

    kind = "creature"
    label = "A creature"

    take7: bool = flag("It takes 7", help="Instead of throwing; no criticals on its side.")


@dataclass(frozen=True, kw_only=True)
class OpposedTest(HeroTest):
    """2d6 and a skill against another's 2d6 and skill (rules 2.3 to 2.6)."""

    name: ClassVar[str] = "opposed-test"
    title: ClassVar[str] = "Opposed test"
    help: ClassVar[str] = "Both throw 2d6 and add their skill; strictly higher succeeds."
    target_label = "Opponent's total"
    answer_type = OpposedAnswer

    skill: int = whole("Skill", 0, 50)
    modifier: int = modifier_field()
    purpose: str = choice("What for", PURPOSES, default="other")
    opponent: Creature | Player = either("Against", Creature, Player)

    house: HeroesHouseRules = field(default_factory=HeroesHouseRules)
    answer: OpposedAnswer | None = None

    def heading(self) -> str:
        return self.title if self.purpose == "other" else f"{self.title}: {PURPOSES[self.purpose].lower()}"

    @property
    def takes_seven(self) -> bool:
        """The creature does not throw: the GM said so, or the table plays player-facing (rules 2.4, 2.6)."""
        return isinstance(self.opponent, Creature) and (self.opponent.take7 or self.house.player_facing)

    @property
    def hero(self) -> Side | None:
        """Which side is the hero, for the house rule `hero-wins`; None between two of a kind (rule 2.3)."""
        if isinstance(self.opponent, Creature):
            return Side.ROLLER
        if self.roller_is_player == self.opponent.is_player:
            return None
        return Side.ROLLER if self.roller_is_player else Side.OPPONENT

    @property
    def other(self) -> OpposedAnswer:
        """What the other side brings; raise NotAnswered."""
        other = self.opponent if isinstance(self.opponent, Creature) else self.answer
        if other is None:
            raise NotAnswered(self.name)
        return other

    def hands(self) -> tuple[Hand, ...]:
        return (own_throw(),) if self.takes_seven else (own_throw(), own_throw(Side.OPPONENT))

    def judge(self, dice: int, their_dice: int = TAKEN) -> Verdict:  # type: ignore[override]
        """Compare the ranks, then the totals (rule 2.3)."""
        total, target = self.total(dice), their_dice + self.other.skill + self.other.modifier
        plays_criticals = self.house.criticals == "override"
        mine, theirs = (rank(dice), rank(their_dice)) if plays_criticals else (0, 0)
        if mine != theirs:
            winner: Side | None = Side.ROLLER if mine > theirs else Side.OPPONENT
        elif total != target and mine >= 0:
            winner = Side.ROLLER if total > target else Side.OPPONENT
        elif mine >= 0 and self.house.tie == "hero-wins":
            winner = self.hero
        else:
            winner = None  # equal, or a double one on both sides: both are unsuccessful
        success = winner is Side.ROLLER
        notes: tuple[str, ...] = ()
        if self.house.criticals != "off":
            notes = marks(dice) + tuple(f"opponent-{mark}" for mark in marks(their_dice))
        if self.takes_seven:
            notes += ("took-seven",)
        named = outcome(success, dice, self.house) if winner else Outcome.TIE
        return Verdict(named, success, total, target, total - target, notes)

    def house_rules_in_play(self) -> dict[str, Any]:
        in_play: dict[str, Any] = {"criticals": self.house.criticals, "tie": self.house.tie}
        player_facing = self.house.player_facing and isinstance(self.opponent, Creature)
        return in_play | ({"player_facing": True} if player_facing else {})

    def house_rules_that_mattered(self, verdict: Verdict) -> dict[str, Any]:
        return mattered(self.house_rules_in_play(), verdict)

    def against_an_equal(self) -> Self:
        return replace(self, answer=OpposedAnswer(skill=self.skill, modifier=self.modifier))

    def other_side(self, roller: str) -> Self:
        if self.answer is None or not isinstance(self.opponent, Player):
            raise NotAnswered(self.name)
        return replace(
            self,
            skill=self.answer.skill,
            modifier=self.answer.modifier,
            purpose="other",
            opponent=Player(user=roller),
            answer=OpposedAnswer(skill=self.skill, modifier=self.modifier),
            roller_is_player=self.opponent.is_player,
        )


@dataclass(frozen=True, kw_only=True)
class Skill(Params):
    """A skill on the sheet."""

    name: str = name("Skill")
    level: int = whole("Level", 0, 50, default=0)


@dataclass(frozen=True, kw_only=True)
class HeroSheet(Sheet):
    """A hero's skills, whole numbers from 0; the table names its own."""

    offers: ClassVar[tuple[type[Action], ...]] = (UnopposedTest, OpposedTest)

    skills: tuple[Skill, ...] = list_of("Skills", Skill, most=60)

    def check(self) -> None:
        unique_names(self.skills)

    def rolls(self) -> list[dict[str, Any]]:
        return [
            self.button(skill.name, action.title, action.name, {"skill": skill.level})
            for action in self.offers
            for skill in self.skills
        ]


RULE_SET = RuleSet(
    id="heroes-2d6",
    title="Heroes, 2d6 and a skill",
    blurb="2d6 and a skill against a target number, or against another's total.",
    actions=(UnopposedTest, OpposedTest),
    house_rules=HeroesHouseRules,
    sheet=HeroSheet,
)
