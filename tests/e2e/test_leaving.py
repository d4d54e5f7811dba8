"""SIGTERM as a PaaS sends it: streams end and come back, no request is cut, the job at hand finishes."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.e2e.test_outages import Evening
from tests.load.crowd import Follower
from tests.load.household import PATIENCE, Household, eventually, household
from tests.service.table import SKILL_CHECK, bearer, fresh_key
from tests.worker.webhooks.receiver import Receiver, after, answers

pytestmark = pytest.mark.timeout(300)

SOON = 60


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Household]:
    with household(Household(tmp_path_factory.mktemp("leaving"))) as made:
        yield made


@pytest.fixture
def evening(running: Household) -> Iterator[Evening]:
    made = Evening(running)
    yield made
    made.stream.close()
    for member in running.members.values():
        if not member.runs:
            member.start()
    running.wait_until_ready()


def sent_half(evening: Evening, port: int) -> tuple[socket.socket, bytes]:
    """Begin to send a roll; return the connection, and what is still to be sent."""
    body = json.dumps(SKILL_CHECK).encode()
    head = "\r\n".join(
        (
            f"POST {evening.seat.path}/rolls HTTP/1.1",
            "Host: x",
            f"Authorization: Bearer {evening.seat.token}",
            "Content-Type: application/json",
            f"Idempotency-Key: {fresh_key()}",
            f"Content-Length: {len(body)}",
            "\r\n",
        )
    ).encode()
    connection = socket.create_connection(("127.0.0.1", port), 30)
    connection.sendall(head + body[:5])
    return connection, body[5:]


def read_to_the_end(connection: socket.socket) -> bytes:
    received = b""
    while more := connection.recv(65536):
        received += more
    return received


def test_a_web_process_ends_its_streams_and_cuts_no_request(evening: Evening, running: Household) -> None:
    first, second = running.addresses
    streams = [Follower(evening.seat, order, random.Random(7)) for order in ([first], [second])]
    assert all(stream.connected.wait(30) for stream in streams)
    streams[0].addresses = [second]  # where its router sends it, once this one leaves
    before = evening.click(Prefer="wait=10")
    assert before.status_code == 200
    waiting: list[requests.Response] = []
    with running.redis() as redis:
        redis.set("rq:suspended", 1)  # so that rolls wait
        time.sleep(2)
        connection, rest = sent_half(evening, running.web_ports[0])
        threads = [threading.Thread(target=lambda: waiting.append(click_and_wait(evening))) for _ in range(5)]
        for thread in threads:
            thread.start()
        eventually(lambda: redis.zcard("tb:pending") >= 5, SOON)
        leaving: list[float] = []
        end = threading.Thread(target=lambda: leaving.append(running.members["web 1"].end(signal.SIGTERM)))
        end.start()
        time.sleep(2)
        connection.sendall(rest)
        answer = read_to_the_end(connection)
        for thread in threads:
            thread.join()
        end.join()
        redis.delete("rq:suspended")
    assert leaving and leaving[0] < PATIENCE
    assert answer.startswith(b"HTTP/1.1 202")
    assert [each.status_code for each in waiting] == [202] * 5
    rolls = {each.json()["id"] for each in waiting} | {json.loads(answer.partition(b"\r\n\r\n")[2])["id"]}
    for stream in streams:
        eventually(lambda stream=stream: stream.cards.keys() >= rolls, SOON)
        assert set(stream.cards.values()) == {1}
        stream.close()
    assert streams[0].ends["ended"] == 1 and streams[0].ends.total() == 1
    assert streams[1].ends.total() == 0


def click_and_wait(evening: Evening) -> requests.Response:
    """Click on the first web process, on a connection of its own."""
    return requests.post(
        f"{evening.address}{evening.seat.path}/rolls",
        json=SKILL_CHECK,
        headers=bearer(evening.seat.token) | {"Idempotency-Key": fresh_key(), "Prefer": "wait=10"},
        timeout=60,
    )


def test_the_rolls_worker_finishes_its_turn(evening: Evening, running: Household) -> None:
    worker = running.members["rolls"]
    for _ in range(3):
        rolls = {evening.click().json()["id"] for _ in range(40)}
        assert worker.end(signal.SIGTERM) < PATIENCE
        with running.redis() as redis:
            assert redis.zcard("rq:wip:rolls") == 0
            assert redis.llen("rq:queue:rolls:intermediate") == 0
            assert redis.llen("rq:queue:rolls") == redis.zcard("tb:pending")
        worker.start()
        eventually(lambda rolls=rolls: evening.stream.cards.keys() >= rolls, SOON)
    assert set(evening.stream.cards.values()) == {1}


def test_the_deliveries_worker_finishes_the_message_at_hand(evening: Evening, running: Household) -> None:
    receiver = Receiver(after(4, answers(204)))
    made = evening.client.post(
        f"{evening.address}{evening.seat.path}/webhooks",
        json={"kind": "standard", "url": receiver.url(), "events": ["roll.resolved"]},
        timeout=30,
    )
    assert made.status_code == 201
    rolls = [evening.click().json()["id"] for _ in range(3)]
    receiver.wait_for(1, SOON)
    worker = running.members["deliveries"]
    assert worker.end(signal.SIGTERM) < PATIENCE
    came = len(receiver.received)
    assert 1 <= came < 3
    worker.start()
    receiver.wait_for(3, SOON)
    time.sleep(5)
    assert Counter(Counter(receiver.ids()).values()) == {1: 3}
    told = {json.loads(received.body)["data"]["id"] for received in receiver.received}
    assert told == set(rolls)
    receiver.close()


STARTING = """
from pathlib import Path
from time import sleep

from service.gunicorn_conf import *

def post_fork(server, worker):
    Path({begun!r}).touch()
    sleep(2)
"""


def test_a_web_process_that_is_stopped_as_it_starts_leaves_at_once(
    tmp_path: Path, redis_url: str, free_port: int
) -> None:
    begun, config = tmp_path / "begun", tmp_path / "starting.py"
    config.write_text(STARTING.format(begun=str(begun)))
    settings = {"REDIS_URL": redis_url, "PORT": str(free_port), "TALLYBONES_ADMIN_TOKEN": "tba_" + "a" * 40}
    command = [sys.executable, "-m", "gunicorn", "--config", str(config), "service.wsgi:app"]
    with subprocess.Popen(command, env=os.environ | settings) as web:
        try:
            eventually(begun.exists, SOON)
            sent = time.monotonic()
            web.send_signal(signal.SIGTERM)
            assert web.wait(SOON) == 0
            assert time.monotonic() - sent < 20  # 25 are for requests, and there are none
        finally:
            web.kill()


def test_all_workers_of_a_dyno_leave_in_time(tmp_path: Path, redis_url: str) -> None:
    made = Household(tmp_path, ("all",), 0, REDIS_URL=redis_url)
    dyno = made.members["all"]
    dyno.start()
    log = tmp_path / "all.log"
    try:
        time.sleep(8)
        assert dyno.runs, log.read_text()
        assert dyno.end(signal.SIGTERM) < PATIENCE
        assert "Traceback" not in log.read_text()
    finally:
        dyno.end(signal.SIGKILL)
