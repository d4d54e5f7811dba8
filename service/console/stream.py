"""The console's stream: what the API's stream tells a GM, for the cookie instead of the key."""

import re
from collections.abc import Iterator

from flask import Response
from redis.exceptions import RedisError

from service.console import guard
from service.live import event_id
from service.problems import unavailable
from service.schemas.fields import STREAM_ID
from service.services import services
from service.sse import EventStream
from service.store import Caller, Store

HUB_START = 2.0
"""Seconds given to the hub to subscribe before the browser is told to try again."""


def follow(last: str) -> Response:
    """Return the events after the event `last`, else from now on, as long as the sign-in is good."""
    caller, cookie = guard.signed_in(), guard.cookie_sent() or ""
    store, hub = services().store, services().hub
    if not hub.listening(HUB_START):
        raise unavailable()
    # Renewing the key ends the stream, as it ends those that were opened with the key itself.
    stream = hub.open(caller.campaign, caller.token)
    try:
        newest = store.campaigns.newest_event(caller.campaign)
    except BaseException:
        hub.close(stream)
        raise
    cursor = newest
    if re.fullmatch(STREAM_ID, last) and event_id(last) < event_id(newest):
        cursor, stream.behind = last, True
    # Without the key the stream cannot look it up again after an outage: it ends, and the browser comes back.
    events = EventStream(store, stream, caller, "", cursor)
    answer = Response(
        _while_signed_in(events, store, cookie, caller),
        content_type="text/event-stream; charset=utf-8",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )
    answer.call_on_close(lambda: hub.close(stream))
    return answer


def _while_signed_in(events: EventStream, store: Store, cookie: str, caller: Caller) -> Iterator[bytes]:
    """Yield the events until the GM signs out: nothing is sent that was not asked for just before."""
    for written in events:
        try:
            welcome = store.sign_ins.caller(cookie) == caller
        except RedisError:
            return  # the browser comes back, and is told what it missed
        if not welcome:
            return
        yield written
