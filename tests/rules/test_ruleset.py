"""What a rule set is asked for."""

import dataclasses

import pytest

from rules import registry
from rules.ruleset import UnknownAction
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
