"""Rolls: what a click sends, what history is asked, what a roll looks like."""

from typing import Any

from marshmallow import fields, validate

from rules.verdict import Outcome
from service.schemas.fields import (
    ACTOR_ID,
    ID,
    ROLL_ID,
    RULE_SET,
    STREAM_ID,
    GivenName,
    Limit,
    Moment,
    Strict,
    identifier,
    user_id,
)
from service.visibility import PUBLIC, VISIBILITIES

CARD_STATES = ("pending", "awaiting", "resolved", "thrown", "unanswered")
STATUSES = ("pending", "awaiting", "resolved")
OUTCOMES = tuple(outcome.value for outcome in Outcome)


class Actor(Strict):
    """The actor that rolls, as the Foundry world knows it."""

    id = identifier(
        ACTOR_ID, "Must be 1 to 128 letters, digits, dots, colons, dashes or underscores.", required=True
    )
    name = GivenName(required=True)


class NewAnswer(Strict):
    """The other side of an opposed roll."""

    params = fields.Dict(
        keys=fields.String(), required=True, metadata={"description": "The fields of the answer."}
    )
    actor = fields.Nested(Actor, allow_none=True, load_default=None)
    label = GivenName(allow_none=True, load_default=None)


class NewRoll(NewAnswer):
    """A click: what to roll."""

    action = identifier(RULE_SET, "Must be the name of an action.", required=True)
    params = fields.Dict(
        keys=fields.String(), required=True, metadata={"description": "The fields of the action."}
    )
    visibility = fields.String(validate=validate.OneOf(VISIBILITIES), load_default=PUBLIC)
    session = identifier(ID, "Must be the id of a session.", allow_none=True, load_default=None)


class HistoryQuery(Strict):
    """Which rolls, newest first."""

    session = identifier(ID, "Must be the id of a session.")
    user = user_id()
    actor = identifier(ACTOR_ID, "Must be the id of an actor.")
    action = identifier(RULE_SET, "Must be the name of an action.")
    outcome = fields.String(validate=validate.OneOf(OUTCOMES))
    since = Moment(metadata={"description": "Made at this moment or later."})
    until = Moment(metadata={"description": "Made before this moment."})
    cursor = identifier(STREAM_ID, "Must be a next_cursor of this list.")
    limit = Limit()


class Die(Strict):
    """One die of a roll."""

    faces = fields.Integer(required=True)
    value = fields.Integer(required=True)
    role = fields.String(required=True)
    kept = fields.Boolean(required=True)
    counts = fields.Integer(metadata={"description": "What the die adds to the score."}, allow_none=True)


class Fraction(Strict):
    """A probability, exact and as a number."""

    fraction = fields.String(required=True)
    probability = fields.Float(required=True)


class RollOdds(Strict):
    """How likely each outcome was before the throw."""

    success = fields.Nested(Fraction, required=True, allow_none=True)
    outcomes = fields.Dict(keys=fields.String(), values=fields.Nested(Fraction), required=True)
    formula = fields.String(required=True, allow_none=True)


class Fairness(Strict):
    """What is needed to verify the dice."""

    commitment = fields.String(required=True, allow_none=True)
    nonce = fields.String(required=True, allow_none=True)


class DieShown(Die):
    """One die of a card: its face, its colour (the role), its mark, and what became of it in words."""

    mark = fields.String(required=True)
    words = fields.String(required=True)


class SideShown(Strict):
    """One side's throw; a roll against a number has one side, an opposed one two."""

    name = fields.String(required=True)
    points = fields.Integer(required=True, allow_none=True)
    dice = fields.List(fields.Nested(DieShown), required=True)
    numbers = fields.List(fields.String(), required=True)


class ChanceShown(Strict):
    """An exact chance in words, with its percentage."""

    label = fields.String(required=True)
    words = fields.String(required=True)
    percent = fields.String(required=True)


class Card(Strict):
    """What is shown of a roll: as data in words, as text, and as HTML that is safe to insert."""

    title = fields.String(required=True)
    action = fields.String(required=True)
    by = fields.String(required=True)
    state = fields.String(required=True, validate=validate.OneOf(CARD_STATES))
    result = fields.String(required=True)
    sides = fields.List(fields.Nested(SideShown), required=True)
    facts = fields.List(fields.List(fields.String()), required=True)
    odds = fields.Nested(ChanceShown, required=True, allow_none=True)
    outcomes = fields.List(fields.Nested(ChanceShown), required=True)
    house_rules = fields.List(fields.String(), required=True)
    notes = fields.List(fields.String(), required=True)
    shown_to = fields.String(required=True, allow_none=True)
    text = fields.String(required=True)
    html = fields.String(required=True)
    colour = fields.String(required=True)


class Opponent(Strict):
    """The other side of an opposed roll, as it fell out."""

    user = fields.String(required=True)
    user_name = fields.String(allow_none=True)
    actor = fields.Nested(Actor, allow_none=True)
    dice = fields.List(fields.Nested(Die), required=True)
    points = fields.Integer(allow_none=True)
    numbers = fields.List(fields.List(fields.Raw()))


def _unknown_yet(kind: type[fields.Field[Any]], *args: Any, **kwargs: Any) -> fields.Field[Any]:
    """Return a field of an answer that is always there: null while it is unknown, or where it is withheld."""
    return kind(*args, required=True, allow_none=True, **kwargs)


class Roll(Strict):
    """A roll as this caller may see it. What is withheld, or not known yet, is null or empty."""

    id = identifier(ROLL_ID, "", required=True)
    seq = _unknown_yet(fields.Integer)
    session = identifier(ID, "", required=True)
    status = fields.String(required=True, validate=validate.OneOf(STATUSES))
    ruleset = fields.String(required=True)
    action = fields.String(required=True)
    title = fields.String(required=True)
    label = _unknown_yet(fields.String)
    user = fields.String(required=True)
    user_name = _unknown_yet(fields.String)
    actor = _unknown_yet(fields.Nested, Actor)
    visibility = fields.String(required=True, validate=validate.OneOf(VISIBILITIES))
    params = _unknown_yet(fields.Dict)
    house_rules = _unknown_yet(fields.Dict)
    dice = fields.List(fields.Nested(Die), required=True)
    total = fields.Integer(allow_none=True)
    successes = fields.Integer(allow_none=True)
    numbers = fields.List(fields.List(fields.Raw()), required=True)
    target = _unknown_yet(fields.Integer)
    target_label = _unknown_yet(fields.String)
    outcome = _unknown_yet(fields.String, validate=validate.OneOf(OUTCOMES))
    success = _unknown_yet(fields.Boolean)
    margin = _unknown_yet(fields.Integer)
    notes = fields.List(fields.String(), required=True)
    odds = _unknown_yet(fields.Nested, RollOdds)
    challenged = _unknown_yet(fields.String)
    challenged_name = _unknown_yet(fields.String)
    answers = _unknown_yet(fields.String)
    answered_by = _unknown_yet(fields.String)
    opponent = _unknown_yet(fields.Nested, Opponent)
    created_at = fields.String(required=True, metadata={"format": "date-time"})
    resolved_at = _unknown_yet(fields.String, metadata={"format": "date-time"})
    fairness = fields.Nested(Fairness, required=True)
    card = _unknown_yet(fields.Nested, Card)


class Rolls(Strict):
    """A page of history."""

    rolls = fields.List(fields.Nested(Roll), required=True)
    next_cursor = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "Where the next page goes on, also after a short or empty one; null at the end."
        },
    )
