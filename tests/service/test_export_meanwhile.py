"""An export is whole whatever is deleted, resolved or rolled meanwhile: before each of its requests."""

import io
import json

import pytest
from click.testing import CliRunner

from service import exporting
from service.cli import main
from service.exporting import Broken, export
from service.importing import import_campaign
from service.saved_history import SavedHistory
from service.store import Store
from service.store.packing import REST_MS
from tests.interrupted import at_each_request
from tests.service.store.year_of_play import Play
from tests.tables import Table
from worker.resolve import resolve_in


@pytest.fixture
def play(store, clock):
    """An evening that is packed, and one that is not."""
    play = Play(store, clock, "d6-comparison")
    packed, _ = play.evening(50), play.evening(50)
    clock.forward(ms=REST_MS)
    assert store.packing.pack(packed)
    return play


def saved(store, campaign, viewer=None):
    return list(export(store, store.campaigns.get(campaign), viewer))


def sessions_in(lines):
    return [line["session"] for line in map(json.loads, lines) if "session" in line]


def rolls_in(lines):
    return [line["roll"]["id"] for line in map(json.loads, lines) if "roll" in line]


def assert_whole(store, lines):
    """Every die can be checked, and all of it comes back."""
    history = SavedHistory()
    history.read(io.BytesIO(b"".join(lines)))
    assert [found for checked in history.check() for found in checked.findings] == []
    assert_comes_back(store, lines)


def assert_comes_back(store, lines):
    imported = import_campaign(store, io.BytesIO(b"".join(lines)), replace=True)
    assert imported.rolls == len(rolls_in(lines)) and imported.sessions == len(sessions_in(lines))


@pytest.mark.parametrize("who", ["operator", "gm"])
@pytest.mark.parametrize("evening", [0, 1], ids=["packed", "unpacked"])
def test_a_roll_is_deleted_meanwhile(store, clock, play, redis_url, who, evening):
    gm = play.people[0] if who == "gm" else None
    session, seen = store.sessions.ids(play.campaign)[evening], set()
    for interrupted, request in at_each_request(redis_url):
        before = saved(store, play.campaign, gm)
        newest = next(
            record
            for _, record in store.rolls.history(play.campaign, sessions=[session])
            if record["visibility"] != "self"
        )
        interrupted.before(request, lambda newest=newest: store.erasing.roll(play.campaign, newest))
        lines = saved(Store(interrupted.redis, clock), play.campaign, gm)
        after = saved(store, play.campaign, gm)
        assert lines in (before, after), request
        seen.add(lines == after)
    assert seen == {False, True}
    assert_whole(store, before)


@pytest.mark.parametrize("who", ["operator", "gm"])
def test_a_session_is_deleted_meanwhile(store, clock, play, redis_url, who):
    gm, seen = play.people[0] if who == "gm" else None, set()
    for interrupted, request in at_each_request(redis_url):
        before, oldest = saved(store, play.campaign, gm), store.sessions.ids(play.campaign)[0]
        interrupted.before(request, lambda oldest=oldest: store.erasing.session(play.campaign, oldest))
        lines = saved(Store(interrupted.redis, clock), play.campaign, gm)
        after = saved(store, play.campaign, gm)
        assert lines in (before, after), request
        seen.add(lines == after)
        play.evening(3)
    assert seen == {False, True}
    assert_whole(store, before)


def test_a_roll_of_an_ended_session_is_resolved_meanwhile(store, clock, redis_url):
    for interrupted, request in at_each_request(redis_url):
        table = Table(store)
        late = table.accept().record
        resolve_in(store, table.accept().record["id"])
        store.sessions.end(table.campaign, late["session"])
        clock.forward(ms=5)
        interrupted.before(request, lambda late=late["id"]: resolve_in(store, late))
        lines = saved(Store(interrupted.redis, clock), table.campaign)
        unresolved = [line for line in map(json.loads, lines) if "unresolved" in line]
        assert (len(rolls_in(lines)), len(unresolved)) in ((1, 1), (2, 0)), request
        assert sessions_in(lines)[0]["rolls"] == len(rolls_in(lines)), request
        assert_comes_back(store, lines)


def test_an_open_session_is_played_meanwhile(store, clock, redis_url):
    def click(table):
        clock.forward(ms=5)
        resolve_in(store, table.accept().record["id"])
        resolve_in(store, table.accept(against="bert").record["id"])
        table.accept()

    for interrupted, request in at_each_request(redis_url):
        table = Table(store)
        click(table)
        interrupted.before(request, lambda table=table: click(table))
        lines = saved(Store(interrupted.redis, clock), table.campaign)
        [session] = sessions_in(lines)
        read = [json.loads(line) for line in lines]
        seqs = [line["roll"]["seq"] for line in read if "roll" in line]
        seqs += [line["unresolved"]["record"]["seq"] for line in read if "unresolved" in line]
        assert session["last_seq"] in (3, 6) and sorted(seqs) == [*range(1, session["last_seq"] + 1)], request
        assert sum("awaiting" in line for line in read) == session["last_seq"] // 3, request


@pytest.fixture
def restless(store, monkeypatch):
    """A table where a roll falls before each look at what there is."""
    table, settled = Table(store), store.sessions.settled
    resolve_in(store, table.accept().record["id"])

    def look(_, session):
        resolve_in(store, table.accept().record["id"])
        return settled(session)

    monkeypatch.setattr(type(store.sessions), "settled", look)
    return table


def test_what_never_rests_breaks_the_export_with_a_sentence(store, restless, settings, monkeypatch):
    for name, value in (("REDIS_URL", settings.redis_url), ("TALLYBONES_ADMIN_TOKEN", settings.admin_token)):
        monkeypatch.setenv(name, value)
    with pytest.raises(Broken, match="Export again"):
        saved(store, restless.campaign)
    answer = CliRunner().invoke(main, ["export", restless.campaign])
    assert answer.exit_code == 1 and "Export again" in answer.stderr
    assert b'{"end"' not in answer.stdout_bytes


def test_a_campaign_that_is_deleted_meanwhile_breaks_it_too(store, clock, play, redis_url):
    lines = export(store, store.campaigns.get(play.campaign))
    assert sum(1 for _, _ in zip(range(20), lines, strict=False)) == 20
    store.erasing.campaign(play.campaign)
    with pytest.raises(Broken, match="deleted"):
        list(lines)


def test_one_session_at_a_time_is_held(store, play, monkeypatch):
    """However long the campaign: a session is read when the one before it was taken."""
    begun = []
    session = exporting._session
    monkeypatch.setattr(exporting, "_session", lambda *asked: begun.append(asked) or session(*asked))
    in_turn = [(len(begun), json.loads(line)) for line in export(store, store.campaigns.get(play.campaign))]
    assert [begun for begun, line in in_turn if "session" in line] == [1, 2]
    assert {begun for begun, line in in_turn if "roll" in line} == {1, 2}
