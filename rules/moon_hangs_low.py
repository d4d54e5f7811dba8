"""When the Moon Hangs Low: a pool of six-sided dice against a Difficulty Value (rules 1.1 to 1.6)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from marshmallow import ValidationError

from rules.action import Action, HouseRules
from rules.fields import REQUIRED, Params, choice, flag, list_of, name, whole
from rules.readings import Successes
from rules.ruleset import RuleSet, Sheet, unique_names
from rules.throw import Hand, Role
from rules.verdict import Verdict, at_least

# Rule 1.1
STATS = {"physique": "Physique", "intellect": "Intellect", "presence": "Presence"}
HUMAN_AVERAGE = 2

# Rule 1.2: a die is a success on this or more
LEVELS = {"untrained": "Untrained", "trained": "Trained", "mastered": "Mastered"}
SUCCESS_ON = {"untrained": 5, "trained": 4, "mastered": 3}

# Rule 1.3
KNACK_DICE = 2

# Rule 1.4
PENALTY_CANCELS_ON = 5

# Rule 1.6
KNACKS = 3


def stat_field(label: str, *, default: Any = REQUIRED, help: str = "") -> Any:
    """Make the field of a stat (rule 1.1)."""
    return whole(label, 1, 5, default=default, help=help)


@dataclass(frozen=True, kw_only=True)
class SkillCheck(Action):
    """A pool of stat, bonus and Knack dice against a Difficulty Value (rules 1.2 to 1.5)."""

    name: ClassVar[str] = "skill-check"
    title: ClassVar[str] = "Skill check"
    help: ClassVar[str] = (
        "Throw the pool, count successes, take away what the penalty dice cancel, and reach the DV."
    )
    score = "successes"
    target_label: ClassVar[str] = "DV"

    stat: int = stat_field("Stat", help="The stat that the skill belongs to.")
    skill: str = choice("Skill level", LEVELS, default="untrained")
    knack: bool = flag("Knack", help="A Knack for this skill adds two dice.")
    bonus: int = whole("Bonus dice", 0, 20, default=0, help="From equipment or circumstance.")
    penalty: int = whole("Penalty dice", 0, 20, default=0, help="Each 5 or 6 cancels one success.")
    dv: int = whole("Difficulty Value", 1, 50, help="How many successes are needed.")

    house: HouseRules = field(default_factory=HouseRules)

    def hands(self) -> tuple[Hand, ...]:
        """Return the pool, and the penalty dice apart from it (rules 1.3 and 1.4)."""
        own = ((Role.SKILL, self.stat + self.knack * KNACK_DICE), (Role.BONUS, self.bonus))
        return (
            Hand(own, Successes(SUCCESS_ON[self.skill])),
            Hand(((Role.PENALTY, self.penalty),), Successes(PENALTY_CANCELS_ON), sign=-1),
        )

    def judge(self, successes: int, cancelled: int) -> Verdict:  # type: ignore[override]
        """Compare net successes, never below 0, with the DV (rules 1.4 and 1.5)."""
        return at_least(max(0, successes - cancelled), self.dv)

    def formula(self) -> str:
        pool, penalty = (hand.size for hand in self.hands())
        thrown = f"{pool}d6cs>={SUCCESS_ON[self.skill]}"
        return f"{thrown} - {penalty}d6cs>={PENALTY_CANCELS_ON}" if penalty else thrown

    def numbers(self) -> tuple[tuple[str, int], ...]:
        entered = (
            ("Stat", self.stat),
            ("Knack", self.knack * KNACK_DICE),
            ("Bonus dice", self.bonus),
            ("Penalty dice", self.penalty),
            ("Success on", SUCCESS_ON[self.skill]),
        )
        return tuple((label, number) for label, number in entered if number)


@dataclass(frozen=True, kw_only=True)
class Skill(Params):
    """A skill on the sheet: its stat, its level, and whether the character has a Knack for it."""

    name: str = name("Skill")
    stat: str = choice("Stat", STATS)
    level: str = choice("Level", LEVELS, default="untrained")
    knack: bool = flag("Knack")


def starting_skills() -> tuple[Skill, ...]:
    """Return the skills that a fresh sheet holds; the rule book has no list, so a table edits its own."""
    by_stat = {
        "physique": ("Climbing", "Combat", "Stealth"),
        "intellect": ("Alchemy", "Occult", "Awareness"),
        "presence": ("Interaction", "Leadership"),
    }
    return tuple(Skill(name=skill, stat=stat) for stat, skills in by_stat.items() for skill in skills)


@dataclass(frozen=True, kw_only=True)
class MoonSheet(Sheet):
    """Three stats, the skills of the table, and exactly three Knacks (rules 1.1, 1.2 and 1.6)."""

    stats = tuple(STATS)

    physique: int = stat_field(STATS["physique"], default=HUMAN_AVERAGE)
    intellect: int = stat_field(STATS["intellect"], default=HUMAN_AVERAGE)
    presence: int = stat_field(STATS["presence"], default=HUMAN_AVERAGE)
    skills: tuple[Skill, ...] = list_of("Skills", Skill, most=60, default=starting_skills())

    def check(self) -> None:
        """Refuse a skill named twice, and a fourth Knack (rule 1.6)."""
        unique_names(self.skills)
        knacks = sum(skill.knack for skill in self.skills)
        if knacks > KNACKS:
            raise ValidationError(
                {
                    "skills": [
                        f"A character has {KNACKS} Knacks, on {KNACKS} different skills; this has {knacks}."
                    ]
                }
            )

    def work_out(self) -> dict[str, Any]:
        """Return each skill's pool and threshold, and how many Knacks are still to be chosen."""
        pools = [
            {
                "skill": skill.name,
                "stat": skill.stat,
                "level": skill.level,
                "knack": skill.knack,
                "pool": getattr(self, skill.stat) + skill.knack * KNACK_DICE,
                "success_on": SUCCESS_ON[skill.level],
            }
            for skill in self.skills
        ]
        return {"pools": pools, "knacks_left": KNACKS - sum(skill.knack for skill in self.skills)}

    def rolls(self) -> list[dict[str, Any]]:
        return [
            self.button(
                skill.name,
                STATS[skill.stat],
                SkillCheck.name,
                {"stat": getattr(self, skill.stat), "skill": skill.level, "knack": skill.knack},
            )
            for skill in self.skills
        ]


RULE_SET = RuleSet(
    id="moon-hangs-low",
    title="When the Moon Hangs Low",
    blurb="A pool of d6 counts successes against a Difficulty Value.",
    actions=(SkillCheck,),
    sheet=MoonSheet,
)
