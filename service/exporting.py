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
from contextlib import suppress
from dataclasses import asdict
from typing import Any, NamedTuple

import orjson

from service.store import Caller, Campaign, Session, Store, UnknownSession
from service.visibility import SELF, may_see

KIND, VERSION = "campaign", 1
EVENT_NAMES = {"roll": "roll", "awaiting": "awaiting", "session": "session_event"}
TRIES = 20
"""How often a session is read again because it changed meanwhile."""


class Broken(Exception):
    """The export cannot go on, and is not whole; `sentence` says why."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class _State(NamedTuple):
    """All that tells of a change of a session; `newest` is the campaign's newest event while it is open."""

    session: Session
    kept: dict[str, Any]
    settled: int
    newest: str


def export(store: Store, campaign: Campaign, viewer: Caller | None = None) -> Iterator[bytes]:
    """Yield the lines of a campaign, for the operator or (`viewer`) for its GM, reading a session at a time.

    A session that is deleted meanwhile is left out. Raises Broken.
    """
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
    for session in store.sessions.ids(campaign.id):
        found = _session(store, campaign.id, session, viewer)
        if found is not None:
            lines, counted = found
            sessions, rolls = sessions + 1, rolls + counted
            yield from lines
    if store.campaigns.get(campaign.id) is None:
        raise Broken("The campaign was deleted while it was read.")
    yield _line({"end": {"sessions": sessions, "rolls": rolls}})


def _session(
    store: Store, campaign: str, session_id: str, viewer: Caller | None
) -> tuple[list[bytes], int] | None:
    """Return a session's lines, all as they were at one moment, and how many rolls are among them.

    In memory, as a session is an evening. None of one that is deleted, or not to be shown.
    """
    for _ in range(TRIES):
        before = _state(store, campaign, session_id)
        if before is None or (viewer is not None and before.session.ended_at is None):
            return None
        events = list(_events(store, session_id, viewer))
        unresolved = list(store.unresolved.of(session_id)) if viewer is None else []
        numbers = store.unresolved.numbers([session_id])[session_id]
        if _state(store, campaign, session_id) != before:
            continue
        kept = asdict(before.session)
        del kept["campaign"]
        kept |= {"unresolved": numbers.open, "hidden_unresolved": numbers.hidden}
        if viewer is None:
            kept |= before.kept | {"self_unresolved": numbers.self}
        rolls = sum("roll" in event for event in events)
        if before.session.ended_at is not None:
            kept["rolls"] = rolls
        whole = [{"session": kept}, *events, *({"unresolved": each} for each in unresolved)]
        return [_line(line) for line in whole], rolls
    raise Broken(f"Session {session_id} kept changing while it was read. Export again when nobody rolls.")


def _state(store: Store, campaign: str, session_id: str) -> _State | None:
    """Return what tells whether anything of a session changed; None where it is deleted."""
    session = store.sessions.get(campaign, session_id)
    if session is None:
        return None
    with suppress(UnknownSession):
        kept, settled = store.sessions.kept(session_id), store.sessions.settled(session_id)
        newest = store.campaigns.newest_event(campaign) if session.ended_at is None else ""
        return _State(session, kept, settled, newest)
    return None


def _events(store: Store, session_id: str, viewer: Caller | None) -> Iterator[dict[str, Any]]:
    for event in store.rolls.events_of(session_id):
        if event.kind not in EVENT_NAMES:
            continue  # of a report, which is not kept for long
        record = event.record
        if event.kind in ("roll", "awaiting") and viewer is not None:
            if not may_see(record, viewer):
                continue
            if record["visibility"] == SELF:
                record = {**record, "seq": None}  # it counts others' self rolls too
        yield {"at": event.ms, EVENT_NAMES[event.kind]: record}


def _line(value: Mapping[str, Any]) -> bytes:
    return orjson.dumps(value) + b"\n"
