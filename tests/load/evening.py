"""script/soak --load: many tables play at once; how long a card takes, and whether memory grows.

One table floods the service for a part of the time, and the largest campaign asks for a report: neither may
be felt at the others.
"""

import json
import random
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests
from redis import Redis

from service.store import Store
from tests.load.ground import memory_of, percentile
from tests.load.history import fill
from tests.load.household import CHECKOUT, Household, household
from tests.load.http import Caller, Stream

SEATS = 5
PHASES = ("calm", "one table floods", "a report is made", "calm again")
SAMPLE_SECONDS = 2.0


@dataclass
class Figures:
    """Seconds from click to card by phase, and bytes of memory of each process over time."""

    tables: int
    seconds: float
    delays: dict[str, list[float]] = field(default_factory=lambda: {phase: [] for phase in PHASES})
    memory: dict[str, list[int]] = field(default_factory=dict)
    flood: dict[str, int] = field(default_factory=dict)
    report: dict[str, Any] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    sent_again: int = 0

    def summary(self) -> dict[str, Any]:
        """Return percentiles in ms by phase, and memory (MB) in the first and the last quarter."""
        click = {
            phase: {
                "cards": len(each),
                "p50": round(percentile(each, 0.5) * 1e3, 1),
                "p99": round(percentile(each, 0.99) * 1e3, 1),
            }
            for phase, each in self.delays.items()
            if each
        }
        memory = {
            name: {"first": _mean(each[: len(each) // 4 + 1]), "last": _mean(each[-(len(each) // 4 + 1) :])}
            for name, each in self.memory.items()
        }
        return {
            "tables": self.tables,
            "seconds": self.seconds,
            "sent again": self.sent_again,
            "click to card, ms": click,
            "memory, MB": memory,
            "flood": self.flood,
            "report": self.report,
            "failed": self.failed[:20],
        }

    def faults(self) -> list[str]:
        """Return what must not be: cards that failed, a flood that was let in, memory that grows."""
        found = list(self.failed)
        if not self.flood.get("limited"):
            found.append(f"the flood was not limited: {self.flood}")
        if self.report.get("status") != "done":
            found.append(f"the report was not done: {self.report}")
        for name, grown in self.summary()["memory, MB"].items():
            if name.startswith(("web", "rolls", "deliveries")) and grown["last"] > grown["first"] * 1.2 + 10:
                found.append(f"{name} grew from {grown['first']} to {grown['last']} MB")
        return found


def _mean(values: Sequence[int]) -> int:
    return round(sum(values) / len(values) / 1e6)


class Hall:
    """Tables of five with a stream for each seat; everybody clicks now and then."""

    def __init__(self, running: Household, redis: Redis, tables: int, pause: float) -> None:
        self._running, self._pause, self._redis, self._store = running, pause, redis, Store(redis)
        self.phase, self._over = PHASES[0], threading.Event()
        self.figures = Figures(tables, 0.0)
        self._tables = [self._seat(number) for number in range(tables)]

    def _seat(self, number: int) -> tuple[list[Caller], list[Stream]]:
        campaign, _ = self._store.campaigns.create(f"Table {number}", "heroes-2d6", {})
        port = self._running.web_ports[number % len(self._running.web_ports)]
        callers = []
        for seat in range(SEATS):
            _, token = self._store.players.mint(campaign.id, f"player{seat}", f"Player {seat}")
            callers.append(Caller(port, campaign.id, token))
        return callers, [Stream(caller) for caller in callers]

    def play(self, seconds: dict[str, float], chance: random.Random) -> None:
        """Let all tables play through the phases, each for so many seconds."""
        threads = [
            threading.Thread(target=self._sit, args=(*table, random.Random(chance.random())), daemon=True)
            for table in self._tables
        ]
        threads.append(threading.Thread(target=self._weigh, daemon=True))
        for thread in threads:
            thread.start()
        for phase, lasts in seconds.items():
            self.phase = phase
            if phase == "one table floods":
                threading.Thread(target=self._flood, args=(lasts * 0.8,), daemon=True).start()
            if phase == "a report is made":
                self._ask_for_report()
            time.sleep(lasts)
        self._over.set()
        for thread in threads:
            thread.join(30)
        self.figures.seconds = sum(seconds.values())

    def _sit(self, callers: list[Caller], streams: list[Stream], chance: random.Random) -> None:
        """Click as one of the seats, and wait until every stream of the table has the card."""
        while not self._over.wait(chance.uniform(0, 2 * self._pause)):
            seat = chance.randrange(SEATS)
            phase, request = self.phase, callers[seat].click(f"seat-{seat}")
            try:
                # A browser's, too, was closed since the last click.
                callers[seat].socket.close()
                callers[seat].socket = callers[seat].connect()
                began = time.perf_counter()
                roll = self._ask(callers[seat], request).partition(b'"id":"')[2].partition(b'"')[0]
                self.figures.delays[phase].append(max(stream.when(roll) for stream in streams) - began)
            except (RuntimeError, TimeoutError, OSError) as error:
                self.figures.failed.append(f"{phase}: {error}"[:300])

    def _ask(self, caller: Caller, request: bytes) -> bytes:
        """Send a click, and once more where the service asks for that; the delay counts."""
        try:
            return caller.ask(request)
        except RuntimeError as refused:
            if "HTTP/1.1 503" not in str(refused):
                raise
            self.figures.sent_again += 1
            time.sleep(2)
            return caller.ask(request)

    def _flood(self, seconds: float) -> None:
        """Click at one table as fast as answers come, from a process of its own."""
        campaign, _ = self._store.campaigns.create("Flood", "heroes-2d6", {})
        _, token = self._store.players.mint(campaign.id, "flooder", "Flooder")
        where = (str(self._running.web_ports[0]), campaign.id, token, str(seconds))
        command = (sys.executable, "-m", "tests.load.flooder", *where)
        done = subprocess.run(command, cwd=CHECKOUT, stdout=subprocess.PIPE, check=True)
        self.figures.flood = json.loads(done.stdout)

    def prepare_largest(self, rolls: int) -> None:
        """Give one campaign a history of so many rolls."""
        self._largest = fill(self._redis, rolls)

    def _ask_for_report(self) -> None:
        threading.Thread(target=self._report, daemon=True).start()

    def _report(self) -> None:
        campaign, began = f"/v1/campaigns/{self._largest.campaign}", time.monotonic()
        path = f"{self._running.addresses[0]}{campaign}/reports"
        headers = {"Authorization": f"Bearer {self._largest.gm_key}"}
        made = requests.post(path, json={}, headers=headers, timeout=60).json()
        while not self._over.wait(0.5):
            found = requests.get(f"{path}/{made['id']}", headers=headers, timeout=60).json()
            self.figures.report = {
                "status": found["status"],
                "after seconds": round(time.monotonic() - began, 1),
            }
            if found["status"] in ("done", "failed"):
                return

    def _weigh(self) -> None:
        members = self._running.members
        while not self._over.wait(SAMPLE_SECONDS):
            for name, member in members.items():
                if member.runs:
                    self.figures.memory.setdefault(name, []).append(memory_of(member.pid))


def measure(folder: Path, tables: int, seconds: float, pause: float, largest: int, seed: int) -> Figures:
    """Let so many tables play for so long; `pause` is the mean of seconds between two clicks of a table."""
    made = Household(folder, ("rolls", "deliveries", "reports"))
    with household(made) as running, running.redis() as redis:
        hall = Hall(running, redis, tables, pause)
        hall.prepare_largest(largest)
        hall.play({phase: seconds / len(PHASES) for phase in PHASES}, random.Random(seed))
        return hall.figures
