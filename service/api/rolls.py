"""Rolls: asked with a click, answered where opposed, read one by one."""

import hashlib
import time
from collections.abc import Callable
from typing import Any

from flask import Response, g, request
from marshmallow import ValidationError

from rules import registry
from rules.action import GM
from service.api.history import history_page, shown_rolls
from service.api.rulesets import load_action
from service.auth import Who, caller, campaign
from service.bodies import body_fingerprint, json_answer
from service.calls import Calls
from service.history_files import CSV, NDJSON, streamed
from service.live import Expectation
from service.preferences import KEY_HEADER, PREFER_HEADER, idempotency_key, preferred_wait
from service.presenting import present
from service.problems import (
    ALREADY_ANSWERED,
    FORBIDDEN,
    KEY_REUSED,
    NOT_AWAITING,
    NOT_RESOLVED,
    SESSION_NOT_OPEN,
    Problem,
    invalid,
    not_found,
)
from service.schemas import rolls as schemas
from service.services import services
from service.store import (
    Accepted,
    AlreadyAnswered,
    KeyReused,
    NewAnswer,
    NewRoll,
    NotAwaiting,
    NotResolved,
    SessionNotOpen,
    UnknownCampaign,
    UnknownRoll,
)
from service.store.campaigns import GM_NAME
from service.store.figures import ACCEPTED, COUNTING, sees
from service.visibility import SELF, THE_GM, may_see
from service.watching import mention

calls = Calls("rolls", __name__, url_prefix="/v1/campaigns/<id:campaign>/rolls")

HUB_START = 1.0
"""Seconds that a waiting request gives the hub to subscribe; it looks into the store anyway."""


@calls.call(
    "POST",
    "",
    who=Who.MEMBER,
    body=schemas.NewRoll,
    answers={200: schemas.Roll, 202: schemas.Roll},
    problems=(409,),
    headers=(KEY_HEADER, PREFER_HEADER),
    with_campaign=True,
)
def ask_for_roll(asked: dict[str, Any], campaign: str) -> Response:
    """Roll.

    202 with the roll as accepted: its card comes on the stream. 200 with the resolved roll when
    `Prefer: wait=N` was sent and it is there in time. A challenge answers 202 as soon as it waits for the
    other side.
    """
    new = _new_roll(asked, campaign)
    return _accept(new.key, lambda: services().store.rolls.accept(new))


@calls.call(
    "POST",
    "/<roll:roll>/answer",
    who=Who.MEMBER,
    body=schemas.NewAnswer,
    answers={200: schemas.Roll, 202: schemas.Roll},
    problems=(409,),
    headers=(KEY_HEADER, PREFER_HEADER),
)
def answer_roll(asked: dict[str, Any], campaign: str, roll: str) -> Response:
    """Answer a challenge with the other side's throw.

    For the challenged player, or the GM in their place. The answer is the answer's own roll, as for any roll.
    """
    new = _new_answer(asked, campaign, roll)
    return _accept(new.key, lambda: services().store.rolls.accept_answer(new))


@calls.call("GET", "/<roll:roll>", who=Who.MEMBER, answers={200: schemas.Roll})
def read_roll(campaign: str, roll: str) -> Response:
    """Read a roll, whatever its status."""
    record = services().store.rolls.get(campaign, roll)
    shown = None if record is None else present(record, caller())
    if shown is None:
        raise not_found("roll")
    return json_answer(shown)


@calls.call("DELETE", "/<roll:roll>", who=Who.GM, answers={204: None}, problems=(409,))
def delete_roll(campaign: str, roll: str) -> Response:
    """Delete a roll for good; both sides of an opposed one.

    Its number stays noted as deleted by the GM, so that the session can be verified without it.
    """
    store = services().store
    record = store.rolls.get(campaign, roll)
    if record is None or not may_see(record, caller()):
        raise not_found("roll")
    try:
        if not store.erasing.roll(campaign, record):
            raise not_found("roll")
    except NotResolved as error:
        raise Problem(NOT_RESOLVED) from error
    return Response(status=204)


@calls.call(
    "GET",
    "",
    who=Who.MEMBER,
    query=schemas.HistoryQuery,
    answers={200: schemas.Rolls},
    also={CSV: {"type": "string"}, NDJSON: {"type": "string"}},
)
def read_history(query: dict[str, Any], campaign: str) -> Response:
    """Read the history: resolved rolls, newest first, as far as the caller may see them.

    `outcome` filters by what the caller is shown: a blind roll has none for its roller. For one page so many
    rolls are looked at and no more: it may be short, or empty, and others follow as long as `next_cursor` is
    not null. With the header `Accept: application/x-ndjson` (JSON, a roll a line) or `text/csv` all that
    matches comes in one answer, whatever the `limit`; one that fails on the way ends with a line that says
    so, and is broken off.
    """
    store, who = services().store, caller()
    wanted = request.accept_mimetypes.best_match(["application/json", NDJSON, CSV])
    if wanted not in (NDJSON, CSV):
        return json_answer(history_page(store, who, query))
    return streamed(shown_rolls(store, who, query, with_cards=wanted == NDJSON), wanted, f"rolls-{campaign}")


def _new_roll(asked: dict[str, Any], campaign_id: str) -> NewRoll:
    key, who, table = idempotency_key(request), caller(), campaign()
    ruleset = registry.get(table.ruleset)
    by_player = who.role != THE_GM
    action = load_action(ruleset, asked["action"], asked["params"], table.house_rules, by_player=by_player)
    challenged_name = None
    if action.challenged is not None:
        challenged_name = _challenged_name(campaign_id, action.challenged, asked["visibility"])
    return NewRoll(
        campaign=campaign_id,
        caller=who,
        ruleset=ruleset.id,
        action=action,
        key=key,
        body_hash=_body_hash(),
        visibility=asked["visibility"],
        actor=asked["actor"],
        label=asked["label"],
        session=asked["session"],
        challenged_name=challenged_name,
    )


def _challenged_name(campaign_id: str, opponent: str, visibility: str) -> str:
    """Return the other side's name; refuse a challenge to oneself, to nobody, or unseen."""
    player = None if opponent == GM else services().store.players.get(campaign_id, opponent)
    sentence = None
    if opponent == caller().user:
        sentence = "Must be somebody else."
    elif opponent != GM and player is None:
        sentence = 'Must be a player of this campaign, or "gm".'
    if sentence:
        raise invalid({"params": {"opponent": {"user": [sentence]}}})
    if visibility == SELF:
        raise invalid(
            {"visibility": ["Must not be self here: the other side has to see the roll to answer it."]}
        )
    return player.name if player else GM_NAME


def _new_answer(asked: dict[str, Any], campaign_id: str, roll: str) -> NewAnswer:
    key, who = idempotency_key(request), caller()
    challenge = services().store.rolls.get(campaign_id, roll)
    if challenge is None or not may_see(challenge, who):
        raise not_found("roll")
    if challenge["challenged"] is None:
        raise Problem(NOT_AWAITING)
    if who.role != THE_GM and who.user != challenge["challenged"]:
        raise Problem(FORBIDDEN, "Only the challenged player, or the GM, answers this roll.")
    ruleset = registry.get(challenge["ruleset"])
    by_player = challenge["user"] != GM
    action = load_action(
        ruleset, challenge["action"], challenge["params"], challenge["house_rules"], by_player=by_player
    )
    try:
        answered = action.answered(asked["params"])
    except ValidationError as error:
        raise invalid({"params": error.messages_dict}) from error
    return NewAnswer(
        campaign=campaign_id,
        caller=who,
        challenge=challenge,
        action=answered,
        key=key,
        body_hash=_body_hash(roll),
        actor=asked["actor"],
        label=asked["label"],
    )


def _body_hash(about: str = "") -> str:
    """Return what tells one body from another under the same key, whatever its spacing."""
    return hashlib.sha256(about.encode() + body_fingerprint(g.body)).hexdigest()


def _accept(key: str, accept: Callable[[], Accepted]) -> Response:
    wait = preferred_wait(request)
    if not wait:
        return _roll_answer(_accepted(accept), wait)
    hub, who = services().hub, caller()
    hub.listening(HUB_START)
    # Before the roll is accepted, so that its card cannot come unheard.
    expectation = hub.expect(who.campaign, who.user, key)
    try:
        accepted = _accepted(accept)
        return _roll_answer(Accepted(_wait_for(accepted, expectation, wait), accepted.replayed), wait)
    finally:
        hub.dismiss(who.campaign, who.user, key, expectation)


def _accepted(accept: Callable[[], Accepted]) -> Accepted:
    try:
        return accept()
    except KeyReused as error:
        raise Problem(KEY_REUSED) from error
    except SessionNotOpen as error:
        raise Problem(SESSION_NOT_OPEN) from error
    except AlreadyAnswered as error:
        raise Problem(ALREADY_ANSWERED, "Somebody has answered this roll already.") from error
    except NotAwaiting as error:
        raise Problem(NOT_AWAITING) from error
    except UnknownRoll as error:
        raise not_found("roll") from error
    except UnknownCampaign as error:
        raise not_found("campaign") from error


def _wait_for(accepted: Accepted, expectation: Expectation, seconds: int) -> Any:
    """Return the record as it is when it is resolved, when it awaits the other side, or when time is up."""
    record, hub = accepted.record, services().hub
    deadline = time.monotonic() + seconds
    doubtful = accepted.replayed
    while True:
        if doubtful:
            record = services().store.rolls.get(caller().campaign, record["id"]) or record
        left = deadline - time.monotonic()
        if record["status"] != "pending" or hub.stopping or (doubtful and left <= 0):
            return record
        expectation.wait(max(left, 0))
        if expectation.record is not None:
            return expectation.record
        doubtful = True


def _roll_answer(accepted: Accepted, wait: int | None) -> Response:
    record = accepted.record
    if accepted.replayed:
        mention("roll asked for again", roll=record["id"])
    else:
        COUNTING.count(ACCEPTED, sees(record))
        mention("roll accepted", roll=record["id"])
    headers = {"Location": f"/v1/campaigns/{caller().campaign}/rolls/{record['id']}"}
    if wait is not None:
        headers["Preference-Applied"] = f"wait={wait}"
    if accepted.replayed:
        headers["Idempotent-Replayed"] = "true"
    status = 200 if record["status"] == "resolved" else 202
    return json_answer(present(record, caller()), status, headers)
