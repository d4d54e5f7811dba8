"""A table at a store on an empty Valkey, with a clock that stands still."""

import pytest
from redis.connection import AbstractConnection

from service.store import Store
from tests.tables import Table


@pytest.fixture
def table(store: Store) -> Table:
    return Table(store)


@pytest.fixture
def round_trips(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """Grows by one with each message that is sent to Redis, however many commands are in it."""
    sent: list[None] = []
    send = AbstractConnection.send_packed_command

    def counted(connection: AbstractConnection, *args: object, **kwargs: object) -> None:
        sent.append(None)
        send(connection, *args, **kwargs)

    monkeypatch.setattr(AbstractConnection, "send_packed_command", counted)
    return sent
