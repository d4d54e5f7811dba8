"""A game table to test at: the service on a real Valkey, its people, and a stand-in for the worker."""

import json
import logging
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import Any

import requests
from flask import Flask
from redis import Redis
from rq.utils import utcformat
from werkzeug.serving import make_server
from werkzeug.test import TestResponse

from service import create_app
from service.services import Services
from service.settings import Settings
from service.workers import QUEUES
from worker.resolve import resolve_in

SKILL_CHECK = {"action": "skill-check", "params": {"stat": 3, "dv": 1}}
QUEUE = "rq:queue:rolls"

_keys = count(1)


def bearer(token: str | None) -> dict[str, str]:
    """The header that a token goes in."""
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def fresh_key() -> str:
    """An Idempotency-Key that was not used before."""
    return f"click-{next(_keys)}"


@dataclass
class Table:
    """A campaign and its people, seen through the test client."""

    app: Flask
    admin: str
    id: str
    gm: str
    ruleset: str
    tokens: dict[str, str] = field(default_factory=dict)

    @property
    def path(self) -> str:
        return f"/v1/campaigns/{self.id}"

    @property
    def services(self) -> Services:
        found: Services = self.app.extensions["tallybones"]
        return found

    def call(
        self, method: str, path: str, token: str | None, body: object = None, **headers: str
    ) -> TestResponse:
        """Make a call; underscores in the names of headers become dashes."""
        sent = bearer(token) | {name.replace("_", "-"): value for name, value in headers.items()}
        more: dict[str, Any] = {} if body is None else {"json": body}
        return self.app.test_client().open(path, method=method, headers=sent, **more)

    def get(self, path: str, token: str | None = None, **headers: str) -> TestResponse:
        """GET a path of the campaign, as the GM unless a token is given."""
        return self.call("GET", self.path + path, token or self.gm, **headers)

    def post(self, path: str, body: object, token: str | None = None, **headers: str) -> TestResponse:
        """POST to a path of the campaign, as the GM unless a token is given."""
        return self.call("POST", self.path + path, token or self.gm, body, **headers)

    def player(self, user: str, name: str | None = None) -> str:
        """Seat a player; return the token."""
        answer = self.post("/players", {"user": user, "name": name or user.capitalize()})
        assert answer.status_code == 201, answer.text
        self.tokens[user] = answer.json["token"]
        return self.tokens[user]

    def webhook(self) -> str:
        """The campaign's first webhook, made where there is none; return its id."""
        found = self.get("/webhooks").json["webhooks"]
        made = found or [self.post("/webhooks", {"kind": "standard", "url": "https://example.org/hook"}).json]
        webhook: str = made[0]["id"]
        return webhook

    def roll(
        self,
        token: str | None = None,
        body: Mapping[str, Any] = SKILL_CHECK,
        key: str | None = None,
        **headers: str,
    ) -> TestResponse:
        """Click a roll button."""
        return self.post("/rolls", dict(body), token, Idempotency_Key=key or fresh_key(), **headers)

    def rolled(
        self, token: str | None = None, body: Mapping[str, Any] = SKILL_CHECK, **more: Any
    ) -> dict[str, Any]:
        """Click, let the worker do its work, and return the roll as that caller then sees it."""
        answer = self.roll(token, {**body, **more})
        assert answer.status_code == 202, answer.text
        self.work()
        shown: dict[str, Any] = self.get(f"/rolls/{answer.json['id']}", token).json
        return shown

    def answer(
        self, roll: str, token: str, params: Mapping[str, Any], key: str | None = None
    ) -> TestResponse:
        """Answer a challenge."""
        return self.post(
            f"/rolls/{roll}/answer", {"params": params}, token, Idempotency_Key=key or fresh_key()
        )

    def work(self) -> int:
        """Resolve all that is queued, as the worker would; return how many jobs there were."""
        done = 0
        while popped := self.services.redis.rpop(QUEUE):
            resolve_in(self.services.store, popped.decode())
            done += 1
        return done

    @contextmanager
    def working(self) -> Iterator[None]:
        """Work in the background, for requests that wait."""
        stop = threading.Event()
        services = self.services

        def work() -> None:
            with Redis.from_url(services.settings.redis_url or "") as redis:
                while not stop.is_set():
                    if popped := redis.brpop([QUEUE], timeout=0.1):
                        resolve_in(services.store, popped[1].decode())

        thread = threading.Thread(target=work)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()


def queued(redis: Redis) -> int:
    """Count the jobs of rolls that wait for a worker."""
    return int(redis.llen(QUEUE))


def staff(redis: Redis, heard: datetime | None = None, queues: Iterable[str] = QUEUES) -> None:
    """Let it look as if a worker were alive on each queue."""
    for queue in queues:
        redis.sadd(f"rq:workers:{queue}", f"rq:worker:{queue}1")
        redis.hset(f"rq:worker:{queue}1", "last_heartbeat", utcformat(heard or datetime.now(UTC)))


def set_table(app: Flask, settings: Settings, ruleset: str = "moon-hangs-low", **more: Any) -> Table:
    """Make a campaign."""
    body = {"name": "Friday", "ruleset": ruleset, **more}
    answer = app.test_client().post("/v1/campaigns", json=body, headers=bearer(settings.admin_token))
    assert answer.status_code == 201, answer.text
    return Table(app, settings.admin_token, answer.json["id"], answer.json["gm_key"], ruleset)


def make_app(settings: Settings) -> Flask:
    """Make the app of the service."""
    return create_app(settings)


@contextmanager
def serving(app: Flask) -> Iterator[str]:
    """Serve the app on a port of its own, a thread a request; yield its address."""
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        app.extensions["tallybones"].hub.stop()
        server.shutdown()
        thread.join()


@dataclass(frozen=True)
class Event:
    """An event as a client of the stream reads it."""

    id: str
    event: str
    data: dict[str, Any]


class Listener:
    """Somebody who follows the stream, in a thread of its own."""

    def __init__(self, address: str, table: Table, token: str | None = None, last: str | None = None) -> None:
        headers = bearer(token or table.gm) | ({"Last-Event-ID": last} if last else {})
        self._answer = requests.get(f"{address}{table.path}/stream", headers=headers, stream=True, timeout=20)
        self.status, self.headers = self._answer.status_code, self._answer.headers
        self.events: list[Event] = []
        self.comments = 0
        self._lock = threading.Condition()
        self.ended = False
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        fields: dict[str, str] = {}
        try:
            for line in self._answer.iter_lines(chunk_size=1, decode_unicode=True):
                with self._lock:
                    if line.startswith(":"):
                        self.comments += 1
                    elif line:
                        name, _, value = line.partition(": ")
                        fields[name] = value
                    elif "data" in fields:
                        self.events.append(
                            Event(fields.get("id", ""), fields["event"], json.loads(fields["data"]))
                        )
                        fields = {}
                    self._lock.notify_all()
        except (requests.RequestException, AttributeError):
            pass
        with self._lock:
            self.ended = True
            self._lock.notify_all()

    def wait(self, until: Any, seconds: float = 5) -> bool:
        """Wait until `until(self)` holds."""
        with self._lock:
            return bool(self._lock.wait_for(lambda: until(self), seconds))

    def rolls(self, number: int = 1, seconds: float = 5) -> list[dict[str, Any]]:
        """Wait for so many resolved rolls, and return all that came."""

        def resolved(listener: "Listener") -> list[dict[str, Any]]:
            return [e.data for e in listener.events if e.event == "roll" and e.data["status"] == "resolved"]

        self.wait(lambda listener: len(resolved(listener)) >= number, seconds)
        return resolved(self)
