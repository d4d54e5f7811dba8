"""What a report calls its sessions: as shortly as tells each from the others."""

import re
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime

from service.cards.names import shown
from service.store import Session

_WHEN = re.compile(r", \d{1,2} [A-Z][a-z]{2}( \d{4})?(, \d\d:\d\d UTC)?( \(\d+\))?\Z")
"""The end of a titled session's name, as it is made here: what tells it from others of its title."""


def names_of(sessions: Iterable[Session]) -> dict[str, str]:
    """Return what each session is called, by id: its day, after its title where it has one.

    Where that is the same for several, the year or else the time is said too, in UTC; those that began in the
    same minute are numbered.
    """
    in_turn = sorted(sessions, key=lambda session: session.started_at)
    names = {session.id: _named(session, "%-d %b" if session.title else "%-d %b %Y") for session in in_turn}
    for when in ("%-d %b %Y", "%-d %b, %H:%M UTC"):
        alike = Counter(names.values())
        for session in in_turn:
            if alike[names[session.id]] > 1:
                names[session.id] = _named(session, when if session.title else "%-d %b %Y, %H:%M UTC")
    before: Counter[str] = Counter()
    for key, name in names.items():
        before[name] += 1
        if before[name] > 1:
            names[key] = f"{name} ({before[name]})"
    return names


def shortened(name: str, length: int) -> str:
    """Return a name in at most so many letters: a session's keeps its day, whatever goes of its title."""
    if len(name) <= length:
        return name
    when = _WHEN.search(name)
    end = f"…{when[0]}" if when else "…"
    return name[: max(length - len(end), 1)].rstrip() + end


def _named(session: Session, when: str) -> str:
    started = f"{datetime.fromtimestamp(session.started_at / 1000, UTC):{when}}"
    return f"{shown(session.title)}, {started}" if session.title else started
