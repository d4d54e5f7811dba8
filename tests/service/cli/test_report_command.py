"""`tallybones report` and `tallybones retally`, beside a worker that is at work."""

import json
import threading

import pytest
from click.testing import CliRunner

from service.cli import main
from service.store import Store, tallies
from tests.tables import Clock
from tests.worker.reports.evenings import Evenings
from worker.report import make_in


@pytest.fixture
def evenings(valkey):
    evenings = Evenings(Store(valkey), Clock(), "heroes-2d6")
    evenings.session(20)
    return evenings


@pytest.fixture
def run(redis_url, tmp_path):
    environment = {
        "REDIS_URL": redis_url,
        "TALLYBONES_DATA": str(tmp_path),
        "TALLYBONES_ADMIN_TOKEN": "tba_" + "x" * 43,
    }
    return lambda *line: CliRunner().invoke(main, line, env=environment)


@pytest.fixture
def worker(evenings, valkey):
    """Makes one report, as soon as one is asked for."""
    store = Store(valkey)

    def work():
        popped = valkey.brpop(["rq:queue:reports"], timeout=20)
        if popped:
            make_in(store, popped[1].decode())

    thread = threading.Thread(target=work)
    thread.start()
    yield
    thread.join()


def test_it_says_how_the_dice_fell_and_writes_the_page(run, evenings, worker, tmp_path):
    done = run(
        "report",
        evenings.campaign,
        "--html",
        str(tmp_path / "page.html"),
        "--csv",
        str(tmp_path / "rows.csv"),
    )
    assert done.exit_code == 0, done.output
    assert "How the dice fell: Thursday" in done.output and "succeeded where the odds gave" in done.output
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    assert "total,All rolls," in (tmp_path / "rows.csv").read_text()


def test_it_says_the_same_to_a_program(run, evenings, worker):
    done = run("report", evenings.campaign, "--json", "--user", "anna")
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["status"] == "done" and report["about"]["user"] == "anna"


def test_an_unknown_session_or_campaign_is_said_so(run, evenings):
    assert "has no session 'aaaaaaaaaa'" in run("report", evenings.campaign, "--session", "aaaaaaaaaa").output
    assert "There is no campaign" in run("report", "aaaaaaaaaa").output


def test_tallies_are_made_anew(run, evenings, valkey):
    (session,) = Store(valkey).sessions.list(evenings.campaign)
    key = f"tb:session:{session.id}:tallies"
    before = valkey.hgetall(key)
    valkey.delete(key)
    done = run("retally", evenings.campaign)
    assert done.output == f"Tallied {int(before[b't'])} rolls of 1 sessions anew.\n"
    assert valkey.hgetall(key) == before


def test_a_session_that_never_rests_is_told(run, evenings, monkeypatch):
    monkeypatch.setattr(tallies, "TRIES", 0)
    done = run("retally", evenings.campaign)
    assert done.exit_code == 1 and "do it again when nobody rolls" in done.output
