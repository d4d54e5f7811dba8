"""2d6 and a skill, rule by rule (rules 2.1 to 2.6)."""

from fractions import Fraction
from typing import Any

import pytest
from marshmallow import ValidationError

from rules import registry
from tests.rules.asking import HEROES, VECTORS, ask, chance, chances, refused, thrown

PUBLISHED = VECTORS["heroes_2d6"]
CRITICALS = {"off": "no_crit", "override": "crit_overrides"}


def unopposed(house: dict[str, Any] | None = None, /, **params: Any) -> Any:
    return ask(HEROES, "unopposed-test", house, **params)


def opposed(house: dict[str, Any] | None = None, /, **params: Any) -> Any:
    opponent = params.pop("opponent", {"kind": "creature", "skill": 0})
    return ask(HEROES, "opposed-test", house, **{"skill": 0, **params}, opponent=opponent)


def creature(skill: int = 0, **fields: Any) -> dict[str, Any]:
    return {"kind": "creature", "skill": skill, **fields}


# The published odds


@pytest.mark.parametrize(("criticals", "key"), [("off", "p_no_crit"), ("override", "p_crit_overrides")])
def test_every_published_unopposed_test(criticals: str, key: str) -> None:
    house = {"criticals": criticals, "unopposed_modifiers": True}
    for vector in PUBLISHED["unopposed"]:
        params = {name: vector[name] for name in ("skill", "modifier", "tn")}
        assert chance(unopposed(house, **params)) == Fraction(vector[key]), params


def test_flavour_and_off_have_the_same_odds() -> None:
    for vector in PUBLISHED["unopposed"]:
        params = {name: vector[name] for name in ("skill", "modifier", "tn")}
        house = {"criticals": "flavour", "unopposed_modifiers": True}
        assert chance(unopposed(house, **params)) == Fraction(vector["p_no_crit"]), params


def by_difference(difference: int, take7: bool) -> dict[str, Any]:
    return {"skill": max(0, difference), "opponent": creature(max(0, -difference), take7=take7)}


def difference(vector: dict[str, Any]) -> str:
    return f"difference {vector['difference']}"


@pytest.mark.parametrize("criticals", CRITICALS)
@pytest.mark.parametrize("vector", PUBLISHED["opposed_by_difference"], ids=difference)
@pytest.mark.parametrize("way", ["both_roll", "take_7"])
def test_every_published_opposed_test(vector: dict[str, Any], criticals: str, way: str) -> None:
    published = {name: Fraction(share) for name, share in vector[way][CRITICALS[criticals]].items()}
    params = by_difference(vector["difference"], way == "take_7")
    found = chances(opposed({"criticals": criticals}, **params))
    assert chance(opposed({"criticals": criticals}, **params)) == published["win"]
    assert found.get("tie", 0) == published["tie"]
    assert found.get("failure", 0) + found.get("critical-failure", 0) == published["lose"]


@pytest.mark.parametrize("criticals", CRITICALS)
@pytest.mark.parametrize("vector", PUBLISHED["opposed_by_difference"], ids=difference)
def test_every_published_take_7_where_the_hero_wins_ties(vector: dict[str, Any], criticals: str) -> None:
    house = {"criticals": criticals, "tie": "hero-wins"}
    action = opposed(house, **by_difference(vector["difference"], True))
    assert chance(action) == Fraction(vector["take_7"][CRITICALS[criticals]]["win_if_tie_succeeds"])
    assert "tie" not in chances(action)


# Rule 2.1


@pytest.mark.parametrize(
    ("difficulty", "tn"),
    {"simple": 6, "easy": 8, "moderate": 10, "hard": 12, "very-hard": 14, "heroic": 16, "insane": 18}.items(),
)
def test_rule_2_1_each_rung_of_the_ladder_has_its_number(difficulty: str, tn: int) -> None:
    assert unopposed(skill=0, difficulty=difficulty).target == tn
    assert chance(unopposed(skill=3, difficulty=difficulty)) == chance(unopposed(skill=3, tn=tn))


def test_rule_2_1_reaching_the_target_is_enough() -> None:
    assert thrown(unopposed(skill=3, tn=10), 3, 4).verdict.outcome == "success"
    missed = thrown(unopposed(skill=3, tn=11), 3, 4).verdict
    assert (missed.outcome, missed.score, missed.target, missed.margin) == ("failure", 10, 11, -1)


@pytest.mark.parametrize("tn", [2, 4, 30])
def test_rule_2_1_any_target_number_from_2_to_30_is_taken(tn: int) -> None:
    assert unopposed(skill=0, tn=tn).target == tn


@pytest.mark.parametrize("tn", [1, 31])
def test_rule_2_1_no_other_target_number_is(tn: int) -> None:
    assert refused(HEROES, "unopposed-test", skill=0, tn=tn) == {
        "tn": ["Must be a whole number from 2 to 30."]
    }


@pytest.mark.parametrize("given", [{}, {"tn": 8, "difficulty": "easy"}])
def test_rule_2_1_exactly_one_of_number_and_rung_is_given(given: dict[str, Any]) -> None:
    messages = refused(HEROES, "unopposed-test", skill=0, **given)
    assert set(messages) == {"tn", "difficulty"}
    assert "exactly one" in messages["tn"][0]


def test_rule_2_1_the_later_editions_basic_is_no_rung() -> None:
    assert list(refused(HEROES, "unopposed-test", skill=0, difficulty="basic")) == ["difficulty"]


def test_rule_2_1_a_rung_of_the_other_system_is_refused() -> None:
    messages = refused(HEROES, "unopposed-test", skill=0, difficulty="near-impossible")
    assert "simple, easy, moderate, hard, very-hard, heroic, insane" in messages["difficulty"][0]


# Rule 2.2


def test_rule_2_2_a_double_six_succeeds_whatever_the_total() -> None:
    verdict = thrown(unopposed(skill=0, tn=30), 6, 6).verdict
    assert (verdict.outcome, verdict.success, verdict.margin) == ("critical-success", True, -18)
    assert verdict.notes == ("double-six",)


def test_rule_2_2_a_double_one_fails_whatever_the_total() -> None:
    verdict = thrown(unopposed(skill=50, tn=2), 1, 1).verdict
    assert (verdict.outcome, verdict.success, verdict.notes) == ("critical-failure", False, ("double-one",))


def test_rule_2_2_flavour_marks_a_critical_but_the_total_decides() -> None:
    house = {"criticals": "flavour"}
    missed = thrown(unopposed(house, skill=0, tn=14), 6, 6).verdict
    assert (missed.outcome, missed.notes) == ("failure", ("double-six",))
    reached = thrown(unopposed(house, skill=10, tn=12), 1, 1).verdict
    assert (reached.outcome, reached.notes) == ("success", ("double-one",))
    assert thrown(unopposed(house, skill=2, tn=14), 6, 6).verdict.outcome == "critical-success"
    assert thrown(unopposed(house, skill=0, tn=14), 1, 1).verdict.outcome == "critical-failure"


def test_rule_2_2_off_neither_marks_nor_decides() -> None:
    house = {"criticals": "off"}
    verdict = thrown(unopposed(house, skill=0, tn=10), 6, 6).verdict
    assert (verdict.outcome, verdict.notes) == ("success", ())
    assert thrown(unopposed(house, skill=0, tn=14), 6, 6).verdict.outcome == "failure"


def test_rule_2_2_modifiers_never_change_whether_a_throw_is_a_critical() -> None:
    house = {"unopposed_modifiers": True}
    assert thrown(unopposed(house, skill=0, modifier=-4, tn=30), 6, 6).verdict.outcome == "critical-success"
    assert thrown(unopposed(house, skill=0, modifier=4, tn=16), 4, 4).verdict.outcome == "failure"
    assert thrown(unopposed(house, skill=0, modifier=4, tn=2), 1, 1).verdict.outcome == "critical-failure"


# Rule 2.3


def test_rule_2_3_strictly_higher_succeeds() -> None:
    assert thrown(opposed(skill=1), 3, 4, 3, 4).verdict.outcome == "success"
    assert thrown(opposed(skill=0), 3, 4, 4, 4).verdict.outcome == "failure"


def test_rule_2_3_equal_totals_are_a_tie_and_both_are_unsuccessful() -> None:
    verdict = thrown(opposed(skill=0), 3, 4, 5, 2).verdict
    assert (verdict.outcome, verdict.success, verdict.margin) == ("tie", False, 0)


@pytest.mark.parametrize("purpose", ["dodge", "weapon-parry", "unarmed-parry", "shield-block"])
def test_rule_2_3_when_a_defence_ties_it_is_a_tie_and_not_a_defeat(purpose: str) -> None:
    assert thrown(opposed(skill=0, purpose=purpose), 3, 4, 5, 2).verdict.outcome == "tie"


def test_rule_2_3_at_a_table_where_the_hero_wins_ties_the_hero_does() -> None:
    verdict = thrown(opposed({"tie": "hero-wins"}, skill=0), 3, 4, 5, 2).verdict
    assert (verdict.outcome, verdict.success, verdict.margin) == ("success", True, 0)


def test_rule_2_3_whoever_rolls_against_a_creature_is_the_hero_the_gm_too() -> None:
    params = {"skill": 0, "opponent": creature()}
    by_the_gm = registry.get(HEROES).load("opposed-test", params, {"tie": "hero-wins"}, False)
    assert thrown(by_the_gm, 3, 4, 5, 2).verdict.outcome == "success"


def test_rule_2_3_the_higher_rank_wins_whatever_the_totals() -> None:
    strong = creature(50)
    assert thrown(opposed(opponent=strong), 6, 6, 5, 6).verdict.outcome == "critical-success"
    assert thrown(opposed(opponent=strong), 2, 1, 1, 1).verdict.outcome == "success"
    assert thrown(opposed(skill=50), 1, 1, 2, 1).verdict.outcome == "critical-failure"
    assert thrown(opposed(skill=50), 5, 6, 6, 6).verdict.outcome == "failure"


def test_rule_2_3_equal_ranks_compare_totals() -> None:
    assert thrown(opposed(skill=1), 6, 6, 6, 6).verdict.outcome == "critical-success"
    assert thrown(opposed(opponent=creature(1)), 6, 6, 6, 6).verdict.outcome == "failure"
    assert thrown(opposed(), 6, 6, 6, 6).verdict.outcome == "tie"


@pytest.mark.parametrize("tie", ["both-fail", "hero-wins"])
@pytest.mark.parametrize("skill", [0, 9])
def test_rule_2_3_double_one_against_double_one_leaves_both_unsuccessful(tie: str, skill: int) -> None:
    verdict = thrown(opposed({"tie": tie}, skill=skill), 1, 1, 1, 1).verdict
    assert (verdict.outcome, verdict.success) == ("tie", False)
    assert verdict.notes == ("double-one", "opponent-double-one")


@pytest.mark.parametrize(
    ("criticals", "notes"), [("flavour", ("double-six", "opponent-double-one")), ("off", ())]
)
def test_rule_2_3_without_override_only_the_totals_count(criticals: str, notes: tuple[str, ...]) -> None:
    verdict = thrown(opposed({"criticals": criticals}, opponent=creature(20)), 6, 6, 1, 1).verdict
    assert (verdict.outcome, verdict.notes) == ("failure", notes)


# Rule 2.4


def test_rule_2_4_a_creature_that_takes_7_throws_nothing() -> None:
    resolution = thrown(opposed(opponent=creature(2, modifier=4, take7=True)), 6, 5)
    assert [die.side for die in resolution.dice] == ["roller", "roller"]
    assert resolution.verdict.target == 7 + 2 + 4
    assert "took-seven" in resolution.verdict.notes


def test_rule_2_4_taking_7_is_never_a_critical_of_the_creature() -> None:
    verdict = thrown(opposed(skill=0, opponent=creature(0, take7=True)), 4, 4).verdict
    assert (verdict.outcome, verdict.notes) == ("success", ("took-seven",))
    assert thrown(opposed(opponent=creature(50, take7=True)), 6, 6).verdict.outcome == "critical-success"


# Rule 2.5


@pytest.mark.parametrize("modifier", [-4, -2, 0, 2, 4])
def test_rule_2_5_a_modifier_moves_the_total_of_its_own_side(modifier: int) -> None:
    mine = thrown(opposed(skill=5, modifier=modifier), 3, 4, 1, 2).verdict
    assert (mine.score, mine.target) == (12 + modifier, 3)
    theirs = thrown(opposed(skill=5, opponent=creature(5, modifier=modifier)), 3, 4, 1, 2).verdict
    assert (theirs.score, theirs.target) == (12, 8 + modifier)


@pytest.mark.parametrize("modifier", [-6, -3, 1, 3, 6])
def test_rule_2_5_there_are_no_other_modifiers(modifier: int) -> None:
    sentence = "Must be one of: -4, -2, 0, 2, 4."
    messages = refused(HEROES, "opposed-test", skill=0, modifier=modifier, opponent=creature())
    assert messages == {"modifier": [sentence]}
    theirs = refused(HEROES, "opposed-test", skill=0, opponent=creature(0, modifier=modifier))
    assert theirs == {"opponent": {"modifier": [sentence]}}


def test_rule_2_5_an_unopposed_test_takes_a_modifier_only_under_the_house_rule() -> None:
    messages = refused(HEROES, "unopposed-test", skill=0, tn=8, modifier=2)
    assert list(messages) == ["modifier"]
    assert "unopposed_modifiers" in messages["modifier"][0]
    assert chance(unopposed(skill=0, tn=8, modifier=0)) == chance(unopposed(skill=0, tn=8))
    allowed = unopposed({"unopposed_modifiers": True}, skill=0, tn=8, modifier=2)
    assert thrown(allowed, 2, 4).verdict.outcome == "success"
    assert allowed.house_rules_in_play()["unopposed_modifiers"] is True


# Rule 2.6


def test_rule_2_6_in_player_facing_play_the_creature_always_takes_7() -> None:
    house = {"player_facing": True}
    asked = opposed(house, opponent=creature(3, take7=False))
    assert thrown(asked, 5, 6).verdict.target == 10
    assert asked.house_rules_in_play()["player_facing"] is True


def test_rule_2_6_in_player_facing_play_another_player_still_throws() -> None:
    asked = opposed({"player_facing": True}, opponent={"kind": "player", "user": "mira"})
    assert [hand.size for hand in asked.answered({"skill": 2}).hands()] == [2, 2]
    assert "player_facing" not in asked.house_rules_in_play()


def test_rule_2_6_every_kind_of_opposed_roll_can_be_named() -> None:
    purposes = [
        "attack",
        "dodge",
        "weapon-parry",
        "unarmed-parry",
        "shield-block",
        "cast-spell",
        "resist-magic",
        "other",
    ]
    for purpose in purposes:
        assert opposed(purpose=purpose).params()["purpose"] == purpose
    assert opposed().params()["purpose"] == "other"


# Skills, records, sheet


def test_a_skill_is_a_whole_number_from_0() -> None:
    sentence = "Must be a whole number from 0 to 50."
    for skill in (-1, 51):
        assert refused(HEROES, "unopposed-test", skill=skill, tn=8) == {"skill": [sentence]}
        messages = refused(HEROES, "opposed-test", skill=0, opponent=creature(skill))
        assert messages == {"opponent": {"skill": [sentence]}}


def test_the_numbers_that_enter_a_total_are_named() -> None:
    assert opposed(skill=5, modifier=-2).numbers() == (("Skill", 5), ("Circumstance", -2))
    assert unopposed(skill=5, tn=8).numbers() == (("Skill", 5),)


@pytest.mark.parametrize("criticals", ["override", "flavour"])
def test_a_card_shows_how_this_table_plays_criticals_only_where_one_was_thrown(criticals: str) -> None:
    asked = unopposed({"criticals": criticals}, skill=0, tn=8)
    assert asked.house_rules_that_mattered(thrown(asked, 6, 6).verdict) == {"criticals": criticals}
    assert asked.house_rules_that_mattered(thrown(asked, 6, 5).verdict) == {}
    against = opposed({"criticals": criticals})
    assert "criticals" in against.house_rules_that_mattered(thrown(against, 3, 4, 1, 1).verdict)


def test_a_card_shows_how_this_table_plays_ties_only_where_the_totals_are_equal() -> None:
    asked = opposed({"tie": "hero-wins"}, skill=2, opponent=creature(2))
    assert asked.house_rules_that_mattered(thrown(asked, 3, 4, 5, 2).verdict) == {"tie": "hero-wins"}
    assert asked.house_rules_that_mattered(thrown(asked, 3, 4, 5, 1).verdict) == {}


def test_the_house_rules_are_as_written_until_a_table_changes_them() -> None:
    assert registry.get(HEROES).load_house_rules({}).as_json() == {
        "criticals": "override",
        "tie": "both-fail",
        "unopposed_modifiers": False,
        "player_facing": False,
    }


def test_the_sheet_offers_both_tests_of_each_skill() -> None:
    answer = registry.get(HEROES).work_out_sheet({"skills": [{"name": "Axe", "level": 4}, {"name": "Swim"}]})
    assert [(roll["label"], roll["group"], roll["params"]) for roll in answer["rolls"]] == [
        ("Axe", "Unopposed test", {"skill": 4}),
        ("Swim", "Unopposed test", {"skill": 0}),
        ("Axe", "Opposed test", {"skill": 4}),
        ("Swim", "Opposed test", {"skill": 0}),
    ]


def test_a_skill_stands_on_the_sheet_once() -> None:
    with pytest.raises(ValidationError, match="once"):
        registry.get(HEROES).work_out_sheet({"skills": [{"name": "Axe"}, {"name": "AXE"}]})
