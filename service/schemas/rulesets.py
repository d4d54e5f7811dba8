"""Rule sets: odds that are asked, and what describes a rule set."""

from marshmallow import INCLUDE, fields

from service.schemas.fields import RULE_SET, Strict, identifier
from service.schemas.rolls import RollOdds


class OddsQuestion(Strict):
    """Odds of which roll, under which house rules."""

    action = identifier(RULE_SET, "Must be the name of an action.", required=True)
    params = fields.Dict(keys=fields.String(), required=True)
    house_rules = fields.Dict(keys=fields.String(), load_default=dict)


class Odds(RollOdds):
    """Exact odds."""


class Sheet(Strict):
    """A sheet; its fields are the rule set's own and are checked by it."""

    class Meta:
        unknown = INCLUDE


class RuleSet(Strict):
    """The description that forms, buttons and labels are drawn from."""

    id = fields.String(required=True)
    title = fields.String(required=True)
    blurb = fields.String(required=True)
    stats = fields.List(fields.Dict(), required=True)
    skills = fields.List(fields.Dict(), required=True)
    actions = fields.List(fields.Dict(), required=True)
    house_rules = fields.List(fields.Dict(), required=True)
    sheet = fields.List(fields.Dict(), required=True)


class RuleSets(Strict):
    """All rule sets."""

    rulesets = fields.List(fields.Nested(RuleSet), required=True)
    next_cursor = fields.String(required=True, allow_none=True)


class SheetResults(Strict):
    """What follows from a sheet: the sheet as read, the rolls it offers, and the rule set's own results."""

    class Meta:
        unknown = INCLUDE

    sheet = fields.Dict(required=True)
    rolls = fields.List(fields.Dict(), required=True)
