"""A whole evening on the whole product, and then a search: for secrets in the logs and in the store, and for
one roll's id along its way.
"""

import http.server
import json
import re
import threading
import urllib.error
import urllib.parse
import urllib.request
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from redis import Redis

from tests.processes import any_port, eventually
from tests.running import up

pytestmark = pytest.mark.timeout(240)

SKILL_CHECK = {"action": "skill-check", "params": {"stat": 3, "dv": 1}}
PASSWORD = "a-receivers-own-secret"


@dataclass
class Evening:
    """What came of it: the secrets that there were by their kind, the logs, the store, one roll's id."""

    secrets: dict[str, list[str]] = field(default_factory=dict)
    logs: dict[str, list[str]] = field(default_factory=dict)
    stored: dict[str, bytes] = field(default_factory=dict)
    written: bytes = b""
    roll: str = ""
    session: str = ""
    request: str = ""
    statuses: list[int] = field(default_factory=list)

    @property
    def tokens(self) -> list[str]:
        return [token for kind in ("admin", "gm", "player", "cookie", "code") for token in self.secrets[kind]]

    def events(self, log: str) -> list[dict[str, Any]]:
        assert not [line for line in self.logs[log] if not line.startswith("{")], self.logs[log][-20:]
        return [json.loads(line) for line in self.logs[log]]


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Evening:
    data = tmp_path_factory.mktemp("evening")
    with receiver() as address, up(data, any_port(), **ALLOWED) as running:
        played = Evening()
        _play(running, address, played)
        url = (data / "valkey" / "url").read_text().strip()
        with Redis.from_url(url) as redis:
            kept = redis.hmget(f"tb:session:{played.session}", "seed", "hidden_seed")
            assert played.secrets["seed"] == [kept[0].decode()]
            played.secrets["seed"].append(kept[1].decode())
            played.stored = {key.decode(): _contents(redis, key) for key in redis.scan_iter(count=1000)}
    played.written = b"".join(file.read_bytes() for file in (data / "valkey").rglob("*.aof"))
    for log in ("web", "worker"):
        played.logs[log] = (data / "logs" / f"{log}.log").read_text().splitlines()
    return played


ALLOWED = {"TALLYBONES_WEBHOOK_HTTP": "1", "TALLYBONES_WEBHOOK_PRIVATE": "1", "LOG_LEVEL": "debug"}


@contextmanager
def receiver() -> Iterator[str]:
    """A receiver of webhooks that takes all; its address holds a secret."""

    class Takes(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(500 if "broken" in self.path else 204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Takes)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


def _play(running: Any, receiver: str, played: Evening) -> None:
    credentials = running.credentials
    campaign, gm = f"/v1/campaigns/{credentials['campaign']}", credentials["gm_key"]
    keys = iter(range(1000))

    def call(method: str, path: str, token: str, body: object = None, **headers: str) -> Any:
        sent = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(running.url + path, method=method, headers=sent)  # noqa: S310
        request.data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310
                played.statuses.append(answer.status)
                played.request = answer.headers["X-Request-ID"]
                told = answer.read()
                return json.loads(told) if answer.headers.get_content_type() == "application/json" else told
        except urllib.error.HTTPError as error:
            played.statuses.append(error.code)
            return json.loads(error.read())

    def roll(token: str, visibility: str = "public", **headers: str) -> Any:
        headers = {"Idempotency_Key": f"click-{next(keys)}", "Prefer": "wait=10", **headers}
        return call("POST", f"{campaign}/rolls", token, SKILL_CHECK | {"visibility": visibility}, **headers)

    admin = credentials["admin_token"]
    other = call("POST", "/v1/campaigns", admin, {"name": "Other", "ruleset": "heroes-2d6"})
    players = [
        call("POST", f"{campaign}/players", gm, {"user": user, "name": user})["token"]
        for user in ("anna", "bert", "cara")
    ]
    addresses = [f"{receiver}/take/{PASSWORD}", f"{receiver}/broken/{PASSWORD}?token={PASSWORD}"]
    hooks = [
        call("POST", f"{campaign}/webhooks", gm, {"kind": kind, "url": address, "hidden": True})
        for kind, address in zip(("standard", "discord"), addresses, strict=True)
    ]
    rotated = call("POST", f"{campaign}/webhooks/{hooks[0]['id']}/rotate", gm)
    for visibility in ("gm", "blind", "self", "public"):
        rolled = roll(players[0], visibility)
    played.roll, played.session, request = rolled["id"], rolled["session"], played.request

    # tokens where they do not belong, and mistakes
    call("GET", f"{campaign}/rolls?token={players[1]}&Authorization={gm}", players[1])
    call("GET", f"{campaign}/rolls/{gm}", gm)
    call("GET", f"/{admin}", admin)
    call("POST", f"{campaign}/rolls", gm, SKILL_CHECK)
    call("POST", f"{campaign}/players", gm, {"user": gm + "!", "name": players[0]})
    call("POST", f"{campaign}/rolls", players[0], {gm: players[0]}, Idempotency_Key=gm)
    roll(players[1], X_Request_ID=players[1] + "!")
    call("GET", f"{campaign}/rolls", "tbp_" + "0" * 43)
    call("DELETE", f"{campaign}/players/cara", gm)
    call("GET", f"{campaign}/rolls", players[2])
    call("GET", f"{campaign}/rolls", gm, Accept="text/csv")

    # the console
    sent = urllib.parse.urlencode({"key": gm}).encode()
    opener = urllib.request.build_opener(_Stays)
    answer = opener.open(running.url + "/console/sign-in", sent, timeout=20)
    cookie = re.search(r"tallybones=([^;]+)", answer.headers["Set-Cookie"])
    assert cookie is not None
    page = urllib.request.Request(running.url + "/console/players", headers={"Cookie": cookie[0]})  # noqa: S310
    form = re.search(r'name="form_token" value="([^"]+)"', urllib.request.urlopen(page).read().decode())  # noqa: S310
    assert form is not None

    report = call("POST", f"{campaign}/reports", gm, {})["id"]
    assert eventually(lambda: call("GET", f"{campaign}/reports/{report}", gm)["status"] == "done", 60)
    seeds = [call("POST", f"{campaign}/sessions/{rolled['session']}/end", gm)["seed"]]
    assert eventually(lambda: _delivered(call, campaign, hooks[0]["id"], gm), 30)

    played.secrets = {
        "admin": [admin],
        "gm": [gm, other["gm_key"]],
        "player": players,
        "code": [credentials["connect_code"]],
        "cookie": [cookie[1], form[1]],
        "webhook": [hooks[0]["secret"], rotated["secret"], PASSWORD],
        "seed": seeds,
    }
    played.request = request


def _delivered(call: Any, campaign: str, webhook: str, gm: str) -> bool:
    deliveries = call("GET", f"{campaign}/webhooks/{webhook}/deliveries", gm)["deliveries"]
    return len(deliveries) >= 4 and all(each["status"] == "delivered" for each in deliveries)


class _Stays(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the cookie stands on the answer itself."""

    def http_error_303(self, request: Any, answer: Any, *_: Any) -> Any:
        return answer


def _contents(redis: Redis, key: bytes) -> bytes:
    """All that a key holds, whatever its type."""
    kind = redis.type(key).decode()
    read = {
        "string": lambda: redis.get(key),
        "hash": lambda: redis.hgetall(key),
        "list": lambda: redis.lrange(key, 0, -1),
        "set": lambda: redis.smembers(key),
        "zset": lambda: redis.zrange(key, 0, -1),
        "stream": lambda: redis.xrange(key),
        "none": lambda: None,  # it has run out meanwhile
    }
    return repr(read[kind]()).encode()


def test_the_evening_had_everything(evening: Evening) -> None:
    """Else the searches below would find nothing for want of trying."""
    assert {200, 201, 400, 401, 404, 422} <= set(evening.statuses)
    assert all(evening.secrets.values()) and all(len(log) > 5 for log in evening.logs.values())


def test_every_line_of_a_log_is_an_event_in_json(evening: Evening) -> None:
    for log in ("web", "worker"):
        for event in evening.events(log):
            assert set(event) >= {"time", "level", "logger", "event"}
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", event["time"])


def test_a_roll_is_followed_from_the_click_to_its_delivery(evening: Evening) -> None:
    [accepted] = [event for event in evening.events("web") if event.get("roll") == evening.roll]
    assert accepted["event"] == "roll accepted" and accepted["request"] == evening.request
    assert (accepted["status"], accepted["user"]) == (200, "anna") and accepted["ms"] > 0
    worker = evening.events("worker")
    [resolved] = [event for event in worker if evening.roll in event.get("rolls", ())]
    assert resolved["event"] == "rolls resolved" and resolved["ms"] >= 0
    attempts = [event for event in worker if event.get("roll") == evening.roll]
    assert {event["event"] for event in attempts} == {"delivery attempted"}
    assert {event["outcome"] for event in attempts} == {"delivered", "pending"}


@pytest.mark.parametrize("kind", ["admin", "gm", "player", "code", "cookie", "webhook", "seed"])
def test_no_log_holds_a_secret(evening: Evening, kind: str) -> None:
    for log, lines in evening.logs.items():
        for secret in evening.secrets[kind]:
            held = [line for line in lines if secret in line]
            assert not held, f"{log}: {held[:1]}"


def test_no_token_is_kept_as_it_is(evening: Evening) -> None:
    """Neither in the store as it is at the end, nor in anything that was ever written to its file."""
    assert len(evening.stored) > 20 and len(evening.written) > 10_000
    for token in evening.tokens:
        assert not [key for key, held in evening.stored.items() if token in key or token.encode() in held]
        assert token.encode() not in evening.written


def test_webhook_secrets_are_kept_as_signing_needs_them_and_nowhere_else(evening: Evening) -> None:
    for secret in evening.secrets["webhook"]:
        held = {key for key, held in evening.stored.items() if secret.encode() in held}
        assert held and all(re.fullmatch(r"tb:webhook:\w{10}", key) for key in held)


def test_no_job_is_pickled(evening: Evening) -> None:
    """Whatever was ever queued: a pickle of a job would begin like this, packed or not."""
    jobs = re.findall(
        rb"\r\ndata\r\n\$\d+\r\n(x.{2,400}?)\r\n\$\d+\r\n(?:description|created_at|origin)",
        evening.written,
        re.S,
    )
    assert len(jobs) >= 5
    for job in jobs:
        call = json.loads(zlib.decompress(job))
        assert call[0].startswith("worker.") and all(isinstance(argument, str) for argument in call[2])
