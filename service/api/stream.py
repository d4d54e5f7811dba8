"""The stream: a campaign's events as they happen, and what a client missed."""

import re
from typing import Any

from flask import Response, request

from service.auth import Who, bearer_token, caller
from service.calls import Calls
from service.live import event_id
from service.problems import BAD_REQUEST, TOO_MANY, Problem, unauthorized, unavailable
from service.schemas.fields import STREAM_ID
from service.services import services
from service.sse import EventStream

calls = Calls("stream", __name__, url_prefix="/v1/campaigns/<id:campaign>/stream")

HUB_START = 2.0
"""Seconds given to the hub to subscribe before a stream is refused."""

LAST_EVENT_HEADER: dict[str, Any] = {
    "in": "header",
    "name": "Last-Event-ID",
    "description": "The id of the last event received: what came after it is sent first.",
    "schema": {"type": "string", "pattern": f"^{STREAM_ID}$"},
}


@calls.call(
    "GET",
    "",
    who=Who.MEMBER,
    answers={200: {"type": "string"}},
    media_type="text/event-stream",
    problems=(400,),
    headers=(LAST_EVENT_HEADER,),
)
def follow_campaign(campaign: str) -> Response:
    """Follow the campaign: `roll`, `session` and `report` events as Server-Sent Events.

    A roll comes when it awaits the other side and when it is resolved, as far as the caller may see it. A
    comment comes after 15 s of silence.
    """
    store, hub, who, token = services().store, services().hub, caller(), bearer_token() or ""
    last = _last_event_id()
    if not hub.listening(HUB_START):
        raise unavailable()
    if not hub.has_room(campaign, who.token):
        sentence = "Many streams are open, and too many with this token; close some."
        raise Problem(TOO_MANY, sentence, headers={"Retry-After": "10"})
    stream = hub.open(campaign, who.token)
    try:
        # In this order: a token that is revoked, or an event that comes, from here on is heard of.
        newest = store.campaigns.newest_event(campaign)
        if store.tokens.caller(token) != who:
            raise unauthorized("This token was revoked just now.")
    except BaseException:
        hub.close(stream)
        raise
    cursor = newest
    if last is not None and event_id(last) < event_id(newest):
        cursor, stream.behind = last, True
    answer = Response(
        iter(EventStream(store, stream, who, token, cursor)),
        content_type="text/event-stream; charset=utf-8",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )
    answer.call_on_close(lambda: hub.close(stream))
    return answer


def _last_event_id() -> str | None:
    last = request.headers.get("Last-Event-ID", "").strip()
    if not last:
        return None
    if not re.fullmatch(STREAM_ID, last):
        raise Problem(
            BAD_REQUEST, "Last-Event-ID must be the id of an event of this stream; leave it out to start now."
        )
    return last
