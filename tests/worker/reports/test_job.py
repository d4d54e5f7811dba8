"""The job of a report: done by a worker of its own, begun again where that dies, failing with a sentence."""

import json
import signal
import subprocess
import sys
from datetime import timedelta

import pytest
from redis.exceptions import ConnectionError
from rq.utils import now, utcformat
from rq.worker import Worker

from service.store import ReportWish, Store
from service.store.packing import Packing
from service.store.reports import HELD_MS, TIMEOUT
from service.store.tallies import RebuildFailed, Tallies
from service.workers import living
from tests.worker.reports.evenings import Evenings
from worker import books
from worker import report as job
from worker.rescue import GIVEN_UP, MOST_TRIES, ReportRescue
from worker.worker import make_worker

HEAVY = ("matplotlib", "scipy", "numpy")

SLOW_WORKER = """
import sys, time
from redis import Redis
from worker import report as job
from worker.worker import make_worker
job.plots = lambda tables, tell: (print("begun", flush=True), time.sleep(60))
make_worker("reports", Redis.from_url(sys.argv[1])).work()
"""


@pytest.fixture
def asked(store, clock):
    """A report that was asked for on a table with some rolls."""
    evenings = Evenings(store, clock, "heroes-2d6")
    evenings.session(10)
    return store.reports.ask(evenings.campaign, "gm", ReportWish())


def rescue(valkey):
    """The look after lost reports, as the worker has it."""
    store = Store(valkey)
    return ReportRescue(store, make_worker("reports", valkey).queues[0])


def test_the_worker_of_its_queue_makes_a_report(asked, store, valkey):
    assert make_worker("reports", valkey).work(burst=True)
    done = store.reports.find(asked.id)
    assert (done.status, done.percent, done.tries) == ("done", 100, 1)
    assert store.reports.part(asked.id, "html").startswith(b"<!doctype html>")
    assert not valkey.exists(f"rq:job:{asked.id}") and not list(store.reports.unfinished())


@pytest.fixture
def silent(valkey, monkeypatch):
    """Let every worker have been silent for a minute; each heartbeat is due at once."""
    monkeypatch.setattr(books, "TICK", 0.0)

    def silent():
        for worker in Worker.all(connection=valkey):
            valkey.hset(worker.key, "last_heartbeat", utcformat(now() - timedelta(minutes=1)))
        assert living(valkey)["reports"] == 0

    return silent


def test_a_worker_counts_as_alive_while_it_makes_a_long_report(asked, store, valkey, silent, monkeypatch):
    seen, expiry = [], []

    def slow(tables, tell):
        silent()
        tell(0.5)
        seen.append(living(valkey)["reports"])
        expiry.append(valkey.ttl(Worker.all(connection=valkey)[0].key))
        return []

    monkeypatch.setattr(job, "plots", slow)
    make_worker("reports", valkey).work(burst=True)
    assert store.reports.find(asked.id).status == "done"
    assert seen == [1]
    assert expiry[0] > TIMEOUT  # for as long as a report may take in all, as RQ has it


def test_a_worker_counts_as_alive_while_it_keeps_house_for_long(valkey, silent, monkeypatch):
    seen = []

    def slow(packing, session):
        seen.append(living(valkey)["reports"])
        silent()
        return True

    monkeypatch.setattr(Packing, "due", lambda packing: ["one", "another", "a-third"])
    monkeypatch.setattr(Packing, "pack", slow)
    make_worker("reports", valkey).work(burst=True)
    assert seen == [1, 1, 1]


def test_making_it_again_changes_nothing(asked, store):
    assert job.make_in(store, asked.id) is True
    done = store.reports.find(asked.id)
    assert job.make_in(store, asked.id) is False
    assert store.reports.find(asked.id) == done


def test_a_report_whose_worker_was_killed_is_made_by_another(asked, store, valkey, redis_url):
    command = [sys.executable, "-c", SLOW_WORKER, redis_url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
        try:
            assert "begun\n" in iter(worker.stdout.readline, "")
        finally:
            worker.send_signal(signal.SIGKILL)
    assert store.reports.find(asked.id).status == "working"
    look = rescue(valkey)
    assert look.look() == [] and look.look() == []  # it may still be at work, for all that anybody knows
    assert 0 < valkey.pttl(f"tb:report:{asked.id}:held") <= HELD_MS
    valkey.delete(f"tb:report:{asked.id}:held")  # half a minute later
    assert look.look() == [] and look.look() == [asked.id]
    assert make_worker("reports", valkey).work(burst=True)
    done = store.reports.find(asked.id)
    assert (done.status, done.tries) == ("done", 2)


def test_a_report_whose_job_got_lost_is_queued_again(asked, store, valkey):
    valkey.delete("rq:queue:reports", f"rq:job:{asked.id}")
    look = rescue(valkey)
    assert look.look() == [] and look.look() == [asked.id]
    assert make_worker("reports", valkey).work(burst=True)
    assert store.reports.find(asked.id).status == "done"


def test_a_report_that_kills_its_workers_fails_with_a_sentence(asked, store, valkey):
    look = rescue(valkey)
    for _ in range(MOST_TRIES):
        valkey.delete("rq:queue:reports")
        assert store.reports.begin(asked.id)
        valkey.delete(f"tb:report:{asked.id}:held")
        look.look(), look.look()
    failed = store.reports.find(asked.id)
    assert (failed.status, failed.error) == ("failed", GIVEN_UP)
    assert not list(store.reports.unfinished()) and failed.finished_at


def test_an_error_is_the_reports_own_and_told_in_a_sentence(asked, store, valkey, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(job, "tables", broken)
    make_worker("reports", valkey).work(burst=True)
    failed = store.reports.find(asked.id)
    assert failed.status == "failed"
    assert failed.error == "The report could not be made (ZeroDivisionError); the worker's log says why."


def test_rolls_that_change_faster_than_they_are_counted_are_told_of_as_such(
    asked, store, valkey, monkeypatch
):
    def never_at_rest(_, campaign, session):
        raise RebuildFailed(session)

    monkeypatch.setattr(Tallies, "read", never_at_rest)
    make_worker("reports", valkey).work(burst=True)
    failed = store.reports.find(asked.id)
    assert failed.status == "failed"
    assert failed.error == "Rolls kept changing while they were counted. Ask for the report again."


def test_where_redis_leaves_the_report_is_begun_again(asked, store, valkey, monkeypatch):
    def away(*_):
        raise ConnectionError("gone")

    monkeypatch.setattr(job, "tables", away)
    with pytest.raises(ConnectionError):
        job.make_in(store, asked.id)
    assert store.reports.find(asked.id).status == "working"
    monkeypatch.undo()
    valkey.delete("rq:queue:reports", f"tb:report:{asked.id}:held")
    look = rescue(valkey)
    look.look()
    assert look.look() == [asked.id]


def test_a_report_whose_campaign_is_gone_bothers_nobody(asked, store, valkey):
    valkey.delete(f"tb:report:{asked.id}", "rq:queue:reports")
    look = rescue(valkey)
    look.look(), look.look()
    assert not list(store.reports.unfinished())


def test_a_report_is_kept_for_a_while_and_then_forgotten(asked, store, valkey):
    job.make_in(store, asked.id)
    month = timedelta(days=30).total_seconds()
    assert month - 60 < valkey.ttl(f"tb:report:{asked.id}") <= month
    valkey.delete(f"tb:report:{asked.id}")
    assert store.reports.list(asked.campaign) == []
    assert not valkey.exists(f"tb:campaign:{asked.campaign}:reports")


def test_only_the_report_worker_loads_what_reports_need():
    """Web processes and the other workers stay small, and start fast."""
    for code, loads in (
        ("from service import create_app; import service.wsgi", False),
        ("from redis import Redis; from worker.worker import make_worker; import worker.resolve", False),
        ("import worker.rescue, service.cli, service.api.reports, worker.webhooks.deliver", False),
        ("import worker.report", True),
    ):
        ask = f"import sys, json; {code}; print(json.dumps([m for m in {HEAVY!r} if m in sys.modules]))"
        environment = {
            "TALLYBONES_ADMIN_TOKEN": "tba_" + "x" * 43,
            "REDIS_URL": "redis://127.0.0.1:1",
            "PATH": "",
        }
        found = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, env=environment)
        assert found.returncode == 0, found.stderr
        assert json.loads(found.stdout.splitlines()[-1]) == (list(HEAVY) if loads else []), code


def test_pyplot_and_its_windows_are_never_loaded():
    ask = "import sys, worker.report; print('matplotlib.pyplot' in sys.modules, 'tkinter' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", ask], text=True).split() == ["False", "False"]


def test_a_large_table_is_reported_on_in_the_time_that_its_tallies_take(store, clock, valkey):
    """Ten times the rolls of the same kinds: the same tallies, so much the same time."""
    evenings = Evenings(store, clock, "heroes-2d6")
    action, actor = ("unopposed-test", {"skill": 1, "tn": 8}), {"id": "A.1", "name": "One"}
    sizes = []
    for rolls in (30, 300):
        session = store.sessions.start(evenings.campaign).id
        for _ in range(rolls):
            evenings.roll(evenings.gm, "public", action=action, actor=actor, label="Climb")
        store.sessions.end(evenings.campaign, session)
        clock.forward(hours=10)
        sizes.append(valkey.hlen(f"tb:session:{session}:tallies"))
    assert sizes[0] <= sizes[1] <= sizes[0] + 4
    assert job.gather(store, evenings.campaign, evenings.gm, ReportWish()).rolls() == 330
