"""What the record of a roll must be in an export: its shape, and that its parts go together."""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson
from marshmallow import ValidationError

from rules import registry
from rules.fields import YesNo
from rules.ruleset import RuleSet, UnknownAction
from rules.verdict import Outcome
from service.import_lines import (
    LATEST,
    MOST_GIVEN,
    Shape,
    Wrong,
    is_flag,
    is_hex,
    is_id,
    is_int,
    is_moment,
    is_name,
    is_object,
    is_text,
    is_user,
    list_of,
    maybe,
    object_of,
    one_of,
    place,
    require,
)
from service.import_odds import require_odds_if_thrown
from service.presenting import present_view
from service.recording import CHAINS
from service.schemas.fields import ACTOR_ID, ROLL_ID, RULE_SET
from service.store.shared import CLOCK_SKEW_MS
from service.visibility import GM, View, audience, webhook_audience

MOST_POINTS = 1_000_000
"""A score, target, margin or bonus, either way: beyond all rules, and its square can still be added up."""
NEAR_MS = 24 * 60 * 60 * 1000
"""How far from its session a roll may seem to be made, should a clock have been wrong."""
Record = dict[str, Any]

_points = is_int(-MOST_POINTS, MOST_POINTS)
_roll_id = is_text(21, ROLL_ID)
_fraction = is_text(2000, "[0-9]+/[1-9][0-9]*")


def _is_chance(value: Any) -> bool:
    if not _fraction(value):
        return False
    top, bottom = map(int, value.split("/"))
    return top <= bottom


def _is_chances(value: Any) -> bool:
    names = [outcome.value for outcome in Outcome]
    return isinstance(value, dict) and all(name in names and _is_chance(each) for name, each in value.items())


def _is_number(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and is_text()(value[0]) and _points(value[1])


_actor = maybe(object_of({"id": is_text(128, ACTOR_ID), "name": is_name}))
_shape_of_die = object_of(
    {
        "faces": is_int(1, 2**32),
        "value": is_int(1, 2**32),
        "role": is_text(),
        "kept": is_flag,
        "counts": _points,
    }
)
_sides = {
    "dice": list_of(lambda die: _shape_of_die(die) and die["value"] <= die["faces"]),
    "points": maybe(_points),
    "numbers": list_of(_is_number, 100),
}
_opponent = object_of({"user": is_user, "user_name": is_name, "actor": _actor, **_sides})
_odds = object_of({"success": _is_chance, "outcomes": _is_chances, "formula": maybe(is_text())})

ASKED: Shape = {
    "id": _roll_id,
    "session": is_id,
    "seq": is_int(1, 2 * MOST_GIVEN),
    "commitment": is_hex,
    "chain": one_of("open", "hidden", "self"),
    "nonce": is_text(128, "[A-Za-z0-9._:-]+"),
    "status": is_text(),
    "ruleset": is_text(64, RULE_SET),
    "action": is_text(64, RULE_SET),
    "title": is_text(),
    "label": maybe(is_name),
    "user": is_user,
    "user_name": is_name,
    "actor": _actor,
    "visibility": one_of(*CHAINS),
    "params": is_object,
    "house_rules": is_object,
    "challenged": maybe(is_user),
    "challenged_name": maybe(is_name),
    "answers": maybe(_roll_id),
    "answered_by": maybe(_roll_id),
    "opponent": maybe(_opponent),
    "created_at": is_moment,
    "resolved_at": maybe(is_moment),
}
"""A roll's record as it is asked for."""

THROWN: Shape = {
    **_sides,
    "target": maybe(_points),
    "outcome": maybe(one_of(*(outcome.value for outcome in Outcome))),
    "success": maybe(is_flag),
    "margin": maybe(_points),
    "notes": list_of(is_text(), 100),
    "odds": maybe(_odds),
}
"""What its resolution adds."""

JUDGED: Shape = {"score": one_of("successes", "total"), "target_label": is_text()}
"""What it adds but for a challenge that nobody answered."""


def require_roll(value: Any, campaign: Record, session: Record, status: str) -> Record:
    """Return the record of a roll of that session and status; raise Wrong."""
    shape = dict(ASKED)
    if isinstance(value, dict) and value.get("chain") == "self":
        shape["seq"] = maybe(is_int(1, 2 * MOST_GIVEN))  # a GM's own export withholds it
    if status == "resolved":
        shape |= THROWN
        if isinstance(value, dict) and (value.get("outcome") is not None or "score" in value):
            shape |= JUDGED
    record = require(value, shape, "roll")
    if record["status"] != status:
        raise Wrong("roll.status")
    if record["session"] != session["id"] or not record["id"].startswith(f"{session['id']}-"):
        raise Wrong("roll.session", "is another session's")
    if CHAINS[record["visibility"]] != record["chain"]:
        raise Wrong("roll.chain", "does not go with its visibility")
    _require_times(record, session)
    _require_success(record)
    _require_rules(record, campaign)
    if status == "resolved":
        require_odds_if_thrown(record)
    try:
        present_view(record, View.FULL)
    except Exception as error:  # whatever it is, such a record could not be shown
        raise Wrong("roll", f"cannot be shown ({type(error).__name__})") from error
    return record


def _require_times(record: Record, session: Record) -> None:
    made, resolved = record["created_at"], record["resolved_at"]
    ended = LATEST if session["ended_at"] is None else session["ended_at"]
    if not session["started_at"] - NEAR_MS <= made <= ended + NEAR_MS:
        raise Wrong("roll.created_at", "is not in the time of its session")
    if (resolved is None) == (record["status"] == "resolved"):
        raise Wrong("roll.resolved_at")
    if resolved is not None and resolved < made - CLOCK_SKEW_MS:
        raise Wrong("roll.resolved_at", "is before it was made")


def _require_success(record: Record) -> None:
    outcome, success = record.get("outcome"), record.get("success")
    if outcome is None:
        agrees = success is None
    else:
        agrees = outcome == Outcome.TIE or success is outcome.endswith("success")
    if not agrees:
        raise Wrong("roll.success", "does not go with its outcome")


def _require_rules(record: Record, campaign: Record) -> None:
    """Refuse what the rule set would not take; it is the one that is installed here."""
    id = campaign["ruleset"]
    if record["ruleset"] != id:
        raise Wrong("roll.ruleset", "is not its campaign's")
    ruleset, refused = registry.get(id), None
    for house_rules in _house_rules(record, campaign, ruleset):
        try:
            _take(ruleset, record, house_rules)
            return
        except UnknownAction as error:
            raise Wrong("roll.action", f"is none that this version of {id} has") from error
        except ValidationError as error:
            refused = refused or error
    if refused is not None:
        raise _told(refused, record, ruleset) from refused


def _house_rules(record: Record, campaign: Record, ruleset: RuleSet) -> Iterator[Mapping[str, Any]]:
    """Yield the house rules under which a roll may have been made; the table may have changed its own since.

    A resolved record has only those that mattered, so one that allowed a field may be missing there.
    """
    yield record["house_rules"]
    if record["status"] == "resolved":
        fields = ruleset.house_rules.field_map()
        allowed = {name: True for name, field in fields.items() if isinstance(field, YesNo)}
        for others in (campaign["house_rules"], allowed, campaign["house_rules"] | allowed):
            yield others | record["house_rules"]


def _take(ruleset: RuleSet, record: Record, house_rules: Mapping[str, Any]) -> None:
    if record["answers"] is None:
        ruleset.load(record["action"], record["params"], house_rules, record["user"] != GM)
        return
    answer = ruleset.action(record["action"]).answer_type
    if answer is None:
        raise Wrong("roll.answers", "is of an action that nobody answers")
    ruleset.load_house_rules(house_rules)
    answer.load(record["params"])


def _told(refused: ValidationError, record: Record, ruleset: RuleSet) -> Wrong:
    where = "params"
    try:
        ruleset.load_house_rules(record["house_rules"])
    except ValidationError as error:
        where, refused = "house_rules", error
    names, said = ["roll", where], refused.messages
    while isinstance(said, dict) and said:
        name, said = next(iter(said.items()))
        names.append(str(name))
    sentence = str(said[0] if isinstance(said, list) and said else said)
    why = sentence[:1].lower() + sentence[1:].rstrip(".")
    return Wrong(place(*names), f"does not go with this version of {ruleset.id}: {why}")


def require_closing(value: Any, campaign: Record, session: Record, made: int) -> None:
    """Check how a challenge is closed where nobody answers: a script will write it as it is. Raise Wrong."""
    shape = dict.fromkeys(("record", "audiences", "webhooks"), is_text(100_000, "[^\\n]*"))
    closing = require(value, shape, "unresolved.closing")
    try:
        record = orjson.loads(b'{"resolved_at":%d,' % made + closing["record"].encode())
        audiences = orjson.loads(closing["audiences"])
    except ValueError as error:
        raise Wrong("unresolved.closing.record") from error
    require_roll(record, campaign, session, "resolved")
    if audiences != list(audience(record)) or closing["webhooks"] != (webhook_audience(record) or ""):
        raise Wrong("unresolved.closing.audiences")
