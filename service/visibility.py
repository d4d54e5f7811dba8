"""Who sees what of a roll: the one home of the four visibilities.

| visibility | the GM          | its roller | the other side of an opposed roll | everybody else |
|------------|-----------------|------------|-----------------------------------|----------------|
| `public`   | FULL            | FULL       | FULL                              | FULL           |
| `gm`       | FULL            | OWN        | OWN                               | nothing        |
| `blind`    | FULL            | THROWN     | CHALLENGED                        | nothing        |
| `self`     | OWN if it is theirs, else nothing | OWN | (never opposed)        | nothing        |

A webhook sees public rolls whole, `gm` and `blind` ones where the GM says so for it, and `self` ones never.

Every way out asks here: a single roll, history, counts, the stream, an answer to a POST, a webhook, a report.
Filters work on the view, never on the record; "nothing" means that for this caller the roll does not exist. A
report counts the rolls of which its reader has FULL or OWN, a player's only their own.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

GM = "gm"
PUBLIC, GM_ONLY, BLIND, SELF = "public", "gm", "blind", "self"
VISIBILITIES = (PUBLIC, GM_ONLY, BLIND, SELF)

EVERYONE = "everyone"
THE_GM = "gm"


class View(Enum):
    """How much of a roll somebody is shown; it alone decides what they are shown, whoever they are."""

    FULL = "full"
    """All of it."""
    OWN = "own"
    """All but `seq`, which would tell a player how many hidden rolls others made."""
    THROWN = "thrown"
    """That it was thrown, by whom, when, and what was asked for; nothing that depends on the dice."""
    CHALLENGED = "challenged"
    """THROWN without what the other side asked for."""


class Viewer(Protocol):
    """What visibility needs to know of a caller (the GM's user is always "gm")."""

    @property
    def role(self) -> str: ...
    @property
    def user(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Outsider:
    """Somebody who is not at the table, as behind a webhook: sees what is public. No user's id is empty."""

    role: str = "outsider"
    user: str = ""


OUTSIDER = Outsider()


def view_of(record: Mapping[str, object], caller: Viewer) -> View | None:
    """Return how much of `record` `caller` is shown, None when it does not exist for them."""
    if not may_see(record, caller):
        return None
    visibility = record["visibility"]
    if visibility == PUBLIC:
        return View.FULL
    if visibility == SELF:
        return View.OWN
    if caller.role == THE_GM:
        return View.FULL
    if visibility == GM_ONLY:
        return View.OWN
    return View.THROWN if record["user"] == caller.user else View.CHALLENGED


def may_see(record: Mapping[str, object], caller: Viewer) -> bool:
    """Say whether `record` exists for `caller`."""
    return not set(audience(record)).isdisjoint(audiences_of(caller))


def audience(record: Mapping[str, object]) -> tuple[str, ...]:
    """Name the audiences that may see anything of `record`; one that is unknown is seen by nobody.

    Counting a roll once in each of them, and adding up `audiences_of(caller)`, counts what a caller may see
    (`seen_count`): a caller belongs to at most one audience of any roll.
    """
    visibility = record["visibility"]
    if visibility == PUBLIC:
        return (EVERYONE,)
    if visibility == SELF:
        return (_audience_of_user(str(record["user"])),)
    if visibility in (GM_ONLY, BLIND):
        return tuple(dict.fromkeys((THE_GM, *(_audience_of_user(user) for user in sides(record)))))
    return ()


def webhook_audience(record: Mapping[str, object]) -> str | None:
    """Name what a webhook must be to hear of `record`: EVERYONE (any), THE_GM (one that sees hidden rolls).

    None where no webhook hears of it: a `self` roll is its roller's alone.
    """
    visibility = record["visibility"]
    if visibility == PUBLIC:
        return EVERYONE
    return THE_GM if visibility in (GM_ONLY, BLIND) else None


def webhook_view(record: Mapping[str, object], hidden: bool) -> View | None:
    """Return what a webhook is shown of `record`; `hidden` where its GM lets it see hidden rolls."""
    audience = webhook_audience(record)
    return View.FULL if audience == EVERYONE or (audience == THE_GM and hidden) else None


def audiences_of(caller: Viewer) -> tuple[str, str]:
    """Name the audiences `caller` belongs to."""
    return (EVERYONE, THE_GM if caller.role == THE_GM else _audience_of_user(caller.user))


def seen_count(counts: Mapping[str, int], caller: Viewer) -> int:
    """Add up, from rolls counted by audience, how many `caller` may see."""
    return sum(counts.get(name, 0) for name in audiences_of(caller))


def sides(record: Mapping[str, object]) -> Iterable[str]:
    """Name the users whose throw this is: its roller and, where it is opposed, the other side."""
    yield str(record["user"])
    challenged = record.get("challenged")
    if challenged is not None:
        yield str(challenged)
    opponent = record.get("opponent")
    if isinstance(opponent, Mapping) and opponent.get("user") is not None:
        yield str(opponent["user"])


def _audience_of_user(user: str) -> str:
    return THE_GM if user == GM else f"user:{user}"
