"""Tallies move once with each commit, and can always be made anew from the ledger."""

import pytest

from service import tallying
from service.store import ReportWish, UnknownSession
from tests.worker.reports.evenings import Evenings
from worker.reports.gather import gather
from worker.resolve import resolve_in


@pytest.fixture
def evenings(store, clock):
    return Evenings(store, clock, "heroes-2d6")


def kept(valkey, session):
    return valkey.hgetall(f"tb:session:{session}:tallies")


def rolls(evenings, **wish):
    return gather(evenings.store, evenings.campaign, evenings.gm, ReportWish(**wish)).rolls()


def test_a_roll_that_is_committed_twice_is_tallied_once(evenings, store, valkey):
    roll = evenings.roll(evenings.players[0], "public", action=("unopposed-test", {"skill": 1, "tn": 8}))
    session = roll.partition("-")[0]
    before = kept(valkey, session)
    record = store.rolls.get(evenings.campaign, roll)
    assert before[b"t"] == b"1"
    assert store.rolls.commit(evenings.campaign, [record]) == 0
    assert not resolve_in(store, roll)
    assert kept(valkey, session) == before


@pytest.mark.parametrize("ruleset", ["moon-hangs-low", "heroes-2d6", "d6-comparison", "fort-ref-will"])
def test_what_is_made_anew_is_what_the_commits_made(store, clock, valkey, ruleset):
    evenings = Evenings(store, clock, ruleset)
    session = evenings.session(120)
    before = kept(valkey, session)
    assert store.tallies.rebuild(evenings.campaign, session) == int(before[b"t"])
    assert kept(valkey, session) == before
    assert not list(valkey.scan_iter("tb:session:*:tallies:*"))


@pytest.mark.parametrize("lost", ["all", "some"])
def test_a_session_without_tallies_gets_them_when_it_is_asked_for(evenings, store, valkey, lost):
    """As from before there were tallies, or where a roll was deleted."""
    session = evenings.session(30)
    before, counted = kept(valkey, session), rolls(evenings)
    valkey.delete(f"tb:session:{session}:tallies")
    if lost == "some":
        valkey.hset(f"tb:session:{session}:tallies", "t", 3)
    assert not store.tallies.complete(session)
    assert rolls(evenings) == counted
    assert kept(valkey, session) == before


def test_packed_tallies_say_the_same_in_a_fraction_of_the_room(evenings, store, valkey):
    session = evenings.session(60)
    whole, counted = store.tallies.read(evenings.campaign, session), rolls(evenings)
    size = valkey.memory_usage(f"tb:session:{session}:tallies")
    assert store.tallies.pack(session) < size / 4
    assert sorted(map(repr, store.tallies.read(evenings.campaign, session))) == sorted(map(repr, whole))
    assert rolls(evenings) == counted
    assert valkey.memory_usage(f"tb:session:{session}:tallies") < size / 4


def test_a_roll_that_comes_late_to_packed_tallies_is_counted(evenings, store):
    session = store.sessions.start(evenings.campaign).id
    action = ("unopposed-test", {"skill": 1, "tn": 8})
    evenings.roll(evenings.gm, "public", action=action)
    late = store.rolls.accept(evenings.click(evenings.gm, "public", action)).record["id"]
    store.sessions.end(evenings.campaign, session)
    store.tallies.pack(session)
    assert resolve_in(store, late)
    assert rolls(evenings) == 2


def test_nothing_is_kept_of_a_session_without_rolls(evenings, store, valkey):
    session = store.sessions.start(evenings.campaign).id
    assert store.tallies.rebuild(evenings.campaign, session) == 0
    assert store.tallies.pack(session) == 0
    assert not valkey.exists(f"tb:session:{session}:tallies")


def test_another_campaigns_session_is_not_made_anew(evenings, store, clock):
    session = Evenings(store, clock, "heroes-2d6").session(1)
    with pytest.raises(UnknownSession):
        store.tallies.rebuild(evenings.campaign, session)


def test_ever_new_names_are_counted_together_after_a_while(evenings, monkeypatch):
    """And take no room from others': hidden rolls none from public ones, one user none from another."""
    monkeypatch.setattr(tallying, "MOST_NAMES", 3)
    anna, bert = evenings.players[:2]
    action = ("unopposed-test", {"skill": 1, "tn": 8})
    for number in range(6):
        actor = {"id": f"Actor.{number}", "name": f"Goblin {number}"}
        evenings.roll(anna, "gm", action=action, label=f"label {number}", actor=actor)
    for who, visibility in ((anna, "public"), (bert, "gm")):
        evenings.roll(who, visibility, action=action, label="Dodge", actor={"id": "Actor.9", "name": "Troll"})
    figures = gather(evenings.store, evenings.campaign, evenings.gm, ReportWish())
    together = {kind: measured.rolls for kind, measured in figures.kinds.items() if kind.actor == 0}
    assert sum(together.values()) == 3
    assert {(kind.user, kind.skill) for kind in together} == {("anna", 0)}
    assert figures.name_of_actor(0) == "Further characters"
    assert {k.skill for k in figures.kinds if k.actor == "Actor.9"} == {"Dodge"}
    assert (
        rolls(evenings, actor="Actor.5") == 1
    )  # of those counted together, one is asked for: from the records


def test_names_cannot_break_out_of_a_field(evenings):
    hostile = '","gm","x"],["c","public","anna'
    action = ("unopposed-test", {"skill": 1, "tn": 8})
    evenings.roll(
        evenings.players[0], "gm", action=action, label=hostile, actor={"id": "A.1", "name": hostile}
    )
    evenings.roll(
        evenings.players[0], "gm", action=action, label=hostile.upper(), actor={"id": "A.1", "name": "x"}
    )
    figures = gather(evenings.store, evenings.campaign, evenings.gm, ReportWish())
    assert {kind.skill for kind in figures.kinds} == {hostile, hostile.upper()}
    assert figures.rolls() == 2 and figures.actors == {"A.1": "x"}
    assert gather(evenings.store, evenings.campaign, tallying.Onlooker(), ReportWish()).rolls() == 0
