"""The real service for browser tests: web process, workers and Valkey, as `tallybones up` starts them."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service import connect_code
from service.settings import CHECKOUT
from tests.module.wire import Wire


@dataclass(frozen=True)
class Campaign:
    """One table's campaign on the service, and what its GM pastes into Foundry."""

    service: "TableService"
    id: str
    ruleset: str
    gm_key: str

    @property
    def connect_code(self) -> str:
        return connect_code.encode(connect_code.ConnectCode(self.service.address, self.id, self.gm_key))

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Call this campaign's part of the API as its GM: `call("GET", "rolls")`."""
        return self.service.call(method, f"/v1/campaigns/{self.id}/{path}", self.gm_key, body, **headers)

    @property
    def rolls(self) -> list[dict[str, Any]]:
        """The history as the GM sees it, newest first."""
        listed: list[dict[str, Any]] = self.call("GET", "rolls")["rolls"]
        return listed


class TableService:
    """A running service that Foundry's pages may call; browsers reach it over `wire`."""

    def __init__(self, data: Path, port: int, foundry_origin: str) -> None:
        self.data, self.port, self.foundry_origin = data, port, foundry_origin
        self.process: subprocess.Popen[str] | None = None
        self.start()
        self.wire = Wire(port)
        self.admin_token = json.loads((data / "credentials.json").read_text("utf-8"))["admin_token"]

    @property
    def address(self) -> str:
        """The service's address as a table types it."""
        return f"http://tallybones.test:{self.wire.port}"

    @property
    def manifest_url(self) -> str:
        return f"{self.address}/foundry/module.json"

    def start(self) -> None:
        """Start all processes and wait until rolls are answered."""
        environ = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": os.environ.get("HOME", "/"),
            "LANG": "C.UTF-8",
            "TALLYBONES_ORIGINS": self.foundry_origin,
            "TALLYBONES_RATE_LIMITS": "0",  # a test clicks faster than people do
        }
        command = (
            sys.executable,
            "-m",
            "service.cli",
            "up",
            "--port",
            str(self.port),
            "--data",
            str(self.data),
        )
        self.process = subprocess.Popen(
            command, cwd=CHECKOUT, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        said = []
        for line in self.process.stdout or ():
            said.append(line)
            if line.startswith("ready "):
                return
        raise RuntimeError("the service did not start:\n" + "".join(said))

    def stop(self) -> None:
        """End all processes; what they stored stays."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(40)

    def close(self) -> None:
        self.wire.cut()
        self.stop()

    def call(self, method: str, path: str, token: str, body: Any = None, **headers: str) -> Any:
        """Call the API; header names with `_` for `-`."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", method=method)
        request.add_header("Authorization", f"Bearer {token}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        for name, value in headers.items():
            request.add_header(name.replace("_", "-"), value)
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310
            return json.loads(answer.read() or "null")

    def campaign(self, ruleset: str = "moon-hangs-low", name: str = "The Bridge") -> Campaign:
        """Make a campaign; each test has its own."""
        made = self.call("POST", "/v1/campaigns", self.admin_token, {"name": name, "ruleset": ruleset})
        return Campaign(self, made["id"], ruleset, made["gm_key"])
