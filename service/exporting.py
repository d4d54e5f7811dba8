"""A whole campaign as lines of JSON, from which it can be brought back.

| line                                            | what                                            |
|-------------------------------------------------|-------------------------------------------------|
| `{"tallybones": "campaign", "version": 1, …}`   | the first                                       |
| `{"campaign": …}`                               | name, rule set, house rules, retention          |
| `{"player": …}`, `{"webhook": …}`               | each of them                                    |
| `{"session": …}`                                | a session, oldest first, then its events:       |
| `{"at": ms, "roll": …}`                         | a resolved roll's record                        |
| `{"at": ms, "awaiting" or "session_event": …}`  | another event                                   |
| `{"unresolved": …}`                             | a roll of the session that is not resolved      |
| `{"end": {"sessions": n, "rolls": n}}`          | the last: without it the file is not whole      |

The operator's export has the seeds of an open session and the hashes of tokens too. The GM's has what the GM
may see: ended sessions, no `self` rolls of others, no tokens. Of webhooks both only name that there are some:
their addresses are secrets, as are what they sign with.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import orjson

from service.store import Caller, Campaign, Session, Store
from service.visibility import SELF, may_see

KIND, VERSION = "campaign", 1
EVENT_NAMES = {"roll": "roll", "awaiting": "awaiting", "session": "session_event"}
PAGE = 50


def export(store: Store, campaign: Campaign, viewer: Caller | None = None) -> Iterator[bytes]:
    """Yield the lines of a campaign, for the operator or (`viewer`) for its GM, reading as it goes."""
    by = "operator" if viewer is None else "gm"
    yield _line({"tallybones": KIND, "version": VERSION, "by": by, "exported_at": store.clock()})
    kept = asdict(campaign)
    del kept["open_session"]
    if viewer is None:
        kept["gm_key"] = store.campaigns.kept_key(campaign.id)
    yield _line({"campaign": kept})
    for user, player in store.players.kept(campaign.id):
        shown = player if viewer is None else {name: player[name] for name in ("name", "created_at")}
        yield _line({"player": {"user": user, **shown}})
    for webhook in store.webhooks.list(campaign.id):
        told = {
            name: getattr(webhook, name) for name in ("id", "kind", "name", "events", "hidden", "created_at")
        }
        yield _line({"webhook": told})
    sessions = rolls = 0
    for session in _oldest_first(store, campaign.id):
        if viewer is not None and session.ended_at is None:
            continue
        sessions += 1
        for line in _session(store, session, viewer):
            rolls += "roll" in line
            yield _line(line)
    yield _line({"end": {"sessions": sessions, "rolls": rolls}})


def _oldest_first(store: Store, campaign: str) -> list[Session]:
    found: list[Session] = []
    while page := store.sessions.list(campaign, found[-1].id if found else None, PAGE):
        found += page
    return found[::-1]


def _session(store: Store, session: Session, viewer: Caller | None) -> Iterator[dict[str, Any]]:
    kept = asdict(session)
    del kept["campaign"]
    if viewer is None:
        kept |= store.sessions.kept(session.id)
        rolls = store.sessions.settled(session.id)
    else:
        rolls = store.sessions.rolls_seen_by(session.id, viewer)
    yield {"session": kept | ({"rolls": rolls} if session.ended_at is not None else {})}
    for event in store.rolls.events_of(session.id):
        if event.kind not in EVENT_NAMES:
            continue  # of a report, which is not kept for long
        record = event.record
        if event.kind in ("roll", "awaiting") and viewer is not None:
            if not may_see(record, viewer):
                continue
            if record["visibility"] == SELF:
                record = {**record, "seq": None}  # it counts others' self rolls too
        yield {"at": event.ms, EVENT_NAMES[event.kind]: record}
    if viewer is None:
        for unresolved in store.rolls.unresolved(session.id):
            yield {"unresolved": unresolved}


def _line(value: Mapping[str, Any]) -> bytes:
    return orjson.dumps(value) + b"\n"
