"""The dice sources, and the verifiable one against the words that define it."""

import hashlib
import hmac
from collections.abc import Iterator
from itertools import count, islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from rules.dice import FixedDice, OutOfDice, SeededDice

SEED, SESSION, NONCE = bytes(range(32)), "q2wza7bcde", "6f1c1f1e-0c7f-4b58-9d0a-3f6f0a9a8a11"
MILLION = 1_000_000


def independently(seed: bytes, session: str, seq: int, nonce: str, faces: int) -> Iterator[int]:
    """Throw by the definition: digests in order, eight big-endian words each, those over the limit unused."""
    for counter in count():
        message = f"v1|{session}|{seq}|{nonce}|{counter}".encode("ascii")
        digest = hmac.digest(seed, message, hashlib.sha256)
        for place in range(8):
            word = int(digest[4 * place : 4 * place + 4].hex(), 16)
            if word < (4294967296 // faces) * faces:
                yield word % faces + 1


def seeded(seq: int = 1, nonce: str = NONCE, session: str = SESSION, seed: bytes = SEED) -> SeededDice:
    return SeededDice(seed, session, seq, nonce)


@pytest.mark.parametrize("faces", [1, 2, 6, 10, 20, 100, 3_000_000_000, 2**31 + 1, 2**32])
def test_the_dice_are_those_of_the_definition(faces: int) -> None:
    dice = seeded(seq=7)
    assert [dice.throw(faces) for _ in range(200)] == list(
        islice(independently(SEED, SESSION, 7, NONCE, faces), 200)
    )


def test_a_word_beyond_the_last_whole_multiple_is_passed_over() -> None:
    # Of 3,000,000,000 faces three words in ten are beyond the limit; none may come back as a face.
    words = list(islice(independently(SEED, SESSION, 1, NONCE, 2**32), 100))
    kept = [word for word in words if word - 1 < 3_000_000_000]
    dice = seeded()
    assert 0 < len(kept) < len(words)
    assert [dice.throw(3_000_000_000) for _ in kept] == kept


@settings(max_examples=50)
@given(
    seed=st.binary(min_size=32, max_size=32),
    seq=st.integers(1, 10**9),
    nonce=st.text("abcXYZ019._:-", min_size=1, max_size=128),
    faces=st.sampled_from([4, 6, 8, 10, 12, 20, 100]),
)
def test_any_rolls_dice_are_those_of_the_definition(seed: bytes, seq: int, nonce: str, faces: int) -> None:
    dice = SeededDice(seed, SESSION, seq, nonce)
    expected = independently(seed, SESSION, seq, nonce, faces)
    assert [dice.throw(faces) for _ in range(20)] == list(islice(expected, 20))


def test_a_known_roll_falls_as_openssl_and_a_pocket_calculator_say() -> None:
    # printf 'v1|table|1|click|0' | openssl dgst -sha256 -mac HMAC -macopt hexkey:$(printf '0%.0s' {1..64})
    words = (0x8A93C916, 0x3875BC4F, 0x21B9CD8C, 0x4BF53128)
    dice = SeededDice(bytes(32), "table", 1, "click")
    assert [dice.throw(6) for _ in words] == [word % 6 + 1 for word in words] == [5, 6, 3, 5]


def test_dice_of_different_faces_share_one_sequence_of_words() -> None:
    words = list(islice(independently(SEED, SESSION, 1, NONCE, 2**32), 3))
    dice = seeded()
    assert [dice.throw(faces) for faces in (6, 20, 100)] == [
        (word - 1) % faces + 1 for word, faces in zip(words, (6, 20, 100), strict=True)
    ]


@pytest.mark.parametrize(
    "other", [seeded(seq=2), seeded(nonce="other"), seeded(session="aaaaaaaaaa"), seeded(seed=bytes(32))]
)
def test_another_number_nonce_session_or_seed_gives_other_dice(other: SeededDice) -> None:
    same, again = seeded(), seeded()
    first = [same.throw(6) for _ in range(50)]
    assert [again.throw(6) for _ in range(50)] == first
    assert [other.throw(6) for _ in range(50)] != first


@pytest.mark.parametrize("faces", [0, -6, 2**32 + 1])
def test_a_die_that_cannot_be_thrown_fairly_is_refused(faces: int) -> None:
    with pytest.raises(ValueError, match=f"not {faces}"):
        seeded().throw(faces)


@pytest.fixture(scope="module")
def million() -> np.ndarray:
    """A million six-sided dice, as a year of rolls would draw them: ten dice a roll."""
    seed = hashlib.sha256(b"chi-square").digest()
    values = np.empty(MILLION, dtype=np.int64)
    for roll in range(MILLION // 10):
        throw = SeededDice(seed, SESSION, roll + 1, f"click-{roll}").throw
        values[10 * roll : 10 * roll + 10] = [throw(6) for _ in range(10)]
    return values


def test_a_million_dice_show_every_face_equally_often(million: np.ndarray) -> None:
    seen = np.bincount(million, minlength=7)[1:]
    assert seen.sum() == MILLION
    assert chisquare(seen).pvalue > 0.001


def test_a_million_dice_show_every_pair_of_successive_faces_equally_often(million: np.ndarray) -> None:
    # Pairs that do not overlap are independent of each other, as the test supposes.
    pairs = (million[0::2] - 1) * 6 + million[1::2] - 1
    assert chisquare(np.bincount(pairs, minlength=36)).pvalue > 0.001
    across_rolls = (million[9:-1:10] - 1) * 6 + million[10::10] - 1
    assert chisquare(np.bincount(across_rolls, minlength=36)).pvalue > 0.001


def test_fixed_dice_show_what_they_were_told() -> None:
    dice = FixedDice([3, 6])
    assert [dice.throw(6), dice.throw(6)] == [3, 6]
    with pytest.raises(OutOfDice) as refusal:
        dice.throw(6)
    assert refusal.value.held == 2


def test_a_fixed_die_cannot_show_what_it_does_not_have() -> None:
    for value in (0, 7):
        with pytest.raises(ValueError, match=f"cannot show {value}"):
            FixedDice([value]).throw(6)
