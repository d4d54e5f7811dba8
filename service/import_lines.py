"""What each line of an export must be. A check says whether it takes a value; nothing is converted."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from rules import registry
from rules.fields import USER_ID
from rules.verdict import Outcome
from service.presenting import present_view
from service.recording import CHAINS
from service.schemas.fields import ACTOR_ID, ID, ROLL_ID, RULE_SET
from service.schemas.tables import MOST_DAYS
from service.visibility import View, audience, webhook_audience
from service.webhook_events import EVENTS, KINDS

Check = Callable[[Any], bool]
Shape = Mapping[str, Check]

LATEST = 10**14
"""A time in ms, in the year 5138."""
LARGEST = 2**53


class Wrong(Exception):
    """A line is not what it must be; `field` says where."""

    def __init__(self, field: str, sentence: str = "is missing, or not as an export writes it") -> None:
        super().__init__(f"{field} {sentence}.")
        self.field = field


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


def _wrong(value: Mapping[str, Any], shape: Shape) -> str | None:
    return next((name for name, check in shape.items() if not check(value.get(name))), None)


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and is_text()(value[0]) and is_int()(value[1])


def _is_chances(value: Any) -> bool:
    names = [outcome.value for outcome in Outcome]
    return isinstance(value, dict) and all(name in names and _fraction(each) for name, each in value.items())


_hex = is_text(64, "[0-9a-f]{64}")
_fraction = is_text(2000, "[0-9]+/[1-9][0-9]*")
_moment, _id, _roll_id = is_int(0, LATEST), is_text(10, ID), is_text(21, ROLL_ID)
_user, _name, _flag = is_text(64, USER_ID), is_text(80), one_of(True, False)
_actor = maybe(object_of({"id": is_text(128, ACTOR_ID), "name": _name}))
_numbers = list_of(is_int(1), 100_000)
_die = object_of(
    {
        "faces": is_int(1, 2**32),
        "value": is_int(1, 2**32),
        "role": is_text(),
        "kept": _flag,
        "counts": is_int(),
    }
)
_sides = {"dice": list_of(_die), "points": maybe(is_int()), "numbers": list_of(_is_pair, 100)}
_opponent = object_of({"user": _user, "user_name": _name, "actor": _actor, **_sides})
_odds = object_of({"success": _fraction, "outcomes": _is_chances, "formula": maybe(is_text())})


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


ASKED: Shape = {
    "id": _roll_id,
    "session": _id,
    "seq": is_int(1),
    "commitment": _hex,
    "chain": one_of("open", "hidden", "self"),
    "nonce": is_text(128, "[A-Za-z0-9._:-]+"),
    "status": is_text(),
    "ruleset": is_text(64, RULE_SET),
    "action": is_text(64, RULE_SET),
    "title": is_text(),
    "label": maybe(_name),
    "user": _user,
    "user_name": _name,
    "actor": _actor,
    "visibility": one_of(*CHAINS),
    "params": _is_object,
    "house_rules": _is_object,
    "challenged": maybe(_user),
    "challenged_name": maybe(_name),
    "answers": maybe(_roll_id),
    "answered_by": maybe(_roll_id),
    "opponent": maybe(_opponent),
    "created_at": _moment,
    "resolved_at": maybe(_moment),
}
"""A roll's record as it is asked for."""

THROWN: Shape = {
    **_sides,
    "target": maybe(is_int()),
    "outcome": maybe(one_of(*(outcome.value for outcome in Outcome))),
    "success": maybe(_flag),
    "margin": maybe(is_int()),
    "notes": list_of(is_text(), 100),
    "odds": maybe(_odds),
}
"""What its resolution adds."""

JUDGED: Shape = {"score": one_of("successes", "total"), "target_label": is_text()}
"""What it adds but for a challenge that nobody answered."""

CAMPAIGN: Shape = {
    "id": _id,
    "name": _name,
    "ruleset": one_of(*(each.id for each in registry.all())),
    "house_rules": _is_object,
    "created_at": _moment,
    "retention_days": maybe(is_int(1, MOST_DAYS)),
    "gm_key": maybe(_hex),
}
PLAYER: Shape = {"user": _user, "name": _name, "created_at": _moment, "token": maybe(_hex)}
WEBHOOK: Shape = {
    "id": _id,
    "kind": one_of(*KINDS),
    "name": maybe(_name),
    "events": list_of(one_of(*EVENTS), 10),
    "hidden": _flag,
    "created_at": _moment,
}
SESSION: Shape = {
    "id": _id,
    "title": maybe(_name),
    "started_at": _moment,
    "ended_at": maybe(_moment),
    "commitment": _hex,
    "hidden_commitment": _hex,
    "seed": _hex,
    "hidden_seed": _hex,
    "last_seq": is_int(0),
    "hidden_last_seq": is_int(0),
    "self_last_seq": maybe(is_int(0)),
    "deleted": _numbers,
    "hidden_deleted": _numbers,
    "self_deleted": maybe(_numbers),
    "rolls": maybe(is_int(0)),
}
EVENT_SESSION: Shape = {
    "id": _id,
    "title": maybe(_name),
    "started_at": _moment,
    "ended_at": maybe(_moment),
    "commitment": _hex,
    "seed": maybe(_hex),
}
HEADER: Shape = {
    "tallybones": one_of("campaign"),
    "version": one_of(1),
    "by": one_of("operator", "gm"),
    "exported_at": _moment,
}
END: Shape = {"sessions": is_int(0), "rolls": is_int(0)}
OPTIONAL = frozenset({"gm_key", "token", "url", "self_last_seq", "self_deleted", "rolls"})


def require(value: Any, shape: Shape, what: str) -> dict[str, Any]:
    """Return an object that has the shape; raise Wrong."""
    if not isinstance(value, dict):
        raise Wrong(what, "must be an object")
    unknown = next((name for name in value if name not in shape), None)
    if unknown is not None:
        raise Wrong(f"{what}.{unknown[:40]}", "is nothing that an export writes")
    lacking = next((name for name in shape if name not in value and name not in OPTIONAL), None)
    wrong = lacking or _wrong(value, shape)
    if wrong is not None:
        raise Wrong(f"{what}.{wrong}")
    return value


def require_roll(value: Any, session: str, status: str) -> dict[str, Any]:
    """Return the record of a roll of that session and status; raise Wrong."""
    shape = dict(ASKED)
    if isinstance(value, dict) and value.get("chain") == "self":
        shape["seq"] = maybe(is_int(1))  # a GM's own export withholds it
    if status == "resolved":
        shape |= THROWN
        if isinstance(value, dict) and (value.get("outcome") is not None or "score" in value):
            shape |= JUDGED
    record = require(value, shape, "roll")
    if record["status"] != status:
        raise Wrong("roll.status")
    if record["session"] != session or not record["id"].startswith(f"{session}-"):
        raise Wrong("roll.session", "is another session's")
    if CHAINS[record["visibility"]] != record["chain"]:
        raise Wrong("roll.chain", "does not go with its visibility")
    if any(die["value"] > die["faces"] for die in record.get("dice", ())):
        raise Wrong("roll.dice", "show what they cannot")
    try:
        present_view(record, View.FULL)
    except Exception as error:  # whatever it is, such a record could not be shown
        raise Wrong("roll", f"cannot be shown ({type(error).__name__})") from error
    return record


def require_closing(value: Any, session: str) -> None:
    """Check how a challenge is closed where nobody answers: a script will write it as it is. Raise Wrong."""
    shape = dict.fromkeys(("record", "audiences", "webhooks"), is_text(100_000, "[^\\n]*"))
    closing = require(value, shape, "unresolved.closing")
    try:
        record = orjson.loads(b'{"resolved_at":1,' + closing["record"].encode())
        audiences = orjson.loads(closing["audiences"])
    except ValueError as error:
        raise Wrong("unresolved.closing.record") from error
    require_roll(record, session, "resolved")
    if audiences != list(audience(record)) or closing["webhooks"] != (webhook_audience(record) or ""):
        raise Wrong("unresolved.closing.audiences")
