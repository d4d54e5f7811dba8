"""Colours: outcomes are told apart however somebody sees, and text and pips can be read."""

import re
from itertools import combinations

import pytest

from service.cards import STYLESHEET
from service.cards.wording import COLOURS, MARKS, NO_OUTCOME_COLOUR, OUTCOMES

# Machado, Oliveira and Fernandes 2009, severity 1.0, on linear RGB.
SIGHT = {
    "full": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
TO_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
WHITE = (0.9505, 1.0, 1.089)


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def lab(colour, sight):
    """The CIELAB coordinates of "#rrggbb" as somebody sees it."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    seen = [min(1, max(0, c)) for c in times(sight, linear)]
    x, y, z = (
        t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116
        for t in map(lambda a, b: a / b, times(TO_XYZ, seen), WHITE)
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(one, other, sight):
    return sum((a - b) ** 2 for a, b in zip(lab(one, sight), lab(other, sight), strict=True)) ** 0.5


@pytest.mark.parametrize("sight", SIGHT)
def test_success_and_failure_are_far_apart(sight):
    for kind in ("critical-", "", "automatic-"):
        assert distance(COLOURS[f"{kind}success"], COLOURS[f"{kind}failure"], SIGHT[sight]) > 20


@pytest.mark.parametrize("sight", SIGHT)
def test_every_two_colours_differ_clearly(sight):
    for one, other in combinations([*COLOURS.values(), NO_OUTCOME_COLOUR], 2):
        assert distance(one, other, SIGHT[sight]) > 10, (one, other)


def test_every_outcome_has_its_colour_and_a_mark():
    assert set(COLOURS) == set(MARKS) == set(OUTCOMES)


PALETTE = re.findall(
    r"--tb-([a-z-]+): (?:light-dark\((#\w{6}), (#\w{6})\)|(#\w{6}));", STYLESHEET.read_text()
)
LIGHT, DARK = (
    {name: pair[theme] or single for name, *pair, single in reversed(PALETTE)} for theme in range(2)
)


def contrast(one, other):
    """The contrast of two colours as WCAG 2 defines it, 1 to 21."""

    def luminance(colour):
        channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return times(TO_XYZ, linear)[1]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("behind", ["paper", "tint"])
def test_text_can_be_read(theme, behind):
    for ink in ("ink", "quiet", "accent-ink"):
        assert contrast(theme[ink], theme[behind]) >= 4.5, ink


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_every_outcomes_headline_can_be_read(theme):
    behind = (LIGHT, DARK)[theme]["tint"]
    inks = [pair[theme] for name, *pair, _ in PALETTE if name == "accent-ink"]
    assert len(inks) == 6
    assert min(contrast(ink, behind) for ink in inks) >= 4.5


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("role", ["skill", "bonus", "penalty", "extra", "opponent"])
def test_pips_stand_out_from_their_die(theme, role):
    assert contrast(theme[f"{role}-ink"], theme[role]) >= 4.5
