"""Lanes: each receiver is served on its own, one message at a time, so that none waits for another.

A webhook that has something to send gets a lane, a thread that sends what is due and ends. A lane is claimed
in Redis for some seconds at a time, so that several workers share the webhooks, and those of a killed worker
are soon taken over. What is being sent stays in the schedule until its outcome is noted: killed meanwhile, it
is sent again, with the same id.

There are at most MOST_LANES, and at most half of them serve receivers that lately failed or were slow: these
take turns, one message each, and keep nobody else waiting.
"""

import logging
import os
import socket
import threading
import time
import traceback
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

from redis import Redis
from redis.exceptions import RedisError

from service.logs import told
from service.settings import Settings
from service.store import Attempt, Delivery, Store, keys
from service.webhook_address import AddressRules
from service.webhook_events import ROLL_RESOLVED
from worker.webhooks.deliver import address_rules, attempt

LOOK_EVERY = 1.0
"""Seconds between two looks at what is due."""
MOST_LANES = 64
SLOW_SECONDS = 2.0
"""A receiver whose last message took longer is a slow one."""
MOST_PAUSES, PAUSE = 60, 1.0
"""How often, and after how many seconds, the noting of an outcome is tried again while Redis is away."""

log = logging.getLogger(__name__)


class Lanes:
    """The lanes of this process."""

    def __init__(self, store: Store, rules: AddressRules, most: int = MOST_LANES) -> None:
        self._store, self._rules, self._most = store, rules, most
        self._owner = f"{socket.gethostname()}:{uuid.uuid4().hex}"
        self._lock = threading.Lock()
        self._running: dict[str, bool] = {}  # webhook → whether its receiver is troubled
        self._again: set[str] = set()
        self._troubled: set[str] = set()
        self._pool = ThreadPoolExecutor(most, thread_name_prefix="lane")
        self.stopping = False

    def look(self) -> None:
        """Start a lane for each webhook that has something due, and keep the claims of those that run."""
        with self._lock:
            running = list(self._running)
        if running:
            self._store.deliveries.keep_lanes(running)
        for webhook in self._store.deliveries.due():
            self._start(webhook)

    def wake(self, delivery: str) -> None:
        """Start the lane of a delivery's webhook, or let it look once more before it ends."""
        webhook = keys.webhook_of(delivery)
        with self._lock:
            if webhook in self._running:
                self._again.add(webhook)
                return
        self._start(webhook)

    def stop(self, seconds: float | None = None) -> None:
        """Let each lane end after the message at hand."""
        self.stopping = True
        self._pool.shutdown(wait=seconds is None or seconds > 0, cancel_futures=True)

    def _start(self, webhook: str) -> None:
        with self._lock:
            troubled = webhook in self._troubled
            if self.stopping or webhook in self._running or not self._has_room(troubled):
                return
            self._running[webhook] = troubled
        try:
            claimed = self._store.deliveries.enter_lane(webhook, self._owner)
        except BaseException:
            self._end(webhook)
            raise
        if not claimed or self.stopping:
            self._end(webhook)
            return
        self._pool.submit(self._serve, webhook)

    def _has_room(self, troubled: bool) -> bool:
        if troubled and sum(self._running.values()) >= self._most // 2:
            return False
        return len(self._running) < self._most

    def _serve(self, webhook: str) -> None:
        """Send what is due to a webhook; in trouble, one message and then the next receiver's turn."""
        try:
            while not self.stopping:
                sent = self._send_next(webhook)
                with self._lock:
                    looks_again = webhook in self._again
                    self._again.discard(webhook)
                    in_trouble = webhook in self._troubled
                if in_trouble or not (sent or looks_again):
                    break
            self._store.deliveries.leave_lane(webhook, self._owner)
        except (RedisError, OSError) as error:
            log.warning("webhook %s: its lane ends, as Redis does not answer (%s)", webhook, error)
        except Exception as error:  # noqa: BLE001  its next lane tries again
            # Not its message: that may hold an address.
            where = "".join(traceback.format_tb(error.__traceback__))
            log.error("webhook %s: its lane ended by a %s\n%s", webhook, type(error).__name__, where)
        finally:
            self._end(webhook)

    def _end(self, webhook: str) -> None:
        with self._lock:
            self._running.pop(webhook, None)

    def _send_next(self, webhook: str) -> bool:
        taken = self._store.deliveries.take(webhook, self._owner)
        if taken is None:
            return False
        delivery, known = taken
        started = time.monotonic()
        made = attempt(self._store, known, delivery, self._rules)
        slow = time.monotonic() - started > SLOW_SECONDS
        self._note_trouble(webhook, slow or (made.tried and made.outcome != "delivered"))
        off = self._persistently(lambda: self._store.deliveries.attempted(made))
        _tell(delivery, made)
        if off:
            log.warning("webhook %s: switched off (%s)", webhook, off)
        return True

    def _note_trouble(self, webhook: str, in_trouble: bool) -> None:
        with self._lock:
            if in_trouble:
                self._troubled.add(webhook)
            else:
                self._troubled.discard(webhook)

    def _persistently(self, note: Callable[[], str | None]) -> str | None:
        """Note an outcome though Redis be away for a minute: else what was delivered is sent once more."""
        for _ in range(MOST_PAUSES):
            try:
                return note()
            except (RedisError, OSError):
                if self.stopping:
                    break
                time.sleep(PAUSE)
        return note()


def _tell(delivery: Delivery, made: Attempt) -> None:
    """Tell the log what came of an attempt: never the address, nor what was sent."""
    about = {"roll" if delivery.event == ROLL_RESOLVED else "subject": delivery.subject}
    answer = made.log.get("answer")
    log.info(
        "delivery attempted",
        extra=told(
            delivery=delivery.id,
            message=delivery.event,
            **about,
            outcome=made.outcome,
            status=answer["status"] if answer else None,
            ms=made.log.get("ms"),
        ),
    )


@lru_cache(maxsize=1)
def lanes_on(redis: Redis) -> Lanes:
    """Return this process's lanes, which the worker's chore and the jobs share."""
    # The C library looks names up and knows no deadline: 5 s for each server, twice, unless told otherwise.
    os.environ.setdefault("RES_OPTIONS", "timeout:2 attempts:2")
    return Lanes(Store(redis), address_rules(Settings.from_env()))
