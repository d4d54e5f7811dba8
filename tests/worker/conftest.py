"""A table at a store on an empty Valkey, with a clock that stands still."""

import pytest

from service.store import Store
from tests.tables import Table


@pytest.fixture
def table(store: Store) -> Table:
    return Table(store)
