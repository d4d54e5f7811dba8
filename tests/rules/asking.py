"""Asking the rules, as the tests put it; the published vectors; and forms filled in at random."""

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from marshmallow import ValidationError

from rules import registry
from rules.action import Action
from rules.dice import FixedDice
from rules.odds import odds
from rules.ruleset import RuleSet
from rules.throw import Resolution, resolve

VECTORS: dict[str, Any] = json.loads(Path(__file__).with_name("odds-vectors.json").read_text())

MOON, HEROES, D6, FORT = "moon-hangs-low", "heroes-2d6", "d6-comparison", "fort-ref-will"


def ask(ruleset: str, action: str, house: Mapping[str, Any] | None = None, /, **params: Any) -> Action:
    """Return a player's validated action."""
    return registry.get(ruleset).load(action, params, house)


def chance(action: Action) -> Fraction:
    """Return the exact chance of success."""
    return odds(action).success


def chances(action: Action) -> dict[str, Fraction]:
    """Return the exact chance of each outcome."""
    return {outcome.value: chance for outcome, chance in odds(action).outcomes.items()}


def thrown(action: Action, *dice: int) -> Resolution:
    """Return what an action comes to when its dice show these values."""
    source = FixedDice(dice)
    resolution = resolve(action, source)
    assert [die.value for die in resolution.dice] == list(dice), "the action throws another number of dice"
    return resolution


def refused(ruleset: str, action: str, house: Mapping[str, Any] | None = None, /, **params: Any) -> Any:
    """Return the messages, by field, with which an action is refused."""
    try:
        registry.get(ruleset).load(action, params, house)
    except ValidationError as error:
        return error.messages
    raise AssertionError(f"{action} took {params}")


def forms(fields: list[dict[str, Any]], caps: Mapping[str, int]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw a form filled in by its description alone; `caps` lowers the maximum of some numbers."""
    return st.fixed_dictionaries({field["name"]: _values(field, caps) for field in fields})


def _values(field: dict[str, Any], caps: Mapping[str, int]) -> st.SearchStrategy[Any]:
    match field["type"]:
        case "integer":
            return st.integers(field["minimum"], min(field["maximum"], caps.get(field["name"], 999)))
        case "choice":
            return st.sampled_from([choice["value"] for choice in field["choices"]])
        case "flag":
            return st.booleans()
        case "user":
            return st.sampled_from(["gm", "mira"])
        case "variant":
            kinds = [
                forms(kind["fields"], caps).map(lambda form, kind=kind: {"kind": kind["kind"], **form})
                for kind in field["kinds"]
            ]
            return st.one_of(kinds)
    raise AssertionError(f"no form is drawn for {field['type']}")


@st.composite
def actions(draw: st.DrawFn, ruleset: RuleSet, name: str, caps: Mapping[str, int]) -> Action:
    """Draw an action of a rule set, with house rules and, where one is due, an answer; all by description."""
    described = ruleset.describe()
    action = next(action for action in described["actions"] if action["name"] == name)
    house = draw(forms(described["house_rules"], caps))
    params = draw(forms(action["fields"], caps))
    for field in action["fields"]:
        if "only_with" in field and not house[field["only_with"]]:
            del params[field["name"]]
    if action["exactly_one_of"]:
        kept = draw(st.sampled_from(action["exactly_one_of"]))
        params = {
            name: params[name] for name in params if name == kept or name not in action["exactly_one_of"]
        }
    loaded = ruleset.load(name, params, house, draw(st.booleans()))
    if loaded.challenged:
        return loaded.answered(draw(forms(action["answer_fields"], caps)))
    return loaded
