"""A table to play at: a world with the module installed from the service, and a campaign for it."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.module.foundry_server.server import FoundryServer
from tests.module.screens import OpenScreen, Screen
from tests.module.table_service import Campaign, TableService

API = "game.modules.get('tallybones').api"
ONE_TOO_MANY_S = 0.4


@dataclass(frozen=True)
class Table:
    """What the people at a table do before they roll."""

    service: TableService
    foundry: FoundryServer
    open_screen: OpenScreen
    campaign: Campaign

    def gm(self, **screen: Any) -> Screen:
        """Open the GM's screen and connect it, as the connect window does."""
        opened = self.open_screen("Gamemaster", **screen)
        found = opened.run(f"{API}.connect('{self.campaign.connect_code}')")
        assert found["cause"] == "ok", found
        return online(opened)

    def player(self, name: str, **screen: Any) -> Screen:
        """Open a player's screen and wait until the GM's client has paired it."""
        return online(self.open_screen(name, **screen))

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The world's chat messages, as every client gets them."""
        return list(self.foundry.world.collections["messages"].values())

    def cards(self, number: int, seconds: float = 10) -> list[dict[str, Any]]:
        """Wait until there are so many messages, and a moment longer for one too many."""
        deadline = time.monotonic() + seconds
        while len(self.messages) < number and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(ONE_TOO_MANY_S)
        assert len(self.messages) == number, self.messages
        return self.messages


def online(screen: Screen, seconds: float = 15) -> Screen:
    """Wait until the screen's client follows the campaign."""
    screen.until(f"{API}.status().connection === 'online'", seconds=seconds)
    return screen


def roll(screen: Screen, action: str = "skill-check", wait: bool = True, **request: Any) -> Any:
    """Roll as a button does; without `wait` only the click is made."""
    asked = {"action": action, "params": {"stat": 3, "dv": 2}, **request}
    script = f"asked => {API}.roll(asked)" if wait else f"asked => void {API}.roll(asked)"
    return screen.run(script, asked)


@pytest.fixture
def lay_table(
    service: TableService, foundry: FoundryServer, open_screen: OpenScreen
) -> Callable[[str], Table]:
    """A function that makes a campaign of a rule set and installs the module from the service."""

    def lay(ruleset: str) -> Table:
        foundry.install(service.manifest_url)
        return Table(service, foundry, open_screen, service.campaign(ruleset))

    return lay


@pytest.fixture
def table(lay_table: Callable[[str], Table]) -> Table:
    """A table that plays When the Moon Hangs Low."""
    return lay_table("moon-hangs-low")
