"""Whatever Valkey suffers: a clear 503, and when it is over all goes on by itself with nothing missing."""

import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
from redis import Redis
from redis.exceptions import RedisError

from service.embedded import CONFIG
from tests.e2e.proxy import Proxy
from tests.load.crowd import Follower, Seat
from tests.load.household import ADMIN_TOKEN, PASSWORD, Household, eventually, household
from tests.running import Up, up
from tests.service.table import SKILL_CHECK, bearer, fresh_key

pytestmark = pytest.mark.timeout(300)

RECOVERY = 60
"""Seconds given to a recovery: far more than it takes, as the machine may be busy."""


class Evening:
    """A table at a service, that remembers what was accepted, and a stream that stays open."""

    def __init__(self, running: Household, proxy: Proxy | None = None) -> None:
        self.running, self.proxy = running, proxy
        self.address = running.addresses[0]
        self.client = requests.Session()
        made = self.client.post(
            f"{self.address}/v1/campaigns",
            json={"name": "Friday", "ruleset": "moon-hangs-low"},
            headers=bearer(ADMIN_TOKEN),
            timeout=30,
        ).json()
        self.seat = Seat(made["id"], "moon-hangs-low", "gm", made["gm_key"])
        self.client.headers.update(bearer(self.seat.token))
        self.accepted: dict[str, str] = {}
        self.stream = Follower(self.seat, running.addresses, random.Random(1))
        assert self.stream.connected.wait(30)

    def get(self, path: str) -> requests.Response:
        return self.client.get(self.address + self.seat.path + path, timeout=60)

    def click(self, key: str | None = None, **headers: str) -> requests.Response:
        key = key or fresh_key()
        answer = self.client.post(
            f"{self.address}{self.seat.path}/rolls",
            json=SKILL_CHECK,
            headers={"Idempotency-Key": key, **headers},
            timeout=60,
        )
        if answer.status_code in (200, 202):
            self.accepted[answer.json()["id"]] = key
        return answer

    def assert_refused(self, key: str | None = None) -> requests.Response:
        """Click; the answer must say that this is not taken now, and when to try again."""
        answer = self.click(key)
        assert answer.status_code == 503, answer.text
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert answer.json()["type"] == "/docs/problems#unavailable"
        assert int(answer.headers["Retry-After"]) >= 1
        return answer

    def assert_recovers(self) -> None:
        """See a click go through by itself, and all that was accepted in the history and on the stream."""
        eventually(lambda: self.click().ok, RECOVERY)
        eventually(lambda: self.click(Prefer="wait=5").status_code == 200, RECOVERY)
        eventually(lambda: self.kept() >= self.accepted.items(), RECOVERY)
        eventually(lambda: self.stream.cards.keys() >= self.accepted.keys(), RECOVERY)
        assert set(self.stream.cards.values()) == {1}
        keys = [key for _, key in self.kept()]
        assert len(keys) == len(set(keys))

    def kept(self) -> set[tuple[str, str]]:
        """Return (roll, key) of each resolved roll in the history."""
        found: set[tuple[str, str]] = set()
        cursor = ""
        while True:
            page = self.get(f"/rolls?limit=200{cursor}")
            if page.status_code != 200:
                return set()
            rolls = page.json()
            found |= {(roll["id"], roll["fairness"]["nonce"]) for roll in rolls["rolls"]}
            if rolls["next_cursor"] is None:
                return found
            cursor = f"&cursor={rolls['next_cursor']}"

    def processes(self) -> list[int]:
        return [member.pid for member in self.running.members.values() if member.runs]


@pytest.fixture(scope="module")
def table_at_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evening]:
    proxy = Proxy()
    url = f"redis://:{PASSWORD}@127.0.0.1:{proxy.port}/0"
    folder = tmp_path_factory.mktemp("home")
    made = Household(folder, ("rolls",), 1, REDIS_URL=url)
    proxy.leads_to(made.port)
    with household(made):
        evening = Evening(made, proxy)
        yield evening
        evening.stream.close()
    proxy.close()


@pytest.fixture
def evening(table_at_home: Evening) -> Iterator[Evening]:
    """The table, with rolls on their way when the outage begins; no process may have to be started again."""
    processes = table_at_home.processes()
    assert len(processes) == 3
    table_at_home.assert_recovers()
    for _ in range(10):
        assert table_at_home.click().ok
    yield table_at_home
    assert table_at_home.processes() == processes


@contextmanager
def configured(evening: Evening, **settings: str) -> Iterator[Redis]:
    with evening.running.redis() as redis:
        before = {name: redis.config_get(name)[name] for name in settings}
        try:
            for name, value in settings.items():
                redis.config_set(name, value)
            yield redis
        finally:
            for name, value in before.items():
                redis.config_set(name, value)


def test_stopped(evening: Evening) -> None:
    valkey = evening.running.members["valkey"]
    paused = threading.Thread(target=valkey.pause, args=(15,))
    paused.start()
    time.sleep(0.2)
    began = time.monotonic()
    evening.assert_refused("clicked-while-stopped")
    print(f"refused after {time.monotonic() - began:.1f} s")
    assert requests.get(f"{evening.address}/livez", timeout=10).status_code == 200
    paused.join()
    evening.click("clicked-while-stopped")
    evening.assert_recovers()


@pytest.mark.parametrize("what", ["WRITE", "ALL"])
def test_paused(evening: Evening, what: str) -> None:
    with evening.running.redis() as redis:
        redis.execute_command("CLIENT", "PAUSE", 15_000, what)
        evening.assert_refused()
    evening.assert_recovers()


def test_out_of_memory(evening: Evening) -> None:
    with configured(evening, maxmemory="1"):
        evening.assert_refused()
        assert evening.get("/rolls").status_code == 200
        time.sleep(3)  # so that the worker meets it too
    evening.assert_recovers()


def test_a_replica_of_nothing(evening: Evening) -> None:
    with evening.running.redis() as redis:
        redis.replicaof("127.0.0.1", 1)
        evening.assert_refused()
        assert evening.get("/rolls").status_code == 200
        time.sleep(3)
        redis.replicaof("NO", "ONE")
    evening.assert_recovers()


def test_too_few_replicas(evening: Evening) -> None:
    with configured(evening, **{"min-replicas-to-write": "1"}):
        evening.assert_refused()
        assert evening.get("/rolls").status_code == 200
        time.sleep(3)
    evening.assert_recovers()


def test_busy_with_a_script(evening: Evening) -> None:
    def keep_busy() -> None:
        with Redis.from_url(evening.running.redis_url, socket_timeout=60) as other, pytest.raises(RedisError):
            other.eval("while true do end", 0)

    with configured(evening, **{"busy-reply-threshold": "100"}) as redis:
        script = threading.Thread(target=keep_busy)
        script.start()
        time.sleep(1)
        try:
            evening.assert_refused()
        finally:
            redis.script_kill()
            script.join()
    evening.assert_recovers()


def test_slow(evening: Evening) -> None:
    assert evening.proxy is not None
    evening.proxy.delay = 0.3
    try:
        assert evening.click().status_code == 202
    finally:
        evening.proxy.delay = 0.0
    evening.assert_recovers()


def test_too_slow(evening: Evening) -> None:
    assert evening.proxy is not None
    evening.proxy.delay = 20.0
    try:
        evening.assert_refused("clicked-while-slow")
    finally:
        evening.proxy.delay = 0.0
    evening.assert_recovers()


def test_no_connection_left(evening: Evening) -> None:
    with configured(evening, maxclients="1") as redis:
        redis.client_kill_filter(_type="normal", skipme=True)
        redis.client_kill_filter(_type="pubsub")
        evening.assert_refused()
        time.sleep(3)
    evening.assert_recovers()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 16 MB."""
    mounted = tmp_path / "small"
    mounted.mkdir()
    done = subprocess.run(
        ("mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(mounted)), capture_output=True, text=True
    )
    if done.returncode:
        if os.geteuid() == 0:  # as in CI, where these two always run
            pytest.fail(f"no small disk: {done.stderr.strip()}", pytrace=False)
        pytest.skip(f"only root can mount a small disk: {done.stderr.strip()}")
    try:
        yield mounted
    finally:
        subprocess.run(("umount", "--lazy", str(mounted)), check=True)


@contextmanager
def filled(disk: Path) -> Iterator[None]:
    """Fill a disk to its last byte."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass
    try:
        yield
    finally:
        filler.unlink()


def test_a_full_disk_under_a_server_that_writes_by_and_by(small_disk: Path) -> None:
    by_and_by = CONFIG.replace("appendfsync always", "appendfsync everysec")
    assert by_and_by != CONFIG
    with household(Household(small_disk, ("rolls",), 1, by_and_by)) as running:
        evening = Evening(running)
        evening.assert_recovers()
        with filled(small_disk):
            eventually(lambda: evening.click().status_code == 503, RECOVERY)
            evening.assert_refused()
            assert evening.get("/rolls").status_code == 200
        evening.assert_recovers()
        running.members["valkey"].end(signal.SIGKILL)
        running.members["valkey"].start()
        evening.assert_recovers()
        evening.stream.close()


def test_a_full_disk_at_home(small_disk: Path, free_port: int) -> None:
    with up(small_disk, free_port) as home:
        accepted = {_rolled(home) for _ in range(5)}
        with filled(small_disk):
            while (answer := _click(home)).ok:
                accepted.add(answer.json()["id"])
            assert answer.status_code == 503 and int(answer.headers["Retry-After"]) >= 1
            time.sleep(5)
            assert _click(home).status_code == 503
            assert requests.get(f"{home.url}/livez", timeout=10).status_code == 200
        eventually(lambda: home.resolves(fresh_key()), RECOVERY)
        eventually(lambda: accepted <= set(home.history()), RECOVERY)


def _rolled(home: Up) -> str:
    roll = home.roll(fresh_key())
    assert roll["status"] == "resolved"
    return str(roll["id"])


def _click(home: Up) -> requests.Response:
    path = f"/v1/campaigns/{home.credentials['campaign']}/rolls"
    headers = bearer(home.credentials["gm_key"]) | {"Idempotency-Key": fresh_key()}
    return requests.post(home.url + path, json=SKILL_CHECK, headers=headers, timeout=60)
