"""Fixtures of the console's tests."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from service.settings import Settings
from tests.module.screens import Screen, person
from tests.service.console.browser import Console
from tests.service.table import Table, set_table

OpenPage = Callable[..., Screen]


@pytest.fixture
def console(table: Table) -> Console:
    """The GM of the moon-hangs-low table, signed in."""
    return Console(table).sign_in()


@pytest.fixture
def console_of() -> Callable[[Table], Console]:
    """A function that signs a table's GM in."""
    return lambda table: Console(table).sign_in()


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


@pytest.fixture
def open_page(browser, address) -> Iterator[OpenPage]:
    """A function that opens the console for a GM in a browser of their own: signed in by link, at a path."""
    contexts = []

    def open_page(table: Table, path: str = "/", size: tuple[int, int] = (1280, 800), **more: Any) -> Screen:
        context = person(browser, size, **more)
        contexts.append(context)
        screen = Screen(context.new_page(), "GM")
        screen.page.goto(f"{address}/#key={table.gm}")
        screen.page.wait_for_selector("nav[aria-label=Console]")
        if path != "/":
            screen.page.goto(address + path)
        return screen

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def lantern(app, settings: Settings, install_ruleset) -> Iterator[Table]:
    """A table of a rule set whose one action has a field of every type, with a worker."""
    install_ruleset("lantern", (Path(__file__).parent / "lantern.py").read_text())
    table = set_table(app, settings, "lantern")
    table.player("anna")
    with table.working():
        yield table
