"""The ledger reads as one sequence, newest or oldest first, across sessions."""

import pytest

from service.store import ledger
from tests.tables import pages
from worker.resolve import resolve_in


@pytest.fixture(autouse=True)
def small_pages(monkeypatch):
    monkeypatch.setattr(ledger, "PAGE", 3)
    monkeypatch.setattr(ledger, "SESSIONS", 2)


@pytest.fixture
def rolled(table, clock) -> list[str]:
    """The ids of 28 rolls in seven sessions, oldest first."""
    rolls = []
    for _ in range(7):
        for _ in range(4):
            clock.forward(ms=7)
            record = table.accept().record
            resolve_in(table.store, record["id"])
            rolls.append(record["id"])
        table.store.sessions.end(table.campaign, record["session"])
    return rolls


def newest_first(table, **limits):
    return [record["id"] for _, record in table.store.rolls.history(table.campaign, **limits)]


def test_history_is_newest_first(table, rolled):
    assert newest_first(table) == rolled[::-1]


def test_history_continues_before_and_stops_after_any_roll(table, rolled):
    by_roll = {record["id"]: event for event, record in table.store.rolls.history(table.campaign)}
    for place in (0, 1, 4, 13, 26, 27):
        assert newest_first(table, before=by_roll[rolled[place]]) == rolled[:place][::-1]
        assert newest_first(table, after=by_roll[rolled[place]]) == rolled[place + 1 :][::-1]
    assert newest_first(table, before=by_roll[rolled[20]], after=by_roll[rolled[9]]) == rolled[10:20][::-1]


def test_history_of_chosen_sessions(table, rolled):
    first, last = rolled[0].split("-")[0], rolled[-1].split("-")[0]
    assert newest_first(table, sessions=[first, last, "nosuchone"]) == [*rolled[:-5:-1], *rolled[3::-1]]
    assert newest_first(table, sessions=[]) == []


def test_another_campaigns_session_cannot_be_chosen(table, rolled, store):
    from tests.tables import Table

    assert newest_first(Table(store), sessions=[rolled[0].split("-")[0]]) == []


def test_events_after_any_event_are_all_that_follow(table, rolled):
    events = list(table.store.rolls.events_after(table.campaign, "0-0"))
    assert [e.record["id"] for e in events if e.kind == "roll"] == rolled
    assert len(events) == 28 + 2 * 7
    for place in range(0, len(events), 3):
        assert list(table.store.rolls.events_after(table.campaign, events[place].id)) == events[place + 1 :]
    assert list(table.store.rolls.events_after(table.campaign, events[-1].id)) == []


@pytest.mark.parametrize("against", [None, "bert"], ids=["a roll", "a challenge that nobody answered"])
def test_a_roll_that_is_resolved_late_stands_where_it_happened(table, clock, against):
    late = table.accept(against=against).record
    table.store.sessions.end(table.campaign, late["session"])
    order = []
    for _ in range(3):
        clock.forward(ms=5)
        record = table.accept().record
        resolve_in(table.store, record["id"])
        order.append(record["id"])
    clock.forward(ms=5)
    resolve_in(table.store, late["id"])
    order.append(late["id"])
    for _ in range(4):
        clock.forward(ms=5)
        record = table.accept().record
        resolve_in(table.store, record["id"])
        order.append(record["id"])
    events = list(table.store.rolls.events_after(table.campaign, "0-0"))
    assert [event.ms for event in events] == sorted(event.ms for event in events)
    assert [event.record["id"] for event in events if event.kind == "roll"] == order
    assert newest_first(table) == order[::-1]
    assert [roll["id"] for page in pages(table.store, table.gm) for roll in page] == order[::-1]
    for place, roll in enumerate(order):
        cursor = next(event.id for event in events if event.record["id"] == roll)
        assert newest_first(table, after=cursor) == order[:place:-1]
        assert newest_first(table, before=cursor) == order[:place][::-1]
        replayed = table.store.rolls.events_after(table.campaign, cursor)
        assert [event.record["id"] for event in replayed] == order[place + 1 :]


def test_history_is_read_as_far_as_it_is_asked_for(table, rolled, valkey):
    valkey.config_resetstat()
    next(table.store.rolls.history(table.campaign))
    sent = valkey.info("commandstats")
    assert sum(found["calls"] for found in sent.values()) <= 4
