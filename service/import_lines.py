"""What each line of an export must be. A check says whether it takes a value; nothing is converted."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from rules import registry
from rules.fields import USER_ID
from service.schemas.fields import ID
from service.schemas.tables import MOST_DAYS
from service.webhook_events import EVENTS, KINDS

Check = Callable[[Any], bool]
Shape = Mapping[str, Check]

LATEST = 10**14
"""A time in ms, in the year 5138."""
LARGEST = 2**53
MOST_GIVEN = 10**9
"""Rolls of one chain of a session: beyond it begin the numbers of another."""
_WIDEST = 2**63


class Wrong(Exception):
    """A line is not what it must be; `field` says where, and `line` which where it is not the last read."""

    def __init__(
        self, field: str, sentence: str = "is missing, or not as an export writes it", line: int | None = None
    ) -> None:
        super().__init__(f"{field} {sentence}.")
        self.field, self.line = field, line


def is_text(most: int = 200, pattern: str = r"[^\x00-\x1f\x7f]*") -> Check:
    """Return a check for text of at most so many characters."""
    known = re.compile(pattern)
    return lambda value: isinstance(value, str) and len(value) <= most and known.fullmatch(value) is not None


def is_int(least: int = -LARGEST, most: int = LARGEST) -> Check:
    """Return a check for whole numbers."""
    return lambda value: type(value) is int and least <= value <= most


def one_of(*values: object) -> Check:
    """Return a check for certain values, and no others that are equal to them."""
    return lambda value: any(type(value) is type(each) and value == each for each in values)


def maybe(check: Check) -> Check:
    """Return a check that null passes too."""
    return lambda value: value is None or check(value)


def list_of(check: Check, most: int = 1000) -> Check:
    """Return a check for lists."""
    return lambda value: isinstance(value, list) and len(value) <= most and all(map(check, value))


def object_of(shape: Shape) -> Check:
    """Return a check for objects of a shape."""
    return lambda value: (
        isinstance(value, dict) and value.keys() == shape.keys() and _wrong(value, shape) is None
    )


def place(*names: object) -> str:
    """Return how a field is named, though its names are somebody else's."""
    return ".".join("".join(filter(str.isprintable, str(name)))[:40] for name in names)


def require_small_numbers(value: Any) -> None:
    """Refuse a whole number beyond 64 bits, wherever it is; raise Wrong."""
    names = _way_to_a_large_number(value)
    if names is not None:
        raise Wrong(place(*names), "is a larger number than an export writes")


def _way_to_a_large_number(value: Any) -> list[object] | None:
    if isinstance(value, dict | list):
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            found = _way_to_a_large_number(inner)
            if found is not None:
                return [name, *found]
        return None
    return [] if type(value) is int and not -_WIDEST <= value < _WIDEST else None


def _wrong(value: Mapping[str, Any], shape: Shape) -> str | None:
    return next((name for name, check in shape.items() if not check(value.get(name))), None)


is_hex, is_moment, is_id = is_text(64, "[0-9a-f]{64}"), is_int(0, LATEST), is_text(10, ID)
is_user, is_name, is_flag = is_text(64, USER_ID), is_text(80), one_of(True, False)
_number, _numbers = is_int(0, MOST_GIVEN), list_of(is_int(1, 2 * MOST_GIVEN), 100_000)


def is_object(value: Any) -> bool:
    """Say whether a value is an object."""
    return isinstance(value, dict)


CAMPAIGN: Shape = {
    "id": is_id,
    "name": is_name,
    "ruleset": one_of(*(each.id for each in registry.all())),
    "house_rules": is_object,
    "created_at": is_moment,
    "retention_days": maybe(is_int(1, MOST_DAYS)),
    "gm_key": maybe(is_hex),
}
PLAYER: Shape = {"user": is_user, "name": is_name, "created_at": is_moment, "token": maybe(is_hex)}
WEBHOOK: Shape = {
    "id": is_id,
    "kind": one_of(*KINDS),
    "name": maybe(is_name),
    "events": list_of(one_of(*EVENTS), 10),
    "hidden": is_flag,
    "created_at": is_moment,
}
SESSION: Shape = {
    "id": is_id,
    "title": maybe(is_name),
    "started_at": is_moment,
    "ended_at": maybe(is_moment),
    "commitment": is_hex,
    "hidden_commitment": is_hex,
    "seed": is_hex,
    "hidden_seed": is_hex,
    "last_seq": _number,
    "hidden_last_seq": _number,
    "self_last_seq": maybe(_number),
    "deleted": _numbers,
    "hidden_deleted": _numbers,
    "self_deleted": maybe(_numbers),
    "unresolved": maybe(_numbers),
    "hidden_unresolved": maybe(_numbers),
    "self_unresolved": maybe(_numbers),
    "rolls": maybe(is_int(0)),
}
EVENT_SESSION: Shape = {
    "id": is_id,
    "title": maybe(is_name),
    "started_at": is_moment,
    "ended_at": maybe(is_moment),
    "commitment": is_hex,
    "seed": maybe(is_hex),
}
HEADER: Shape = {
    "tallybones": one_of("campaign"),
    "version": one_of(1),
    "by": one_of("operator", "gm"),
    "exported_at": is_moment,
}
END: Shape = {"sessions": is_int(0), "rolls": is_int(0)}
OPTIONAL = frozenset(
    {
        "gm_key",
        "token",
        "url",
        "self_last_seq",
        "self_deleted",
        "rolls",
        "unresolved",
        "hidden_unresolved",
        "self_unresolved",
    }
)


def require(value: Any, shape: Shape, what: str) -> dict[str, Any]:
    """Return an object that has the shape; raise Wrong."""
    if not isinstance(value, dict):
        raise Wrong(what, "must be an object")
    unknown = next((name for name in value if name not in shape), None)
    if unknown is not None:
        raise Wrong(place(what, unknown), "is nothing that an export writes")
    lacking = next((name for name in shape if name not in value and name not in OPTIONAL), None)
    wrong = lacking or _wrong(value, shape)
    if wrong is not None:
        raise Wrong(f"{what}.{wrong}")
    return value
