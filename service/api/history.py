"""History: which rolls, as the caller is shown them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from service.presenting import present
from service.store import Caller, Store
from service.store.shared import CLOCK_SKEW_MS

Shown = Mapping[str, Any]


def history_page(store: Store, caller: Caller, query: Mapping[str, Any]) -> dict[str, Any]:
    """Return a page of the rolls that `query` asks for; its cursor is the id of the last one shown."""
    limit: int = query["limit"]
    rolls: list[Shown] = []
    last = None
    for stream_id, shown in shown_rolls(store, caller, query):
        if len(rolls) == limit:
            return {"rolls": rolls, "next_cursor": last}
        rolls.append(shown)
        last = stream_id
    return {"rolls": rolls, "next_cursor": None}


def shown_rolls(
    store: Store, caller: Caller, query: Mapping[str, Any], *, with_cards: bool = True
) -> Iterator[tuple[str, Shown]]:
    """Yield (stream id, roll as shown), newest first, of what matches as the caller is shown it."""
    since, until = query.get("since"), query.get("until")
    # Only a bound, so that old sessions are left unread: the filter below is exact.
    after = None if since is None else f"{max(since - CLOCK_SKEW_MS, 0)}-0"
    sessions = [query["session"]] if "session" in query else None
    matches = _filter(query)
    for stream_id, record in store.rolls.history(caller.campaign, query.get("cursor"), after, sessions):
        made = record["created_at"]
        if (since is not None and made < since) or (until is not None and made >= until):
            continue
        shown = present(record, caller, with_card=with_cards)
        if shown is not None and matches(shown):
            yield stream_id, shown


def _filter(query: Mapping[str, Any]) -> Callable[[Shown], bool]:
    """Return a test of a roll as shown: a filter must not tell more than the roll itself would."""
    wanted = [(name, query[name]) for name in ("user", "action", "outcome") if name in query]
    actor = query.get("actor")

    def matches(shown: Shown) -> bool:
        if actor is not None and (shown["actor"] or {}).get("id") != actor:
            return False
        return all(shown[name] == value for name, value in wanted)

    return matches
