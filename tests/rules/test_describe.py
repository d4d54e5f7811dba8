"""The description alone is enough to draw every form, and to fill it in."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules import registry
from rules.action import Action
from rules.describe import describe_fields
from rules.fields import Params
from rules.ruleset import RuleSet
from tests.rules.asking import D6, FORT, HEROES, MOON, actions

RULE_SETS = [pytest.param(ruleset, id=ruleset.id) for ruleset in registry.all()]
TYPES = {
    "integer": {"minimum", "maximum"},
    "choice": {"choices"},
    "flag": set(),
    "user": set(),
    "text": {"maximum_length"},
    "variant": {"kinds"},
    "list": {"least", "most", "fields"},
}


def every_field(description: Any) -> list[dict[str, Any]]:
    """List every field anywhere in a description."""
    if isinstance(description, list):
        return [field for part in description for field in every_field(part)]
    if not isinstance(description, dict):
        return []
    found = [description] if "required" in description else []
    return found + [field for part in description.values() for field in every_field(part)]


@pytest.mark.parametrize("ruleset", RULE_SETS)
def test_a_description_is_json(ruleset: RuleSet) -> None:
    description = ruleset.describe()
    assert json.loads(json.dumps(description)) == description


@pytest.mark.parametrize("ruleset", RULE_SETS)
def test_a_description_names_all_that_a_client_shows(ruleset: RuleSet) -> None:
    description = ruleset.describe()
    assert set(description) == {
        "id",
        "title",
        "blurb",
        "stats",
        "skills",
        "actions",
        "house_rules",
        "sheet",
    }
    for action in description["actions"]:
        assert action["title"]
        assert action["help"]
        assert action["target_label"]
        assert action["score"] in ("total", "successes")


@pytest.mark.parametrize("ruleset", RULE_SETS)
def test_each_field_has_all_that_its_type_needs(ruleset: RuleSet) -> None:
    for field in every_field(ruleset.describe()):
        assert field["label"]
        assert TYPES[field["type"]] <= set(field), field["name"]
        assert field["required"] is ("default" not in field)
        for choice in field.get("choices", ()):
            assert choice["label"]


@pytest.mark.parametrize("ruleset", RULE_SETS)
def test_a_field_that_needs_a_house_rule_names_one_that_there_is(ruleset: RuleSet) -> None:
    description = ruleset.describe()
    rules = {rule["name"] for rule in description["house_rules"]}
    assert {field["only_with"] for field in every_field(description) if "only_with" in field} <= rules


@pytest.mark.parametrize("ruleset", RULE_SETS)
def test_a_sheets_buttons_fill_in_fields_of_their_actions(ruleset: RuleSet) -> None:
    fields = {
        action["name"]: {field["name"] for field in action["fields"]}
        for action in ruleset.describe()["actions"]
    }
    for button in ruleset.work_out_sheet({})["rolls"]:
        assert set(button["params"]) <= fields[button["action"]]


@pytest.mark.parametrize(
    ("ruleset", "name"),
    [(ruleset.id, action.name) for ruleset in registry.all() for action in ruleset.actions],
)
@settings(max_examples=50, deadline=None)
@given(drawn=st.data())
def test_any_form_that_is_filled_in_as_described_is_taken(
    ruleset: str, name: str, drawn: st.DataObject
) -> None:
    assert isinstance(drawn.draw(actions(registry.get(ruleset), name, {})), Action)


# What the contract names


FIELDS = {
    (MOON, "skill-check"): ["stat", "skill", "knack", "bonus", "penalty", "dv"],
    (HEROES, "unopposed-test"): ["skill", "difficulty", "tn", "modifier"],
    (HEROES, "opposed-test"): ["skill", "modifier", "purpose", "opponent"],
    (D6, "opposed-check"): ["skill", "opponent_skill"],
    (D6, "unopposed-check"): ["skill", "difficulty"],
    (FORT, "test"): ["target", "advantage", "disadvantage", "combat"],
    (FORT, "save"): ["attribute", "target", "advantage", "disadvantage", "combat"],
    (FORT, "contest"): ["advantage", "disadvantage", "combat", "opponent"],
}


def test_every_action_has_the_fields_of_the_contract() -> None:
    described = {
        (ruleset.id, action["name"]): [field["name"] for field in action["fields"]]
        for ruleset in registry.all()
        for action in ruleset.describe()["actions"]
    }
    assert described == FIELDS


def test_every_house_rule_has_its_name_and_values() -> None:
    described = {
        ruleset.id: {
            rule["name"]: [choice["value"] for choice in rule.get("choices", ())] or rule["type"]
            for rule in ruleset.describe()["house_rules"]
        }
        for ruleset in registry.all()
    }
    assert described == {
        MOON: {},
        HEROES: {
            "criticals": ["override", "flavour", "off"],
            "tie": ["both-fail", "hero-wins"],
            "unopposed_modifiers": "flag",
            "player_facing": "flag",
        },
        D6: {},
        FORT: {"advantage_table": ["corrected", "as-printed"], "stacking": "flag"},
    }


def test_stats_and_starting_skills_stand_at_the_top() -> None:
    moon = registry.get(MOON).describe()
    assert [(stat["name"], stat["minimum"], stat["maximum"]) for stat in moon["stats"]] == [
        ("physique", 1, 5),
        ("intellect", 1, 5),
        ("presence", 1, 5),
    ]
    assert [skill["name"] for skill in moon["skills"]] == [
        "Climbing",
        "Combat",
        "Stealth",
        "Alchemy",
        "Occult",
        "Awareness",
        "Interaction",
        "Leadership",
    ]
    assert {skill["level"] for skill in moon["skills"]} == {"untrained"}
    assert [stat["label"] for stat in registry.get(FORT).describe()["stats"]] == [
        "Fortitude",
        "Reflex",
        "Will",
    ]
    assert registry.get(HEROES).describe()["stats"] == []
    assert registry.get(HEROES).describe()["skills"] == []


def test_who_answers_finds_a_form_of_their_own() -> None:
    by_name = {action["name"]: action for action in registry.get(HEROES).describe()["actions"]}
    assert [field["name"] for field in by_name["opposed-test"]["answer_fields"]] == ["skill", "modifier"]
    assert by_name["unopposed-test"]["answer_fields"] is None
    assert by_name["unopposed-test"]["exactly_one_of"] == ["tn", "difficulty"]


def test_a_set_without_fields_is_an_empty_form() -> None:
    assert describe_fields(Params) == []
