"""A stream of Server-Sent Events: replayed from the ledger, then live from the hub."""

import logging
import time
from collections.abc import Iterator
from typing import Any

import orjson
from redis.exceptions import RedisError

from service.live import Message, Stream, event_id
from service.presenting import present
from service.report_view import report_event
from service.session_view import session_event
from service.store import Caller, Store
from service.store.reports import UNNUMBERED, read_event
from service.visibility import THE_GM, view_of
from service.webhook_view import present_webhook

HEARTBEAT = 15.0
"""Seconds of silence after which a comment is sent: routers drop silent streams, dead peers are noticed."""
RETRY_MILLISECONDS = 2000
REDIS_PAUSE = 1.0
BEFORE_ALL = "0-0"
"""The id before any event's."""

OPENING = b"retry: %d\n: connected\n\n" % RETRY_MILLISECONDS
COMMENT = b":\n\n"

log = logging.getLogger(__name__)


class EventStream:
    """The events of a campaign as one caller may see them."""

    def __init__(
        self,
        store: Store,
        stream: Stream,
        caller: Caller,
        token: str,
        cursor: str,
        *,
        heartbeat: float = HEARTBEAT,
    ) -> None:
        """Make the events after `cursor`; a `stream` marked as behind starts with a replay."""
        self._store, self._stream, self._caller, self._token = store, stream, caller, token
        self._cursor = cursor
        self._heartbeat = heartbeat
        self._silent_since = time.monotonic()

    def __iter__(self) -> Iterator[bytes]:
        yield OPENING
        while not self._stream.ended:
            try:
                if self._stream.doubtful and not self._still_welcome():
                    return
                if self._stream.behind:
                    for written in self._catch_up():
                        yield self._sent(written)
                else:
                    news = self._next()
                    if news is not None:
                        yield self._sent(news)
            except RedisError as error:
                log.info("a stream pauses: %s", error)
                self._stream.behind = True
                self._stream.take(REDIS_PAUSE)
            if time.monotonic() - self._silent_since >= self._heartbeat:
                yield self._sent(COMMENT)

    def _sent(self, written: bytes) -> bytes:
        self._silent_since = time.monotonic()
        return written

    def _still_welcome(self) -> bool:
        """Check the token again; what was missed meanwhile is in the ledger."""
        self._stream.doubtful, self._stream.behind = False, True
        try:
            return self._store.tokens.caller(self._token) == self._caller
        except RedisError:
            self._stream.doubtful = True
            raise

    def _catch_up(self) -> Iterator[bytes]:
        # In this order: what is published from here on is queued, and what was before is in the ledger. What
        # comes meanwhile is left to the queue, as a late roll's place in the ledger may be read already.
        self._stream.behind = False
        self._stream.forget()
        store, campaign = self._store, self._caller.campaign
        newest = store.campaigns.newest_event(campaign)
        for id, event, record in store.rolls.events_after(campaign, self._cursor, newest):
            if self._stream.ended:
                return
            written = write_event(store, Message(campaign, id, event, dict(record)), self._caller)
            if written is not None:
                yield written
            self._cursor = id

    def _next(self) -> bytes | None:
        left = self._heartbeat - (time.monotonic() - self._silent_since)
        message = self._stream.take(max(left, 0.01))
        if message is not None and message.id == UNNUMBERED:
            return write_event(self._store, message, self._caller)
        if message is None or event_id(message.id) <= event_id(self._cursor):
            return None
        written = write_event(self._store, message, self._caller)
        self._cursor = message.id
        return written


def newest_shown(store: Store, caller: Caller) -> str:
    """Return the id of the newest event that `caller` is shown, "0-0" where there is none.

    It can be handed out: that of the newest event of all would tell when something hidden happened.
    """
    for id, event, record in store.rolls.newest_events(caller.campaign):
        if write_event(store, Message(caller.campaign, id, event, dict(record)), caller) is not None:
            return id
    return BEFORE_ALL


def write_event(store: Store, message: Message, caller: Caller) -> bytes | None:
    """Return an event as `caller` is shown it, None when it does not exist for them.

    A roll looks the same to all who have the same view of it, so it is written once for each view.
    """
    if message.event == "session":
        return _frame(message.id, "session", session_event(store, message.record, caller))
    if message.event == "webhook":
        return _webhook_event(store, message, caller)
    if message.event == "report":
        report = report_event(read_event(message.record), caller)
        return _frame(message.id, "report", report) if report else None
    view = view_of(message.record, caller)
    if view is None:
        return None
    if view not in message.written:
        shown = present(message.record, caller)
        # A challenge that waits is a roll too, of status "awaiting".
        message.written[view] = None if shown is None else _frame(message.id, "roll", shown)
    return message.written[view]


def _webhook_event(store: Store, message: Message, caller: Caller) -> bytes | None:
    """Tell the GM of a webhook that was switched off, as it now is."""
    webhook = store.webhooks.get(caller.campaign, message.record["id"]) if caller.role == THE_GM else None
    return _frame(message.id, "webhook", present_webhook(webhook)) if webhook else None


def _frame(id: str, event: str, body: Any) -> bytes:
    # Where an event has no place in the ledger, a client keeps the id of the last one that has.
    numbered = b"" if id == UNNUMBERED else b"id: %s\n" % id.encode()
    return b"%sevent: %s\ndata: %s\n\n" % (numbered, event.encode(), orjson.dumps(body))
