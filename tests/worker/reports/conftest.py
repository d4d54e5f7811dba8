"""A store on an empty Valkey, with a clock that stands still."""

import pytest
from redis import Redis

from service.store import Store
from tests.tables import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(valkey: Redis, clock: Clock) -> Store:
    return Store(valkey, clock)
