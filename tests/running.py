"""`tallybones up` as a person runs it: a real process, a real folder, real signals."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from service.settings import CHECKOUT
from tests.processes import alive, eventually, family, left_running


def environ(**more: str) -> dict[str, str]:
    """The environment of a plain terminal: nothing of Tallybones in it."""
    return {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "LANG": "C.UTF-8", **more}


def tallybones(*arguments: str, **more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        (sys.executable, "-m", "service.cli", *arguments),
        cwd=CHECKOUT,
        env=environ(**more),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@dataclass
class Up:
    """A running `tallybones up`: what it printed until it was ready."""

    process: subprocess.Popen[str]
    url: str
    lines: list[str]
    data: Path
    family: list[psutil.Process] = field(default_factory=list)

    @property
    def credentials(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads((self.data / "credentials.json").read_text())
        return read

    def call(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        """Call the API as the GM."""
        request = urllib.request.Request(self.url + path, method=method)  # noqa: S310
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        request.add_header("Authorization", f"Bearer {self.credentials['gm_key']}")
        for name, value in headers.items():
            request.add_header(name.replace("_", "-"), value)
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310
            return json.load(answer)

    def roll(self, key: str) -> Any:
        return self.call(
            "POST",
            f"/v1/campaigns/{self.credentials['campaign']}/rolls",
            {"action": "skill-check", "params": {"stat": 3, "dv": 1}},
            Idempotency_Key=key,
            Prefer="wait=10",
        )

    def resolves(self, key: str) -> bool:
        with contextlib.suppress(OSError):
            return bool(self.roll(key)["status"] == "resolved")
        return False

    def history(self) -> list[str]:
        answer = self.call("GET", f"/v1/campaigns/{self.credentials['campaign']}/rolls")
        return [roll["id"] for roll in answer["rolls"]]

    def end(self, number: signal.Signals = signal.SIGINT) -> int:
        self.family = family(self.process.pid)
        self.process.send_signal(number)
        return self.process.wait(40)

    def kill(self, word: str) -> None:
        """Kill, as soon as it is there, the process that has this in its command line."""

        def killed() -> bool:
            for one in family(self.process.pid):
                with contextlib.suppress(psutil.NoSuchProcess):
                    if alive(one) and word in " ".join(one.cmdline()):
                        one.kill()
                        return True
            return False

        assert eventually(killed), f"no process {word!r} to kill"

    def left_behind(self) -> list[str]:
        return left_running(self.family)


@contextmanager
def up(data: Path, port: int, *arguments: str, **more: str) -> Iterator[Up]:
    process = tallybones("up", "--port", str(port), "--data", str(data), *arguments, **more)
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line.rstrip("\n"))
        if line.startswith("ready "):
            break
    running = Up(process, lines[-1].removeprefix("ready "), lines, data)
    try:
        assert process.poll() is None, "\n".join(lines)
        yield running
    finally:
        if process.poll() is None:
            running.end(signal.SIGTERM)
        process.stdout.close()
