"""Judging a session's rolls again by their rules: which dice they throw, and what those come to.

The dice follow from the seed, so of a roll itself only what was asked for is needed: the action, its params,
the house rules. Those no seed binds: they are taken as the roll says them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from marshmallow import ValidationError

from rules import registry
from rules.action import GM, Action, TakesNoAnswer
from rules.dice import SeededDice
from rules.findings import Checked, Fault
from rules.odds import fraction_text, odds
from rules.published import Chain, Evening, Marks, Thrown, Told
from rules.registry import UnknownRuleSet
from rules.ruleset import RuleSet, UnknownAction
from rules.throw import Die, Side, TooManyDice, resolve
from rules.verifying import right_seed

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
ODDS = ("odds", "odds of each outcome", "formula")
"""Under which names a roll's chance of success, that of each outcome and its formula are told."""
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
    """What a roll is by its rules: its dice with their marks, its facts, and dice of an answering side."""

    dice: list[tuple[int, Marks]]
    facts: dict[str, object]
    theirs: list[tuple[int, Marks]] | None = None

    @property
    def faces(self) -> list[int]:
        """Return how many faces each die has."""
        return [faces for faces, _ in self.dice]


def judge(checked: Checked, evening: Evening, rolls: Sequence[Thrown], ruleset: str | None = None) -> None:
    """Judge again the rolls that `check` has checked, and add to it what is otherwise than by the rules.

    `ruleset` is the campaign's, None where it is not known: then what most rolls say. A roll of rules that
    are not installed here, or whose other side is not among the rolls, is counted as unjudged.
    """
    played = ruleset or _most_named(rolls)
    seeds = {chain: right_seed(evening, chain) for chain in Chain}
    doubtful = {finding.roll for finding in checked.findings if finding.fault in OTHER_THROW}
    counted = {finding.roll for finding in checked.findings if finding.fault in OTHER_NUMBER}
    sound: dict[str, Sound] = {}
    every = {roll.id for roll in rolls}
    for roll in rolls:
        seed = seeds[roll.chain]
        if roll.id in doubtful or seed is None or roll.seq is None or roll.nonce is None:
            continue
        if roll.told is None or roll.told.params is None:
            says = f"Roll {roll.id} does not say what was asked for: its action, its rules or its params."
            checked.find(Fault.OTHER_PARAMS, roll.id, says)
        elif roll.told.ruleset != played:
            rules = _quoted(roll.told.ruleset), _quoted(played)
            says = f"Roll {roll.id} is of the rules {rules[0]}, and the others of {rules[1]}."
            checked.find(Fault.OTHER_PARAMS, roll.id, says)
        else:
            sound[roll.id] = Sound(roll, roll.told, seed, roll.seq, roll.nonce)
    answers = {one.told.answers: one for one in sound.values() if one.told.answers}
    for one in sound.values():
        try:
            _compare(checked, one, _other_side(one, sound, answers), dice=one.thrown.id not in counted)
        except CannotTell:
            if played is not None and _names_what_cannot_be(one, evening, every):
                says = f"Roll {one.thrown.id} names an other side that is not there."
                checked.find(Fault.MISSING_ROLL, one.thrown.id, says)
            else:
                checked.unjudged += 1
        except NotAllowed:
            says = f"What roll {one.thrown.id} asks for is none of the rolls that its rules have."
            checked.find(Fault.OTHER_PARAMS, one.thrown.id, says)


def _most_named(rolls: Iterable[Thrown]) -> str | None:
    named = Counter(roll.told.ruleset for roll in rolls if roll.told)
    return named.most_common(1)[0][0] if named else None


def _quoted(name: str | None) -> str:
    return repr(name)[:60]


def _other_side(one: Sound, sound: Mapping[str, Sound], answers: Mapping[str, Sound]) -> Sound | None:
    """Return the roll of the other side, None where no player threw one; raise CannotTell or NotAllowed."""
    named = one.told.answers or one.told.answered_by
    if named is None:
        return answers.get(one.thrown.id)
    if not _is_opposed(one.told):
        raise NotAllowed
    if named not in sound:
        raise CannotTell
    return sound[named]


def _is_opposed(told: Told) -> bool:
    """Say whether an action can have another side, as far as its rules are known."""
    with suppress(UnknownRuleSet):
        actions = registry.get(told.ruleset).actions
        return any(action.name == told.action and action.answer_type is not None for action in actions)
    return True


def _names_what_cannot_be(one: Sound, evening: Evening, every: Container[str]) -> bool:
    """Say whether a roll's other side is not among the rolls though no number is left for it."""
    named = one.told.answers or one.told.answered_by
    _, deleted, unresolved = evening.numbers_of(one.thrown.chain)
    return named is not None and named not in every and not deleted and not unresolved


def _compare(checked: Checked, one: Sound, other: Sound | None, *, dice: bool) -> None:
    """Compare a roll with what it is by the rules; its dice too, unless that was done."""
    roll, right = one.thrown, _right_for(one, other, dice=dice)
    if dice and not checked.find_other_dice(roll, _faces(roll), right.faces, "its action"):
        _compare_marks(checked, roll, right)
    _compare_other_side(checked, one, right)
    facts = _facts(one, right)
    if facts != right.facts:
        differ = [name for name, value in facts.items() if value != right.facts[name]]
        says = f"Roll {roll.id} says {_said(facts, differ)}, but by the rules it comes to "
        checked.find(Fault.OTHER_OUTCOME, roll.id, f"{says}{_said(right.facts, differ)}.")


def _compare_marks(checked: Checked, roll: Thrown, right: Right) -> None:
    """Compare what is said of each die: whose it is, whether it is kept, and what it counts."""
    names = ("role", "kept", "counts")
    for place, (shown, (_, marks)) in enumerate(zip(roll.marks, right.dice, strict=True), start=1):
        if shown != marks:
            said, by_rules = dict(zip(names, shown, strict=True)), dict(zip(names, marks, strict=True))
            differ = [name for name in names if said[name] != by_rules[name]]
            says = f"Die {place} of roll {roll.id} says {_said(said, differ)}, but by the rules "
            checked.find(Fault.OTHER_OUTCOME, roll.id, f"{says}{_said(by_rules, differ)}.")
            return


def _compare_other_side(checked: Checked, one: Sound, right: Right) -> None:
    """Compare what a card says of an answered roll's other side: its points, and what its dice count."""
    told = one.told
    shown = None
    if told.their_dice is not None:
        shown = [(faces, marks) for (faces, _), marks in zip(told.their_dice, told.their_marks, strict=True)]
    if shown != right.theirs or (shown is not None and told.their_points != right.facts["target"]):
        says = f"Roll {one.thrown.id} says otherwise of its other side than that came to."
        checked.find(Fault.OTHER_SIDE, one.thrown.id, says)


def _right_for(one: Sound, other: Sound | None, *, dice: bool) -> Right:
    """Return what the roll is under house rules with which it is as it says, else under those as written.

    Raises:
        CannotTell: its rules are not known here.
        NotAllowed: they have no such roll.
    """
    as_written = None
    for right in _by_the_rules(one, other):
        same_dice = not dice or _dice(one.thrown) == right.dice
        if same_dice and _facts(one, right) == right.facts:
            return right
        as_written = as_written or right
    if as_written is None:
        raise NotAllowed
    return as_written


def _faces(roll: Thrown) -> list[int]:
    return [faces for faces, _ in roll.dice]


def _dice(roll: Thrown) -> list[tuple[int, Marks]]:
    return list(zip(_faces(roll), roll.marks, strict=True))


def _by_the_rules(one: Sound, other: Sound | None) -> Iterator[Right]:
    """Yield what a roll is, for each way to set the house rules that it does not name; raise CannotTell."""
    asked, answer = (other, one) if other is not None and one.told.answers else (one, other)
    try:
        ruleset = registry.get(asked.told.ruleset)
        settings = ruleset.every_setting(one.told.house_rules)
        if settings is None:
            raise CannotTell
        for house in settings:
            try:
                yield _right(_action(ruleset, house, asked, answer, one), one, other)
            except (ValidationError, TakesNoAnswer, TooManyDice):
                continue
    except UnknownRuleSet as error:
        raise CannotTell from error
    except UnknownAction as error:
        raise NotAllowed from error


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
        nothing = dict.fromkeys(("outcome", "success", action.score, "target", "margin", *ODDS))
        return Right([], {**nothing, "notes": "unanswered", "numbers": ""})
    thrown = resolve(action, one.dice(), other.dice() if other else None)
    verdict = thrown.verdict
    own = [die for die in thrown.dice if other is None or die.side is Side.ROLLER]
    theirs = [die for die in thrown.dice if die.side is Side.OPPONENT]
    return Right(
        _marked(own),
        {
            "outcome": verdict.outcome.value,
            "success": verdict.success,
            action.score: verdict.score,
            "target": verdict.target,
            "margin": verdict.margin,
            **_odds(action),
            "notes": _listed(verdict.notes),
            "numbers": _listed(action.numbers()),
        },
        None if other is None else _marked(theirs),
    )


def _marked(dice: Iterable[Die]) -> list[tuple[int, Marks]]:
    return [(die.faces, (die.role.value, die.kept, die.counts)) for die in dice]


def _listed(texts: object) -> str:
    """Write notes, or names with their numbers, as a finding tells them."""
    if not isinstance(texts, list | tuple):
        return str(texts)
    return ", ".join(
        " ".join(map(str, each)) if isinstance(each, list | tuple) else str(each) for each in texts
    )


@lru_cache(maxsize=1024)
def _odds(action: Action) -> dict[str, str | None]:
    exact = odds(action)
    outcomes = {outcome.value: fraction_text(chance) for outcome, chance in exact.outcomes.items()}
    chances = fraction_text(exact.success), _chances(outcomes), exact.formula
    return dict(zip(ODDS, chances, strict=True))


def _chances(outcomes: Mapping[str, str | None]) -> str:
    return ", ".join(f"{name} {chance}" for name, chance in sorted(outcomes.items()))


def _facts(one: Sound, right: Right) -> dict[str, object]:
    """Return what a roll says of itself, under the names that it goes by when it is right."""
    told = one.told
    said = (told.outcome, told.success, told.points, told.target, told.margin)
    success, outcomes = told.chances or (None, None)
    chances = success, None if outcomes is None else _chances(outcomes), one.thrown.formula
    words = _listed(told.notes), _listed(told.numbers)
    return dict(zip(right.facts, (*said, *chances, *words), strict=True))


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
