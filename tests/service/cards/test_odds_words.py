"""The odds line: exact where it can be, honest where it rounds."""

import re
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from service.cards.odds_words import LONG_SHOT_TOLERANCE, TOLERANCE, odds_in_words, percent


@pytest.mark.parametrize(
    ("chance", "words"),
    [
        ("0", "impossible"),
        ("1", "certain"),
        ("1/2", "an even chance"),
        ("1/5", "a 1 in 5 chance"),
        ("5/6", "a 5 in 6 chance"),
        ("7/12", "a 7 in 12 chance"),
        ("8/9", "an 8 in 9 chance"),
        ("11/36", "an 11 in 36 chance"),
        ("1/1296", "a 1 in 1,296 chance"),
        ("1295/1296", "a 1,295 in 1,296 chance"),
        ("7999/8000", "a 7,999 in 8,000 chance"),
        ("8000/8001", "an 8,000 in 8,001 chance"),
        ("1/46656", "a 1 in 46,656 chance"),
        ("11664/11665", "an 11,664 in 11,665 chance"),
        ("1099/1100", "a 1,099 in 1,100 chance"),
        ("863/1296", "about 2 in 3"),
        ("647/1296", "about an even chance"),
        ("113/1296", "about 1 in 11"),
        ("1183/1296", "about 10 in 11"),
        ("5/7776", "about 1 in 1,600"),
        ("7771/7776", "about 1,599 in 1,600"),
        (f"1/{6**50}", "less than 1 in a million"),
        (f"{6**50 - 1}/{6**50}", "more than 999,999 in a million"),
    ],
)
def test_the_phrase(chance, words):
    assert odds_in_words(Fraction(chance)) == words


@pytest.mark.parametrize(
    ("chance", "figure"),
    [
        ("0", "0%"),
        ("1", "100%"),
        ("1/2", "50.0%"),
        ("7/12", "58.3%"),
        ("9/16", "56.3%"),
        ("1/1296", "under 0.1%"),
        ("1295/1296", "over 99.9%"),
        ("1/1000", "0.1%"),
        ("999/1000", "99.9%"),
    ],
)
def test_the_percentage(chance, figure):
    assert percent(Fraction(chance)) == figure


@pytest.mark.parametrize("chance", [Fraction(-1, 6), Fraction(7, 6)])
def test_what_is_no_probability_is_refused(chance):
    with pytest.raises(ValueError, match="not a probability"):
        odds_in_words(chance)


chances = st.one_of(
    st.fractions(0, 1),
    st.builds(lambda d, n: Fraction(n % (6**d + 1), 6**d), st.integers(1, 30), st.integers(0)),
    st.builds(lambda d: Fraction(1, d), st.integers(1, 10**9)),
    st.builds(lambda d: 1 - Fraction(1, d), st.integers(1, 10**9)),
)
FIGURES = re.compile(r"([\d,]+) in ([\d,]+)")


def said(words):
    """The number that a reader takes from the words."""
    if "even" in words:
        return Fraction(1, 2)
    n, d = (int(part.replace(",", "")) for part in FIGURES.search(words).groups())
    return Fraction(n, d)


@given(chances)
@example(Fraction(1, 10))
@example(Fraction(9999, 100000))
@example(Fraction(90001, 100000))
@example(Fraction(104999, 10**6))
@example(Fraction(1, 10**6))
@example(1 - Fraction(1, 10**6))
@example(Fraction(2, 2 * 10**6 + 1))
@example(Fraction(2, 1999))
def test_the_words_are_true(chance):
    words = odds_in_words(chance)
    assert (words == "certain") == (chance == 1)
    assert (words == "impossible") == (chance == 0)
    assert (words == "an even chance") == (chance == Fraction(1, 2))
    if words in ("certain", "impossible"):
        return
    if words == "less than 1 in a million":
        assert 0 < chance < Fraction(1, 10**6)
    elif words == "more than 999,999 in a million":
        assert 1 - Fraction(1, 10**6) < chance < 1
    elif words.startswith("about"):
        number, rare = said(words), min(chance, 1 - chance)
        assert abs(number - chance) <= TOLERANCE
        if rare < Fraction(1, 10):
            assert abs(number - chance) <= rare * LONG_SHOT_TOLERANCE
    else:
        assert said(words) == chance


@given(st.integers(0, 36))
def test_every_chance_of_2d6_is_said_exactly(ways):
    assert "about" not in odds_in_words(Fraction(ways, 36))


@given(chances)
def test_the_percentage_is_right_to_its_last_digit(chance):
    figure = percent(chance)
    assert (figure == "0%") == (chance == 0)
    assert (figure == "100%") == (chance == 1)
    if figure[0].isdigit():
        assert abs(Fraction(figure.rstrip("%")) / 100 - chance) <= Fraction(1, 2000)
