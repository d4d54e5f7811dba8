"""Receivers, and a table whose cards go to them."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from redis import Redis

from service.store import Delivery, Store, Webhook
from service.webhook_address import AddressRules
from service.webhook_events import EVENTS
from tests.tables import Table
from tests.worker.webhooks.receiver import Behave, Receiver, answers
from worker.resolve import resolve_in
from worker.webhooks.lanes import Lanes

AT_HOME = AddressRules(http=True, private=True)


@pytest.fixture
def receiver() -> Iterator[Callable[..., Receiver]]:
    """Make receivers, each with its behaviour; one that is told nothing takes all."""
    made: list[Receiver] = []

    def make(behave: Behave | None = None, certificate: Path | None = None) -> Receiver:
        made.append(Receiver(behave or answers(204), certificate))
        return made[-1]

    yield make
    for each in made:
        each.close()


class Post:
    """A table on a real Valkey whose clock goes, its webhooks, and lanes that serve them."""

    def __init__(self, redis: Redis) -> None:
        self.redis = redis
        self.ahead = 0
        self.store = Store(redis, lambda: time.time_ns() // 1_000_000 + self.ahead)
        self.table = Table(self.store)
        self.lanes = Lanes(self.store, AT_HOME)
        self.others: list[Table] = []
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def forward(self, *, seconds: float) -> None:
        """Let time pass at once."""
        self.ahead += round(seconds * 1000)

    def webhook(self, url: str, kind: str = "standard", **more: object) -> Webhook:
        events = more.pop("events", EVENTS)
        return self.store.webhooks.create(self.table.campaign, kind, url, events, **more)  # type: ignore[arg-type]

    def webhook_of_another_table(self, url: str) -> Webhook:
        """Make a webhook of a campaign of its own."""
        other = Table(self.store)
        self.others.append(other)
        return self.store.webhooks.create(other.campaign, "standard", url, ["roll.resolved"])

    def roll_at_the_others(self) -> None:
        """Roll once at each of those tables."""
        for other in self.others:
            assert resolve_in(self.store, other.accept().record["id"])

    def roll(self, **request: object) -> str:
        """Roll and resolve; return the roll's id."""
        roll = self.table.accept(**request).record["id"]
        assert resolve_in(self.store, roll)
        return roll

    def read(self, webhook: Webhook) -> Webhook:
        found = self.store.webhooks.get(self.table.campaign, webhook.id)
        assert found is not None
        return found

    def log(self, webhook: Webhook) -> list[Delivery]:
        return self.store.deliveries.list(webhook.id, limit=200)

    def run(self) -> None:
        """Look for what is due, all the time."""

        def keep_looking() -> None:
            while not self._stop.wait(0.02):
                self.lanes.look()

        self._thread = threading.Thread(target=keep_looking)
        self._thread.start()

    def settled(self, webhook: Webhook, count: int = 1, seconds: float = 10) -> list[Delivery]:
        """Return the log once so many deliveries are settled."""
        return self.until(
            webhook, lambda log: sum(entry.status != "pending" for entry in log) >= count, seconds
        )

    def attempted(self, webhook: Webhook, count: int = 1, seconds: float = 10) -> list[Delivery]:
        """Return the log once so many attempts were made."""
        return self.until(webhook, lambda log: sum(len(entry.attempts) for entry in log) >= count, seconds)

    def until(
        self, webhook: Webhook, holds: Callable[[list[Delivery]], bool], seconds: float = 10
    ) -> list[Delivery]:
        deadline = time.monotonic() + seconds
        while not holds(log := self.log(webhook)):
            assert time.monotonic() < deadline, log
            time.sleep(0.01)
        return log

    def close(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        self.lanes.stop()


@pytest.fixture
def post(valkey: Redis) -> Iterator[Post]:
    """The table, with nobody serving its webhooks yet: `run()` starts that."""
    post = Post(valkey)
    yield post
    post.close()
