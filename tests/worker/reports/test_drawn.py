"""A plot has room for so many rows: its title and its text say which, and name nothing that is not on it."""

import re
from itertools import pairwise

import matplotlib as mpl
import pytest

from service.store import Session
from service.tallying import Chances
from worker.reports import words
from worker.reports.drawn import MOST_BARS, MOST_SESSIONS
from worker.reports.figures import Figures, Kind, Measured
from worker.reports.plots import MOST_TICKS, STYLE, _luck, _rates, plots, ticks
from worker.reports.tables import tables

EVEN = Chances("1/2", "0/1", "0/1")
DAY = 24 * 3_600_000


def evenings(*results):
    """Tables of an evening for each (won, lost), all of one player's rolls of one skill."""
    figures = Figures(users={"anna": "Anna"})
    for number, counts in enumerate(results):
        session = evening(number)
        figures.sessions.append(session)
        count(figures, counts, session=session.id)
    return tables(figures, "heroes-2d6")


def evening(number):
    started = 1_800_000_000_000 + number * DAY
    return Session(
        id=f"session{number}",
        campaign="c",
        title=f"Evening {number}",
        started_at=started,
        ended_at=started + 1,
        commitment="",
        hidden_commitment="",
        seed=None,
        hidden_seed=None,
    )


def count(figures, results, *, session="session0", user="anna", skill="Climb"):
    for won, rolls in zip((True, False), results, strict=True):
        if rolls:
            outcome = "success" if won else "failure"
            kind = Kind(session, user, None, "unopposed-test", skill, outcome, won, EVEN)
            figures.count(kind, Measured(rolls))


def of_many(what, rows):
    """Tables with so many players, or skills; each has a roll less than the one before, all of them won."""
    figures = Figures(sessions=[evening(0)])
    for number in range(rows):
        count(figures, (200 - number, 0), **{what: f"{what} {number}"})
    return tables(figures, "heroes-2d6")


def drawing(found, name):
    return next(plot for plot in plots(found) if plot.name == name)


def written_in(plot):
    return re.findall(r"<text[^>]*>(?:<[^>]*>)*([^<]+)<", plot.svg.decode())


def test_a_session_of_one_roll_is_not_named():
    text = words.of_trends(evenings((1, 0), (22, 18), (18, 22), (0, 1)))
    assert text == (
        "Furthest above its odds was Evening 1, 16 Jan (55%, expected 50%). "
        "Furthest below its odds was Evening 2, 17 Jan (45%, expected 50%). "
        "Of the 2 sessions with enough rolls for a verdict none lies outside luck’s usual reach."
    )


def test_where_no_session_has_enough_rolls_none_is_named():
    text = words.of_trends(evenings((1, 0), (0, 1)))
    assert text == "No session has enough rolls for a verdict yet. The bars are luck’s usual reach."


def test_what_lies_above_is_not_called_below():
    text = words.of_trends(evenings((30, 10), (1, 0)))
    assert text == (
        "Furthest above its odds was Evening 0, 15 Jan (75%, expected 50%). "
        "Of the one session with enough rolls for a verdict 1 lies outside luck’s usual reach."
    )


def test_of_many_sessions_the_last_are_drawn_and_no_other_is_named():
    best, worst = (40, 0), (0, 40)
    found = evenings(best, worst, *[(20, 20)] * 197, (25, 15))
    plot = drawing(found, "trends")
    limit = "the last 60 of 200 sessions"
    assert plot.title == f"Session by session: {limit}"
    assert plot.text.startswith(f"Shown here: {limit}. Furthest above its odds was Evening 199,")
    assert "Evening 0," not in plot.text and "Evening 1," not in plot.text
    assert "Of the 60 sessions with enough rolls" in plot.text
    assert "The last 60 of 200 sessions" in written_in(plot)


def test_as_many_sessions_as_there_is_room_for_are_all_there_are():
    plot = drawing(evenings(*[(20, 20)] * MOST_SESSIONS), "trends")
    assert plot.title == "Session by session" and "Shown here" not in plot.text


def test_a_session_that_is_named_has_its_name_in_the_plot():
    results = [(20, 20)] * 60
    results[31], results[50] = (26, 14), (15, 25)
    plot = drawing(evenings(*results), "trends")
    for name in ("Evening 31, 15 Feb", "Evening 50, 6 Mar"):
        assert name in plot.text and name in written_in(plot)


@pytest.mark.parametrize("named", [[], [0], [30], [31, 33], [59]])
def test_names_below_a_plot_leave_each_other_room(named):
    shown = ticks(60, named)
    assert set(named) <= set(shown) and len(shown) <= MOST_TICKS + len(named)
    close = [near for left, near in pairwise(shown) if near - left < 5]
    assert close == ([33] if len(named) == 2 else [])


@pytest.mark.parametrize(("what", "name"), [("user", "luck"), ("skill", "rates")])
def test_of_many_rows_those_with_most_rolls_are_drawn_and_no_other_is_named(what, name):
    found = of_many(what, 45)
    plot = drawing(found, name)
    limit = f"the {MOST_BARS} with most rolls of 45 {'players' if what == 'user' else 'skills'}"
    assert plot.title.endswith(f": {limit}") and plot.text.startswith(f"Shown here: {limit}. ")
    assert f"T{limit[1:]}" in written_in(plot)
    last = f"{what} {MOST_BARS - 1}"
    assert any(each.startswith(last) for each in written_in(plot))
    assert f"{what} {MOST_BARS} " not in plot.text
    if name == "luck":
        assert f"{last} lies above it" in plot.text


def test_rows_that_the_table_left_out_are_counted_too():
    assert drawing(of_many("skill", 130), "rates").title.endswith("the 20 with most rolls of 130 skills")


def test_as_many_rows_as_there_is_room_for_are_all_there_are():
    for name, what in (("luck", "user"), ("rates", "skill")):
        plot = drawing(of_many(what, MOST_BARS), name)
        assert "with most rolls" not in plot.title + plot.text + " ".join(written_in(plot))


def test_what_is_written_on_a_plot_is_on_it_whatever_the_names():
    """With the widest names the plot itself is narrowest."""
    figures = Figures(users={"anna": "W" * 80}, sessions=[evening(0)])
    count(figures, (20, 20), skill="W" * 80)
    counted = tables(figures, "heroes-2d6")
    with mpl.rc_context(STYLE):
        for figure in (_luck(counted), _rates(counted)):
            figure.draw_without_rendering()
            (axes,) = figure.axes
            for text in (axes.xaxis.label, axes.title, axes._left_title, *axes.get_yticklabels()):
                box = text.get_window_extent()
                assert box.x0 >= 0 and box.x1 <= figure.bbox.x1, text.get_text()
