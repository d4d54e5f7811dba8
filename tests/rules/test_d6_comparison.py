"""The d6 comparison, rule by rule (rules 3.1 and 3.2)."""

from fractions import Fraction
from typing import Any

import pytest

from rules import registry
from tests.rules.asking import D6, VECTORS, ask, chance, chances, refused, thrown

PUBLISHED = VECTORS["heroes_2d6"]


def band(hero: int, monster: int) -> str:
    """Return the band's name as a throw reports it."""
    return thrown(ask(D6, "opposed-check", skill=hero, opponent_skill=monster), 6).verdict.notes[0]


def against(vector: dict[str, Any]) -> str:
    return f"{vector['hero']} against {vector['monster']}"


@pytest.mark.parametrize("vector", PUBLISHED["d6_comparison"], ids=against)
def test_every_published_comparison(vector: dict[str, Any]) -> None:
    action = ask(D6, "opposed-check", skill=vector["hero"], opponent_skill=vector["monster"])
    verdict = thrown(action, 6).verdict
    assert verdict.target == vector["roll_at_least"]
    assert verdict.notes == (vector["band"].replace("_", "-"),)
    assert chance(action) == Fraction(vector["p_success"])


@pytest.mark.parametrize(
    "example", PUBLISHED["d6_examples_from_seed"], ids=lambda e: f"{e['band']} {e['monster']}"
)
def test_every_printed_example_on_both_sides_of_its_boundary(example: dict[str, Any]) -> None:
    name = example["band"].replace("_", "-")
    assert [band(hero, example["monster"]) for hero in example["inside"]] == [name] * len(example["inside"])
    assert name not in [band(hero, example["monster"]) for hero in example["outside"]]


@pytest.mark.parametrize(
    ("hero", "monster", "name", "needs"),
    [
        (5, 2, "most-likely", 2),
        (4, 2, "likely", 3),
        (3, 2, "likely", 3),
        (2, 2, "even", 4),
        (3, 6, "unlikely", 5),
        (2, 6, "very-unlikely", 6),
    ],
)
def test_rule_3_1_the_comparison_says_what_the_die_must_show(
    hero: int, monster: int, name: str, needs: int
) -> None:
    action = ask(D6, "opposed-check", skill=hero, opponent_skill=monster)
    assert band(hero, monster) == name
    assert thrown(action, needs).verdict.outcome == "success"
    missed = thrown(action, needs - 1).verdict
    assert (missed.outcome, missed.score, missed.target, missed.margin) == ("failure", needs - 1, needs, -1)


def test_rule_3_1_the_extreme_band_wins_wherever_both_fit() -> None:
    assert band(1, 0) == "most-likely"
    assert band(0, 1) == "very-unlikely"


@pytest.mark.parametrize(
    ("difficulty", "number"), [(name.replace("_", "-"), n) for name, n in PUBLISHED["d6_difficulty"].items()]
)
def test_rule_3_2_a_difficulty_stands_for_a_monsters_skill(difficulty: str, number: int) -> None:
    for skill in range(20):
        unopposed = ask(D6, "unopposed-check", skill=skill, difficulty=difficulty)
        opposed = ask(D6, "opposed-check", skill=skill, opponent_skill=number)
        assert thrown(unopposed, 6).verdict == thrown(opposed, 6).verdict
        assert unopposed.numbers() == (("Skill", skill), ("Difficulty", number))


@pytest.mark.parametrize("difficulty", ["simple", "hard", "very-hard", "insane"])
def test_rule_3_2_a_rung_of_the_2d6_ladder_is_never_mapped_to_one_here(difficulty: str) -> None:
    messages = refused(D6, "unopposed-check", skill=3, difficulty=difficulty)
    assert messages == {
        "difficulty": ["Must be one of: easy, moderate, difficult, very-difficult, heroic, near-impossible."]
    }


def test_skill_0_follows_the_same_formula() -> None:
    assert band(0, 0) == "even"
    assert chance(ask(D6, "opposed-check", skill=0, opponent_skill=0)) == Fraction(1, 2)


def test_there_are_no_criticals_and_no_modifiers_here() -> None:
    assert set(chances(ask(D6, "opposed-check", skill=9, opponent_skill=1))) == {"success", "failure"}
    messages = refused(D6, "opposed-check", skill=1, opponent_skill=1, modifier=2)
    assert messages == {"modifier": ["Unknown field."]}
    assert registry.get(D6).describe()["house_rules"] == []


def test_odds_are_exact_fractions_and_no_rounded_percentages() -> None:
    assert chance(ask(D6, "opposed-check", skill=9, opponent_skill=1)) == Fraction(5, 6)


def test_the_sheet_says_what_each_skill_needs_against_each_difficulty() -> None:
    answer = registry.get(D6).work_out_sheet({"skills": [{"name": "Track", "level": 4}]})
    assert answer["needs"] == [
        {
            "skill": "Track",
            "needs": {
                "easy": 3,
                "moderate": 3,
                "difficult": 4,
                "very-difficult": 5,
                "heroic": 5,
                "near-impossible": 5,
            },
        }
    ]
    assert [roll["action"] for roll in answer["rolls"]] == ["opposed-check", "unopposed-check"]
