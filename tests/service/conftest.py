"""Fixtures of the service's tests."""

from collections.abc import Iterator

import pytest
from flask import Flask

from service.settings import Settings
from tests.service.table import Table, make_app, serving, set_table


@pytest.fixture
def app(settings: Settings) -> Iterator[Flask]:
    """The service on an empty Valkey."""
    app = make_app(settings)
    yield app
    app.extensions["tallybones"].hub.stop()


@pytest.fixture
def table(app: Flask, settings: Settings) -> Table:
    """A campaign of moon-hangs-low with the players anna and bert."""
    table = set_table(app, settings)
    table.player("anna")
    table.player("bert")
    return table


@pytest.fixture
def address(app: Flask) -> Iterator[str]:
    """The address at which the service is served, for streams."""
    with serving(app) as address:
        yield address
