"""Luck, dice and sentences, against figures worked out by hand."""

import math
from fractions import Fraction

import pytest

from service.tallying import Chances, Run
from worker.reports import words
from worker.reports.figures import Figures, Kind, Measured
from worker.reports.statistics import LEAST_SAMPLE, dice, luck, row

HALF = Fraction(1, 2)


def kind(outcome="success", chance="1/2", critical="0/1", fumble="0/1"):
    won = outcome.endswith("success")
    return Kind("s", "anna", None, "test", "Climbing", outcome, won, Chances(chance, critical, fumble))


def luck_of(won, rolls, chance=HALF):
    return luck(won, rolls * chance, rolls * chance * (1 - chance), rolls, rolls)


def test_sixty_of_a_hundred_coins_are_two_deviations_up():
    found = luck_of(60, 100)
    assert found.z == pytest.approx(2.0)  # 10 more than 50, of a spread of √(100·½·½) = 5
    assert (found.low, found.high) == pytest.approx((2 - 1.95996, 2 + 1.95996), abs=1e-4)
    assert found.usual == pytest.approx((0.5 - 0.0979982, 0.5 + 0.0979982), abs=1e-6)
    assert found.rests_on == 100


@pytest.mark.parametrize(
    ("won", "rolls", "verdict"),
    [
        (50, 100, "within"),
        (59, 100, "within"),  # z = 1.8
        (60, 100, "above"),
        (40, 100, "below"),
        (29, 29, None),  # all of 29 coins: too few for a word
        (30, 30, "above"),
    ],
)
def test_a_verdict_takes_a_sample(won, rolls, verdict):
    assert luck_of(won, rolls).verdict == verdict
    assert LEAST_SAMPLE == 30


def test_near_certain_rolls_take_a_larger_sample():
    """Three failures of 30 at 1 in 36: z is past 1.96, but 0.8 failures are too few to reckon with."""
    found = luck_of(27, 30, Fraction(35, 36))
    assert found.z < -1.96 and found.verdict is None
    assert luck_of(200, 216, Fraction(35, 36)).verdict == "below"


def test_what_was_certain_says_nothing_of_luck():
    sure = row("", "Sure", [(kind(chance="1/1"), Measured(50))])
    assert sure.luck is None and words.verdict(sure.luck) == "no roll was in doubt"
    mixed = row("", "Mixed", [(kind(chance="1/1"), Measured(50)), (kind(), Measured(40))])
    assert mixed.luck.rests_on == 40 and mixed.luck.z == pytest.approx(20 / math.sqrt(10))


def test_criticals_stand_beside_their_expectation():
    found = row(
        "",
        "Anna",
        [
            (kind("critical-success", "7/12", "1/36", "1/36"), Measured(2)),
            (kind("failure", "7/12", "1/36", "1/36"), Measured(34)),
        ],
    )
    assert (found.criticals.successes, found.criticals.failures) == (2, 0)
    assert found.criticals.expected_successes == pytest.approx(1.0)


def test_margins_are_means_and_a_spread():
    won, lost = Measured(2, 2, 6, 20), Measured(1, 1, -3, 9)  # 2 and 4; -3
    found = row("", "Anna", [(kind(), won), (kind("failure"), lost), (kind("tie"), Measured(1))])
    assert (found.margins.mean, found.margins.on_success, found.margins.on_failure) == (1, 3, -3)
    assert found.margins.spread == pytest.approx(math.sqrt((1 + 9 + 16) / 3)) and found.margins.rolls == 3


def test_sums_that_cannot_be_leave_a_report_that_can_be_read():
    """Squares are added up as floating point: of margins beyond reason their mean falls short."""
    beyond = row("", "Anna", [(kind(), Measured(3, 3, 3 * (2**53 + 2), 3 * 2**106))])
    assert beyond.margins.spread == 0 and beyond.margins.mean == 2**53 + 2
    unlikely = row("", "Anna", [(kind(chance="7/6"), Measured(1))])
    assert unlikely.luck is None and unlikely.rate == 1


def test_a_tie_is_neither_a_success_nor_a_failure_where_margins_are_told_apart():
    """Whether the rules call both sides of it unsuccessful or leave it open."""
    won, lost, tied = Measured(1, 1, 4, 16), Measured(2, 2, -6, 20), Measured(3, 3, 0, 0)
    left_open = kind("tie")._replace(won=None)
    for tie in (kind("tie"), left_open):
        found = row("", "Anna", [(kind(), won), (kind("failure"), lost), (tie, tied)])
        assert (found.margins.on_success, found.margins.on_failure) == (4, -3)
        assert (found.margins.rolls, found.margins.mean) == (6, pytest.approx(-2 / 6))
        assert (found.rolls, found.successes) == (6, 1)
    assert row("", "Anna", [(kind("tie"), tied)]).margins.on_failure is None


def fallen(*counts):
    figures = Figures()
    figures.fell(len(counts), "skill", counts)
    (found,) = dice(figures)
    return found


def test_chi_square_by_hand():
    found = fallen(5, 8, 9, 8, 10, 20)  # a textbook's: 60 throws, 10 expected of each
    assert found.chi_square == pytest.approx((25 + 4 + 1 + 4 + 0 + 100) / 10)
    assert found.degrees == 5 and 0.01 < found.p < 0.025  # tables: 12.833 at 0.025, 15.086 at 0.01
    assert "in 2.0% of all such samples" in words.of_dice(found)
    assert "not a proof" in words.of_dice(found)


def test_even_dice_are_nothing_unusual():
    found = fallen(10, 10, 10, 10, 10, 10)
    assert (found.chi_square, found.p) == (0, 1)
    assert "in 100% of all such samples, so there is nothing unusual here." in words.of_dice(found)


def test_too_few_dice_are_not_tested():
    found = fallen(9, 0, 0, 10, 10, 0)
    assert (
        found.p is None and words.of_dice(found) == "29 dice of 6 faces: too few for a test, which takes 30."
    )


def test_all_dice_of_a_size_are_tested_together_and_each_role_is_told():
    figures = Figures()
    figures.fell(2, "skill", (10, 20))
    figures.fell(2, "bonus", (5, 0))
    (found,) = dice(figures)
    assert found.counts == (15, 20) and found.roles == {"bonus": (5, 0), "skill": (10, 20)}


@pytest.mark.parametrize(
    ("results", "successes", "failures"),
    [
        ("", 0, 0),
        ("s", 1, 0),
        ("ssfffs", 2, 3),
        ("sstss", 2, 0),
        ("fff", 0, 3),
        ("tt", 0, 0),
        ("sfsssfss", 3, 1),
    ],
)
def test_runs_can_be_cut_anywhere_and_joined(results, successes, failures):
    for place in range(len(results) + 1):
        whole = Run.of(results[:place]).then(Run.of(results[place:]))
        assert whole == Run.of(results)
        assert (whole.successes, whole.failures) == (successes, failures)


def test_a_row_is_told_in_a_sentence():
    found = row("", "Anna", [(kind(), Measured(60)), (kind("failure"), Measured(40))])
    assert words.of_row(found) == (
        "Anna: 100 rolls, 60% succeeded where the odds gave 50% (luck alone: 40% to 60%); z +2.0, "
        "above luck’s usual reach."
    )
