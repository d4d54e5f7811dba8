"""The rule sets of an installation: our own, and one that another package brings with no other change."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from marshmallow import ValidationError

from rules import registry
from rules.registry import NotARuleSet, RuleSetClash, UnknownRuleSet
from rules.ruleset import RuleSet
from tests.rules.asking import ask, chance, chances, refused, thrown

HERE = Path(__file__).parent
OURS = ["moon-hangs-low", "heroes-2d6", "d6-comparison", "fort-ref-will"]


def test_the_four_rule_sets_are_there() -> None:
    assert [ruleset.id for ruleset in registry.all()] == OURS
    for ruleset in registry.all():
        assert registry.get(ruleset.id) is ruleset


def test_a_rule_set_that_is_not_installed_is_named_and_the_others_listed() -> None:
    with pytest.raises(UnknownRuleSet, match="heroes-2d6") as refusal:
        registry.get("candlelight")
    assert refusal.value.name == "candlelight"


# A rule set from another package


def test_an_installed_package_adds_its_rule_set_after_our_own(example_ruleset: RuleSet) -> None:
    assert [ruleset.id for ruleset in registry.all()] == [*OURS, "candlelight"]
    assert registry.get("candlelight") is example_ruleset


def test_its_forms_are_described(example_ruleset: RuleSet) -> None:
    description = example_ruleset.describe()
    assert description["title"] == "Candlelight"
    [venture] = description["actions"]
    assert (venture["name"], venture["title"], venture["target_label"]) == (
        "venture",
        "Venture",
        "Difficulty",
    )
    talent, difficulty, alone = venture["fields"]
    assert (talent["minimum"], talent["maximum"], talent["required"]) == (0, 10, True)
    assert [choice["value"] for choice in difficulty["choices"]] == ["near", "far", "dark"]
    assert (alone["type"], alone["only_with"]) == ("flag", "last_candle")
    assert [rule["name"] for rule in description["house_rules"]] == ["last_candle"]


def test_its_schema_refuses_what_its_form_does_not_offer(example_ruleset: RuleSet) -> None:
    schema = example_ruleset.action("venture").schema()()
    assert schema.load({"talent": 3}) == {"talent": 3, "difficulty": "near", "alone": False}
    with pytest.raises(ValidationError) as refusal:
        schema.load({"talent": 11, "difficulty": "pitch-black", "torch": True})
    assert set(refusal.value.messages) == {"talent", "difficulty", "torch"}
    off = "Must be false: only the house rule last_candle allows it."
    assert refused("candlelight", "venture", talent=3, alone=True) == {"alone": [off]}


def test_its_rolls_have_odds_and_are_judged(example_ruleset: RuleSet) -> None:
    action = ask(example_ruleset.id, "venture", talent=3, difficulty="far")
    assert chance(action) == Fraction(12, 20)
    assert thrown(action, 9).verdict.outcome == "success"
    assert thrown(action, 8).verdict.outcome == "failure"
    alone = ask(example_ruleset.id, "venture", {"last_candle": True}, talent=3, difficulty="far", alone=True)
    assert chances(alone) == {"success": Fraction(15, 20), "failure": Fraction(5, 20)}


def test_it_is_gone_when_its_package_is() -> None:
    assert "candlelight" not in [ruleset.id for ruleset in registry.all()]


def test_the_example_is_short_and_is_the_one_in_the_documentation() -> None:
    source = (HERE / "candlelight.py").read_text()
    assert len(source.splitlines()) < 60
    page = (HERE.parents[1] / "docs" / "adding-a-rule-set.md").read_text()
    assert f"```python\n{source}```\n" in page


def test_two_packages_with_the_same_rule_set_are_refused(install_ruleset: Callable[..., None]) -> None:
    install_ruleset("copycat", "from rules.moon_hangs_low import RULE_SET\n")
    with pytest.raises(RuleSetClash, match="moon-hangs-low") as refusal:
        registry.all()
    assert refusal.value.id == "moon-hangs-low"


def test_an_entry_point_that_leads_elsewhere_is_named(install_ruleset: Callable[..., None]) -> None:
    install_ruleset("nonsense", "RULE_SET = 'dice'\n")
    with pytest.raises(NotARuleSet, match="nonsense") as refusal:
        registry.all()
    assert refusal.value.entry_point == "nonsense"
