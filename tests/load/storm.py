"""A storm: processes of a household are killed and started again at random, by a seed."""

import itertools
import random
import signal
import subprocess
import threading
import time
from collections import Counter

from tests.load.household import Household

LONGEST_AWAY = 1.0
"""Seconds between a death and the next start."""
CALM = (0.1, 1.5)
"""Seconds between two deaths, at least and at most."""


class Storm(threading.Thread):
    """Kills one process after another until `stop`, and starts each again; all run at its end.

    Each dies of each signal once before any dies of the same a second time.
    """

    def __init__(self, household: Household, chance: random.Random) -> None:
        super().__init__(daemon=True)
        self._household, self._chance = household, chance
        self._over = threading.Event()
        self._deck: list[tuple[str, signal.Signals]] = []
        self.deaths: Counter[str] = Counter()
        self.longest_leave = 0.0
        self.too_slow: list[str] = []
        self.last_restart = 0.0
        """When the last process was started again, on the monotonic clock."""

    def run(self) -> None:
        while not self._over.wait(self._chance.uniform(*CALM)):
            self._strike()

    def stop(self) -> None:
        """Let the last process come back, and end."""
        self._over.set()
        self.join()

    def _strike(self) -> None:
        if not self._deck:
            self._deck = list(itertools.product(self._household.members, (signal.SIGKILL, signal.SIGTERM)))
            self._chance.shuffle(self._deck)
        name, sign = self._deck.pop()
        member = self._household.members[name]
        if member.name.startswith("web") and sign == signal.SIGKILL and self._chance.random() < 0.5:
            self.deaths[f"{member.name} (its child) SIGKILL"] += 1
            member.kill_a_child()
            self.last_restart = time.monotonic()
            return
        self.deaths[f"{member.name} {sign.name}"] += 1
        try:
            took = member.end(sign)
            if sign == signal.SIGTERM:
                self.longest_leave = max(self.longest_leave, took)
        except subprocess.TimeoutExpired:
            self.too_slow.append(member.name)
        time.sleep(self._chance.uniform(0.0, LONGEST_AWAY))
        member.start()
        self.last_restart = time.monotonic()
