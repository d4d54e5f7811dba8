"""Rule sets: what they ask, their odds, their sheets. Pure: nothing here needs Redis."""

from typing import Any

from flask import Response
from marshmallow import ValidationError

from rules import registry
from rules.odds import odds
from rules.ruleset import RuleSet, UnknownAction
from service.auth import Who
from service.bodies import json_answer
from service.calls import Calls
from service.problems import invalid, not_found
from service.schemas.rulesets import Odds, OddsQuestion, Sheet, SheetResults
from service.schemas.rulesets import RuleSet as RuleSetSchema
from service.schemas.rulesets import RuleSets as RuleSetsSchema

calls = Calls("rule sets", __name__, url_prefix="/v1/rulesets")


@calls.call("GET", "", who=Who.ANYBODY, answers={200: RuleSetsSchema}, needs_redis=False)
def list_rule_sets() -> Response:
    """List the rule sets, each as the description that forms are drawn from."""
    return json_answer({"rulesets": [ruleset.describe() for ruleset in registry.all()], "next_cursor": None})


@calls.call("GET", "/<name:ruleset>", who=Who.ANYBODY, answers={200: RuleSetSchema}, needs_redis=False)
def describe_rule_set(ruleset: str) -> Response:
    """Describe a rule set: its actions with their fields, its house rules, its sheet."""
    return json_answer(known_rule_set(ruleset).describe())


@calls.call(
    "POST",
    "/<name:ruleset>/odds",
    who=Who.ANYBODY,
    body=OddsQuestion,
    answers={200: Odds},
    needs_redis=False,
)
def work_out_odds(question: dict[str, Any], ruleset: str) -> Response:
    """Work out the exact odds of a roll.

    Against a player, who throws later, they are the odds against an equal throw of theirs.
    """
    rules = known_rule_set(ruleset)
    house_rules = load_house_rules(rules, question["house_rules"])
    action = load_action(rules, question["action"], question["params"], house_rules)
    return json_answer(odds(action).as_json())


@calls.call(
    "POST",
    "/<name:ruleset>/sheet",
    who=Who.ANYBODY,
    body=Sheet,
    answers={200: SheetResults},
    needs_redis=False,
)
def work_out_sheet(sheet: dict[str, Any], ruleset: str) -> Response:
    """Work out what follows from a sheet."""
    rules = known_rule_set(ruleset)
    try:
        return json_answer(rules.work_out_sheet(sheet))
    except ValidationError as error:
        raise invalid(error.messages_dict) from error


def known_rule_set(name: str) -> RuleSet:
    """Return the rule set of that name, else raise the 404."""
    try:
        return registry.get(name)
    except registry.UnknownRuleSet as error:
        raise not_found("rule set") from error


def load_house_rules(ruleset: RuleSet, given: dict[str, Any]) -> dict[str, Any]:
    """Return validated house rules, defaults filled in, else raise the 422."""
    try:
        return ruleset.load_house_rules(given).as_json()
    except ValidationError as error:
        raise invalid({"house_rules": error.messages_dict}) from error


def load_action(
    ruleset: RuleSet,
    name: str,
    params: dict[str, Any],
    house_rules: dict[str, Any],
    *,
    by_player: bool = True,
) -> Any:
    """Return a validated action, else raise the 422; `house_rules` are valid already."""
    try:
        return ruleset.load(name, params, house_rules, roller_is_player=by_player)
    except UnknownAction as error:
        raise invalid({"action": [f"Must be one of: {', '.join(error.known)}."]}) from error
    except ValidationError as error:
        raise invalid({"params": error.messages_dict}) from error
