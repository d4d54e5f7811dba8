"""A session and its rolls as they are shown, read for checking: from the API's JSON or from an export."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import isclose

MOST_FACES = 2**32
FRACTION = re.compile(r"([0-9]{1,1000})/([0-9]{1,1000})")
SELF_FIRST = 1_000_000_001
"""The first number of `self` rolls; those of the other hidden rolls are below it."""
OTHER_SIDE = "opponent"
"""The role of dice that the other side threw."""


Marks = tuple[object, object, object]
"""What is said of a die: its role, whether it is kept, and what it counts."""


class Chain(Enum):
    """On which numbers and seed a roll is thrown."""

    OPEN = "open"
    HIDDEN = "hidden"
    SELF = "self"


@dataclass(frozen=True, slots=True)
class Evening:
    """What a session published, seeds and commitments in hex.

    `rolls` is how many rolls it says it has, as far as the asker may see them, `last_seq` the last number
    that it gave (None: it does not say); numbers that are `deleted` were deleted by the GM, those that are
    `unresolved` wait for their dice. Of `self` rolls the operator's export alone says so.
    """

    id: str
    commitment: str
    seed: str | None
    hidden_commitment: str | None = None
    hidden_seed: str | None = None
    rolls: int | None = None
    last_seq: int | None = None
    hidden_last_seq: int | None = None
    deleted: tuple[int, ...] = ()
    hidden_deleted: tuple[int, ...] = ()
    self_last_seq: int | None = None
    self_deleted: tuple[int, ...] = ()
    unresolved: tuple[int, ...] = ()
    hidden_unresolved: tuple[int, ...] = ()
    self_unresolved: tuple[int, ...] = ()

    def commitment_of(self, chain: Chain) -> str | None:
        """Return the commitment to the seed that a chain's rolls are thrown with."""
        return self.commitment if chain is Chain.OPEN else self.hidden_commitment

    def seed_of(self, chain: Chain) -> str | None:
        """Return the seed that a chain's rolls are thrown with, None where it is not shown."""
        return self.seed if chain is Chain.OPEN else self.hidden_seed

    def numbers_of(self, chain: Chain) -> tuple[int | None, tuple[int, ...], tuple[int, ...]]:
        """Return the last number that a chain gave, those that were deleted, and those not resolved."""
        return {
            Chain.OPEN: (self.last_seq, self.deleted, self.unresolved),
            Chain.HIDDEN: (self.hidden_last_seq, self.hidden_deleted, self.hidden_unresolved),
            Chain.SELF: (self.self_last_seq, self.self_deleted, self.self_unresolved),
        }[chain]


@dataclass(frozen=True, slots=True)
class Told:
    """What a resolved roll says of itself beside its dice; `points` are its total or its net successes.

    `params` are None where they are withheld; `their_dice`, (faces, value), `their_marks` and `their_points`
    are those of an answered roll's other side as its card shows them, None where it shows none. `chances` are
    the exact chance of success and that of each outcome, as fractions ("7/12"); `notes` and `numbers` are
    what the card says beside the dice.
    """

    ruleset: str
    action: str
    params: Mapping[str, object] | None
    house_rules: Mapping[str, object]
    outcome: str | None
    success: bool | None
    points: int | None
    target: int | None
    margin: int | None
    answers: str | None = None
    answered_by: str | None = None
    their_dice: tuple[tuple[int, int], ...] | None = None
    their_marks: tuple[Marks, ...] = ()
    their_points: int | None = None
    notes: object = ()
    numbers: object = ()
    chances: tuple[str | None, Mapping[str, str | None]] | None = None


@dataclass(frozen=True, slots=True)
class Thrown:
    """A roll as it is shown: `seq` is None where it is withheld, `dice` are (faces, value).

    `own` are the faces of those dice that are the roller's side's, `formula` is what is said to throw them
    (None: it does not say). `marks` say of each die its role, whether it is kept and what it counts.
    `undecided` is True where it has no outcome; `told` is None where no rule set is named.
    """

    id: str
    session: str
    seq: int | None
    chain: Chain
    nonce: str | None
    commitment: str | None
    dice: tuple[tuple[int, int], ...]
    user: str | None = None
    own: tuple[int, ...] = ()
    formula: str | None = None
    marks: tuple[Marks, ...] = ()
    undecided: bool = False
    told: Told | None = None


class NotAsPublished(Exception):
    """What was given is no session, or no roll, of this service; `lacks` names the field."""

    def __init__(self, lacks: str) -> None:
        super().__init__(f"{lacks} is missing, or not as the service writes it")
        self.lacks = lacks


def read_session(shown: Mapping[str, object]) -> Evening:
    """Return a session as the API or an export writes it; raise NotAsPublished."""
    last_self = _number_or_none(shown, "self_last_seq")  # counted from 1, as all others
    if shown.get("seed") is not None:
        _number(shown, "last_seq")
        if shown.get("ended_at") is not None:
            _number(shown, "rolls")
    return Evening(
        id=_text(shown, "id"),
        commitment=_text(shown, "commitment"),
        seed=_text_or_none(shown, "seed"),
        hidden_commitment=_text_or_none(shown, "hidden_commitment"),
        hidden_seed=_text_or_none(shown, "hidden_seed"),
        rolls=_number_or_none(shown, "rolls"),
        last_seq=_number_or_none(shown, "last_seq"),
        hidden_last_seq=_number_or_none(shown, "hidden_last_seq"),
        deleted=_numbers(shown, "deleted"),
        hidden_deleted=_numbers(shown, "hidden_deleted"),
        self_last_seq=None if last_self is None else SELF_FIRST - 1 + last_self,
        self_deleted=_numbers(shown, "self_deleted"),
        unresolved=_numbers(shown, "unresolved"),
        hidden_unresolved=_numbers(shown, "hidden_unresolved"),
        self_unresolved=_numbers(shown, "self_unresolved"),
    )


def read_roll(shown: Mapping[str, object]) -> Thrown:
    """Return a roll as the API or an export writes it; raise NotAsPublished."""
    fairness = shown.get("fairness")
    told = fairness if isinstance(fairness, Mapping) else shown
    chains = {"public": Chain.OPEN, "gm": Chain.HIDDEN, "blind": Chain.HIDDEN, "self": Chain.SELF}
    chain = chains.get(_text(shown, "visibility"))
    if chain is None:
        raise NotAsPublished("visibility")
    dice = tuple(_read_dice(shown.get("dice")))
    return Thrown(
        id=_text(shown, "id"),
        session=_text(shown, "session"),
        seq=_number_or_none(shown, "seq"),
        chain=chain,
        nonce=_text_or_none(told, "nonce"),
        commitment=_text_or_none(told, "commitment"),
        dice=tuple((faces, value) for faces, value, _ in dice),
        marks=tuple(marks for _, _, marks in dice),
        user=_text_or_none(shown, "user"),
        own=tuple(faces for faces, _, (role, _, _) in dice if role != OTHER_SIDE),
        formula=_text_or_none(_object_or_none(shown, "odds") or {}, "formula"),
        undecided=shown.get("outcome") is None,
        told=_read_told(shown),
    )


def _read_told(shown: Mapping[str, object]) -> Told | None:
    ruleset, action = _text_or_none(shown, "ruleset"), _text_or_none(shown, "action")
    if ruleset is None or action is None:
        return None
    success, outcome = shown.get("success"), _text_or_none(shown, "outcome")
    if success is not None and type(success) is not bool:
        raise NotAsPublished("success")
    points = {_number_or_none(shown, name) for name in ("points", "total", "successes")} - {None}
    opponent = _object_or_none(shown, "opponent")
    theirs = None if opponent is None else list(_read_dice(opponent.get("dice")))
    return Told(
        ruleset=ruleset,
        action=action,
        params=_object_or_none(shown, "params"),
        # An undecided roll was under no house rule; the export still holds all of its campaign's.
        house_rules={} if outcome is None else _object_or_none(shown, "house_rules") or {},
        outcome=outcome,
        success=success,
        points=points.pop() if len(points) == 1 else None,
        target=_number_or_none(shown, "target"),
        margin=_number_or_none(shown, "margin"),
        answers=_text_or_none(shown, "answers"),
        answered_by=_text_or_none(shown, "answered_by"),
        their_dice=None if theirs is None else tuple((faces, value) for faces, value, _ in theirs),
        their_marks=tuple(marks for _, _, marks in theirs or ()),
        their_points=_number_or_none(opponent or {}, "points"),
        notes=shown.get("notes"),
        numbers=shown.get("numbers"),
        chances=_read_chances(_object_or_none(shown, "odds")),
    )


def _read_chances(odds: Mapping[str, object] | None) -> tuple[str | None, Mapping[str, str | None]] | None:
    if odds is None:
        return None
    outcomes = _object_or_none(odds, "outcomes") or {}
    return _fraction(odds.get("success")), {name: _fraction(chance) for name, chance in outcomes.items()}


def _fraction(chance: object) -> str | None:
    """Return a chance as a fraction; the API shows a number for people beside it, which has to go with it."""
    if isinstance(chance, Mapping):
        fraction, number = chance.get("fraction"), chance.get("probability")
        return fraction if isinstance(fraction, str) and _is_about(number, fraction) else None
    return chance if isinstance(chance, str) else None


def _is_about(number: object, fraction: str) -> bool:
    match = FRACTION.fullmatch(fraction)
    if match is None or not isinstance(number, int | float):
        return False
    over, under = map(int, match.groups())
    return under > 0 and isclose(number, Fraction(over, under), abs_tol=1e-12)


def _read_dice(dice: object) -> Iterator[tuple[int, int, Marks]]:
    """Yield faces, value and marks of each die."""
    if dice is None:
        return
    if not isinstance(dice, list):
        raise NotAsPublished("dice")
    for die in dice:
        if not isinstance(die, Mapping):
            raise NotAsPublished("dice")
        faces, value = die.get("faces"), die.get("value")
        if type(faces) is not int or type(value) is not int or not 1 <= faces <= MOST_FACES:
            raise NotAsPublished("dice")
        yield faces, value, (die.get("role"), die.get("kept"), die.get("counts"))


def _text(shown: Mapping[str, object], name: str) -> str:
    value = shown.get(name)
    if not isinstance(value, str):
        raise NotAsPublished(name)
    return value


def _text_or_none(shown: Mapping[str, object], name: str) -> str | None:
    return None if shown.get(name) is None else _text(shown, name)


def _object_or_none(shown: Mapping[str, object], name: str) -> Mapping[str, object] | None:
    value = shown.get(name)
    if value is not None and not isinstance(value, Mapping):
        raise NotAsPublished(name)
    return value


def _number(shown: Mapping[str, object], name: str) -> int:
    value = shown.get(name)
    if type(value) is not int:
        raise NotAsPublished(name)
    return value


def _number_or_none(shown: Mapping[str, object], name: str) -> int | None:
    value = shown.get(name)
    if value is not None and type(value) is not int:
        raise NotAsPublished(name)
    return value


def _numbers(shown: Mapping[str, object], name: str) -> tuple[int, ...]:
    numbers = shown.get(name)
    if numbers is None:
        return ()
    if not isinstance(numbers, list) or not all(type(number) is int for number in numbers):
        raise NotAsPublished(name)
    return tuple(numbers)
