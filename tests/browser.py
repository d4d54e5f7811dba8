"""The one Chromium of a test run: Playwright takes one event loop a process, so everybody shares it."""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.module.foundry_server.server import NODE_MODULES
from tests.module.screens import CHROMIUM_FLAGS

NO_CHROMIUM = "no Chromium here: install it (Debian: apt-get install chromium) or set CHROMIUM to its path"
NO_LIBRARIES = "the tools of foundry-module are not installed: run npm ci in foundry-module/"
NAMES = ("chromium", "chromium-browser", "google-chrome")


def chromium_path() -> str | None:
    """Return where Chromium is, or None."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for the whole run, the system's own; nothing is downloaded."""
    path = chromium_path()
    if path is None:
        pytest.fail(NO_CHROMIUM, pytrace=False)
    if not (NODE_MODULES / "handlebars").is_dir():
        pytest.fail(NO_LIBRARIES, pytrace=False)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        yield launched
        launched.close()
