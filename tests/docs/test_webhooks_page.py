"""docs/webhooks.md holds: its examples fit the published schemas, and its receivers take real deliveries."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import jsonschema_rs
import pytest
import requests

from service.settings import Settings
from service.webhook_events import EVENTS
from tests.service.table import make_app
from tests.worker.webhooks.conftest import Post, post, receiver
from worker.webhooks import schedule

__all__ = ["post", "receiver"]

PAGE = (Path(__file__).parents[2] / "docs" / "webhooks.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def schemas(settings: Settings) -> dict[str, object]:
    client = make_app(settings).test_client()
    return {event: client.get(f"/docs/schemas/webhooks/{event}.json").json for event in EVENTS}


def test_there_is_an_example_of_each_event_and_it_fits_its_schema(schemas):
    examples = [json.loads(block) for block in blocks("json")]
    assert [example["type"] for example in examples] == list(EVENTS)
    for example in examples:
        jsonschema_rs.validate(schemas[example["type"]], example)
        with pytest.raises(jsonschema_rs.ValidationError):
            jsonschema_rs.validate(schemas[example["type"]], example | {"data": {}})


def test_what_is_really_sent_fits_the_schemas(post, receiver, schemas):
    there = receiver()
    webhook = post.webhook(there.url(), hidden=True)
    for request in ({}, {"visibility": "blind"}, {"against": "bert"}):
        roll = post.roll(**request)
    post.store.sessions.end(post.table.campaign, roll.partition("-")[0])
    post.store.webhooks.test(post.table.campaign, webhook.id)
    post.run()
    messages = [json.loads(received.body) for received in there.wait_for(6)]
    assert {message["type"] for message in messages} == set(EVENTS) - {"report.ready"}
    for message in messages:
        jsonschema_rs.validate(schemas[message["type"]], message)


@pytest.fixture(params=["python", "js"])
def listening(request, tmp_path: Path, free_port: int) -> Iterator[object]:
    """Start a receiver of the page with a secret; return it and its address."""
    language = request.param
    node = shutil.which("node")
    assert node or language == "python", "node is not installed"
    [source] = blocks(language)
    program = tmp_path / ("receiver.py" if language == "python" else "receiver.mjs")
    program.write_text(source)
    processes = []

    def start(secret: str) -> tuple[subprocess.Popen[str], str]:
        environment = os.environ | {"WEBHOOK_SECRET": secret, "PORT": str(free_port)}
        command = [sys.executable if language == "python" else node, str(program)]
        started = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        processes.append(started)
        deadline = time.monotonic() + 20
        while socket.socket().connect_ex(("127.0.0.1", free_port)):
            assert time.monotonic() < deadline and started.poll() is None
            time.sleep(0.05)
        return started, f"http://127.0.0.1:{free_port}/"

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def test_the_receivers_take_what_is_real_once_and_refuse_the_rest(post: Post, receiver, listening):
    copy = receiver()
    webhook = post.webhook(copy.url(), events=["roll.resolved"])
    process, address = listening(webhook.secret)
    post.run()
    roll = post.roll()
    [message] = copy.wait_for()
    post.store.webhooks.update(post.table.campaign, webhook.id, {"url": address})
    assert post.store.webhooks.redeliver(post.table.campaign, message.id)
    assert process.stdout.readline().split() == ["roll.resolved", roll]
    entry = post.attempted(webhook, 2)[0]
    assert [attempt["answer"]["status"] for attempt in entry.attempts] == [204, 204]

    changed = dict(message.headers) | {
        "webhook-signature": message.headers["webhook-signature"][:-4] + "AAA="
    }
    old = dict(message.headers) | {"webhook-timestamp": str(int(time.time()) - 301)}
    unsigned = {name: value for name, value in message.headers.items() if name != "webhook-signature"}
    for headers, body in (
        (message.headers, message.body + b" "),
        (changed, message.body),
        (old, message.body),
        (unsigned, message.body),
    ):
        given = {name: value for name, value in headers.items() if name.startswith("webhook-")}
        assert requests.post(address, data=body, headers=given, timeout=10).status_code == 400
    again = {name: value for name, value in message.headers.items() if name.startswith("webhook-")}
    assert requests.post(address, data=message.body, headers=again, timeout=10).status_code == 204
    post.store.webhooks.test(post.table.campaign, webhook.id)
    # Neither the repeat nor what was refused is printed: the next line is the test's.
    assert process.stdout.readline().split()[0] == "webhook.test"


def test_the_waits_of_the_page_are_those_of_the_schedule():
    minutes, hours = 60, 3600
    expected = (
        5,
        5 * minutes,
        30 * minutes,
        *(each * hours for each in (2, 5, 10, 14, 20, 24)),
    )
    assert expected == schedule.WAITS
    assert "5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h" in PAGE
