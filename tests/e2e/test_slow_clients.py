"""Clients that never come to an end, before gunicorn as it runs: they hold nobody up, and are cut off."""

import contextlib
import os
import select
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests

from tests.processes import eventually
from tests.service.table import SKILL_CHECK, bearer, fresh_key

CHECKOUT = Path(__file__).resolve().parents[2]
ADMIN = "tba_only-for-this-test"
BODY_SECONDS = 4.0
RUN = f"""
from service import slow_bodies
slow_bodies.SECONDS = {BODY_SECONDS}
from gunicorn.app.wsgiapp import run
run()
"""

pytestmark = pytest.mark.timeout(180)


@dataclass
class Web:
    """One web process, and a campaign on it."""

    port: int
    path: str = ""
    gm: str = ""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def connect(self, sent: bytes) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        connection.sendall(sent)
        return connection

    def click(self) -> float:
        """Click, on a connection of its own; return the seconds until it is accepted."""
        began = time.monotonic()
        headers = bearer(self.gm) | {"Idempotency-Key": fresh_key()}
        answer = requests.post(
            f"{self.address}{self.path}/rolls", json=SKILL_CHECK, headers=headers, timeout=20
        )
        assert answer.status_code == 202
        return time.monotonic() - began


@pytest.fixture
def web(redis_url: str, free_port: int, tmp_path: Path) -> Iterator[Web]:
    environ = {
        "PATH": os.environ["PATH"],
        "PORT": str(free_port),
        "REDIS_URL": redis_url,
        "WEB_CONCURRENCY": "1",
        "TALLYBONES_ADMIN_TOKEN": ADMIN,
        "TALLYBONES_DATA": str(tmp_path),
        "LOG_LEVEL": "warning",
    }
    gunicorn = (sys.executable, "-c", RUN, "--config", "python:service.gunicorn_conf", "service.wsgi:app")
    process = subprocess.Popen(gunicorn, cwd=CHECKOUT, env=environ)
    running = Web(free_port)
    try:
        assert eventually(lambda: _answers(running), 60)
        body = {"name": "Friday", "ruleset": "moon-hangs-low"}
        made = requests.post(
            f"{running.address}/v1/campaigns", json=body, headers=bearer(ADMIN), timeout=20
        ).json()
        running.path, running.gm = f"/v1/campaigns/{made['id']}", made["gm_key"]
        yield running
    finally:
        process.terminate()
        process.wait(30)


def _answers(web: Web) -> bool:
    with contextlib.suppress(requests.RequestException):
        return requests.get(f"{web.address}/livez", timeout=2).status_code == 200
    return False


def cut_off(connections: list[socket.socket], seconds: float) -> int:
    """Count the connections that the service has ended within so many seconds."""
    deadline, ended = time.monotonic() + seconds, 0
    left = set(connections)
    while left and time.monotonic() < deadline:
        readable, _, _ = select.select(list(left), [], [], 0.5)
        for connection in readable:
            with contextlib.suppress(OSError):
                if connection.recv(65536):
                    continue
            left.discard(connection)
            ended += 1
    return ended


def close(connections: list[socket.socket]) -> None:
    for connection in connections:
        connection.close()


def unfinished_body(web: Web, chunked: bool = False) -> bytes:
    length = b"Transfer-Encoding: chunked" if chunked else b"Content-Length: 1000"
    start = b'5\r\n{"act' if chunked else b'{"act'
    head = f"POST {web.path}/rolls HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    return (
        f"{head}Authorization: Bearer {web.gm}\r\nIdempotency-Key: k\r\n".encode()
        + length
        + b"\r\n\r\n"
        + start
    )


def test_300_slow_clients_hold_up_nobody_and_are_cut_off(web: Web) -> None:
    alone = statistics.median(web.click() for _ in range(15))
    headers = [web.connect(b"GET /livez HTTP/1.1\r\nHost: x\r\nX-Slow: ") for _ in range(100)]
    bodies = [web.connect(unfinished_body(web)) for _ in range(100)]
    chunks = [web.connect(unfinished_body(web, chunked=True)) for _ in range(100)]
    beside = statistics.median(web.click() for _ in range(15))
    try:
        assert beside < 5 * alone + 0.1, (alone, beside)
        assert cut_off(headers, 15) == 100
        assert cut_off([*bodies, *chunks], BODY_SECONDS + 15) == 200
        assert web.click() < 10
    finally:
        close([*headers, *bodies, *chunks])


def test_a_body_that_comes_byte_by_byte_is_cut_off_too(web: Web) -> None:
    connection = web.connect(unfinished_body(web))
    began, answer = time.monotonic(), b""
    while time.monotonic() - began < BODY_SECONDS + 15 and not answer:
        with contextlib.suppress(OSError):
            connection.sendall(b" ")
        if select.select([connection], [], [], 0.5)[0]:
            answer = connection.recv(65536)
    assert answer.startswith(b"HTTP/1.1 408 ") and b"application/problem+json" in answer
    assert time.monotonic() - began >= BODY_SECONDS - 0.5
    close([connection])


def test_headers_and_bodies_without_end_are_refused(web: Web) -> None:
    many = web.connect(b"GET /livez HTTP/1.1\r\nHost: x\r\n" + b"X-A: b\r\n" * 500 + b"\r\n")
    long = web.connect(b"GET /livez HTTP/1.1\r\nHost: x\r\nX-A: " + b"a" * 100_000 + b"\r\n\r\n")
    path = web.connect(b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n")
    for connection in (many, long, path):
        status = connection.recv(65536).split(b" ")[1]
        assert status in (b"400", b"414", b"431"), status
    close([many, long, path])
    assert web.click() < 10


def test_streams_that_nobody_reads_hold_up_nobody(web: Web) -> None:
    asked = f"GET {web.path}/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {web.gm}\r\n\r\n".encode()
    streams = [web.connect(asked) for _ in range(60)]
    for stream in streams:
        assert b" 200 " in stream.recv(200)
    clicks = [web.click() for _ in range(30)]
    close(streams)
    assert statistics.median(clicks) < 2
