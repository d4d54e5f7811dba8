"""The service as it runs: gunicorn with two gevent processes, and the real worker on a real Valkey."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
import requests
from redis import Redis

from tests.service.table import SKILL_CHECK, bearer, fresh_key

CHECKOUT = Path(__file__).resolve().parents[2]
ADMIN = "tba_only-for-this-test"

pytestmark = pytest.mark.timeout(120)


@dataclass
class Running:
    """A running service and the key of its one campaign's GM."""

    address: str
    web: subprocess.Popen[bytes]
    redis_url: str
    path: str = ""
    gm: str = ""

    def session(self) -> requests.Session:
        """A client with a connection of its own, which the system gives to either process."""
        client = requests.Session()
        client.headers.update(bearer(self.gm))
        return client

    def roll(self, **headers: str) -> requests.Response:
        sent = {"Idempotency-Key": fresh_key(), **headers}
        return self.session().post(
            f"{self.address}{self.path}/rolls", json=SKILL_CHECK, headers=sent, timeout=15
        )

    def stream(self, **headers: str) -> requests.Response:
        return self.session().get(
            f"{self.address}{self.path}/stream", headers=headers, stream=True, timeout=20
        )


@pytest.fixture
def running(redis_url: str, free_port: int, tmp_path: Path) -> Iterator[Running]:
    environ = {
        "PATH": os.environ["PATH"],
        "PORT": str(free_port),
        "REDIS_URL": redis_url,
        "WEB_CONCURRENCY": "2",
        "TALLYBONES_ADMIN_TOKEN": ADMIN,
        "TALLYBONES_DATA": str(tmp_path),
        "LOG_LEVEL": "warning",
    }
    run = f"from worker.worker import run; run({'rolls'!r})"
    gunicorn = (
        sys.executable,
        "-m",
        "gunicorn",
        "--config",
        "python:service.gunicorn_conf",
        "service.wsgi:app",
    )
    web = subprocess.Popen(gunicorn, cwd=CHECKOUT, env=environ)
    worker = subprocess.Popen((sys.executable, "-c", run), cwd=CHECKOUT, env=environ)
    service = Running(f"http://127.0.0.1:{free_port}", web, redis_url)
    try:
        wait_until(lambda: answers(service.address))
        made = requests.post(
            f"{service.address}/v1/campaigns",
            json={"name": "Friday", "ruleset": "moon-hangs-low"},
            headers=bearer(ADMIN),
            timeout=10,
        ).json()
        service.path, service.gm = f"/v1/campaigns/{made['id']}", made["gm_key"]
        yield service
    finally:
        for process in (web, worker):
            process.terminate()
        for process in (web, worker):
            process.wait(20)


def answers(address: str) -> bool:
    try:
        return requests.get(f"{address}/livez", timeout=1).status_code == 200
    except requests.RequestException:
        return False


def wait_until(condition, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def resolved_rolls(stream: requests.Response, into: list[str]) -> threading.Thread:
    def read() -> None:
        try:
            for line in stream.iter_lines(chunk_size=1):
                if line.startswith(b"data: "):
                    heard = json.loads(line[6:])
                    if heard.get("status") == "resolved":
                        into.append(heard["id"])
        except requests.RequestException:
            into.append("broken off")
            return
        into.append("ended")

    thread = threading.Thread(target=read)
    thread.start()
    return thread


def test_streams_in_both_processes_hear_every_roll(running):
    heard: list[list[str]] = []
    threads = []

    def listen() -> int:
        """Open a stream in whichever process takes it; return how many subscriptions there are then."""
        heard.append([])
        threads.append(resolved_rolls(running.stream(), heard[-1]))
        return len(redis.client_list(_type="pubsub"))

    with Redis.from_url(running.redis_url) as redis:
        wait_until(lambda: listen() >= 3, 60)  # the worker's, and one a web process
        rolls = [running.roll(Prefer="wait=9") for _ in range(12)]
        assert [roll.status_code for roll in rolls] == [200] * 12
        ids = [roll.json()["id"] for roll in rolls]
        wait_until(lambda: all(len(into) >= 12 for into in heard))
        assert heard == [ids] * len(heard)
        assert len(redis.client_list(_type="pubsub")) == 3

    # SIGTERM ends the streams at once, and cleanly.
    running.web.send_signal(signal.SIGTERM)
    for thread in threads:
        thread.join(10)
    assert all(into[-1] == "ended" for into in heard)
    assert running.web.wait(10) == 0  # gunicorn would kill what is left after 25 s


def test_rolls_are_answered_quickly_while_many_streams_are_open(running):
    streams = [running.stream() for _ in range(60)]
    assert {stream.status_code for stream in streams} == {200}
    assert running.roll(Prefer="wait=9").status_code == 200
    assert requests.get(f"{running.address}/livez", timeout=2).status_code == 200
    for stream in streams:
        stream.close()


@pytest.mark.parametrize("connection", ["close", "keep-alive"])
@pytest.mark.parametrize("token", ["right", "wrong"])
def test_a_body_that_is_too_large_gets_its_answer(running, connection, token):
    body = b'{"label": "' + b"x" * 1_000_000 + b'"}'
    for _ in range(3):
        answer = requests.post(
            f"{running.address}{running.path}/rolls",
            data=body,
            headers={
                **bearer(running.gm if token == "right" else "tbg_unknown"),
                "Content-Type": "application/json",
                "Idempotency-Key": fresh_key(),
                "Connection": connection,
            },
            timeout=10,
        )
        assert answer.status_code == (413 if token == "right" else 401)
        assert answer.headers["Content-Type"] == "application/problem+json"


def test_a_body_sent_in_chunks_is_measured_too(running):
    def chunks() -> Iterator[bytes]:
        for _ in range(100):
            yield b" " * 4096

    headers = {"Content-Type": "application/json", "Idempotency-Key": fresh_key()}
    answer = running.session().post(
        f"{running.address}{running.path}/rolls", data=chunks(), headers=headers, timeout=10
    )
    assert answer.status_code == 413
    small = running.session().post(
        f"{running.address}{running.path}/rolls",
        data=iter([json.dumps(SKILL_CHECK).encode()]),
        headers=headers,
        timeout=10,
    )
    assert small.status_code == 202


def test_a_client_that_goes_away_is_forgotten(running):
    host, port = running.address.removeprefix("http://").split(":")
    processes = psutil.Process(running.web.pid).children()
    request = f"GET {running.path}/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {running.gm}\r\n\r\n"

    def held(port: int) -> int:
        ends = [each.raddr for process in processes for each in process.net_connections("tcp")]
        return sum(bool(end) and end.port == port for end in ends)

    with socket.create_connection((host, int(port))) as client:
        client.sendall(request.encode())
        assert b"200 OK" in client.recv(4096)
        _, own_port = client.getsockname()
        assert held(own_port) == 1
    for _ in range(3):  # the first write to a closed connection may still succeed
        running.roll(Prefer="wait=5")
    wait_until(lambda: held(own_port) == 0)
