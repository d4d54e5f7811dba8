"""What comes of checking a session: the faults that are found, each named, and what could not be told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from rules.published import Thrown


class Fault(Enum):
    """What can be wrong with a session and its rolls."""

    WRONG_SEED = "wrong-seed"
    CHANGED_DIE = "changed-die"
    MISSING_NONCE = "missing-nonce"
    SWAPPED_NONCE = "swapped-nonce"
    SWAPPED_NUMBER = "swapped-number"
    DICE_DO_NOT_FOLLOW = "dice-do-not-follow"
    MISSING_DIE = "missing-die"
    EXTRA_DIE = "extra-die"
    OTHER_SIDE = "other-side"
    OTHER_OUTCOME = "other-outcome"
    OTHER_PARAMS = "other-params"
    MISSING_ROLL = "missing-roll"
    EXTRA_ROLL = "extra-roll"
    OTHER_SESSION = "other-session"
    OTHER_COMMITMENT = "other-commitment"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, with the roll that it is about, if any."""

    fault: Fault
    roll: str | None
    says: str


@dataclass(slots=True)
class Checked:
    """What came of checking a session; all is well when there are no findings.

    `rolls` were looked at, `dice` computed anew; `unchecked` rolls are shown without number, nonce or seed.
    `seed_known` is False where the session shows no seed, as before its end: then nothing can be computed.
    What `unjudged` ones came to was not judged anew, as their rules or their other side are not known here.
    `deleted` and `unresolved` are the numbers that the session says so of and that no roll has: it is taken
    at its word, so whoever checks is told. Those of hidden and `self` rolls stand apart. `unanswered` are the
    challenges that are said to have no dice, as nobody answered: that too no seed tells.
    """

    session: str
    rolls: int = 0
    dice: int = 0
    unchecked: int = 0
    unjudged: int = 0
    seed_known: bool = True
    deleted: tuple[int, ...] = ()
    hidden_deleted: tuple[int, ...] = ()
    unresolved: tuple[int, ...] = ()
    hidden_unresolved: tuple[int, ...] = ()
    unanswered: tuple[str, ...] = ()
    findings: list[Finding] = field(default_factory=list)

    def find(self, fault: Fault, roll: str | None, says: str) -> None:
        """Note a finding."""
        self.findings.append(Finding(fault, roll, says))

    def find_other_dice(self, roll: Thrown, shown: Sequence[int], thrown: Sequence[int], by: str) -> bool:
        """Compare the faces of a roll's dice with those that `by` throws; True where they differ."""
        more = len(shown) - len(thrown)
        if more < 0:
            says = f"Roll {roll.id} shows {len(shown)} of the {len(thrown)} dice that {by} throws."
            self.find(Fault.MISSING_DIE, roll.id, says)
            return True
        if more > 0:
            says = f"Roll {roll.id} shows {len(shown)} dice, {more} more than {by} throws."
            self.find(Fault.EXTRA_DIE, roll.id, says)
            return True
        for place, (faces, right) in enumerate(zip(shown, thrown, strict=True), start=1):
            if faces != right:
                says = f"Die {place} of roll {roll.id} is a d{faces}, but {by} throws a d{right}."
                self.find(Fault.CHANGED_DIE, roll.id, says)
                return True
        return False
