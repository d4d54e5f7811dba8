"""Judging a session's rolls again by their rules: which dice they throw, and what those come to.

The dice follow from the seed, so of a roll itself only what was asked for is needed: the action, its params,
the house rules. Those no seed binds: they are taken as the roll says them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from marshmallow import ValidationError

from rules import registry
from rules.action import GM, Action, TakesNoAnswer
from rules.dice import SeededDice
from rules.fields import OneOfChoices, YesNo
from rules.published import Chain, Evening, Thrown, Told
from rules.registry import UnknownRuleSet
from rules.ruleset import RuleSet, UnknownAction
from rules.throw import Side, TooManyDice, resolve
from rules.verifying import Checked, Fault, right_seed

MOST_TABLES = 256
"""Ways to set the house rules that a roll does not name; one of them has to yield what it says."""
OTHER_THROW = frozenset(
    {
        Fault.CHANGED_DIE,
        Fault.SWAPPED_NONCE,
        Fault.SWAPPED_NUMBER,
        Fault.DICE_DO_NOT_FOLLOW,
        Fault.OTHER_SESSION,
    }
)
"""Faults of a roll that may not have its own number and nonce: what it came to cannot be said then."""
OTHER_NUMBER = frozenset({Fault.MISSING_DIE, Fault.EXTRA_DIE})


class CannotTell(Exception):
    """What it takes to judge a roll is not here: its rules, or its other side."""


class NotAllowed(Exception):
    """The rules have no roll such as was asked for."""


@dataclass(frozen=True, slots=True)
class Sound:
    """A roll whose dice can be computed, and that says what was asked for."""

    thrown: Thrown
    told: Told
    seed: bytes
    seq: int
    nonce: str

    def dice(self) -> SeededDice:
        """Return its dice, from the first."""
        return SeededDice(self.seed, self.thrown.session, self.seq, self.nonce)


@dataclass(frozen=True, slots=True)
class Right:
    """What a roll is by its rules: the faces of its dice, and its facts."""

    faces: list[int]
    facts: dict[str, object]


def judge(checked: Checked, evening: Evening, rolls: Iterable[Thrown]) -> None:
    """Judge again the rolls that `check` has checked, and add to it what is otherwise than by the rules.

    A roll of rules that are not installed here, or whose other side is not among the rolls, is counted as
    unjudged.
    """
    seeds = {chain: right_seed(evening, chain) for chain in Chain}
    doubtful = {finding.roll for finding in checked.findings if finding.fault in OTHER_THROW}
    counted = {finding.roll for finding in checked.findings if finding.fault in OTHER_NUMBER}
    sound: dict[str, Sound] = {}
    for roll in rolls:
        seed = seeds[roll.chain]
        if roll.id in doubtful or seed is None or roll.seq is None or roll.nonce is None:
            continue
        if roll.told is None:
            checked.unjudged += 1
        else:
            sound[roll.id] = Sound(roll, roll.told, seed, roll.seq, roll.nonce)
    answers = {one.told.answers: one for one in sound.values() if one.told.answers}
    for one in sound.values():
        try:
            _compare(checked, one, _other_side(one, sound, answers), dice=one.thrown.id not in counted)
        except CannotTell:
            checked.unjudged += 1
        except NotAllowed:
            says = f"What roll {one.thrown.id} asks for is none of the rolls that its rules have."
            checked.find(Fault.OTHER_PARAMS, one.thrown.id, says)


def _other_side(one: Sound, sound: Mapping[str, Sound], answers: Mapping[str, Sound]) -> Sound | None:
    """Return the roll of the other side, None where no player threw one; raise CannotTell."""
    named = one.told.answers or one.told.answered_by
    if named is None:
        return answers.get(one.thrown.id)
    if named not in sound:
        raise CannotTell
    return sound[named]


def _compare(checked: Checked, one: Sound, other: Sound | None, *, dice: bool) -> None:
    """Compare a roll with what it is by the rules; its dice too, unless that was done."""
    roll, right = one.thrown, _right_for(one, other, dice=dice)
    if dice:
        checked.find_other_dice(roll, _faces(roll), right.faces, "its action")
    facts = _facts(one.told, right)
    if facts != right.facts:
        differ = [name for name, value in facts.items() if value != right.facts[name]]
        says = f"Roll {roll.id} says {_said(facts, differ)}, but by the rules it comes to "
        checked.find(Fault.OTHER_OUTCOME, roll.id, f"{says}{_said(right.facts, differ)}.")


def _right_for(one: Sound, other: Sound | None, *, dice: bool) -> Right:
    """Return what the roll is under house rules with which it is as it says, else under those as written.

    Raises:
        CannotTell: its rules are not known here.
        NotAllowed: they have no such roll.
    """
    as_written = None
    for right in _by_the_rules(one, other):
        same_dice = not dice or _faces(one.thrown) == right.faces
        if same_dice and _facts(one.told, right) == right.facts:
            return right
        as_written = as_written or right
    if as_written is None:
        raise NotAllowed
    return as_written


def _faces(roll: Thrown) -> list[int]:
    return [faces for faces, _ in roll.dice]


def _by_the_rules(one: Sound, other: Sound | None) -> Iterator[Right]:
    """Yield what a roll is, for each way to set the house rules that it does not name; raise CannotTell."""
    asked, answer = (other, one) if other is not None and one.told.answers else (one, other)
    if asked.told.params is None or (answer is not None and answer.told.params is None):
        raise CannotTell
    try:
        ruleset = registry.get(asked.told.ruleset)
        for house in _tables(ruleset, one.told.house_rules):
            try:
                yield _right(_action(ruleset, house, asked, answer, one), one, other)
            except (ValidationError, TakesNoAnswer, TooManyDice):
                continue
    except (UnknownRuleSet, UnknownAction) as error:
        raise CannotTell from error


def _action(
    ruleset: RuleSet, house: Mapping[str, Any], asked: Sound, answer: Sound | None, seen_by: Sound
) -> Action:
    challenger = asked.thrown.user or ""
    action = ruleset.load(asked.told.action, asked.told.params or {}, house, challenger != GM)
    if answer is not None:
        action = action.answered(answer.told.params or {})
    return action.other_side(challenger) if seen_by is answer else action


def _right(action: Action, one: Sound, other: Sound | None) -> Right:
    if action.challenged and action.answer is None:  # nobody answered before the session ended
        return Right([], dict.fromkeys(("outcome", "success", action.score, "target", "margin")))
    thrown = resolve(action, one.dice(), other.dice() if other else None)
    verdict = thrown.verdict
    return Right(
        [die.faces for die in thrown.dice if other is None or die.side is Side.ROLLER],
        {
            "outcome": verdict.outcome.value,
            "success": verdict.success,
            action.score: verdict.score,
            "target": verdict.target,
            "margin": verdict.margin,
        },
    )


def _facts(told: Told, right: Right) -> dict[str, object]:
    """Return what a roll says of itself, under the names that it goes by when it is right."""
    said = (told.outcome, told.success, told.points, told.target, told.margin)
    return dict(zip(right.facts, said, strict=True))


def _tables(ruleset: RuleSet, named: Mapping[str, object]) -> Iterator[dict[str, Any]]:
    """Yield house rules as the roll names them, with all others set in every way, as written first."""
    unnamed: dict[str, tuple[Any, ...]] = {}
    for name, field in ruleset.house_rules.field_map().items():
        if name not in named and isinstance(field, OneOfChoices | YesNo):
            values = tuple(field.choices) if isinstance(field, OneOfChoices) else (False, True)
            unnamed[name] = (field.load_default, *(value for value in values if value != field.load_default))
    for settings in islice(product(*unnamed.values()), MOST_TABLES):
        yield {**named, **dict(zip(unnamed, settings, strict=True))}


def _said(facts: Mapping[str, object], names: Iterable[str]) -> str:
    return ", ".join(f"{name} {_word(facts[name])}" for name in names)


def _word(value: object) -> str:
    match value:
        case None:
            return "nothing"
        case True:
            return "yes"
        case False:
            return "no"
    return str(value)
