"""No report shows a trace of what its reader does not see: compared before and after each kind of roll."""

import orjson
import pytest

from service.store import ReportWish
from service.tallying import MOST_NAMES
from tests.worker.reports.evenings import Evenings
from worker import report as job

TEST = ("unopposed-test", {"skill": 2, "tn": 8})
AGAINST_BERT = ("opposed-test", {"skill": 2, "opponent": {"kind": "player", "user": "bert"}})

SEEN = [
    # roller, visibility, action: whose report changes (anna, bert, cara: their own; table: a published one)
    ("anna", "public", TEST, {"gm", "table", "anna"}),
    ("anna", "gm", TEST, {"gm", "anna"}),
    ("anna", "blind", TEST, {"gm"}),
    ("anna", "self", TEST, {"anna"}),
    ("gm", "public", TEST, {"gm", "table"}),
    ("gm", "gm", TEST, {"gm"}),
    ("gm", "blind", TEST, {"gm"}),
    ("gm", "self", TEST, {"gm"}),
    ("anna", "public", AGAINST_BERT, {"gm", "table", "anna", "bert"}),
    ("anna", "gm", AGAINST_BERT, {"gm", "anna", "bert"}),
    ("anna", "blind", AGAINST_BERT, {"gm"}),
    ("gm", "gm", AGAINST_BERT, {"gm", "bert"}),
    ("gm", "blind", AGAINST_BERT, {"gm"}),
]
READERS = ("gm", "table", "anna", "bert", "cara")


@pytest.fixture
def evenings(store, clock):
    evenings = Evenings(store, clock, "heroes-2d6", seed=11)
    evenings.session(40)
    evenings.random.random = lambda: 0.5  # every challenge is answered
    return evenings


def parts(evenings, reader, wish=None):
    """All that a report hands out to its reader, plots aside: they are drawn from the same."""
    user = "gm" if reader == "table" else reader
    report = evenings.store.reports.ask(
        evenings.campaign, user, wish or ReportWish(), publish=reader == "table"
    )
    campaign = evenings.store.campaigns.get(evenings.campaign)
    progress = job.Progress(evenings.store, report)
    made, card = job.report_parts(evenings.store, campaign, report, progress)
    evenings.store.reports.delete(evenings.campaign, report.id)
    return {name: part for name, part in made.items() if name in ("result", "html", "csv")} | card


@pytest.fixture(autouse=True)
def no_plots(monkeypatch):
    monkeypatch.setattr(job, "plots", lambda tables, tell: [])


@pytest.mark.parametrize(("roller", "visibility", "action", "whose"), SEEN)
def test_a_roll_changes_the_reports_of_those_who_see_its_result_and_no_others(
    evenings, roller, visibility, action, whose
):
    session = evenings.store.sessions.start(evenings.campaign).id
    before = {reader: parts(evenings, reader) for reader in READERS}
    who = next(caller for caller in (evenings.gm, *evenings.players) if caller.user == roller)
    evenings.roll(who, visibility, action=action, label="Tell-tale", actor={"id": "Actor.t", "name": "Trace"})
    after = {reader: parts(evenings, reader) for reader in READERS}
    assert {reader for reader in READERS if after[reader] != before[reader]} == whose
    for reader in set(READERS) - whose:
        assert "tell-tale" not in repr(after[reader]).lower() and "trace" not in repr(after[reader]).lower()
    assert session in orjson.loads(after["cara"]["result"])["sessions_read"][-1].values()


@pytest.mark.parametrize("visibility", ["gm", "blind", "self"])
def test_hidden_rolls_use_up_nobodys_room_for_names(evenings, visibility):
    """Or a player would find their own skills counted together because of rolls that they do not see."""
    anna, bert = evenings.players[:2]
    for who in (bert, evenings.gm):
        for number in range(MOST_NAMES + 5):
            evenings.roll(who, visibility, action=TEST, label=f"skill {number}", actor=None)
    if visibility == "blind":
        for number in range(MOST_NAMES + 5):
            evenings.roll(anna, visibility, action=TEST, label=f"skill {number}", actor=None)
    evenings.roll(anna, "public", action=TEST, label="Very own skill", actor={"id": "A.own", "name": "Own"})
    result = parts(evenings, "anna")["result"].decode()
    assert "Very own skill" in result and "Further" not in result


def test_moments_and_runs_are_of_what_the_reader_sees(evenings):
    anna = evenings.players[0]
    for _ in range(30):
        evenings.roll(anna, "blind", action=("unopposed-test", {"skill": 0, "tn": 12}), label="Unseen")
        evenings.roll(anna, "self", action=("unopposed-test", {"skill": 0, "tn": 12}), label="Unshared")
    assert b"Unseen" not in parts(evenings, "anna")["result"]
    assert b"Unshared" in parts(evenings, "anna")["result"]
    assert b"Unshared" not in parts(evenings, "gm")["result"]


def test_asking_for_somebody_else_does_not_help_a_player(evenings):
    for user in ("bert", "gm", None):
        result = orjson.loads(parts(evenings, "anna", ReportWish(user=user))["result"])
        assert [row["key"] for row in result["tables"][0]["rows"]] == ["anna"]
