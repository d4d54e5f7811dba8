"""What a click costs: round trips to Redis, which do not vary with the machine."""

from collections.abc import Iterator
from contextlib import contextmanager

import marshmallow
import pytest
from redis.connection import Connection

from tests.service.table import SKILL_CHECK, fresh_key


@contextmanager
def counted_trips(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bytes]]:
    """Note whatever is sent to Redis at once (a pipeline is one)."""
    sent: list[bytes] = []
    send = Connection.send_packed_command

    def note(self, command, check_health=True):
        sent.append(b"".join(command) if not isinstance(command, bytes | str) else command)
        return send(self, command, check_health)

    with monkeypatch.context() as patch:
        patch.setattr(Connection, "send_packed_command", note)
        yield sent


def test_a_click_is_three_round_trips(table, monkeypatch):
    """The limit's, the token with the campaign, and the acceptance."""
    table.roll(table.tokens["anna"])  # scripts are loaded, connections are made
    with counted_trips(monkeypatch) as sent:
        assert table.roll(table.tokens["anna"]).status_code == 202
    assert len(sent) == 3, sent


def test_reading_a_roll_is_three_round_trips(table, monkeypatch):
    roll = table.rolled(table.tokens["anna"])["id"]
    with counted_trips(monkeypatch) as sent:
        assert table.get(f"/rolls/{roll}", table.tokens["anna"]).status_code == 200
    assert len(sent) == 3, sent


def test_waiting_costs_no_round_trip_of_its_own(table, monkeypatch):
    with table.working():
        table.roll(Prefer="wait=5")  # the hub is subscribed from here on
    work = table.work

    def resolve_at_once(new):
        accepted = accept(new)
        sent.append(b"-- the worker's --")
        work()
        sent.append(b"-- the worker is done --")
        return accepted

    accept = table.services.store.rolls.accept
    monkeypatch.setattr(table.services.store.rolls, "accept", resolve_at_once)
    with counted_trips(monkeypatch) as sent:
        assert table.roll(Prefer="wait=5").json["status"] == "resolved"
    after = sent[sent.index(b"-- the worker is done --") + 1 :]
    assert len(sent[: sent.index(b"-- the worker's --")]) == 3 and after == []


def test_no_schema_is_made_for_a_request(table, monkeypatch):
    table.roll()
    made = []
    init = marshmallow.Schema.__init__
    monkeypatch.setattr(
        marshmallow.Schema, "__init__", lambda self, *a, **k: made.append(type(self)) or init(self, *a, **k)
    )
    answer = table.post("/rolls", SKILL_CHECK | {"label": "x"}, Idempotency_Key=fresh_key())
    assert answer.status_code == 202 and made == []
