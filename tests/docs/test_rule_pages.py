"""The rule pages say what the rules do: their fields, house rules, odds and examples."""

from pathlib import Path

import pytest

from rules import registry
from rules.dice import FixedDice
from rules.throw import resolve
from tests.docs.tables import TABLES

PAGES = Path(__file__).parents[2] / "docs" / "rules"


def page(ruleset):
    return (PAGES / f"{ruleset}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("ruleset", "table"), [(name, table) for name, tables in TABLES.items() for table in tables]
)
def test_the_odds_on_the_page_are_the_rules_own(ruleset, table):
    assert table() in page(ruleset)


@pytest.mark.parametrize("ruleset", TABLES)
def test_every_action_field_choice_and_house_rule_is_on_the_page(ruleset):
    described, text = registry.get(ruleset).describe(), page(ruleset)
    asked = [action for action in described["actions"] if not action["name"].startswith("example")]
    fields = [field for action in asked for field in action["fields"]] + described["house_rules"]
    names = [action["name"] for action in asked] + [field["name"] for field in fields]
    choices = [
        choice["value"]
        for field in fields
        for choice in field.get("choices", ())
        if isinstance(choice["value"], str)
    ]
    assert [name for name in names + choices if f"`{name}`" not in text] == []


@pytest.mark.parametrize(
    ("ruleset", "first", "last"),
    [("moon-hangs-low", 1, 6), ("heroes-2d6", 1, 6), ("d6-comparison", 1, 2), ("fort-ref-will", 1, 9)],
)
def test_every_rule_has_its_number(ruleset, first, last):
    chapter = list(TABLES).index(ruleset) + 1
    assert [rule for rule in range(first, last + 1) if f"**{chapter}.{rule} " not in page(ruleset)] == []


def verdict(ruleset, action, params, *dice):
    """What the rules make of an example's dice."""
    return resolve(registry.get(ruleset).load(action, params), FixedDice(dice)).verdict


def test_the_example_of_the_mill_wall():
    climb = {"stat": 3, "skill": "trained", "knack": True, "bonus": 1, "penalty": 2, "dv": 2}
    seen = verdict("moon-hangs-low", "skill-check", climb, 6, 2, 4, 5, 1, 3, 5, 2)
    assert (seen.success, seen.score, seen.margin) == (True, 2, 0)


def test_the_example_of_the_wolf():
    attack = {"skill": 5, "modifier": 2, "purpose": "attack"}
    wolf = {"kind": "creature", "skill": 6}
    seen = verdict("heroes-2d6", "opposed-test", {**attack, "opponent": wolf}, 4, 6, 3, 5)
    assert (seen.success, seen.score, seen.target, seen.margin) == (True, 17, 14, 3)
    seven = verdict("heroes-2d6", "opposed-test", {**attack, "opponent": {**wolf, "take7": True}}, 4, 6)
    assert seven.target == 13


def test_the_example_of_the_guard():
    seen = verdict("d6-comparison", "opposed-check", {"skill": 3, "opponent_skill": 5}, 5)
    assert (seen.success, seen.target, seen.margin) == (True, 5, 0)


def test_the_examples_of_the_door_and_the_poison():
    door = verdict("fort-ref-will", "test", {"target": 8, "disadvantage": 1}, 2, 6, 5)
    assert (door.success, door.score, door.margin) == (False, 7, -1)
    poison = verdict("fort-ref-will", "save", {"attribute": "FOR", "target": 8, "advantage": 1}, 5, 4)
    assert (poison.success, poison.score, poison.target) == (True, 9, 9)


def test_the_example_of_the_pack():
    load = registry.get("fort-ref-will").work_out_sheet({"bulky": 7, "worn": 6, "stress": 4})
    assert (load["slots_used"], load["over"], load["encumbered"], load["speed_factor"]) == (
        12,
        2,
        True,
        "1/2",
    )
