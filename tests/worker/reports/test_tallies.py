"""Tallies move once with each commit, and can always be made anew from the ledger."""

import re

import pytest

from service import tallying
from service.store import ReportWish, Store, UnknownSession, keys, tallies
from service.store.tallies import RebuildFailed, Tallies
from tests.interrupted import at_each_request
from tests.worker.reports.evenings import Evenings
from worker.reports.figures import EVERY
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
    assert store.rolls.commit(evenings.campaign, [record]) == 1  # as the first answer was, should it be lost
    assert store.rolls.commit(evenings.campaign, [{**record, "label": "Another"}]) == 0
    assert not resolve_in(store, roll)
    assert store.rolls.get(evenings.campaign, roll) == record
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
    assert store.tallies.pack(evenings.campaign, session) < size / 4
    assert sorted(map(repr, store.tallies.read(evenings.campaign, session))) == sorted(map(repr, whole))
    assert rolls(evenings) == counted
    assert valkey.memory_usage(f"tb:session:{session}:tallies") < size / 4


def test_a_roll_that_comes_late_to_packed_tallies_is_counted(evenings, store):
    session = store.sessions.start(evenings.campaign).id
    action = ("unopposed-test", {"skill": 1, "tn": 8})
    evenings.roll(evenings.gm, "public", action=action)
    late = store.rolls.accept(evenings.click(evenings.gm, "public", action)).record["id"]
    store.sessions.end(evenings.campaign, session)
    store.tallies.pack(evenings.campaign, session)
    assert resolve_in(store, late)
    assert rolls(evenings) == 2


class Meanwhile:
    """Scripts before whose first run of `retally` something else happens."""

    def __init__(self, scripts, happens):
        self._scripts, self._happens = scripts, [happens]

    def run(self, name, keys, ask=()):
        if name == "retally" and self._happens:
            self._happens.pop()()
        return self._scripts.run(name, keys, ask)


@pytest.fixture
def interrupted(store, valkey):
    return lambda happens: Tallies(valkey, Meanwhile(store.scripts, happens))


def newest_of(store, campaign):
    return next(record for _, record in store.rolls.history(campaign))


def assert_complete(store, valkey, campaign, session):
    """The tallies are all of the ledger, and say what tallies that nothing disturbs say."""
    count = sum(1 for _ in store.rolls.history(campaign))
    assert kept(valkey, session)[b"t"] == str(count).encode()
    disturbed = store.tallies.read(campaign, session)
    assert store.tallies.rebuild(campaign, session) == count
    assert sorted(map(repr, disturbed)) == sorted(map(repr, store.tallies.read(campaign, session)))


@pytest.mark.parametrize("packed", [False, True])
def test_a_roll_that_is_deleted_while_they_are_made_anew_is_not_counted(
    evenings, store, valkey, interrupted, packed
):
    campaign, session = evenings.campaign, evenings.session(5)
    if packed:
        assert store.packing.pack(session)
    whole = sum(1 for _ in store.rolls.history(campaign))
    newest = newest_of(store, campaign)
    assert interrupted(lambda: store.erasing.roll(campaign, newest)).rebuild(campaign, session) < whole
    assert_complete(store, valkey, campaign, session)


def test_nor_where_another_roll_takes_its_place(evenings, store, valkey, interrupted):
    campaign, session = evenings.campaign, store.sessions.start(evenings.campaign).id
    action = ("unopposed-test", {"skill": 1, "tn": 8})
    for _ in range(3):
        evenings.roll(evenings.gm, "public", action=action)
    newest = newest_of(store, campaign)

    def swap():
        assert store.erasing.roll(campaign, newest)
        evenings.roll(evenings.players[0], "public", action=action)

    assert interrupted(swap).rebuild(campaign, session) == 3
    assert_complete(store, valkey, campaign, session)


@pytest.mark.parametrize("packed", [False, True])
def test_nothing_is_kept_of_a_session_that_is_deleted_while_they_are_made_anew(
    evenings, store, valkey, interrupted, packed
):
    campaign, session = evenings.campaign, evenings.session(5)
    if packed:
        assert store.packing.pack(session)
    valkey.delete(f"tb:session:{session}:tallies")
    assert interrupted(lambda: store.erasing.session(campaign, session)).read(campaign, session) == []
    assert not valkey.keys(f"tb:session:{session}*")


def test_packing_leaves_tallies_that_keep_changing_for_the_next_reader(
    evenings, store, valkey, interrupted, monkeypatch
):
    monkeypatch.setattr(tallies, "TRIES", 1)
    campaign, session = evenings.campaign, evenings.session(5)
    newest = newest_of(store, campaign)
    valkey.delete(f"tb:session:{session}:tallies")
    assert interrupted(lambda: store.erasing.roll(campaign, newest)).pack(campaign, session) == 0
    assert not valkey.keys(f"tb:session:{session}:tallies*")
    store.tallies.read(campaign, session)
    assert_complete(store, valkey, campaign, session)


@pytest.mark.parametrize("packed", [False, True])
def test_a_report_counts_all_the_others_though_a_roll_is_deleted_while_it_reads(
    evenings, store, clock, redis_url, packed
):
    """Whenever it is deleted: the report is as it was before, or as it is after."""
    campaign, session = evenings.campaign, evenings.session(40)
    clock.forward(hours=1)
    if packed:
        assert store.packing.pack(session)
    first = rolls(evenings)
    for interrupted, request in at_each_request(redis_url):
        before, newest = rolls(evenings), newest_of(store, campaign)
        interrupted.before(request, lambda newest=newest: store.erasing.roll(campaign, newest))
        disturbed = gather(Store(interrupted.redis, clock), campaign, evenings.gm, ReportWish()).rolls()
        assert disturbed in (before, rolls(evenings)), request
    assert 0 < rolls(evenings) < first


def test_a_report_leaves_out_a_session_that_is_deleted_while_it_reads(evenings, store, clock, redis_url):
    campaign, counted = evenings.campaign, set()
    for interrupted, request in at_each_request(redis_url):
        oldest, _ = evenings.session(4), evenings.session(4)
        before = rolls(evenings)
        interrupted.before(request, lambda oldest=oldest: store.erasing.session(campaign, oldest))
        disturbed = gather(Store(interrupted.redis, clock), campaign, evenings.gm, ReportWish()).rolls()
        after = rolls(evenings)
        assert disturbed in (before, after), request
        counted.add(disturbed == after)
        for session in store.sessions.ids(campaign):
            store.erasing.session(campaign, session)
    assert counted == {False, True}


def test_tallies_that_never_rest_are_not_read_in_part(evenings, store, valkey, monkeypatch):
    campaign, session = evenings.campaign, evenings.session(30)
    rebuild = store.tallies.rebuild

    def rebuilt_in_vain(*asked):
        rebuild(*asked)
        assert store.erasing.roll(campaign, newest_of(store, campaign))

    monkeypatch.setattr(store.tallies, "rebuild", rebuilt_in_vain)
    monkeypatch.setattr(tallies, "TRIES", 3)
    valkey.delete(keys.tallies(session))
    with pytest.raises(RebuildFailed):
        store.tallies.read(campaign, session)
    monkeypatch.undo()
    assert sum(tally.field[0] == "c" for tally in store.tallies.read(campaign, session)) > 0


TAKES_SEVEN = {"kind": "creature", "skill": 3, "take7": True}
RARELY_TIED = ("opposed-test", {"skill": 7, "opponent": TAKES_SEVEN})
"""Against 10: a 3 on 2d6 ties, a 2 fails, 33 of 36 throws succeed. A tie were the likeliest of failures."""


@pytest.mark.parametrize("wish", [{}, {"action": "opposed-test"}])
def test_a_tie_ends_both_runs_and_is_no_moment(evenings, store, wish):
    """Though `heroes-2d6` calls both sides of one unsuccessful."""
    tie, spelt = None, ""
    while tie is None or len(spelt) < 40:
        roll = evenings.roll(evenings.gm, "public", action=RARELY_TIED, actor=None, label=None)
        record = store.rolls.get(evenings.campaign, roll)
        assert record["success"] is ("success" in record["outcome"])
        spelt += "t" if record["outcome"] == "tie" else "s" if record["success"] else "f"
        tie = roll if record["outcome"] == "tie" else tie
    figures = gather(store, evenings.campaign, evenings.gm, ReportWish(**wish))
    run = figures.runs["gm", EVERY]
    assert run.failures == max(map(len, re.findall("f+", spelt)), default=0)
    assert run.successes == max(map(len, re.findall("s+", spelt)))
    assert run.length == len(spelt)
    assert tie not in {moment.id for moment in figures.worst}
    assert len(figures.worst) == min(5, spelt.count("f"))


def test_nothing_is_kept_of_a_session_without_rolls(evenings, store, valkey):
    session = store.sessions.start(evenings.campaign).id
    assert store.tallies.rebuild(evenings.campaign, session) == 0
    assert store.tallies.pack(evenings.campaign, session) == 0
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
