"""What a rule set is asked for."""

import dataclasses
from typing import Any

import pytest

from rules import registry
from rules.action import HouseRules
from rules.fields import flag, whole
from rules.ruleset import MOST_SETTINGS, RuleSet, UnknownAction
from tests.rules.asking import FORT, HEROES, MOON, ask


def test_an_action_that_is_not_there_is_named_and_the_others_listed() -> None:
    with pytest.raises(UnknownAction, match="unopposed-test, opposed-test") as refusal:
        registry.get(HEROES).load("dodge", {})
    assert (refusal.value.name, refusal.value.ruleset) == ("dodge", HEROES)
    assert refusal.value.known == ("unopposed-test", "opposed-test")


def test_house_rules_come_with_the_roll() -> None:
    action = registry.get(FORT).load("test", {"advantage": 1}, {"advantage_table": "as-printed"})
    assert action.house.as_json() == {"advantage_table": "as-printed", "stacking": True}


def test_an_action_cannot_be_changed_after_it_was_validated() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        ask(MOON, "skill-check", stat=2, dv=1).stat = 6


def test_a_sheet_that_offers_nothing_is_still_answered(example_ruleset) -> None:
    assert example_ruleset.work_out_sheet({}) == {"sheet": {}, "rolls": []}


def test_every_setting_of_the_house_rules_that_are_not_named_is_listed_as_written_first() -> None:
    rules = registry.get(HEROES)
    found = rules.every_setting({"criticals": "off"})
    assert found and found[0] == {"criticals": "off"} | {
        name: value for name, value in rules.load_house_rules({}).as_json().items() if name != "criticals"
    }
    assert len({tuple(each.items()) for each in found}) == len(found) == 2 * 2 * 2
    assert all(rules.load_house_rules(each) for each in found)
    assert registry.get(MOON).every_setting({}) == [{}]


def playing(**house_rules: Any) -> RuleSet:
    fields = [(name, Any, field) for name, field in house_rules.items()]
    made = dataclasses.make_dataclass("Made", fields, bases=(HouseRules,), frozen=True, kw_only=True)
    return RuleSet("made", "Made", "", (), made)


def test_house_rules_that_take_any_number_or_are_too_many_cannot_be_listed() -> None:
    taxed = playing(tax=whole("Tax", 0, 9, default=1), night=flag("Night"))
    assert taxed.every_setting({}) is None
    assert taxed.every_setting({"tax": 3}) == [{"tax": 3, "night": False}, {"tax": 3, "night": True}]
    many = playing(**{f"rule_{number}": flag(f"Rule {number}") for number in range(9)})
    assert many.every_setting({}) is None
    assert len(many.every_setting({"rule_0": True}) or ()) == 2**8 == MOST_SETTINGS
