"""The figures that a report is made of, added up from tallies or from records."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from service.store import Session
from service.tallying import MOMENTS, OTHERS, Chances, Run

Actor = str | int | None
"""An actor's id; None for a roll without one, OTHERS for those that were counted together."""
EVERY: Literal[""] = ""
"""In place of an actor: all of a user's."""


class Kind(NamedTuple):
    """Rolls that are counted as one kind: nothing of what is reported tells them apart."""

    session: str
    user: str
    actor: Actor
    action: str
    skill: str | int
    outcome: str
    won: bool | None
    chances: Chances


@dataclass(slots=True)
class Measured:
    """How many rolls, and of their margins the number, the sum and the sum of squares."""

    rolls: int = 0
    margins: int = 0
    margin_sum: int = 0
    margin_squares: int = 0

    def add(self, other: "Measured") -> None:
        """Add another's to these."""
        self.rolls += other.rolls
        self.margins += other.margins
        self.margin_sum += other.margin_sum
        self.margin_squares += other.margin_squares


class Moment(NamedTuple):
    """A roll that fell out against its odds, which were `chance`; they sort by how unlikely they were."""

    chance: float
    place: int
    roll: str
    session: str

    @property
    def id(self) -> str:
        """The roll's id."""
        return f"{self.session}-{self.roll}"


@dataclass
class Figures:
    """All that is counted of the rolls that a report is about; sessions oldest first."""

    sessions: list[Session] = field(default_factory=list)
    kinds: dict[Kind, Measured] = field(default_factory=dict)
    dice: dict[tuple[int, str], list[int]] = field(default_factory=dict)
    runs: dict[tuple[str, Actor], Run] = field(default_factory=dict)
    best: list[Moment] = field(default_factory=list)
    worst: list[Moment] = field(default_factory=list)
    users: dict[str, str] = field(default_factory=dict)
    actors: dict[str, str] = field(default_factory=dict)
    spellings: dict[str, dict[str, int]] = field(default_factory=dict)

    def count(self, kind: Kind, measured: Measured) -> None:
        """Count rolls of a kind."""
        self.kinds.setdefault(kind, Measured()).add(measured)
        if isinstance(kind.skill, str):
            spelt = self.spellings.setdefault(skill_key(kind.skill), {})
            spelt[kind.skill] = spelt.get(kind.skill, 0) + measured.rolls

    def fell(self, faces: int, role: str, counts: Iterable[int]) -> None:
        """Count how often each face of such dice fell."""
        so_far = self.dice.setdefault((faces, role), [0] * faces)
        for face, count in enumerate(counts):
            so_far[face] += count

    def follow(self, user: str, actor: Actor, run: Run) -> None:
        """Join a later run to the user's and actor's."""
        self.runs[user, actor] = self.runs.get((user, actor), Run()).then(run)

    def keep_best(self, moments: Iterable[Moment]) -> None:
        """Keep the least likely successes."""
        self.best = sorted([*self.best, *moments])[:MOMENTS]

    def keep_worst(self, moments: Iterable[Moment]) -> None:
        """Keep the likeliest failures."""
        self.worst = sorted([*self.worst, *moments])[:MOMENTS]

    def rolls(self) -> int:
        """Count all rolls."""
        return sum(measured.rolls for measured in self.kinds.values())

    def name_of_actor(self, actor: Actor) -> str:
        """Return what a character is called."""
        if actor == OTHERS and not isinstance(actor, str):
            return "Further characters"
        return "No character" if actor is None else self.actors.get(str(actor), str(actor))

    def name_of_skill(self, key: str) -> str:
        """Return the spelling of a skill that was used most."""
        spelt: Mapping[str, int] = self.spellings.get(key, {})
        return max(sorted(spelt), key=spelt.__getitem__, default="Further skills")


@lru_cache(maxsize=4096)
def skill_key(skill: str) -> str:
    """Return what is the same for all spellings of a skill."""
    return " ".join(skill.casefold().split())


@lru_cache(maxsize=65536)
def fraction(text: str) -> Fraction:
    """Read a fraction like "7/12"."""
    return Fraction(text)


def whole_numbers(value: str) -> list[int]:
    """Read a tally's value of numbers."""
    return [int(number) for number in value.split()]


def measured(value: str) -> Measured:
    """Read a tally's value of rolls and margins."""
    return Measured(*whole_numbers(value))


def moments(value: str, place: int, session: str) -> list[Moment]:
    """Read a tally's value of moments; `place` is the session's among those of the report."""
    found: list[Any] = [moment.split() for moment in value.split(";")]
    return [Moment(float(chance), place, roll, session) for chance, roll in found]
