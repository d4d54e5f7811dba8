"""The stand-in's web server: its page and files, the installed modules, and the shared world."""

import json
import queue
import threading
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.module.foundry_server import packages
from tests.module.foundry_server.start import starting_world
from tests.module.foundry_server.world import Refused, World

STAND_IN = Path(__file__).parents[1] / "stand-in"
NODE_MODULES = Path(__file__).parents[3] / "foundry-module" / "node_modules"
LIBRARIES = {
    "handlebars.js": NODE_MODULES / "handlebars/dist/handlebars.js",
    "jquery.js": NODE_MODULES / "jquery/dist/jquery.js",
    "fontawesome": NODE_MODULES / "@fortawesome/fontawesome-free",
}
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".hbs": "text/html; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
    ".png": "image/png",
    ".woff2": "font/woff2",
}
FOUNDRY_HOST = "foundry.test"
HEARTBEAT_S = 0.5  # how soon a closed tab is noticed


class FoundryServer:
    """A world on a port of its own; `install` puts a module in, `address` is where browsers open it."""

    def __init__(self, modules: Path, generation: int, port: int = 0) -> None:
        self.modules, self.generation = modules, generation
        self.world = World(starting_world())
        self.sources: dict[str, Path] = {}
        server = self

        class Handler(FoundryHandler):
            foundry = server

        self.http = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.http.daemon_threads = True
        self.thread = threading.Thread(
            target=self.http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )
        self.thread.start()

    @property
    def netloc(self) -> str:
        """Where this machine itself reaches the server."""
        return f"127.0.0.1:{self.http.server_address[1]}"

    @property
    def origin(self) -> str:
        return f"http://{FOUNDRY_HOST}:{self.http.server_address[1]}"

    def address(self, user: str, **page: str) -> str:
        """Return the page for a user by name; `page` adds theme, lang, or dice3d="1"."""
        given = {"user": user, "version": str(self.generation), **page}
        return f"{self.origin}/game?" + "&".join(f"{key}={value}" for key, value in given.items())

    def install(self, manifest_url: str) -> dict[str, Any]:
        """Install and activate the module behind a manifest's address, as Foundry's setup screen does."""
        return self._activate(packages.install(manifest_url, self.modules, self.generation), None)

    def link(self, folder: Path) -> dict[str, Any]:
        """Activate a module straight from its folder, as developers do with a symbolic link."""
        return self._activate(packages.read_installed(folder, self.generation), folder)

    def _activate(self, manifest: dict[str, Any], folder: Path | None) -> dict[str, Any]:
        self.sources[manifest["id"]] = folder or self.modules / manifest["id"]
        self.world.modules[manifest["id"]] = manifest
        return manifest

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()


class FoundryHandler(BaseHTTPRequestHandler):
    """One request of a tab."""

    foundry: FoundryServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # small answers in two writes would wait for the browser's acknowledgement

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet: what matters is asserted."""

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        asked = {key: values[0] for key, values in parse_qs(address.query).items()}
        if address.path == "/events":
            self._stream(asked["tab"], asked["user"])
        else:
            self._file(unquote(address.path))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/leave":
            self.foundry.world.leave(body.decode())
            self._json(HTTPStatus.OK, {})
            return
        try:
            self._json(HTTPStatus.OK, self.foundry.world.change(json.loads(body)))
        except Refused as refused:
            self._json(HTTPStatus.FORBIDDEN, {"error": refused.reason})

    def _json(self, status: HTTPStatus, content: Mapping[str, Any]) -> None:
        self._send(status, "application/json", json.dumps(content).encode())

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-cache")
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, tab: str, user: str) -> None:
        try:
            joined = self.foundry.world.join(tab, user)
        except Refused as refused:
            self._json(HTTPStatus.FORBIDDEN, {"error": refused.reason})
            return
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            while tab in self.foundry.world.tabs:
                try:
                    self.wfile.write(f"data: {joined.inbox.get(timeout=HEARTBEAT_S)}\n\n".encode())
                except queue.Empty:
                    self.wfile.write(b":\n\n")
                self.wfile.flush()
        except OSError:
            pass  # The tab was closed.
        finally:
            self.foundry.world.leave(tab)

    def _file(self, path: str) -> None:
        found = self._find(path)
        if found is None or not found.is_file():
            self._send(HTTPStatus.NOT_FOUND, "text/plain", b"not found")
            return
        self._send(HTTPStatus.OK, TYPES.get(found.suffix, "application/octet-stream"), found.read_bytes())

    def _find(self, path: str) -> Path | None:
        first, *rest = [part for part in path.split("/") if part not in ("", "..")] or ["game"]
        if first == "game":
            return STAND_IN / "game.html"
        if first == "modules" and rest and rest[0] in self.foundry.sources:
            return self.foundry.sources[rest[0]].joinpath(*rest[1:])
        if first == "libraries" and rest and rest[0] in LIBRARIES:
            return LIBRARIES[rest[0]].joinpath(*rest[1:])
        if first in {"stand-in", "templates"}:
            return (STAND_IN if first == "stand-in" else STAND_IN / "templates").joinpath(*rest)
        if first == "icons":
            return STAND_IN / "icon.svg"
        return None
