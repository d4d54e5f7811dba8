"""A report is made whatever fractions the records give as odds, an import of old among them."""

import itertools
import math
from fractions import Fraction

import orjson
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from service import recording
from service.store import ReportWish, Session
from service.tallying import Chances
from tests.worker.reports.evenings import Evenings
from worker import report as job
from worker.reports import words
from worker.reports.figures import Figures, Kind, Measured
from worker.reports.plots import plots
from worker.reports.result import _row, _so_far
from worker.reports.statistics import FINEST, exact_sum
from worker.reports.tables import tables

LARGEST = 10**990
bottoms = st.one_of(st.integers(1, 1000), st.integers(1, LARGEST), st.integers(LARGEST - 99, LARGEST))
chances = bottoms.flatmap(
    lambda bottom: (
        st.one_of(st.integers(0, bottom), st.sampled_from((0, 1, bottom // 2, bottom - 1, bottom)))
        .map(lambda top: min(top, bottom))
        .map(lambda top: f"{top}/{bottom}")
    )
)
SESSIONS = [
    Session(id, "c", None, start, start + 1, "", "", "", "")
    for start, id in enumerate(("aaaaaaaaaa", "bbbbbbbbbb"))
]
kinds = st.builds(
    lambda session, user, outcome, three: Kind(
        session, user, None, "test", "Climbing", outcome, outcome.endswith("success"), Chances(*three)
    ),
    st.sampled_from([session.id for session in SESSIONS]),
    st.sampled_from(("anna", "bert")),
    st.sampled_from(("success", "failure", "critical-success", "critical-failure", "tie")),
    st.tuples(chances, chances, chances),
)
counted = st.dictionaries(kinds, st.integers(1, 1000).map(Measured), min_size=1, max_size=12)


def successes_at(chance):
    return Kind("aaaaaaaaaa", "anna", None, "test", "x", "success", True, Chances(chance, "0/1", "0/1"))


TINY = {successes_at("1/1" + "0" * 1900): Measured(3)}
MANY = {successes_at(f"{LARGEST // 2}/{LARGEST + n}"): Measured(1) for n in range(51)}


def figures_of(counted):
    figures = Figures(sessions=SESSIONS)
    for kind, measured in counted.items():
        figures.count(kind, measured)
    return figures


@settings(deadline=None)
@given(counted)
@example(TINY)
@example(MANY)
def test_every_row_can_be_told(counted):
    found = tables(figures_of(counted), "fort-ref-will")
    for each in (found.total, *(row for table in found.all for row in table.rows)):
        assert orjson.loads(orjson.dumps(_row(each)))["expected"]["number"] == float(each.expected)
        assert 0 <= each.expected <= each.rolls and each.variance >= 0
        assert words.of_row(each).endswith(".") and len(words.of_row(each)) < 400
        assert each.luck is None or math.isfinite(each.luck.z)
    for each in found.so_far:
        assert orjson.dumps(_so_far(each))


@settings(deadline=None, max_examples=8, suppress_health_check=list(HealthCheck))
@given(counted)
@example(TINY)
@example(MANY)
def test_every_plot_can_be_drawn(counted):
    drawn = plots(tables(figures_of(counted), "fort-ref-will"))
    assert all(plot.png.startswith(b"\x89PNG") and b"</svg>" in plot.svg for plot in drawn)


@pytest.mark.parametrize("bottoms", [[10**1900], [LARGEST + n for n in range(60)]], ids=["tiny", "many"])
def test_the_whole_report_is_made(store, clock, monkeypatch, bottoms):
    turn = itertools.cycle(bottoms)

    def odds(_):
        bottom = next(turn)
        top = 1 if len(bottoms) == 1 else bottom // 2
        return {"success": f"{top}/{bottom}", "outcomes": {}, "formula": None}

    monkeypatch.setattr(recording, "odds_record", odds)
    evenings = Evenings(store, clock, "heroes-2d6")
    evenings.session(60)
    report = store.reports.ask(evenings.campaign, "gm", ReportWish())
    assert job.make_in(store, report.id)
    assert store.reports.find(report.id).status == "done"
    assert store.reports.part(report.id, "html").startswith(b"<!doctype html>")


def test_sums_of_what_dice_can_fall_are_exact():
    """Of a million rolls of 50 dice of 100 faces each, and of as many of 20."""
    values = [(Fraction(1, 100**50), 10**6), (Fraction(1, 20**50), 1)]
    assert exact_sum(values) == Fraction(10**6, 100**50) + Fraction(1, 20**50)


def test_a_finer_sum_is_rounded_to_what_can_be_written():
    values = [(Fraction(1, LARGEST + n), 1) for n in range(51)]
    found = exact_sum(values)
    assert found.denominator <= FINEST and abs(found - sum(value for value, _ in values)) < Fraction(
        60, FINEST
    )
