"""The stream: what a client of it reads, and when."""

import json
import threading
import time

import pytest
from redis import Redis

from service import live, sse
from service.live import Message
from service.session_view import session_told
from service.store import ledger
from tests.service.table import SKILL_CHECK, Event, Listener, bearer, set_table
from worker.resolve import resolve_in


def test_a_roll_arrives_as_an_event(table, address):
    listener = Listener(address, table)
    assert listener.status == 200
    assert listener.headers["Content-Type"].startswith("text/event-stream")
    assert listener.headers["X-Accel-Buffering"] == "no" and listener.headers["Cache-Control"] == "no-store"
    roll = table.rolled(table.tokens["anna"])
    assert listener.rolls(1) == [table.get(f"/rolls/{roll['id']}").json]
    assert [event.event for event in listener.events] == ["session", "roll"]
    session = listener.events[0].data
    assert (session["id"], session["ended_at"], session["seed"]) == (roll["session"], None, None)


def test_the_first_byte_comes_at_once(table, address):
    listener = Listener(address, table)
    assert listener.wait(lambda it: it.comments > 0, 2)


def test_silence_is_broken_by_comments(table, address, monkeypatch):
    monkeypatch.setattr(sse.EventStream.__init__, "__kwdefaults__", {"heartbeat": 0.2})
    listener = Listener(address, table)
    assert listener.wait(lambda it: it.comments >= 4, 3)


def test_all_streams_get_the_same(table, address):
    listeners = [Listener(address, table, table.tokens["anna"]) for _ in range(5)]
    table.rolled()
    table.rolled()
    first = listeners[0].rolls(2)
    assert len(first) == 2
    assert all(listener.rolls(2) == first for listener in listeners)


def test_other_campaigns_hear_nothing(table, address, app, settings):
    other = set_table(app, settings)
    listener = Listener(address, other)
    table.rolled()
    other.rolled(label="ours")
    assert [roll["label"] for roll in listener.rolls(1)] == ["ours"]
    assert all(event.data.get("label") in (None, "ours") for event in listener.events)


def test_what_was_missed_is_replayed(table, address):
    listener = Listener(address, table)
    for number in range(4):
        table.rolled(label=str(number))
    listener.rolls(4)
    seen = list(listener.events)
    second = next(event.id for event in seen if event.data.get("label") == "1")
    table.rolled(label="4")
    again = Listener(address, table, last=second)
    assert [roll["label"] for roll in again.rolls(3)] == ["2", "3", "4"]
    table.rolled(label="5")
    assert [roll["label"] for roll in again.rolls(4)] == ["2", "3", "4", "5"]
    shared = {event.id: event for event in seen}
    assert all(shared[event.id] == event for event in again.events if event.id in shared)


def test_without_a_last_id_nothing_old_is_sent(table, address):
    table.rolled(label="old")
    listener = Listener(address, table)
    table.rolled(label="new")
    assert [roll["label"] for roll in listener.rolls(1)] == ["new"]


def test_the_end_of_a_session_reveals_its_seed(table, address):
    for_gm, for_anna = Listener(address, table), Listener(address, table, table.tokens["anna"])
    table.rolled()
    session = table.rolled(visibility="gm")["session"]
    ended = table.post(f"/sessions/{session}/end", None).json

    def end(listener: Listener) -> Event:
        assert listener.wait(lambda it: [e for e in it.events if e.event == "session" and e.data["seed"]])
        return listener.events[-1]

    assert end(for_gm).data == ended and ended["rolls"] == 2 and ended["hidden_seed"]
    assert end(for_anna).data == {
        **{name: value for name, value in ended.items() if not name.startswith("hidden_")},
        "rolls": 1,
    }


def test_of_rolls_that_wait_at_a_session_s_end_players_and_webhooks_learn_the_public_ones(table, address):
    for_gm, for_anna = Listener(address, table), Listener(address, table, table.tokens["anna"])
    session = table.rolled()["session"]
    for visibility in ("public", "gm", "blind", "self"):
        table.roll(None, {**SKILL_CHECK, "visibility": visibility})
    table.post(f"/sessions/{session}/end", None)
    seen = []
    for listener in (for_gm, for_anna):
        assert listener.wait(lambda it: [e for e in it.events if e.event == "session" and e.data["seed"]])
        told = listener.events[-1].data
        seen.append({name: numbers for name, numbers in told.items() if name.endswith("unresolved")})
    assert seen == [{"unresolved": [2], "hidden_unresolved": [1, 2]}, {"unresolved": [2]}]
    store = table.services.store
    for_webhooks = session_told(store, store.sessions.get(table.id, session), ended=True)
    assert for_webhooks["unresolved"] == [2] and not [name for name in for_webhooks if "hidden" in name]


@pytest.mark.parametrize("last", ["x", "1", "-1-0", "1-0-0", "9" * 20 + "-0", "1796037785439-0; DROP"])
def test_a_last_id_that_is_none_is_refused(table, last):
    answer = table.get("/stream", Last_Event_ID=last)
    assert answer.status_code == 400 and "Last-Event-ID" in answer.json["detail"]


def test_a_last_id_from_the_future_does_not_silence_the_stream(table, address):
    listener = Listener(address, table, last="999999999999999-0")
    table.rolled(label="now")
    assert [roll["label"] for roll in listener.rolls(1)] == ["now"]


def test_a_revoked_token_ends_its_streams(table, address):
    annas, berts = (Listener(address, table, table.tokens[user]) for user in ("anna", "bert"))
    table.rolled()
    assert annas.rolls(1) and berts.rolls(1)
    table.call("DELETE", f"{table.path}/players/anna", table.gm)
    assert annas.wait(lambda it: it.ended, 3)
    table.rolled()
    assert len(berts.rolls(2)) == 2 and not berts.ended


def test_a_replaced_token_ends_its_streams(table, address):
    listener = Listener(address, table, table.tokens["anna"])
    table.player("anna")
    assert listener.wait(lambda it: it.ended, 3)


def test_streams_end_when_the_service_stops(table, address, app):
    listeners = [Listener(address, table) for _ in range(3)]
    app.extensions["tallybones"].hub.stop()
    assert all(listener.wait(lambda it: it.ended, 2) for listener in listeners)


def test_a_closed_stream_is_forgotten(table, app):
    hub = app.extensions["tallybones"].hub
    for method in ("GET", "HEAD"):
        answer = table.app.test_client().open(f"{table.path}/stream", method=method, headers=bearer(table.gm))
        assert answer.status_code == 200
        answer.close()
        assert hub.open_streams() == 0


def test_a_stream_that_falls_behind_is_caught_up_from_the_ledger(table, app, monkeypatch):
    monkeypatch.setattr(live, "QUEUE_LENGTH", 3)
    answer = table.app.test_client().get(f"{table.path}/stream", headers=bearer(table.gm))
    frames = answer.iter_encoded()
    assert next(frames).startswith(b"retry: 2000\n")
    for number in range(12):  # nobody reads meanwhile
        table.rolled(label=str(number))
    [stream] = app.extensions["tallybones"].hub._streams[table.id]
    assert wait_for(lambda: stream.behind)
    seen = []
    while len(seen) < 12:
        frame = next(frames)
        if b"event: roll" in frame:
            seen.append(json.loads(frame.split(b"data: ")[1])["label"])
    answer.close()
    assert seen == [str(number) for number in range(12)]


@pytest.mark.parametrize("page", [1, 100])
def test_a_late_roll_that_comes_while_a_stream_catches_up_is_neither_lost_nor_out_of_turn(
    table, app, monkeypatch, page
):
    """It comes to a session that is read already, or (with small pages) to the end of the one being read."""
    monkeypatch.setattr(ledger, "PAGE", page)
    store = table.services.store

    def resolved(roll):
        assert resolve_in(store, roll["id"])
        return roll["id"]

    late = table.roll().json
    first, second = (resolved(table.roll().json) for _ in range(2))
    table.post(f"/sessions/{late['session']}/end", None)
    third = resolved(table.roll().json)
    headers = bearer(table.gm) | {"Last-Event-ID": "1-0"}
    answer = table.app.test_client().get(f"{table.path}/stream", headers=headers)
    frames, seen = answer.iter_encoded(), []

    def read_until(roll):
        while roll not in seen:
            frame = next(frames)
            if b"event: roll" in frame:
                seen.append(json.loads(frame.split(b"data: ")[1])["id"])

    read_until(second)
    fourth, fifth = resolved(late), resolved(table.roll().json)
    [stream] = app.extensions["tallybones"].hub._streams[table.id]
    assert wait_for(lambda: stream._messages.qsize() == 2)
    read_until(fifth)
    answer.close()
    assert seen == [first, second, third, fourth, fifth]


def test_streams_survive_a_lost_subscription_and_miss_nothing(table, address, valkey):
    listener = Listener(address, table)
    table.rolled(label="before")
    listener.rolls(1)
    gone = threading.Event()

    def keep_away() -> None:
        """Throw the subscriber out whenever it comes back, for a while."""
        with Redis(connection_pool=valkey.connection_pool) as redis:
            while not gone.wait(0.02):
                redis.client_kill_filter(_type="pubsub")

    thread = threading.Thread(target=keep_away)
    thread.start()
    time.sleep(0.2)
    for number in range(5):
        table.rolled(label=f"meanwhile {number}")
    time.sleep(0.3)
    gone.set()
    thread.join()
    table.rolled(label="after")
    expected = ["before", *(f"meanwhile {number}" for number in range(5)), "after"]
    assert [roll["label"] for roll in listener.rolls(7, 12)] == expected
    assert len({event.id for event in listener.events}) == len(listener.events)


def test_a_token_revoked_while_nobody_listened_ends_its_streams(table, address, valkey, monkeypatch):
    listener = Listener(address, table, table.tokens["anna"])
    table.rolled()
    listener.rolls(1)
    # As if the message about the revocation had been lost with the subscription.
    valkey.delete(*valkey.keys("tb:token:*"))
    valkey.client_kill_filter(_type="pubsub")
    assert listener.wait(lambda it: it.ended, 8)


@pytest.mark.parametrize("how", ["revoked", "replaced"])
def test_a_token_that_ends_while_its_stream_is_opened_gets_none(table, app, monkeypatch, how):
    """The word of it goes out before the stream is there to hear it, and after the token was looked up."""
    hub, players = app.extensions["tallybones"].hub, table.services.store.players

    def end_it_meanwhile(campaign, token):
        if how == "revoked":
            assert players.revoke(table.id, "anna")
        else:
            players.mint(table.id, "anna", "Anna")
        return has_room(campaign, token)

    has_room = hub.has_room
    monkeypatch.setattr(hub, "has_room", end_it_meanwhile)
    answer = table.get("/stream", table.tokens["anna"])
    assert answer.status_code == 401 and "revoked" in answer.json["detail"]
    assert hub.open_streams() == 0


def test_a_roll_is_written_once_for_each_way_of_seeing_it(table, app, monkeypatch):
    written = []
    present = sse.present
    monkeypatch.setattr(
        sse, "present", lambda record, caller: written.append(caller.user) or present(record, caller)
    )
    store = app.extensions["tallybones"].store
    roll = table.rolled(table.tokens["anna"])
    record = store.rolls.get(table.id, roll["id"])
    message = Message(table.id, "1-0", "roll", record)
    callers = [store.tokens.caller(token) for token in (table.gm, *table.tokens.values())] * 10
    frames = [sse.write_event(store, message, caller) for caller in callers]
    assert all(frames) and len(written) <= 2


def test_one_subscription_whatever_the_number_of_streams(table, address, valkey):
    listeners = [Listener(address, table) for _ in range(8)]
    table.rolled()
    assert all(listener.rolls(1) for listener in listeners)
    assert len(valkey.client_list(_type="pubsub")) == 1


def wait_for(condition, seconds=5):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def test_nobody_takes_all_the_streams_that_there_are(table, address, monkeypatch):
    """Where it is crowded, who has many gets no more, and everybody else still gets theirs."""
    monkeypatch.setattr("service.live.CROWDED", 4)
    monkeypatch.setattr("service.live.FEW", 3)
    greedy = [Listener(address, table, table.tokens["anna"]) for _ in range(4)]
    assert [each.status for each in greedy] == [200] * 4
    refused = table.get("/stream", table.tokens["anna"])
    assert refused.status_code == 429 and int(refused.headers["Retry-After"]) >= 1
    assert Listener(address, table, table.tokens["bert"]).status == 200
