"""What the figures come to: rates beside their expectations, luck, dice. Sums are exact until the end.

Luck is told by a z-score: by how many standard deviations the number of successes lies from the sum of the
rolls' own exact chances. Whether that is unusual is said only from LEAST_SAMPLE rolls on whose result was in
doubt, and only where the successes could be expected to vary by LEAST_SPREAD or more.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import sqrt

import numpy as np
from scipy import stats

from rules.verdict import Outcome
from service.tallying import Chances, Run
from worker.reports.figures import Figures, Kind, Measured, fraction

LEAST_SAMPLE = 30
"""Rolls in doubt below which no verdict is given, and no colour."""
LEAST_SPREAD = 2.0
"""Standard deviation of the number of successes below which a z-score says too little for a verdict."""
LEAST_PER_FACE = 5
"""Expected throws of each face below which the chi-square test is not made."""
CONFIDENCE = 0.95
WITHIN = float(stats.norm.ppf(0.5 + CONFIDENCE / 2))
"""Standard deviations around the expectation in which 95 % of all cases lie: 1.96."""
UNUSUAL = 1 - CONFIDENCE
LEAST_TOLD = 1e-20
"""Standard deviation below which there is no z-score: no throw of our dice is nearer to certain."""
FINEST = 2**4096
"""The largest denominator of a sum: beyond that of any dice, and few enough digits to be written down."""


@dataclass(frozen=True)
class Luck:
    """How far from expectation: z-score, the interval of its 95 %, and the rolls in doubt that it rests on.

    `usual` is the range of the success rate in which luck alone leaves 95 % of all cases. `verdict` is
    "within", "above" or "below" what luck alone does in 95 % of cases; None where the sample is too small.
    """

    z: float
    low: float
    high: float
    rests_on: int
    usual: tuple[float, float]
    verdict: str | None


@dataclass(frozen=True)
class Margins:
    """By how much rolls beat (or missed) their target on average; None where there are none of a kind."""

    rolls: int
    mean: float
    spread: float
    on_success: float | None
    on_failure: float | None


@dataclass(frozen=True)
class Criticals:
    """Critical successes and failures, beside how many were to be expected."""

    successes: int
    failures: int
    expected_successes: float
    expected_failures: float


@dataclass(frozen=True)
class Row:
    """The rolls of one player, character, action, skill or session, or all of them."""

    key: str
    name: str
    rolls: int
    successes: int
    rate: float
    expected_rate: float
    expected: Fraction
    variance: Fraction
    luck: Luck | None
    criticals: Criticals
    margins: Margins | None
    streaks: tuple[int, int] | None
    """The longest runs of successes and of failures."""


@dataclass(frozen=True)
class Dice:
    """How the dice of one size fell. `p` is None where there were too few for the chi-square test."""

    faces: int
    thrown: int
    counts: tuple[int, ...]
    roles: dict[str, tuple[int, ...]]
    chi_square: float | None
    degrees: int
    p: float | None


@dataclass(frozen=True)
class SoFar:
    """All rolls up to the end of a session."""

    key: str
    name: str
    rolls: int
    rate: float
    expected_rate: float
    luck: Luck | None


def row(key: str, name: str, kinds: Iterable[tuple[Kind, Measured]], run: Run | None = None) -> Row:
    """Work out one row from the kinds of rolls that it covers, of which there is at least one."""
    of_it = list(kinds)
    rolls = sum(measured.rolls for _, measured in of_it)
    won = sum(measured.rolls for kind, measured in of_it if kind.won)
    thrown = _by_chances(of_it)
    expected = exact_sum((fraction(chances.success), count) for chances, count in thrown.items())
    variance = exact_sum((_variance(chances.success), count) for chances, count in thrown.items())
    in_doubt = sum(count for chances, count in thrown.items() if _variance(chances.success))
    return Row(
        key=key,
        name=name,
        rolls=rolls,
        successes=won,
        rate=won / rolls,
        expected_rate=float(expected / rolls),
        expected=expected,
        variance=variance,
        luck=luck(won, expected, variance, rolls, in_doubt),
        criticals=Criticals(
            _outcomes(of_it, "critical-success"),
            _outcomes(of_it, "critical-failure"),
            float(exact_sum((fraction(chances.critical_success), n) for chances, n in thrown.items())),
            float(exact_sum((fraction(chances.critical_failure), n) for chances, n in thrown.items())),
        ),
        margins=margins(of_it),
        streaks=(run.successes, run.failures) if run else None,
    )


def so_far(rows: Iterable[Row]) -> list[SoFar]:
    """Return what all rolls had come to after each of the rows, which follow one another."""
    told: list[SoFar] = []
    rolls = won = in_doubt = 0
    expected, variance = Fraction(0), Fraction(0)
    for each in rows:
        rolls, won = rolls + each.rolls, won + each.successes
        expected, variance = _kept(expected + each.expected), _kept(variance + each.variance)
        in_doubt += each.luck.rests_on if each.luck else 0
        found = luck(won, expected, variance, rolls, in_doubt)
        told.append(SoFar(each.key, each.name, rolls, won / rolls, float(expected / rolls), found))
    return told


def exact_sum(values: Iterable[tuple[Fraction, int]]) -> Fraction:
    """Add up fractions, each so many times; those of one denominator first, as most have few.

    Exact for all that dice come to. A sum whose denominator would be beyond FINEST is rounded to that.
    """
    numerators: dict[int, int] = {}
    for value, times in values:
        numerators[value.denominator] = numerators.get(value.denominator, 0) + value.numerator * times
    total = Fraction(0)
    for bottom, top in numerators.items():
        total = _kept(total + Fraction(top, bottom))
    return total


def _kept(value: Fraction) -> Fraction:
    return value if value.denominator <= FINEST else Fraction(round(value * FINEST), FINEST)


def _by_chances(kinds: Iterable[tuple[Kind, Measured]]) -> dict[Chances, int]:
    rolls: dict[Chances, int] = {}
    for kind, measured in kinds:
        rolls[kind.chances] = rolls.get(kind.chances, 0) + measured.rolls
    return rolls


def luck(won: int, expected: Fraction, variance: Fraction, rolls: int, in_doubt: int) -> Luck | None:
    """Return how far from expectation `won` is, None where no result was in doubt to speak of."""
    spread = sqrt(max(variance, Fraction(0)))
    if spread < LEAST_TOLD:
        return None
    z = float(won - expected) / spread
    middle, reach = float(expected), WITHIN * spread
    usual = (max(0.0, middle - reach) / rolls, min(float(rolls), middle + reach) / rolls)
    return Luck(z, z - WITHIN, z + WITHIN, in_doubt, usual, _verdict(z, in_doubt, spread))


def _verdict(z: float, in_doubt: int, spread: float) -> str | None:
    if in_doubt < LEAST_SAMPLE or spread < LEAST_SPREAD:
        return None
    if abs(z) < WITHIN:
        return "within"
    return "above" if z > 0 else "below"


@lru_cache(maxsize=65536)
def _variance(success: str) -> Fraction:
    chance = fraction(success)
    return chance * (1 - chance)


def _outcomes(kinds: Iterable[tuple[Kind, Measured]], outcome: str) -> int:
    return sum(measured.rolls for kind, measured in kinds if kind.outcome == outcome)


def margins(kinds: Iterable[tuple[Kind, Measured]]) -> Margins | None:
    """Return what the margins come to, None where no roll has one; a tie counts in the mean of all alone."""
    every, won, lost = Measured(), Measured(), Measured()
    for kind, measured in kinds:
        every.add(measured)
        if kind.outcome != Outcome.TIE:
            (won if kind.won else lost).add(measured)
    if not every.margins:
        return None
    mean = Fraction(every.margin_sum, every.margins)
    # The squares are added up as floating point: where they are large, their mean may fall short.
    spread = sqrt(max(Fraction(every.margin_squares, every.margins) - mean * mean, Fraction(0)))
    return Margins(every.margins, float(mean), spread, _mean_margin(won), _mean_margin(lost))


def _mean_margin(measured: Measured) -> float | None:
    return measured.margin_sum / measured.margins if measured.margins else None


def dice(figures: Figures) -> list[Dice]:
    """Return how the dice of each size fell, all roles together and each by itself; smallest first."""
    sizes: dict[int, dict[str, tuple[int, ...]]] = {}
    for (faces, role), counts in sorted(figures.dice.items()):
        sizes.setdefault(faces, {})[role] = tuple(counts)
    return [_dice(faces, roles) for faces, roles in sorted(sizes.items())]


def _dice(faces: int, roles: dict[str, tuple[int, ...]]) -> Dice:
    counts = np.sum([np.asarray(counts) for counts in roles.values()], axis=0)
    thrown = int(counts.sum())
    chi_square = p = None
    if faces > 1 and thrown >= LEAST_PER_FACE * faces:
        test = stats.chisquare(counts)
        chi_square, p = float(test.statistic), float(test.pvalue)
    return Dice(faces, thrown, tuple(int(count) for count in counts), roles, chi_square, faces - 1, p)
