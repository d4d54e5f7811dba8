"""Sessions of a report by name: each is told from the others, in tables, texts and plots."""

from datetime import UTC, datetime

from service.store import Session
from service.tallying import Chances
from worker.reports.figures import Figures, Kind, Measured
from worker.reports.plots import plots
from worker.reports.session_names import names_of, shortened
from worker.reports.tables import tables

EVEN = Chances("1/2", "0/1", "0/1")


def sessions(*begun):
    """Sessions by (title, day, time)."""
    return [
        Session(
            id=f"session{number}",
            campaign="c",
            title=title,
            started_at=int(datetime.fromisoformat(f"{day}T{time}Z").astimezone(UTC).timestamp() * 1000),
            ended_at=None,
            commitment="",
            hidden_commitment="",
            seed=None,
            hidden_seed=None,
        )
        for number, (title, day, time) in enumerate(begun)
    ]


def called(*begun):
    return list(names_of(sessions(*begun)).values())


def test_a_session_alone_on_its_day_is_called_by_the_day():
    assert called((None, "2026-11-29", "18:40:00"), ("The well", "2026-11-30", "18:40:00")) == [
        "29 Nov 2026",
        "The well, 30 Nov",
    ]


def test_sessions_of_one_day_are_told_apart_by_their_times():
    assert called(
        (None, "2026-11-29", "18:40:00"),
        (None, "2026-11-30", "08:05:59"),
        (None, "2026-11-30", "18:40:00"),
    ) == ["29 Nov 2026", "30 Nov 2026, 08:05 UTC", "30 Nov 2026, 18:40 UTC"]


def test_sessions_of_one_title_are_told_apart_by_year_or_time():
    assert called(
        ("The well", "2025-11-30", "18:40:00"),
        ("The well", "2026-11-30", "18:40:00"),
        ("The well", "2026-12-07", "18:40:00"),
        ("The mill", "2026-12-07", "18:40:00"),
        ("The mill", "2026-12-07", "21:05:00"),
    ) == [
        "The well, 30 Nov 2025",
        "The well, 30 Nov 2026",
        "The well, 7 Dec",
        "The mill, 7 Dec, 18:40 UTC",
        "The mill, 7 Dec, 21:05 UTC",
    ]


def test_sessions_of_one_minute_are_numbered():
    begun = [(None, "2026-11-30", f"18:40:{second}") for second in (10, 20, 30)]
    assert called(*begun) == [
        "30 Nov 2026, 18:40 UTC",
        "30 Nov 2026, 18:40 UTC (2)",
        "30 Nov 2026, 18:40 UTC (3)",
    ]


def test_a_name_that_is_too_long_keeps_its_day():
    assert shortened("The well, 30 Nov", 20) == "The well, 30 Nov"
    assert shortened("The bottom of the well, 30 Nov", 20) == "The bottom…, 30 Nov"
    assert shortened("W" * 80 + ", 30 Nov, 18:40 UTC (2)", 30) == "WWWWWW…, 30 Nov, 18:40 UTC (2)"
    assert shortened("W" * 80, 20) == "W" * 19 + "…"


def test_tables_texts_and_plots_tell_sessions_of_one_day_apart():
    figures = Figures(
        users={"anna": "Anna"},
        sessions=sessions(
            (None, "2026-11-30", "08:05:00"),
            (None, "2026-11-30", "18:40:00"),
            ("The long way to the bottom of the well", "2026-12-07", "18:40:00"),
            ("The long way to the bottom of the well", "2026-12-07", "21:05:00"),
        ),
    )
    for session, won in zip(figures.sessions, (30, 20, 20, 12), strict=True):
        for result, rolls in ((True, won), (False, 40 - won)):
            outcome = "success" if result else "failure"
            kind = Kind(session.id, "anna", None, "unopposed-test", "Climb", outcome, result, EVEN)
            figures.count(kind, Measured(rolls))
    counted = tables(figures, "heroes-2d6")
    names = [row.name for row in counted.sessions.rows]
    assert len(set(names)) == 4
    (trends,) = [plot for plot in plots(counted) if plot.name == "trends"]
    assert "Furthest above its odds was 30 Nov 2026, 08:05 UTC (" in trends.text
    drawn = trends.svg.decode()
    for label in (
        "30 Nov 2026, 08:05 UTC",
        "30 Nov 2026, 18:40 UTC",
        "…, 7 Dec, 18:40 UTC",
        "…, 7 Dec, 21:05 UTC",
    ):
        assert label in drawn
