"""Sessions: one at a time, opened by hand or by the first roll, ended by hand or after six hours without a
public roll."""

import pytest

from rules import fairness
from service.store import SessionAlreadyOpen, UnknownCampaign, UnknownSession
from tests.fair_dice import commitment
from tests.tables import Table
from worker.resolve import resolve_in


def test_a_session_shows_its_commitments_and_hides_its_seeds_until_it_ends(table):
    session = table.store.sessions.start(table.campaign, "The long night")
    assert (session.title, session.ended_at, session.seed, session.hidden_seed) == (
        "The long night",
        None,
        None,
        None,
    )
    ended = table.store.sessions.end(table.campaign, session.id)
    assert commitment(session.id, ended.seed) == session.commitment
    assert commitment(session.id, ended.hidden_seed) == session.hidden_commitment
    assert ended.seed != ended.hidden_seed
    assert fairness.keeps(session.id, bytes.fromhex(ended.seed), session.commitment)


def test_events_tell_of_start_and_end_and_never_of_the_hidden_seed(table):
    session = table.store.sessions.start(table.campaign)
    ended = table.store.sessions.end(table.campaign, session.id)
    start, end = table.store.rolls.events_after(table.campaign, "0-0")
    assert (start.kind, start.record["seed"], start.record["ended_at"]) == ("session", None, None)
    assert (end.record["seed"], end.record["ended_at"]) == (ended.seed, ended.ended_at)
    assert ended.hidden_seed not in str(start) + str(end)


def test_one_session_is_open_at_a_time(table):
    session = table.store.sessions.start(table.campaign)
    with pytest.raises(SessionAlreadyOpen) as refused:
        table.store.sessions.start(table.campaign)
    assert refused.value.session == session.id


def test_ending_a_session_twice_changes_nothing(table, clock):
    session = table.store.sessions.start(table.campaign).id
    first = table.store.sessions.end(table.campaign, session)
    clock.forward(hours=1)
    assert table.store.sessions.end(table.campaign, session) == first
    assert len(list(table.store.rolls.events_after(table.campaign, "0-0"))) == 2


def test_an_unknown_session_or_one_of_another_campaign_is_not_ended(table, store):
    session = table.store.sessions.start(table.campaign).id
    for campaign, asked in ((table.campaign, "nosuchone"), (Table(store).campaign, session)):
        with pytest.raises(UnknownSession):
            store.sessions.end(campaign, asked)
    assert store.sessions.open(table.campaign).id == session


def test_a_campaign_that_is_not_there_has_no_sessions(store):
    with pytest.raises(UnknownCampaign):
        store.sessions.start("nosuchone")


def test_the_first_roll_opens_a_session_and_the_next_one_joins_it(table):
    first, second = table.accept().record, table.accept().record
    assert first["session"] == second["session"] == table.store.sessions.open(table.campaign).id


def test_a_roll_after_six_idle_hours_ends_the_session_and_opens_another(table, clock):
    first = table.accept().record["session"]
    clock.forward(hours=6)
    assert table.accept().record["session"] == first
    clock.forward(hours=6, ms=1)
    record = table.accept().record
    assert record["session"] != first and record["seq"] == 1
    assert table.store.sessions.get(table.campaign, first).ended_at == clock.now
    kinds = [(e.kind, e.record["id"]) for e in table.store.rolls.events_after(table.campaign, "0-0")]
    assert kinds == [("session", first), ("session", first), ("session", record["session"])]


def test_an_idle_session_does_not_stand_in_the_way_of_a_new_one(table, clock):
    first = table.store.sessions.start(table.campaign).id
    clock.forward(hours=7)
    assert table.store.sessions.start(table.campaign).id != first


def test_idle_sessions_are_ended_and_others_are_not(table, clock, store):
    idle, busy = table.accept().record["session"], Table(store)
    clock.forward(hours=4)
    in_use = busy.accept().record["session"]
    assert store.sessions.end_idle() == []
    clock.forward(hours=2, ms=1)
    assert store.sessions.end_idle() == [idle]
    assert store.sessions.end_idle() == []
    assert store.sessions.open(table.campaign) is None
    assert store.sessions.open(busy.campaign).id == in_use


@pytest.mark.parametrize("visibility", ["gm", "blind", "self"])
def test_a_hidden_roll_does_not_put_off_the_end_of_an_idle_session(store, clock, visibility):
    """Else `ended_at` less six hours would tell everybody when the last hidden roll was made."""
    with_hidden, without = Table(store), Table(store)
    sessions = [table.accept().record["session"] for table in (with_hidden, without)]
    clock.forward(hours=5)
    hidden = with_hidden.accept(with_hidden.gm, visibility=visibility).record
    assert hidden["session"] == sessions[0]
    clock.forward(hours=1, ms=1)
    assert set(store.sessions.end_idle()) == set(sessions)
    ended = [
        store.sessions.get(table.campaign, session).ended_at
        for table, session in zip((with_hidden, without), sessions, strict=True)
    ]
    assert ended == [clock.now, clock.now]


@pytest.mark.parametrize(("visibility", "ends"), [("gm", True), ("blind", True), ("public", False)])
def test_only_the_answer_to_a_public_challenge_puts_off_the_end(table, clock, store, visibility, ends):
    challenge = table.accept(table.gm, against="bert", visibility=visibility).record
    resolve_in(store, challenge["id"])
    clock.forward(hours=5)
    table.answer(challenge["id"])
    clock.forward(hours=1, ms=1)
    assert store.sessions.end_idle() == ([challenge["session"]] if ends else [])


def test_sessions_are_listed_newest_first_a_page_at_a_time(table, clock):
    made = []
    for _ in range(5):
        clock.forward(ms=10)
        made.append(table.store.sessions.start(table.campaign).id)
        table.store.sessions.end(table.campaign, made[-1])
    newest_first = made[::-1]
    page = table.store.sessions.list(table.campaign, limit=3)
    assert [session.id for session in page] == newest_first[:3]
    rest = table.store.sessions.list(table.campaign, before=page[-1].id)
    assert [session.id for session in rest] == newest_first[3:]
    with pytest.raises(UnknownSession):
        table.store.sessions.list(table.campaign, before="nosuchone")


def test_a_roll_accepted_before_the_end_is_resolved_after_it(table):
    record = table.accept().record
    table.store.sessions.end(table.campaign, record["session"])
    assert resolve_in(table.store, record["id"])
    assert table.store.rolls.get(table.campaign, record["id"])["status"] == "resolved"
