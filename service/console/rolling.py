"""Rolling and answering: forms drawn from the rule set's description, with exact odds as one types."""

import uuid
from collections.abc import Mapping
from typing import Any

from flask import Response, abort, jsonify, render_template, request
from marshmallow import ValidationError
from werkzeug.wrappers import Response as WerkzeugResponse

from rules.action import GM, Action
from rules.odds import odds
from rules.ruleset import UnknownAction
from service.cards.odds_words import odds_in_words, percent
from service.cards.wording import COLOURS, MARKS, OUTCOMES
from service.console import guard
from service.console.ask import Refused, ask
from service.console.fields import Users, by_input, draw, read, unplaced
from service.console.pages import go, page, pages, rule_set
from service.console.table import latest, open_session, stream_address

LATEST = 4
"""Cards beside the form."""
WAIT = 4
"""Seconds that the form waits for its card; after that it comes over the stream."""
PREFIX = "params"
VISIBILITIES = (
    ("public", "Everyone", "The card goes to the whole table."),
    ("gm", "GM only", "You, and whoever you challenge, see the result."),
    ("blind", "Blind", "Only you see the result, not even whoever you challenge."),
    ("self", "Yourself", "Nobody else learns of it."),
)


@pages.get("/console/roll")
def roll_first() -> WerkzeugResponse:
    """Lead to the form of the rule set's first action."""
    return go("roll_form", action=rule_set().actions[0].name)


@pages.get("/console/roll/<name:action>")
def roll_form(action: str) -> Response:
    """Show the form of an action, filled in as in the roll `like` when that is given."""
    like = request.args.get("like")
    values: dict[str, Any] = {}
    label, visibility = "", "public"
    if like:
        try:
            roll = ask("GET", f"/rolls/{like}")
        except Refused:
            roll = {"action": None}  # it is gone; the form is as good without it
        if roll["action"] == action:
            values, label, visibility = roll["params"] or {}, roll["label"] or "", roll["visibility"]
    return _roll_page(action, values, label=label, visibility=visibility)


@pages.post("/console/roll/<name:action>")
def roll(action: str) -> Response | WerkzeugResponse:
    """Roll; or only work the odds out, for those without scripts."""
    described, values = _described(action), _values(action)
    label, visibility = request.form.get("label", "").strip(), request.form.get("visibility", "public")
    if "odds" in request.form:
        told, errors = _odds(rule_set().load, action, values)
        return _roll_page(action, values, errors, label=label, visibility=visibility, odds=told)
    asked = {"action": described["name"], "params": values, "visibility": visibility, "label": label or None}
    try:
        rolled = ask("POST", "/rolls", asked, headers=_click())
    except Refused as refused:
        return _again_or_raise(
            refused, lambda errors: _roll_page(action, values, errors, label=label, visibility=visibility)
        )
    said = {"resolved": "rolled", "awaiting": "roll-waits"}.get(rolled["status"], "roll-on-its-way")
    return go("roll_form", said, action=action, like=rolled["id"])


@pages.post("/console/roll/<name:action>/odds")
def live_odds(action: str) -> Response:
    """Answer a form that is being filled in: its odds, or what is still wrong with it."""
    _described(action)
    told, errors = _odds(rule_set().load, action, _values(action))
    wrong = by_input(errors.get("params", {}), PREFIX, request.form)
    return jsonify(odds=render_template("console/odds.html", odds=told), wrong=wrong)


@pages.get("/console/rolls/<roll:roll>/answer")
def answer_form(roll: str) -> Response | WerkzeugResponse:
    """Show the form that answers a challenge in the other side's place."""
    challenge = ask("GET", f"/rolls/{roll}")
    if challenge["status"] != "awaiting":
        return go("one_roll", roll=roll)
    return _answer_page(challenge, {})


@pages.post("/console/rolls/<roll:roll>/answer")
def answer(roll: str) -> Response | WerkzeugResponse:
    """Answer a challenge."""
    challenge = ask("GET", f"/rolls/{roll}")
    values = read(_answer_fields(challenge), PREFIX, request.form)
    try:
        ask("POST", f"/rolls/{roll}/answer", {"params": values}, headers=_click())
    except Refused as refused:
        return _again_or_raise(refused, lambda errors: _answer_page(challenge, values, errors))
    return go("one_roll", "answered", roll=roll)


def _again_or_raise(refused: Refused, again: Any) -> Response:
    if refused.status != 422:
        raise refused
    page: Response = again(refused.errors)
    page.status_code = 422
    return page


def _click() -> dict[str, str]:
    """Return the click's headers: the key came with the form, so that sending it twice rolls once."""
    return {"Idempotency-Key": request.form.get("key", ""), "Prefer": f"wait={WAIT}"}


def _described(action: str) -> dict[str, Any]:
    for each in rule_set().describe()["actions"]:
        if each["name"] == action:
            return dict(each)
    return abort(404)


def _values(action: str) -> dict[str, Any]:
    described = _described(action)
    return read(
        described["fields"],
        PREFIX,
        request.form,
        house_rules=guard.table().house_rules,
        exactly_one_of=described["exactly_one_of"],
    )


def _odds(load: Any, action: str, values: Mapping[str, Any]) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """Return the exact odds in words, or None and what is wrong, by field."""
    try:
        loaded: Action = load(action, values, guard.table().house_rules, False)
    except UnknownAction:
        return abort(404)
    except ValidationError as error:
        return None, {"params": error.messages_dict}
    exact = odds(loaded)
    outcomes = [
        {
            "name": OUTCOMES[outcome.value],
            "mark": MARKS[outcome.value],
            "colour": COLOURS[outcome.value],
            "outcome": outcome.value,
            "words": odds_in_words(chance),
            "percent": percent(chance),
            "share": float(chance),
        }
        for outcome, chance in exact.outcomes.items()
    ]
    return {
        "words": odds_in_words(exact.success),
        "percent": percent(exact.success),
        "outcomes": outcomes,
        "against_player": loaded.challenged is not None,
    }, {}


def _roll_page(
    action: str,
    values: Mapping[str, Any],
    errors: Mapping[str, Any] | None = None,
    *,
    label: str,
    visibility: str,
    odds: Mapping[str, Any] | None = None,
) -> Response:
    described, rules, errors = _described(action), rule_set(), errors or {}
    fields = draw(
        described["fields"],
        PREFIX,
        values,
        errors.get("params"),
        house_rules=guard.table().house_rules,
        exactly_one_of=described["exactly_one_of"],
        users=_users(GM),
    )
    if odds is None and not errors and values:
        odds, _ = _odds(rules.load, action, values)
    return page(
        "roll_form.html",
        stream=stream_address(),
        action=described,
        actions=[(each.name, each.title) for each in rules.actions],
        drawn=fields,
        label=label,
        label_errors=errors.get("label", ()),
        visibility=visibility,
        visibilities=VISIBILITIES,
        visibility_errors=errors.get("visibility", ()),
        more_errors=unplaced(errors.get("params")) + unplaced(errors),
        odds=odds,
        key=str(uuid.uuid4()),
        session=open_session(),
        latest=latest(LATEST),
    )


def _answer_page(
    challenge: Mapping[str, Any], values: Mapping[str, Any], errors: Mapping[str, Any] | None = None
) -> Response:
    errors = errors or {}
    told = errors.get("params")
    return page(
        "answer_form.html",
        challenge=challenge,
        drawn=draw(_answer_fields(challenge), PREFIX, values, told, users=_users(challenge["user"])),
        more_errors=unplaced(told),
        key=str(uuid.uuid4()),
    )


def _answer_fields(challenge: Mapping[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] | None = _described(challenge["action"])["answer_fields"]
    return found or []


def _users(without: str) -> Users:
    """Return whom a roll can challenge: everybody but its roller."""
    players = [(player["user"], player["name"]) for player in ask("GET", "/players")["players"]]
    everybody = [*players, (GM, "GM")]
    return Users(tuple(user for user in everybody if user[0] != without))
