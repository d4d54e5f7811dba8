"""A resolved roll goes to the ledger once, and its place there tells nothing that is hidden."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import orjson
import pytest

from service.store.ids import event_ms
from worker.resolve import resolve_in, resolve_pending


def events(table):
    return list(table.store.rolls.events_after(table.campaign, "0-0"))


def test_committing_again_changes_nothing(table, valkey):
    roll = table.accept().record["id"]
    assert resolve_in(table.store, roll)
    record = table.store.rolls.get(table.campaign, roll)
    before = (events(table), valkey.hgetall(f"tb:session:{record['session']}:counts"))
    assert table.store.rolls.commit(table.campaign, [record | {"dice": []}]) == 0
    assert not resolve_in(table.store, roll)
    assert (events(table), valkey.hgetall(f"tb:session:{record['session']}:counts")) == before


def test_twenty_workers_on_one_roll_commit_it_once(table):
    roll = table.accept().record["id"]
    with ThreadPoolExecutor(20) as pool:
        committed = list(pool.map(lambda _: resolve_in(table.store, roll), range(20)))
    assert True in committed  # several, where they resolved it in the same millisecond to the same record
    assert [record["id"] for _, record in table.store.rolls.history(table.campaign)] == [roll]
    assert [event.kind for event in events(table)] == ["session", "roll"]


def test_of_two_who_resolved_it_alike_the_second_changes_nothing(table, valkey):
    pending = table.store.rolls.pending(table.accept().record["id"])
    records = resolve_pending(pending, table.store.clock())
    counts = f"tb:session:{pending.record['session']}:counts"
    assert table.store.rolls.commit(table.campaign, records) == 1
    before = (events(table), valkey.hgetall(counts))
    assert table.store.rolls.commit(table.campaign, records) == 1  # as where the answer got lost
    assert (events(table), valkey.hgetall(counts)) == before


def test_event_ids_rise_by_a_ms_each_even_within_one(table):
    for _ in range(5):
        resolve_in(table.store, table.accept(visibility="blind").record["id"])
    ids = [event.id for event in events(table)]
    assert all(event.endswith("-0") for event in ids)
    times = [event_ms(event) for event in ids]
    assert all(later > earlier for earlier, later in pairwise(times))


def test_event_ids_rise_when_the_clock_is_set_back(table, clock):
    resolve_in(table.store, table.accept().record["id"])
    clock.forward(hours=-1)
    roll = table.accept().record["id"]
    resolve_in(table.store, roll)
    assert [event.record["id"] for event in events(table)][-1] == roll


def test_a_commit_is_published_as_it_is_written(table, valkey):
    with valkey.pubsub() as listener:
        listener.subscribe("tb:live")
        roll = table.accept().record["id"]
        resolve_in(table.store, roll)
        messages = []
        while message := listener.get_message(timeout=0.2):
            if message["type"] == "message":
                messages.append(orjson.loads(message["data"]))
    assert [(m["campaign"], m["id"], m["event"], m["record"]) for m in messages] == [
        (table.campaign, event.id, event.kind, event.record) for event in events(table)
    ]
    assert [m["event"] for m in messages] == ["session", "roll"]


def test_nothing_of_a_resolved_roll_stays_behind(table, valkey):
    roll = table.accept().record["id"]
    resolve_in(table.store, roll)
    assert valkey.keys(f"tb:roll:{roll}*") == []
    assert valkey.zcard("tb:pending") == 0


def test_a_roll_of_another_campaign_is_not_found(table, store):
    from tests.tables import Table

    roll = table.accept().record["id"]
    assert store.rolls.get(Table(store).campaign, roll) is None
    resolve_in(store, roll)
    assert store.rolls.get(Table(store).campaign, roll) is None


@pytest.mark.parametrize("id", ["nonsense", "aaaaaaaaaa-bbbbbbbbbb", "-", ""])
def test_what_was_never_rolled_is_not_found(table, id):
    assert table.store.rolls.get(table.campaign, id) is None


def test_load_and_commit_are_one_round_trip_each(table, round_trips):
    resolve_in(table.store, table.accept().record["id"])
    roll = table.accept().record["id"]
    round_trips.clear()
    resolve_in(table.store, roll)
    assert len(round_trips) == 2
