"""Fixtures of the console's tests."""

from collections.abc import Iterator

import pytest

from service.settings import Settings
from tests.service.console.browser import Console
from tests.service.table import Table, set_table


@pytest.fixture
def console(table: Table) -> Console:
    """The GM of the moon-hangs-low table, signed in."""
    return Console(table).sign_in()


@pytest.fixture
def working(table: Table) -> Iterator[Table]:
    """The table with a worker, so that a form that rolls finds its card at once."""
    with table.working():
        yield table


@pytest.fixture
def heroes(app, settings: Settings) -> Iterator[Console]:
    """The GM of a heroes-2d6 table with the players anna and bert, signed in; a worker is there."""
    table = set_table(app, settings, "heroes-2d6")
    table.player("anna")
    table.player("bert")
    with table.working():
        yield Console(table).sign_in()
