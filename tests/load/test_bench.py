"""The bench itself works: each measure gives figures of what it says, whatever they are."""

import subprocess
import sys

import pytest

from service.settings import CHECKOUT
from tests.load import archive, bench, history, odds, queues
from tests.load.clicks import click_to_card, rolls_a_second, service
from tests.load.contenders import installed
from tests.load.streams import Room


def test_it_needs_nothing_that_only_the_tests_need():
    """`script/bench` installs what the bench needs, into a .venv that may have nothing else."""
    absent = ("pytest", "_pytest", "fakeredis", "hypothesis", "playwright", "schemathesis")
    code = (
        f"import sys; sys.modules |= dict.fromkeys({absent}); import tests.load.bench, tests.load.contenders"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", ["tallybones", "bare BRPOP loop", "RQ SimpleWorker"])
def test_a_contender_takes_rolls_one_by_one_and_out_of_a_full_queue(name):
    assert name in installed()
    with queues.contender(name) as at_work:
        alone, drained = at_work.alone(5), at_work.drain(40)
    assert 0 < alone["p50"] <= alone["p99"]
    assert 2 < alone["trips"] < 100 and 10 < alone["commands"] < 300
    assert drained["drain"] > 0 and drained["server cpu"] >= 0


@pytest.mark.parametrize("way", ["tallybones", "in-process"])
def test_a_click_leads_to_a_card_and_many_clicks_to_many_rolls(way):
    with service(way, 1) as (port, table, _):
        assert click_to_card(port, table, 5)["p50"] > 0
        assert rolls_a_second(port, table, 40)["rolls a second"] > 0
        rolls = [record for _, record in table.store.rolls.history(table.campaign)]
    assert len(rolls) == 50 + 5 + 40
    assert all(record["status"] == "resolved" for record in rolls)


def test_each_stream_of_a_table_gets_each_card():
    with service("web alone", 1) as (port, table, _):
        room = Room(table.redis, port, 10, 5)
        assert len(room.fan_out(4)) == 4 * 5
        room.close()


def test_a_long_campaign_is_as_if_it_had_been_played(valkey, monkeypatch):
    monkeypatch.setattr(history, "BATCH", 7)
    table = history.fill(valkey, 400)
    rolls = list(table.store.rolls.history(table.campaign))
    assert len(rolls) == 400 == len({stream_id for stream_id, _ in rolls}) == len({r["id"] for _, r in rolls})
    assert all(table.store.rolls.get(table.campaign, record["id"]) == record for _, record in rolls)
    assert [session.ended_at is not None for session in table.store.sessions.list(table.campaign)] == [
        True
    ] * 20


def test_an_archive_is_packed_and_read_whole():
    found = archive.measure(2, 30)
    assert found["rolls"] == 60 < found["export lines"]
    assert found["bytes a roll"] > 0 and found["report"] > 0
    assert found["page"] > 0 and found["no match"] > 0
    assert found["whole report"] > found["report"]
    assert found["whole report at most"] > 50_000_000  # matplotlib and scipy alone take more


def test_the_odds_of_both_agree():
    assert set(odds.measure(1, 1)) > {"icepool"}


def test_the_table_has_a_line_for_each_measure():
    queue = dict.fromkeys(("drain", "worker cpu", "server cpu", "p50", "p99", "trips", "commands"), 1.0)
    click = dict.fromkeys(("p50", "p99", "rolls a second"), 1.0)
    stream = dict.fromkeys(("few", "many", "few: p99", "many: p99", "one table: p99", "bytes a stream"), 1.0)
    past = {
        f"{size}: {what}": 1.0
        for size in ("short", "long")
        for what in ("first page", "page far back", "report")
    }
    found = {
        "machine": bench.machine(),
        "rounds": 1,
        "odds": {"tallybones, asked before": 1.0, "icepool": 30.0},
        "queues": {"tallybones": queue, "bare BRPOP loop": queue, "huey": queue},
        "clicks": {"tallybones": click, "in-process": click},
        "streams": stream,
        "history": {**past, "short": 1000, "long": 1_000_000},
        "archive": dict.fromkeys(
            ("evenings", "rolls", "bytes a roll", "page", "no match", "report", "export", "export grew by"),
            1.0,
        )
        | {"whole report": 9.5, "whole report at most": 180e6},
        "memory": {"web": 2e8, "all": 2e8},
    }
    lines = bench.as_table(found).splitlines()
    assert len(lines) == 22
    assert any("30 × icepool (≥ 20)" in line for line in lines)
    assert any("1,000, 1,000, 1,000, 9,500, 1,000 |" in line and "at most 180 MB" in line for line in lines)
