"""Say an exact chance in words that are true.

The rule, for a probability p in lowest terms n/d:

1. 0 is "impossible", 1 is "certain", 1/2 is "an even chance"; nothing else is ever called so.
2. It is said exactly, "a 7 in 12 chance", when d is at most 36 (all of one die and of 2d6), and also when p
   is 1/d or (d-1)/d with d up to a million: "a 1 in 1,296 chance", "a 1,295 in 1,296 chance".
3. Below 1 in a million it is "less than 1 in a million"; above the complement, "more than 999,999 in a
   million".
4. Otherwise it is "about": from 1/10 to 9/10 the nearest fraction whose denominator is at most 10, never more
   than `TOLERANCE` (1/36, under three percentage points) away; outside, 1 in N or (N-1) in N with N rounded
   to two digits, so that the smaller side is right within 5.5 percent of itself.
"""

import re
from fractions import Fraction

EXACT_DENOMINATOR = 36
EXACT_LONG_SHOT = 1_000_000
ROUND_DENOMINATOR = 10
TOLERANCE = Fraction(1, 36)
LONG_SHOT_TOLERANCE = Fraction(55, 1000)
MILLION = Fraction(1, 1_000_000)

_SAID_WITH_AN = re.compile(r"(8\d{0,2}|11|18)(,\d{3})*")
_HALF = Fraction(1, 2)


def odds_in_words(chance: Fraction) -> str:
    """Return `chance`, a probability from 0 to 1, as a phrase such as "a 1 in 5 chance" or "about 2 in 3"."""
    if not 0 <= chance <= 1:
        raise ValueError(f"not a probability: {chance}")
    return _without_dice(chance) or _exactly(chance) or _beyond_a_million(chance) or _about(chance)


def percent(chance: Fraction) -> str:
    """Return `chance` in percent with one decimal; only the impossible is 0%, only the certain 100%."""
    if chance in (0, 1):
        return f"{int(chance) * 100}%"
    if chance < Fraction(1, 1000):
        return "under 0.1%"
    if chance > Fraction(999, 1000):
        return "over 99.9%"
    whole, tenth = divmod(int(chance * 1000 + _HALF), 10)  # exact, so that 56.25 never becomes 56.2
    return f"{whole}.{tenth}%"


def _without_dice(chance: Fraction) -> str | None:
    return {0: "impossible", 1: "certain", _HALF: "an even chance"}.get(chance)


def _exactly(chance: Fraction) -> str | None:
    n, d = chance.numerator, chance.denominator
    if d <= EXACT_DENOMINATOR or (n in (1, d - 1) and d <= EXACT_LONG_SHOT):
        return f"{_article(n)} {n:,} in {d:,} chance"
    return None


def _beyond_a_million(chance: Fraction) -> str | None:
    if chance < MILLION:
        return "less than 1 in a million"
    if chance > 1 - MILLION:
        return "more than 999,999 in a million"
    return None


def _about(chance: Fraction) -> str:
    long_shot = min(chance, 1 - chance)
    if long_shot < Fraction(1, ROUND_DENOMINATOR):
        one_in = _two_digits(1 / long_shot)
        return f"about {1 if chance < _HALF else one_in - 1:,} in {one_in:,}"
    near = chance.limit_denominator(ROUND_DENOMINATOR)
    return "about an even chance" if near == _HALF else f"about {near.numerator} in {near.denominator}"


def _two_digits(number: Fraction) -> int:
    """Round a number from 10 up to its first two digits."""
    scale: int = 10 ** (len(str(int(number))) - 2)
    return round(number / scale) * scale


def _article(number: int) -> str:
    return "an" if _SAID_WITH_AN.fullmatch(f"{number:,}") else "a"
