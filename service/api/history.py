"""History: which rolls, as the caller is shown them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from service.presenting import present_view, withhold
from service.store import Caller, Store
from service.store.shared import CLOCK_SKEW_MS
from service.visibility import View, view_of

MOST_LOOKED_AT = 5_000
"""Rolls that are looked at for one page; what matches among older ones is on the pages that follow.

Only those that the caller may see are counted, so that where a page stops tells nothing of the others.
"""

Shown = Mapping[str, Any]


class _Visible(NamedTuple):
    """A roll that the caller may see, and what may be made of it for them."""

    stream_id: str
    record: Mapping[str, Any]
    view: View
    seen: Mapping[str, Any]


def history_page(store: Store, caller: Caller, query: Mapping[str, Any]) -> dict[str, Any]:
    """Return a page of the rolls that `query` asks for.

    Its cursor is the id of the last one shown, or looked at where the search stopped before the page was
    full; null where nothing older matches.
    """
    limit: int = query["limit"]
    rolls: list[Shown] = []
    last_shown = last = None
    matches = _filter(query)
    for place, roll in enumerate(_visible(store, caller, query)):
        if place == MOST_LOOKED_AT:
            return {"rolls": rolls, "next_cursor": last}
        last = roll.stream_id
        if not matches(roll.seen):
            continue
        if len(rolls) == limit:
            return {"rolls": rolls, "next_cursor": last_shown}
        rolls.append(present_view(roll.record, roll.view))
        last_shown = last
    return {"rolls": rolls, "next_cursor": None}


def shown_rolls(
    store: Store, caller: Caller, query: Mapping[str, Any], *, with_cards: bool = True
) -> Iterator[Shown]:
    """Yield all rolls that match as the caller is shown them, newest first."""
    matches = _filter(query)
    for roll in _visible(store, caller, query):
        if matches(roll.seen):
            yield present_view(roll.record, roll.view, with_card=with_cards)


def _visible(store: Store, caller: Caller, query: Mapping[str, Any]) -> Iterator[_Visible]:
    """Yield what the caller may see, newest first, of the sessions in which something may match."""
    since, until = query.get("since"), query.get("until")
    found = store.rolls.history(
        caller.campaign,
        before=query.get("cursor"),
        sessions=[query["session"]] if "session" in query else None,
        # Only bounds, so that other sessions are left unread: the filter is exact.
        after=None if since is None else f"{max(since - CLOCK_SKEW_MS, 0)}-0",
        started_before=None if until is None else until + CLOCK_SKEW_MS,
    )
    for stream_id, record in found:
        view = view_of(record, caller)
        if view is not None:
            yield _Visible(stream_id, record, view, withhold(record, view))


def _filter(query: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], bool]:
    """Return a test of what a caller sees of a roll: a filter must tell no more than the roll itself does."""
    wanted = [(name, query[name]) for name in ("user", "action", "outcome") if name in query]
    actor, since, until = query.get("actor"), query.get("since"), query.get("until")

    def matches(seen: Mapping[str, Any]) -> bool:
        made = seen["created_at"]
        if (since is not None and made < since) or (until is not None and made >= until):
            return False
        if actor is not None and (seen["actor"] or {}).get("id") != actor:
            return False
        return all(seen.get(name) == value for name, value in wanted)

    return matches
