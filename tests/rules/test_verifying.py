"""Checking a session: what is right passes, and each thing that is wrong is named."""

import hashlib
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.findings import Fault
from rules.published import SELF_FIRST, Chain, Evening, NotAsPublished, Thrown, read_roll, read_session
from rules.verifying import check
from tests.fair_dice import commitment, dice

SEED, HIDDEN = "5a" * 32, "c3" * 32
SESSION = "sessionaaa"
FACES = (6, 6, 8, 20)


def thrown(number: int, chain: Chain = Chain.OPEN, faces: tuple[int, ...] = FACES) -> Thrown:
    """Roll number `number` as it must be, worked out by other code than the product's."""
    seq = number + SELF_FIRST - 1 if chain is Chain.SELF else number
    nonce = f"click-{chain.value}-{number}"
    seed = SEED if chain is Chain.OPEN else HIDDEN
    values = dice(seed, SESSION, seq, nonce, faces)
    return Thrown(
        id=f"{SESSION}-{chain.value[0]}{number:08d}z",
        session=SESSION,
        seq=seq,
        chain=chain,
        nonce=nonce,
        commitment=commitment(SESSION, seed),
        dice=tuple(zip(faces, values, strict=True)),
        user="anna",
    )


@pytest.fixture
def evening() -> Evening:
    return Evening(SESSION, commitment(SESSION, SEED), SEED, commitment(SESSION, HIDDEN), HIDDEN)


@pytest.fixture
def rolls() -> list[Thrown]:
    return [thrown(number, chain) for chain in Chain for number in range(1, 9)]


def faults(evening, rolls):
    return [(finding.fault, finding.roll) for finding in check(evening, rolls).findings]


def test_what_was_thrown_passes(evening, rolls):
    checked = check(evening, reversed(rolls))
    assert checked.findings == [] and (checked.rolls, checked.dice, checked.unchecked) == (24, 96, 0)


def test_a_changed_die_is_named_with_what_it_was(evening, rolls):
    right = rolls[2].dice[1][1]
    changed = (rolls[2].dice[0], (6, right % 6 + 1), *rolls[2].dice[2:])
    rolls[2] = replace(rolls[2], dice=changed)
    [finding] = check(evening, rolls).findings
    assert (finding.fault, finding.roll) == (Fault.CHANGED_DIE, rolls[2].id)
    assert finding.says == (
        f"Die 2 of roll {rolls[2].id} (d6) shows {right % 6 + 1}, but was thrown as {right}."
    )


@given(place=st.integers(0, 23), die=st.integers(0, 3), by=st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_whatever_die_is_changed_is_found(place, die, by):
    evening = Evening(SESSION, commitment(SESSION, SEED), SEED, commitment(SESSION, HIDDEN), HIDDEN)
    rolls = [thrown(number, chain) for chain in Chain for number in range(1, 9)]
    fallen = list(rolls[place].dice)
    faces, value = fallen[die]
    fallen[die] = (faces, (value + by - 1) % faces + 1)
    rolls[place] = replace(rolls[place], dice=tuple(fallen))
    assert faults(evening, rolls) == [(Fault.CHANGED_DIE, rolls[place].id)]


@pytest.mark.parametrize("place", [0, 4, 7])
def test_a_missing_roll_is_named_by_its_number(evening, rolls, place):
    del rolls[place]
    evening = replace(evening, last_seq=8)
    [finding] = check(evening, rolls).findings
    assert finding.fault is Fault.MISSING_ROLL and finding.says == f"Number {place + 1} is missing."


def test_a_missing_hidden_roll_is_named(evening, rolls):
    del rolls[9]
    assert [finding.says for finding in check(evening, rolls).findings] == [
        "Number 2 of the hidden rolls is missing."
    ]


def test_a_number_that_the_gm_deleted_is_no_gap(evening, rolls):
    del rolls[8 + 7], rolls[3]
    evening = replace(evening, deleted=(4,), hidden_deleted=(8,), last_seq=8, hidden_last_seq=8, rolls=22)
    checked = check(evening, rolls)
    assert checked.findings == [] and (checked.deleted, checked.hidden_deleted) == ((4,), (8,))


def test_numbers_that_wait_for_their_dice_are_no_gaps_and_are_told(evening, rolls):
    del rolls[16], rolls[8 + 7], rolls[3]
    evening = replace(
        evening,
        unresolved=(4, 9),
        hidden_unresolved=(8,),
        self_unresolved=(SELF_FIRST,),
        last_seq=9,
        hidden_last_seq=8,
        self_last_seq=SELF_FIRST + 7,
    )
    checked = check(evening, rolls)
    assert checked.findings == [] and checked.unresolved == (4, 9)
    assert checked.hidden_unresolved == (8, SELF_FIRST)


def test_a_roll_that_was_resolved_after_its_session_was_read_is_right(evening, rolls):
    before = replace(evening, unresolved=(4,), hidden_unresolved=(2,), last_seq=8, rolls=22)
    checked = check(before, rolls)
    assert checked.findings == [] and (checked.unresolved, checked.hidden_unresolved) == ((), ())
    assert faults(replace(before, rolls=21), rolls) == [(Fault.EXTRA_ROLL, None)]


def test_a_session_that_has_ended_says_how_many_rolls_there_are():
    ended = {"id": "a", "commitment": "b", "seed": "c", "ended_at": "2026", "last_seq": 3, "rolls": 3}
    assert read_session(ended).last_seq == 3
    for name in ("last_seq", "rolls"):
        with pytest.raises(NotAsPublished) as refused:
            read_session(ended | {name: None})
        assert refused.value.lacks == name


@pytest.mark.parametrize("withheld", ["nonce", "seq"])
@pytest.mark.parametrize("place", [2, 10], ids=["public", "hidden"])
def test_a_roll_whose_nonce_or_number_is_withheld_is_named(evening, rolls, place, withheld):
    fallen = tuple((faces, value % faces + 1) for faces, value in rolls[place].dice)
    rolls[place] = replace(rolls[place], dice=fallen, **{withheld: None})
    found = [(finding.fault, finding.roll) for finding in check(evening, rolls).findings]
    assert (Fault.MISSING_NONCE, rolls[place].id) in found


def test_of_self_rolls_neither_is_shown(evening, rolls):
    rolls[17] = replace(rolls[17], seq=None)
    checked = check(replace(evening, self_deleted=(SELF_FIRST + 1,)), rolls)
    assert checked.findings == [] and checked.unchecked == 1


def test_the_seed_of_hidden_rolls_cannot_be_withheld_from_who_is_shown_its_commitment(evening, rolls):
    assert faults(replace(evening, hidden_seed=None), rolls) == [(Fault.WRONG_SEED, None)]
    of_the_gm = replace(evening, hidden_seed=None, hidden_commitment=None, hidden_last_seq=8)
    assert faults(of_the_gm, rolls) == [(Fault.WRONG_SEED, None)]
    of_a_player = replace(evening, hidden_seed=None, hidden_commitment=None)
    checked = check(of_a_player, rolls)
    assert checked.findings == [] and checked.unchecked == 16


def test_a_deleted_roll_that_is_there_is_extra(evening, rolls):
    assert faults(replace(evening, deleted=(4,)), rolls) == [(Fault.EXTRA_ROLL, rolls[3].id)]


def test_a_self_roll_that_the_gm_deleted_is_no_gap(evening, rolls):
    del rolls[16]
    evening = replace(evening, self_last_seq=SELF_FIRST + 7, self_deleted=(SELF_FIRST,))
    assert check(evening, rolls).findings == []


def test_the_last_self_roll_is_missed(evening, rolls):
    del rolls[23]
    [finding] = check(replace(evening, self_last_seq=SELF_FIRST + 7), rolls).findings
    assert finding.fault is Fault.MISSING_ROLL
    assert finding.says == f"Number {SELF_FIRST + 7} of the self rolls is missing."


def test_the_numbers_of_self_rolls_are_read_from_an_export():
    exported = {"id": "a", "commitment": "b", "self_last_seq": 3, "self_deleted": [SELF_FIRST]}
    evening = read_session(exported)
    assert (evening.self_last_seq, evening.self_deleted) == (SELF_FIRST + 2, (SELF_FIRST,))
    none_thrown = read_session({"id": "a", "commitment": "b", "self_last_seq": 0})
    assert none_thrown.self_last_seq == SELF_FIRST - 1 and check(none_thrown, []).findings == []


def test_an_extra_roll_is_named(evening, rolls):
    twin = replace(thrown(3), id=f"{SESSION}-extraaaaaa", nonce="click-extra", user="bert")
    fallen = dice(SEED, SESSION, 3, "click-extra", FACES)
    twin = replace(twin, dice=tuple(zip(FACES, fallen, strict=True)))
    assert faults(evening, [*rolls, twin]) == [(Fault.EXTRA_ROLL, twin.id)]


def test_an_extra_roll_at_the_end_is_named_though_its_dice_follow(evening, rolls):
    evening = replace(evening, last_seq=8, rolls=24)
    assert faults(evening, [*rolls, thrown(9)]) == [
        (Fault.EXTRA_ROLL, thrown(9).id),
        (Fault.EXTRA_ROLL, None),
    ]


def test_the_same_roll_twice_is_named(evening, rolls):
    assert (Fault.EXTRA_ROLL, rolls[0].id) in faults(evening, [*rolls, rolls[0]])


def test_swapped_nonces_are_named_on_both_rolls(evening, rolls):
    one, other = rolls[1], rolls[5]
    rolls[1], rolls[5] = replace(one, nonce=other.nonce), replace(other, nonce=one.nonce)
    assert faults(evening, rolls) == [(Fault.SWAPPED_NONCE, one.id), (Fault.SWAPPED_NONCE, other.id)]


def test_a_nonce_taken_from_another_roll_is_named(evening, rolls):
    rolls[1] = replace(rolls[1], nonce=rolls[5].nonce)
    assert faults(evening, rolls) == [(Fault.SWAPPED_NONCE, rolls[1].id)]


def test_a_made_up_nonce_is_found(evening, rolls):
    rolls[1] = replace(rolls[1], nonce="made-up")
    assert faults(evening, rolls) == [(Fault.DICE_DO_NOT_FOLLOW, rolls[1].id)]


def test_swapped_numbers_are_named(evening, rolls):
    one, other = rolls[1], rolls[5]
    rolls[1], rolls[5] = replace(one, seq=other.seq), replace(other, seq=one.seq)
    assert faults(evening, rolls) == [(Fault.SWAPPED_NUMBER, one.id), (Fault.SWAPPED_NUMBER, other.id)]


@pytest.mark.parametrize("seed", ["5b" * 32, "5a" * 31, "", "no hex"])
def test_a_wrong_seed_is_named_once(evening, rolls, seed):
    assert faults(replace(evening, seed=seed), rolls) == [(Fault.WRONG_SEED, None)]


def test_a_wrong_hidden_seed_is_named_once(evening, rolls):
    [finding] = check(replace(evening, hidden_seed="11" * 32), rolls).findings
    assert finding.fault is Fault.WRONG_SEED and "hidden" in finding.says


def test_a_roll_of_another_session_is_named(evening, rolls):
    stray = replace(thrown(1), id="othersessi-aaaaaaaaaa", session="othersessi")
    disguised = replace(thrown(9), id="othersessi-bbbbbbbbbb")
    assert faults(evening, [*rolls, stray, disguised]) == [
        (Fault.OTHER_SESSION, stray.id),
        (Fault.OTHER_SESSION, disguised.id),
    ]


def test_a_roll_with_another_commitment_is_named(evening, rolls):
    rolls[0] = replace(rolls[0], commitment=hashlib.sha256(b"other").hexdigest())
    assert faults(evening, rolls) == [(Fault.OTHER_COMMITMENT, rolls[0].id)]


def test_what_a_player_cannot_check_is_counted_and_no_fault(rolls):
    evening = Evening(SESSION, commitment(SESSION, SEED), SEED, rolls=9)
    hidden = replace(rolls[8], seq=None)
    checked = check(evening, [*rolls[:8], hidden])
    assert checked.findings == [] and checked.unchecked == 1 and checked.dice == 32


def test_before_the_end_nothing_is_checked_and_nothing_is_wrong(evening, rolls):
    checked = check(replace(evening, seed=None, hidden_seed=None), rolls)
    assert checked.findings == [] and checked.unchecked == 24


def test_a_challenge_that_nobody_answered_fills_its_number(evening, rolls):
    rolls[4] = replace(rolls[4], dice=())
    assert faults(evening, rolls) == []


SHOWN = {
    "id": f"{SESSION}-aaaaaaaaaa",
    "session": SESSION,
    "seq": 1,
    "visibility": "public",
    "dice": [{"faces": 6, "value": 3}],
    "fairness": {"commitment": "ab", "nonce": "click"},
}


def test_a_roll_is_read_from_the_api_and_from_an_export():
    record = {**SHOWN, "commitment": "ab", "nonce": "click"}
    del record["fairness"]
    assert read_roll(SHOWN) == read_roll(record)
    assert read_roll(SHOWN).dice == ((6, 3),) and read_roll(SHOWN).chain is Chain.OPEN


@pytest.mark.parametrize(
    ("changes", "lacks"),
    [
        ({"id": None}, "id"),
        ({"seq": True}, "seq"),
        ({"seq": "1"}, "seq"),
        ({"visibility": "secret"}, "visibility"),
        ({"dice": {}}, "dice"),
        ({"dice": [3]}, "dice"),
        ({"dice": [{"faces": 0, "value": 1}]}, "dice"),
        ({"dice": [{"faces": 6, "value": 1.5}]}, "dice"),
        ({"fairness": {"nonce": 7}}, "nonce"),
    ],
)
def test_what_is_no_roll_is_refused_by_field(changes, lacks):
    with pytest.raises(NotAsPublished) as refused:
        read_roll({**SHOWN, **changes})
    assert refused.value.lacks == lacks


def test_what_is_no_session_is_refused_by_field():
    with pytest.raises(NotAsPublished) as refused:
        read_session({"id": "a", "commitment": "b", "deleted": ["1"]})
    assert refused.value.lacks == "deleted"
