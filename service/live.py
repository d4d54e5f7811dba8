"""The hub: one Redis subscription a process, for all open streams and all requests that wait for their roll.

The hub is started by its first user. When Redis was away it subscribes again, with growing pauses, and then
tells everybody: each stream catches up from the ledger and has its token checked again, each waiting request
looks into the store. So a message missed costs a look, never a roll.
"""

import logging
import queue
import random
import threading
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson
from redis import Redis
from redis.exceptions import ConnectionError, RedisError

from service.store import keys

Record = dict[str, Any]
EventId = tuple[int, int]

CROWDED, FEW = 1500, 20
"""Open streams of a process from which on a token that has so many already gets no other: of the 2,000
connections that gunicorn takes, nobody is to have all."""
QUEUE_LENGTH = 256
"""Messages a stream may be behind; beyond that it catches up from the ledger."""
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 2.0
"""Seconds between attempts to subscribe again."""
POLL = 1.0
"""Seconds after which the listening thread looks whether it should stop."""
MOST_UNANSWERED = 10
"""PINGs without an answer, one each POLL of a silence, after which a subscription is given up."""

log = logging.getLogger(__name__)


def event_id(text: str) -> EventId:
    """Return an event's id in its order: milliseconds, and the place among those of the same one."""
    milliseconds, _, place = text.partition("-")
    return int(milliseconds), int(place or 0)


@dataclass(slots=True)
class Message:
    """One event of a campaign, and what has been written of it for each way of seeing it."""

    campaign: str
    id: str
    event: str
    record: Record
    written: dict[object, bytes | None] = field(default_factory=dict)


class Stream:
    """One open stream's share of the hub: a bounded queue of messages."""

    def __init__(self, campaign: str, token: str) -> None:
        self.campaign, self.token = campaign, token
        self.ended = False
        self.behind = False
        """Messages were dropped: the ledger has them."""
        self.doubtful = False
        """Redis was away: messages may be missing, and the token may have been revoked."""
        self._messages: queue.Queue[Message | None] = queue.Queue(QUEUE_LENGTH)

    def take(self, timeout: float) -> Message | None:
        """Return the next message; None after `timeout` seconds, or when a flag has changed."""
        try:
            return self._messages.get(timeout=timeout)
        except queue.Empty:
            return None

    def forget(self) -> None:
        """Drop what is queued, before it is read from the ledger instead."""
        while True:
            try:
                self._messages.get_nowait()
            except queue.Empty:
                return

    def offer(self, message: Message) -> None:
        """Queue a message; a full queue marks the stream as behind."""
        try:
            self._messages.put_nowait(message)
        except queue.Full:
            self.behind = True

    def wake(self) -> None:
        """Make `take` return; a full queue does so by itself."""
        try:
            self._messages.put_nowait(None)
        except queue.Full:
            return


class Expectation:
    """A request that waits for the roll it is about to make, known by who asks and by its Idempotency-Key."""

    def __init__(self) -> None:
        self._changed = threading.Event()
        self.record: Record | None = None

    def tell(self, record: Record | None) -> None:
        """Hand over the roll; None says only that something may have been missed."""
        if record is not None:
            self.record = record
        self._changed.set()

    def wait(self, timeout: float) -> bool:
        """Wait until told something; False after `timeout` seconds."""
        told = self._changed.wait(timeout)
        self._changed.clear()
        return told


class Hub:
    """The one subscription of this process."""

    def __init__(self, subscriber: Callable[[], Redis]) -> None:
        self._subscriber = subscriber
        self._streams: defaultdict[str, set[Stream]] = defaultdict(set)
        self._expected: defaultdict[tuple[str, str, str], list[Expectation]] = defaultdict(list)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._subscribed = threading.Event()
        self._stopping = threading.Event()

    def listening(self, timeout: float) -> bool:
        """Start the hub if need be; say whether it is subscribed within `timeout` seconds."""
        with self._lock:
            if self._thread is None and not self._stopping.is_set():
                self._thread = threading.Thread(target=self._listen, name="tallybones-hub", daemon=True)
                self._thread.start()
        return self._subscribed.wait(timeout)

    def open(self, campaign: str, token: str) -> Stream:
        """Open a stream for a campaign; `token` is the hash of the token that opened it."""
        stream = Stream(campaign, token)
        with self._lock:
            self._streams[campaign].add(stream)
        if self._stopping.is_set():
            stream.ended = True
        return stream

    def has_room(self, campaign: str, token: str) -> bool:
        """Say whether another stream may be opened: where it is crowded, only with a token that has few."""
        with self._lock:
            if sum(map(len, self._streams.values())) < CROWDED:
                return True
            return sum(stream.token == token for stream in self._streams.get(campaign, ())) < FEW

    def close(self, stream: Stream) -> None:
        """Forget a stream; closing twice is harmless."""
        with self._lock:
            streams = self._streams.get(stream.campaign, set())
            streams.discard(stream)
            if not streams:
                self._streams.pop(stream.campaign, None)

    def expect(self, campaign: str, user: str, nonce: str) -> Expectation:
        """Await the roll that `user` is about to make with that Idempotency-Key."""
        expectation = Expectation()
        with self._lock:
            self._expected[campaign, user, nonce].append(expectation)
        return expectation

    def dismiss(self, campaign: str, user: str, nonce: str, expectation: Expectation) -> None:
        """Stop awaiting."""
        with self._lock:
            waiting = self._expected[campaign, user, nonce]
            waiting.remove(expectation)
            if not waiting:
                del self._expected[campaign, user, nonce]

    @property
    def stopping(self) -> bool:
        """Whether the hub has been stopped."""
        return self._stopping.is_set()

    def open_streams(self) -> int:
        """Count the open streams of this process."""
        with self._lock:
            return sum(map(len, self._streams.values()))

    def stop(self) -> None:
        """End every stream and the subscription."""
        self._stopping.set()
        for stream in self._all_streams():
            stream.ended = True
            stream.wake()
        self._recheck_expected()

    def _listen(self) -> None:
        pause = FIRST_PAUSE
        while not self._stopping.is_set():
            try:
                self._follow()
            except (RedisError, OSError) as error:
                log.warning("the live subscription broke (%s); trying again in %.1f s", error, pause)
            if self._subscribed.is_set():
                self._subscribed.clear()
                pause = FIRST_PAUSE
            self._stopping.wait(pause * random.uniform(0.5, 1.0))  # noqa: S311  jitter, no secret
            pause = min(pause * 2, LONGEST_PAUSE)

    def _follow(self) -> None:
        with self._subscriber() as redis, redis.pubsub() as subscription:
            subscription.subscribe(keys.LIVE)
            while not self._stopping.is_set():
                received = subscription.get_message(timeout=POLL)
                # redis-py 8.1 asks, and counts the answers, but leaves the judgement to others.
                if subscription.health_check_response_counter > MOST_UNANSWERED:
                    raise ConnectionError("it is silent")
                if received is None:
                    continue
                if received["type"] == "subscribe":
                    self._now_subscribed()
                elif received["type"] == "message":
                    self._dispatch(received["data"])

    def _now_subscribed(self) -> None:
        self._subscribed.set()
        for stream in self._all_streams():
            stream.doubtful = True
            stream.wake()
        self._recheck_expected()

    def _recheck_expected(self) -> None:
        with self._lock:
            waiting = [each for several in self._expected.values() for each in several]
        for expectation in waiting:
            expectation.tell(None)

    def _dispatch(self, payload: bytes | str) -> None:
        try:
            published = orjson.loads(payload)
            campaign, event = published["campaign"], published["event"]
            if event == "revoked":
                self._end_streams_of(campaign, published["token"])
                return
            message = Message(campaign, published["id"], event, published["record"])
            event_id(message.id)
        except (ValueError, KeyError, TypeError) as error:
            log.error("unreadable message on %s: %r", keys.LIVE, error)
            return
        for stream in self._streams_of(campaign):
            stream.offer(message)
        if event not in ("session", "webhook", "report"):
            self._tell_expected(message)

    def _tell_expected(self, message: Message) -> None:
        record = message.record
        place = (message.campaign, str(record.get("user")), str(record.get("nonce")))
        if place in self._expected:
            with self._lock:
                waiting = list(self._expected.get(place, ()))
            for expectation in waiting:
                expectation.tell(record)

    def _end_streams_of(self, campaign: str, token: str) -> None:
        for stream in self._streams_of(campaign):
            if stream.token == token:
                stream.ended = True
                stream.wake()

    def _streams_of(self, campaign: str) -> list[Stream]:
        with self._lock:
            return list(self._streams.get(campaign, ()))

    def _all_streams(self) -> list[Stream]:
        with self._lock:
            return [stream for streams in self._streams.values() for stream in streams]
