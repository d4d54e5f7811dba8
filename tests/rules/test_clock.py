"""The time units and the campaign clock (rule 4.9)."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules import registry
from rules.clock import LONGEST, SECONDS, UNITS, clock
from tests.rules.asking import FORT, VECTORS

sheet = registry.get(FORT).work_out_sheet


def test_rule_4_9_every_published_unit() -> None:
    assert sheet({})["time_units"] == VECTORS["fort_ref_will"]["time_seconds"]


def test_rule_4_9_sixty_rounds_a_turn_24_turns_a_watch_six_watches_a_day() -> None:
    ratios = [SECONDS[longer] // SECONDS[shorter] for shorter, longer in pairwise(SECONDS)]
    assert ratios[:4] == [60, 24, 6, 7]
    assert (SECONDS["month"] // SECONDS["day"], SECONDS["season"] // SECONDS["month"]) == (30, 4)


def test_every_unit_has_a_label() -> None:
    assert list(UNITS) == list(SECONDS)


@pytest.mark.parametrize(
    ("passing", "unit", "moved"),
    [
        (60, "round", {"turn": 1}),
        (24, "turn", {"watch": 1}),
        (5, "watch", {"watch": 5}),
        (6, "watch", {"day": 1}),
        (1, "week", {"week": 1, "day": 7}),
        (1, "month", {"month": 1, "week": 4, "day": 30}),
        (1, "season", {"season": 1, "month": 4, "week": 17, "day": 120}),
        (59, "round", {"round": 59}),
    ],
)
def test_rule_4_9_the_sheets_clock_moves_by_these_units(
    passing: int, unit: str, moved: dict[str, int]
) -> None:
    still = dict.fromkeys(("season", "month", "week", "day", "watch", "turn", "round"), 0)
    answer = sheet({"passing": passing, "unit": unit})["clock"]
    assert answer == {"elapsed": passing * SECONDS[unit], **still, **moved}


def test_the_clock_goes_on_from_where_it_stood() -> None:
    evening = sheet({"passing": 5, "unit": "watch"})["clock"]
    morning = sheet({"elapsed": evening["elapsed"], "passing": 2, "unit": "watch"})["clock"]
    assert (morning["day"], morning["watch"]) == (1, 1)


@given(st.integers(0, LONGEST))
def test_no_second_is_lost(elapsed: int) -> None:
    shown = clock(elapsed)
    counted: dict[str, Any] = {unit: shown[unit] for unit in ("day", "watch", "turn", "round")}
    whole = sum(number * SECONDS[unit] for unit, number in counted.items())
    assert 0 <= elapsed - whole < SECONDS["round"]
    assert (shown["watch"] < 6, shown["turn"] < 24, shown["round"] < 60) == (True, True, True)
