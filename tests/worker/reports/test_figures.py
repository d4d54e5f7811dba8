"""Every figure of a report, as JSON and CSV, against the campaign's export: whoever asks for whatever."""

import csv
import io
import json
import subprocess
import sys
from fractions import Fraction

import pytest

from service.exporting import export
from service.settings import CHECKOUT
from service.store import ReportWish
from service.tallying import Onlooker
from tests.worker.reports import recount
from tests.worker.reports.evenings import Evenings
from tests.worker.reports.recount import Exported
from worker import report as job
from worker.reports.gather import gather
from worker.reports.tables import tables

RULESETS = ("moon-hangs-low", "heroes-2d6", "d6-comparison", "fort-ref-will")


READERS = ("gm", "table", "anna", "bert", "cara")


@pytest.fixture(params=RULESETS)
def evenings(request, store, clock):
    evenings = Evenings(store, clock, request.param, seed=7)
    for title in ("One", None, "Three"):
        evenings.session(45, title)
    return evenings


@pytest.fixture(autouse=True)
def no_plots(monkeypatch):
    monkeypatch.setattr(job, "plots", lambda tables, tell: [])


def exported(evenings):
    """The campaign as its export tells it."""
    return Exported(export(evenings.store, evenings.store.campaigns.get(evenings.campaign)))


def report(evenings, reader, wish):
    """The JSON and the lines of CSV of a report that was asked for by `reader`."""
    store, user = evenings.store, "gm" if reader == "table" else reader
    asked = store.reports.ask(evenings.campaign, user, wish, publish=reader == "table")
    assert job.make_in(store, asked.id)
    result, csv_file = (store.reports.part(asked.id, part) for part in ("result", "csv"))
    store.reports.delete(evenings.campaign, asked.id)
    return json.loads(result), list(csv.DictReader(io.StringIO(csv_file.decode("utf-8-sig"), newline="")))


def check(evenings, reader, wish, wanted=lambda roll: True):
    """Compare a report with those rolls of the export that its reader may know of and `wanted` picks."""
    campaign = exported(evenings)
    rolls = [roll for roll in campaign.shown_to(reader) if wanted(roll)]
    told, lines = report(evenings, reader, wish)
    if not rolls:
        assert told["total"] is None and lines == []
        return rolls
    total = recount.row(rolls) | {"streaks": None}
    same(told["total"], total, "total")
    counted = [total]
    assert {table["name"] for table in told["tables"]} == set(recount.KEYS)
    for table in told["tables"]:
        name, again = table["name"], recount.table(table["name"], rolls)
        assert len(table["rows"]) == len(again) and {row["key"] for row in table["rows"]} == set(again), name
        counted += [again[row["key"]] for row in table["rows"]]
        for row in table["rows"]:
            same(row, again[row["key"]], f"{name}: {row['key']}")
        if name == "sessions":
            read = {each["id"] for each in told["sessions_read"]}
            assert [row["name"] for row in table["rows"]] == [campaign.name_of(key, read) for key in again]
    same(told["so_far"], recount.so_far(rolls), "so far")
    same(told["dice"], recount.dice(rolls), "dice")
    by_id = {roll["id"]: roll for roll in rolls}
    for name, wanted_result in (("best", "success"), ("worst", "failure")):
        shown = told[name]
        assert [Fraction(each["chance"]["fraction"]) for each in shown] == recount.moments(
            rolls, wanted_result
        )
        assert len({each["roll"] for each in shown}) == len(shown)
        assert all(recount.result(by_id[each["roll"]]) == wanted_result for each in shown)
    check_csv(lines, told, counted)
    return rolls


def same(told, counted, where):
    """Compare what a report tells with what was counted, all the way down, but for its texts."""
    if isinstance(counted, dict):
        for name, value in counted.items():
            same(told[name], value, f"{where}, {name}")
    elif isinstance(counted, list):
        assert len(told) == len(counted), where
        for number, (each, value) in enumerate(zip(told, counted, strict=True)):
            same(each, value, f"{where}, {number}")
    elif isinstance(counted, Fraction):
        assert Fraction(told["fraction"]) == counted, where
        assert told["number"] == pytest.approx(float(counted)), where
    elif isinstance(counted, float):
        assert told == pytest.approx(counted, rel=1e-9, abs=1e-9), where
    else:
        assert told == counted, where


def check_csv(lines, told, counted):
    """The rows of the CSV are those of the JSON, in their order; their figures are those of the recount."""
    rows = [("total", told["total"])]
    rows += [(table["name"], row) for table in told["tables"] for row in table["rows"]]
    assert [(line["table"], line["name"].removeprefix("'")) for line in lines] == [
        (name, row["name"]) for name, row in rows
    ]
    for line, again in zip(lines, counted, strict=True):
        luck, margins, runs, criticals = (again[n] for n in ("luck", "margins", "streaks", "criticals"))
        cells = {name: again[name] for name in ("rolls", "successes", "rate", "expected_rate")}
        cells |= {"rests_on": luck["rests_on"] if luck else 0, "z": luck["z"] if luck else None}
        cells |= pair(("z_low", "z_high"), luck and luck["interval"])
        cells |= pair(("usual_low", "usual_high"), luck and luck["usual_rate"])
        cells |= {f"critical_{side}": criticals[side] for side in ("successes", "failures")}
        cells |= {
            f"expected_critical_{side}": criticals[f"expected_{side}"] for side in ("successes", "failures")
        }
        for name in ("mean", "spread", "on_success", "on_failure"):
            cells[f"margin_{name}"] = margins and margins[name]
        for side in ("successes", "failures"):
            cells[f"longest_run_of_{side}"] = runs and runs[side]
        for name, value in cells.items():
            found = float(line[name]) if line[name] else None
            same(found, None if value is None else float(value), f"CSV, {line['name']}, {name}")
        assert set(line) == {*cells, "table", "name", "says"}


def pair(names, values):
    return dict(zip(names, values or (None, None), strict=True))


def test_the_recount_uses_nothing_of_the_product():
    ask = (
        "import sys, tests.worker.reports.recount; print(*sorted({m.partition('.')[0] for m in sys.modules}))"
    )
    loaded = subprocess.check_output([sys.executable, "-c", ask], text=True, cwd=CHECKOUT).split()
    assert "scipy" in loaded and not {"service", "worker", "rules"} & set(loaded)


def test_everything(evenings):
    for reader in READERS:
        assert check(evenings, reader, ReportWish())


def test_one_user_one_character_or_both(evenings):
    for reader in ("gm", "table"):
        check(evenings, reader, ReportWish(user="bert"), lambda roll: roll["user"] == "bert")
    for reader in READERS:
        check(evenings, reader, ReportWish(actor="Actor.a2"), lambda roll: played_by(roll) == "Actor.a2")
    check(
        evenings,
        "gm",
        ReportWish(user="anna", actor="Actor.a1"),
        lambda roll: roll["user"] == "anna" and played_by(roll) == "Actor.a1",
    )


def played_by(roll):
    return roll["actor"]["id"] if roll["actor"] else None


def test_some_sessions(evenings):
    chosen = [session["id"] for session in exported(evenings).sessions[1:]]
    for reader in READERS:
        check(evenings, reader, ReportWish(sessions=tuple(chosen)), lambda roll: roll["session"] in chosen)


def test_an_action_or_a_skill_is_answered_from_the_records(evenings):
    action = exported(evenings).rolls[-1]["action"]
    for reader in READERS:
        check(evenings, reader, ReportWish(action=action), lambda roll: roll["action"] == action)
        check(
            evenings,
            reader,
            ReportWish(skill="STEALTH"),
            lambda roll: (roll["label"] or "").strip().lower() == "stealth",
        )


def test_times_cut_sessions_in_the_middle(evenings):
    times = sorted(roll["created_at"] for roll in exported(evenings).rolls)
    since, until = times[30], times[-20]
    for reader in READERS:
        check(
            evenings,
            reader,
            ReportWish(since=since, until=until),
            lambda roll: since <= roll["created_at"] < until,
        )


def test_the_same_comes_of_tallies_and_of_records(evenings):
    for viewer in (evenings.gm, *evenings.players, Onlooker()):
        for session in evenings.store.sessions.list(evenings.campaign):
            whole = ReportWish(sessions=(session.id,))
            # Cut by a moment so near its start that tallies are not asked, and that cuts off nothing.
            cut = ReportWish(sessions=(session.id,), since=session.started_at - 1)
            tallied = gather(evenings.store, evenings.campaign, viewer, whole)
            recorded = gather(evenings.store, evenings.campaign, viewer, cut)
            for name in ("kinds", "dice", "runs", "best", "worst", "actors"):
                assert getattr(tallied, name) == getattr(recorded, name), name


def test_runs_go_on_from_one_session_to_the_next(store, clock):
    evenings = Evenings(store, clock, "heroes-2d6")
    anna = evenings.players[0]
    for _ in range(3):
        session = store.sessions.start(evenings.campaign).id
        for _ in range(4):
            evenings.roll(
                anna, "public", actor=None, label=None, action=("unopposed-test", {"skill": 1, "tn": 8})
            )
        store.sessions.end(evenings.campaign, session)
        clock.forward(hours=10)
    rolls = check(evenings, "gm", ReportWish())
    assert len(rolls) == len(list(filter(None, map(recount.result, rolls)))) == 12
    told, _ = report(evenings, "gm", ReportWish())
    (anna,) = told["tables"][0]["rows"]
    assert anna["streaks"] == recount.streaks(rolls)


def test_a_challenge_that_nobody_answered_is_no_roll(store, clock):
    evenings = Evenings(store, clock, "heroes-2d6")
    evenings.random.random = lambda: 1.0
    opponent = {"kind": "player", "user": "bert"}
    session = store.sessions.start(evenings.campaign).id
    evenings.roll(evenings.players[0], "public", action=("opposed-test", {"skill": 3, "opponent": opponent}))
    store.sessions.end(evenings.campaign, session)
    assert len(list(store.rolls.history(evenings.campaign))) == 1
    assert store.tallies.complete(session)
    assert gather(store, evenings.campaign, evenings.gm, ReportWish()).rolls() == 0


def test_an_expectation_is_exact_however_many_rolls_it_sums(store, clock):
    evenings = Evenings(store, clock, "heroes-2d6")
    for _ in range(36):
        evenings.roll(evenings.gm, "public", action=("unopposed-test", {"skill": 0, "tn": 9}))
    total = tables(gather(store, evenings.campaign, evenings.gm, ReportWish()), "heroes-2d6").total
    assert total.expected == 10 and total.variance == Fraction(10 * 26, 36)  # 2d6 reach 9 in 10 of 36 throws
