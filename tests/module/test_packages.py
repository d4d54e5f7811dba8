"""Modules are installed from their manifest's address as Foundry installs them."""

import functools
import json
import threading
import zipfile
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.module.conftest import FIXTURES
from tests.module.foundry_server.packages import NotInstallable
from tests.module.foundry_server.server import FoundryServer
from tests.module.screens import OpenScreen

MANIFEST = json.loads((FIXTURES / "probe/module.json").read_text("utf-8"))


class QuietFiles(SimpleHTTPRequestHandler):
    """A folder's files over HTTP."""

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""


class Shelf:
    """A web address where a manifest and its zip are offered."""

    def __init__(self, folder: Path, address: str) -> None:
        self.folder, self.address = folder, address

    def offer(self, root: str = "", without: str = "", **changed: Any) -> str:
        """Offer the probe module, with its files below `root` in the zip; return the manifest's address."""
        manifest = {**MANIFEST, "download": f"{self.address}/probe.zip", **changed}
        (self.folder / "module.json").write_text(json.dumps(manifest), "utf-8")
        with zipfile.ZipFile(self.folder / "probe.zip", "w") as zipped:
            for path in (FIXTURES / "probe").rglob("*"):
                name = str(path.relative_to(FIXTURES / "probe"))
                if path.is_file() and name != without:
                    zipped.write(path, root + name)
        return f"{self.address}/module.json"


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    folder = tmp_path / "shelf"
    folder.mkdir()
    handler = functools.partial(QuietFiles, directory=folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield Shelf(folder, f"http://127.0.0.1:{server.server_address[1]}")
        server.shutdown()


@pytest.mark.parametrize("root", ["", "probe/"])
def test_an_installed_module_runs(
    root: str, shelf: Shelf, foundry: FoundryServer, open_screen: OpenScreen
) -> None:
    foundry.install(shelf.offer(root))
    gm = open_screen("Gamemaster")
    assert gm.run("game.modules.get('probe').version") == "1.0.0"
    assert gm.find("#scene-controls [data-tool=probe]").get_attribute("aria-label") == "Open the probe"


def test_a_module_for_another_version_is_refused(shelf: Shelf, foundry: FoundryServer) -> None:
    with pytest.raises(NotInstallable, match="it is for Foundry 15"):
        foundry.install(shelf.offer(compatibility={"minimum": "15"}))


def test_a_zip_of_another_version_is_refused(shelf: Shelf, foundry: FoundryServer) -> None:
    with pytest.raises(NotInstallable, match=r"offered version 2\.0\.0, the zip holds 1\.0\.0"):
        foundry.install(shelf.offer(version="2.0.0"))


def test_a_file_that_the_manifest_names_must_be_there(shelf: Shelf, foundry: FoundryServer) -> None:
    with pytest.raises(NotInstallable, match=r"lang/de\.json is named in languages and not in the zip"):
        foundry.install(shelf.offer(without="lang/de.json"))
