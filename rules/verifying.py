"""Checking a session's rolls against what it published: pure, and the same for whoever checks.

Each thing that is wrong is found and named (`Fault`). What a checker was not given the seed of, as a player
of hidden rolls, is counted as unchecked and not taken for a fault. Where the seed is shown, a nonce or number
that is missing is one: whoever is shown the seed is shown them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

from rules.dice import SeededDice
from rules.fairness import SEED_BYTES, keeps
from rules.findings import Checked, Fault
from rules.published import SELF_FIRST, Chain, Evening, Thrown

MOST_COMPARED = 200
"""Rolls whose dice do not follow that are compared with one another, to name what was swapped."""
MOST_MISSING = 1000
"""Missing numbers that are named one by one."""
HAND = re.compile(r"(?P<number>[0-9]{1,3})d(?P<faces>[0-9]{1,10})(?:k[hl][0-9]+|cs>=[0-9]+)?|[0-9]{1,10}")
"""One hand of a formula, or a number that is added."""
LONGEST_FORMULA = 200
"""Characters of a formula that is read."""


def check(evening: Evening, rolls: Iterable[Thrown]) -> Checked:
    """Check a session's rolls, in whatever order they come, with what can be told without their rules."""
    every = list(rolls)
    checked = Checked(evening.id, len(every), seed_known=evening.seed is not None)
    ours = []
    for roll in every:
        if roll.session != evening.id or not roll.id.startswith(f"{evening.id}-"):
            checked.find(Fault.OTHER_SESSION, roll.id, f"Roll {roll.id} belongs to another session.")
        else:
            ours.append(roll)
    for chain in Chain:
        found = [roll for roll in ours if roll.chain is chain]
        seed = _check_seed(checked, evening, chain)
        _check_commitments(checked, found, evening.commitment_of(chain))
        _check_numbers(checked, evening, chain, found)
        _check_dice(checked, found, seed)
        _check_formulas(checked, found)
    checked.unanswered = tuple(roll.id for roll in ours if roll.undecided and roll.nonce and not roll.dice)
    _check_other_sides(checked, ours)
    _check_ids_and_number(checked, evening, every)
    return checked


def right_seed(evening: Evening, chain: Chain) -> bytes | None:
    """Return a chain's seed, None where it is not shown, or is not the one that was committed to."""
    seed, commitment = evening.seed_of(chain), evening.commitment_of(chain)
    if seed is None or commitment is None:
        return None
    try:
        raw = bytes.fromhex(seed)
    except ValueError:
        return None
    return raw if len(raw) == SEED_BYTES and keeps(evening.id, raw, commitment) else None


def _check_seed(checked: Checked, evening: Evening, chain: Chain) -> bytes | None:
    seed = right_seed(evening, chain)
    to_the_gm = evening.hidden_commitment is not None or evening.hidden_last_seq is not None
    if chain is Chain.HIDDEN and evening.seed and to_the_gm and not evening.hidden_seed:
        says = "The seed of the hidden rolls is not shown, though the session has ended."
        checked.find(Fault.WRONG_SEED, None, says)
    if seed is None and evening.seed_of(chain) is not None and chain is not Chain.SELF:  # it shares a seed
        which = "seed" if chain is Chain.OPEN else "seed of the hidden rolls"
        says = f"The {which} is not the one that session {evening.id} committed to."
        checked.find(Fault.WRONG_SEED, None, says)
    return seed


def _check_commitments(checked: Checked, rolls: Iterable[Thrown], commitment: str | None) -> None:
    for roll in rolls:
        if commitment is not None and roll.commitment not in (None, commitment):
            checked.find(
                Fault.OTHER_COMMITMENT,
                roll.id,
                f"Roll {roll.id} names a commitment that its session does not.",
            )


def _check_numbers(checked: Checked, evening: Evening, chain: Chain, rolls: Sequence[Thrown]) -> None:
    """Find gaps and repetitions; a number that the GM deleted, or that waits for its dice, is no gap."""
    first = SELF_FIRST if chain is Chain.SELF else 1
    given, deleted, unresolved = evening.numbers_of(chain)
    by_number: dict[int, list[str]] = {}
    for roll in rolls:
        if roll.seq is not None:
            by_number.setdefault(roll.seq, []).append(roll.id)
    for number, several in sorted(by_number.items()):
        if len(several) > 1:
            checked.find(
                Fault.EXTRA_ROLL,
                several[-1],
                f"{len(several)} rolls have number {number}: {', '.join(several)}.",
            )
        if number < first or number > (number if given is None else given) or number in deleted:
            says = f"Roll {several[0]} has number {number}, which the session gave to none."
            checked.find(Fault.EXTRA_ROLL, several[0], says)
    # Of `self` rolls one sees one's own at most, without number; the operator's export has them all.
    last = max((*by_number, *deleted, given or 0), default=first - 1)
    which = "" if chain is Chain.OPEN else f" of the {chain.value} rolls"
    waiting = tuple(sorted(set(unresolved) - by_number.keys()))
    known = {*by_number, *deleted, *waiting}
    missing = (number for number in range(first, last + 1) if number not in known)
    for number in islice(missing, MOST_MISSING):
        checked.find(Fault.MISSING_ROLL, None, f"Number {number}{which} is missing.")
    if chain is Chain.OPEN:
        checked.deleted, checked.unresolved = tuple(sorted(deleted)), waiting
    else:
        checked.hidden_deleted += tuple(sorted(deleted))
        checked.hidden_unresolved += waiting


def _check_dice(checked: Checked, rolls: Sequence[Thrown], seed: bytes | None) -> None:
    wrong = []
    if seed is None:
        checked.unchecked += len(rolls)
        return
    for roll in rolls:
        if roll.seq is None or roll.nonce is None:
            if roll.chain is Chain.SELF:  # whose numbers nobody is shown
                checked.unchecked += 1
                continue
            what = "nonce" if roll.nonce is None else "number"
            says = f"Roll {roll.id} is shown without its {what}, so its dice cannot be checked."
            checked.find(Fault.MISSING_NONCE, roll.id, says)
            continue
        checked.dice += len(roll.dice)
        if not _follows(roll, seed, roll.seq, roll.nonce):
            wrong.append(roll)
    by_nonce: dict[tuple[str | None, str | None], list[str]] = {}
    for roll in rolls:
        by_nonce.setdefault((roll.user, roll.nonce), []).append(roll.id)
    for roll in wrong:
        twins = [other for other in by_nonce[roll.user, roll.nonce] if other != roll.id]
        if twins:
            says = f"Roll {roll.id} bears the nonce of roll {twins[0]}, and its dice do not follow from it."
            checked.find(Fault.SWAPPED_NONCE, roll.id, says)
        else:
            _name(checked, roll, wrong[:MOST_COMPARED], seed)


def _check_formulas(checked: Checked, rolls: Iterable[Thrown]) -> None:
    """Find dice that are left out of the roller's own, or put there."""
    for roll in rolls:
        thrown = None if roll.formula is None else thrown_by(roll.formula)
        if thrown is not None:
            checked.find_other_dice(roll, roll.own, thrown, f"its formula {roll.formula}")


def _check_other_sides(checked: Checked, rolls: Iterable[Thrown]) -> None:
    """Find rolls that show other dice of their other side than that has thrown."""
    wrong = {finding.roll for finding in checked.findings}
    right = {roll.id: roll for roll in rolls if roll.id not in wrong}
    for roll in rolls:
        other = right.get((roll.told.answers or roll.told.answered_by or "") if roll.told else "")
        if other is not None and roll.told and roll.told.their_dice not in (None, other.dice):
            says = f"Roll {roll.id} shows dice of its other side that roll {other.id} did not throw."
            checked.find(Fault.OTHER_SIDE, roll.id, says)


def thrown_by(formula: str) -> list[int] | None:
    """Return the faces of the dice that a formula throws, None where it is none that the rules write."""
    faces: list[int] = []
    if len(formula) > LONGEST_FORMULA:
        return None
    for piece in re.split(r" [+-] ", formula):
        hand = HAND.fullmatch(piece)
        if hand is None:
            return None
        if hand["number"]:
            faces += [int(hand["faces"])] * int(hand["number"])
    return faces


def _check_ids_and_number(checked: Checked, evening: Evening, rolls: Sequence[Thrown]) -> None:
    for roll, times in Counter(roll.id for roll in rolls).items():
        if times > 1:
            checked.find(Fault.EXTRA_ROLL, roll, f"Roll {roll} is there {times} times.")
    if evening.rolls is None or evening.rolls <= len(rolls) <= evening.rolls + _resolved_since(
        evening, rolls
    ):
        return
    fault = Fault.MISSING_ROLL if len(rolls) < evening.rolls else Fault.EXTRA_ROLL
    checked.find(fault, None, f"The session counts {evening.rolls} rolls, here are {len(rolls)}.")


def _resolved_since(evening: Evening, rolls: Iterable[Thrown]) -> int:
    """Return how many rolls may have been resolved since the session was read, and are not in its number.

    Of a player's hidden rolls the session says no number, so each of them may.
    """
    waited = {(chain, number) for chain in Chain for number in evening.numbers_of(chain)[2]}
    return sum(roll.seq is None or (roll.chain, roll.seq) in waited for roll in rolls)


def _follows(roll: Thrown, seed: bytes, seq: int, nonce: str) -> bool:
    return _dice(roll, seed, seq, nonce) == [value for _, value in roll.dice]


def _dice(roll: Thrown, seed: bytes, seq: int, nonce: str) -> list[int]:
    source = SeededDice(seed, roll.session, seq, nonce)
    return [source.throw(faces) for faces, _ in roll.dice]


def _name(checked: Checked, roll: Thrown, wrong: Iterable[Thrown], seed: bytes) -> None:
    """Say what is wrong with a roll whose dice do not follow, as exactly as it can be told."""
    if roll.seq is None or roll.nonce is None:
        return
    for other in wrong:
        if other is roll or other.seq is None or other.nonce is None:
            continue
        if other.nonce != roll.nonce and _each_follows(
            seed, (roll, roll.seq, other.nonce), (other, other.seq, roll.nonce)
        ):
            checked.find(
                Fault.SWAPPED_NONCE, roll.id, f"Roll {roll.id} bears the nonce of roll {other.id}: swapped."
            )
            return
        if other.seq != roll.seq and _each_follows(
            seed, (roll, other.seq, roll.nonce), (other, roll.seq, other.nonce)
        ):
            checked.find(
                Fault.SWAPPED_NUMBER, roll.id, f"Roll {roll.id} bears the number of roll {other.id}: swapped."
            )
            return
    _name_alone(checked, roll, _dice(roll, seed, roll.seq, roll.nonce))


def _each_follows(seed: bytes, *throws: tuple[Thrown, int, str]) -> bool:
    return all(_follows(roll, seed, seq, nonce) for roll, seq, nonce in throws)


def _name_alone(checked: Checked, roll: Thrown, expected: Sequence[int]) -> None:
    places = [
        place
        for place, ((_, shown), right) in enumerate(zip(roll.dice, expected, strict=True), start=1)
        if shown != right
    ]
    if len(places) == 1:
        faces, shown = roll.dice[places[0] - 1]
        right = expected[places[0] - 1]
        says = f"Die {places[0]} of roll {roll.id} (d{faces}) shows {shown}, but was thrown as {right}."
        checked.find(Fault.CHANGED_DIE, roll.id, says)
        return
    says = (
        f"The dice of roll {roll.id} do not follow from seed, number and nonce "
        f"({len(places)} of {len(roll.dice)} differ): its nonce, its number or its dice were changed."
    )
    checked.find(Fault.DICE_DO_NOT_FOLLOW, roll.id, says)
