"""Campaigns, players and sessions: what is sent and what is answered."""

from marshmallow import fields, validate

from service.schemas.fields import ID, RULE_SET, GivenName, Limit, PlayerId, Strict, identifier

MOST_DAYS = 3650
"""The longest retention, in days."""


class NewCampaign(Strict):
    """A campaign to make."""

    name = GivenName(required=True)
    ruleset = identifier(RULE_SET, "Must be the id of a rule set.", required=True)
    house_rules = fields.Dict(keys=fields.String(), load_default=dict)


class CampaignChanges(Strict):
    """What to change of a campaign; house rules that are left out stay as they are."""

    name = GivenName()
    house_rules = fields.Dict(keys=fields.String())
    retention_days = fields.Integer(
        strict=True,
        allow_none=True,
        validate=validate.Range(1, MOST_DAYS),
        metadata={"description": "Delete sessions so many days after their end; null keeps them."},
    )


class Campaign(Strict):
    """A campaign."""

    id = identifier(ID, "", required=True)
    name = fields.String(required=True)
    ruleset = fields.String(required=True)
    house_rules = fields.Dict(required=True)
    retention_days = fields.Integer(required=True, allow_none=True)
    created_at = fields.String(required=True, metadata={"format": "date-time"})


class MadeCampaign(Campaign):
    """A campaign just made, with the GM key, which is shown only now."""

    gm_key = fields.String(required=True)


class Campaigns(Strict):
    """All campaigns."""

    campaigns = fields.List(fields.Nested(Campaign), required=True)
    next_cursor = fields.String(required=True, allow_none=True)


class NewPlayer(Strict):
    """A player to give a token to."""

    user = PlayerId(required=True)
    name = GivenName(required=True)


class Player(Strict):
    """A player."""

    user = fields.String(required=True)
    name = fields.String(required=True)


class MintedPlayer(Player):
    """A player with the token, which is shown only now."""

    token = fields.String(required=True)


class Players(Strict):
    """The players of a campaign."""

    players = fields.List(fields.Nested(Player), required=True)
    next_cursor = fields.String(required=True, allow_none=True)


class PlayerQuery(Strict):
    """Which player."""

    user = PlayerId(required=True)


class NewSession(Strict):
    """A session to start."""

    title = GivenName(allow_none=True, load_default=None)


class Session(Strict):
    """A session. `rolls` counts what the caller may see; the seeds are null until the end.

    Public rolls are numbered from 1 to `last_seq`; those in `deleted` were deleted by the GM, and those in
    `unresolved` are pending or awaiting.
    """

    id = identifier(ID, "", required=True)
    title = fields.String(required=True, allow_none=True)
    started_at = fields.String(required=True, metadata={"format": "date-time"})
    ended_at = fields.String(required=True, allow_none=True, metadata={"format": "date-time"})
    commitment = fields.String(required=True)
    seed = fields.String(required=True, allow_none=True)
    rolls = fields.Integer(required=True)
    last_seq = fields.Integer(required=True)
    deleted = fields.List(fields.Integer(), required=True)
    unresolved = fields.List(fields.Integer(), required=True)
    hidden_commitment = fields.String(metadata={"description": "For the GM: the commitment of hidden rolls."})
    hidden_seed = fields.String(
        allow_none=True, metadata={"description": "For the GM: the seed of hidden rolls."}
    )
    hidden_last_seq = fields.Integer(metadata={"description": "For the GM: the last number of hidden rolls."})
    hidden_deleted = fields.List(
        fields.Integer(), metadata={"description": "For the GM: numbers of hidden rolls that were deleted."}
    )
    hidden_unresolved = fields.List(
        fields.Integer(),
        metadata={"description": "For the GM: numbers of hidden rolls that are pending or awaiting."},
    )


class Sessions(Strict):
    """A page of sessions, newest first."""

    sessions = fields.List(fields.Nested(Session), required=True)
    next_cursor = fields.String(required=True, allow_none=True)


class SessionsQuery(Strict):
    """Which sessions."""

    cursor = identifier(ID, "Must be a next_cursor of this list.")
    limit = Limit()
