"""Fixtures for the Foundry module: Foundry's stand-in, version 13 and 14, and real Chromium screens on it."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.module.foundry_server.server import FOUNDRY_HOST, FoundryServer
from tests.module.screens import OpenScreen, opener
from tests.module.table_service import TableService
from tests.module.tables import lay_table, table  # noqa: F401  fixtures

FIXTURES = Path(__file__).parent / "fixtures"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give a browser test the time that a slow machine needs."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.timeout(90))


def unused_port() -> int:
    """Return a port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(params=[13, 14], ids=["v13", "v14"])
def generation(request: pytest.FixtureRequest) -> int:
    """Each test runs on both generations of Foundry."""
    return int(request.param)


@pytest.fixture(scope="session")
def foundry_port() -> int:
    """The port of every Foundry of this run: the service lets this one origin call it."""
    return unused_port()


@pytest.fixture
def foundry(generation: int, foundry_port: int, tmp_path: Path) -> Iterator[FoundryServer]:
    """A Foundry with a fresh world and no module."""
    server = FoundryServer(tmp_path / "modules", generation, foundry_port)
    yield server
    server.close()


@pytest.fixture(scope="session")
def table_service(foundry_port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TableService]:
    """The real service with its workers and Valkey, one for the whole run."""
    origin = f"http://{FOUNDRY_HOST}:{foundry_port}"
    service = TableService(tmp_path_factory.mktemp("service") / "data", unused_port(), origin)
    yield service
    service.close()


@pytest.fixture
def service(table_service: TableService) -> Iterator[TableService]:
    """The service, reachable at the start of a test and again after it, whatever the test did to the wire."""
    yield table_service
    table_service.wire.mend()


@pytest.fixture
def open_screen(browser: Browser, foundry: FoundryServer) -> Iterator[OpenScreen]:
    """A function that opens a screen for a user by name: see `screens.opener`."""
    yield from opener(browser, foundry)
