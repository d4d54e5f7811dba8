"""When the Moon Hangs Low, rule by rule (rules 1.1 to 1.6)."""

from fractions import Fraction
from typing import Any

import pytest
from marshmallow import ValidationError

from rules import registry
from rules.odds import odds
from rules.readings import distribution
from tests.rules.asking import MOON, VECTORS, ask, chance, chances, refused, thrown

SHEET = registry.get(MOON).work_out_sheet


def check(**params: Any) -> Any:
    return ask(MOON, "skill-check", **params)


def pool_of(dice: int) -> dict[str, Any]:
    """Give params for a pool of that many dice."""
    return {"stat": min(dice, 5), "bonus": dice - min(dice, 5)}


def pair(vector: dict[str, Any]) -> str:
    return f"{vector['pool']} {vector['skill']} -{vector['penalty']}"


@pytest.mark.parametrize("vector", VECTORS["moon_hangs_low"], ids=pair)
def test_every_published_probability_of_success(vector: dict[str, Any]) -> None:
    for dv, expected in vector["p_success_by_dv"].items():
        params = {"skill": vector["skill"], "penalty": vector["penalty"], "dv": int(dv)}
        assert chance(check(**pool_of(vector["pool"]), **params)) == Fraction(expected)


@pytest.mark.parametrize("vector", VECTORS["moon_hangs_low"], ids=pair)
def test_every_published_distribution_of_net_successes(vector: dict[str, Any]) -> None:
    params = {"skill": vector["skill"], "penalty": vector["penalty"], "dv": 1}
    action = check(**pool_of(vector["pool"]), **params)
    pool, penalty = action.hands()
    ways: dict[str, int] = {}
    for successes, times in distribution(pool.reading, pool.size):
        for cancelled, times_cancelled in distribution(penalty.reading, penalty.size):
            net = str(action.judge(successes, cancelled).score)
            ways[net] = ways.get(net, 0) + times * times_cancelled
    throws = 6 ** (pool.size + penalty.size)
    published = {net: Fraction(share) for net, share in vector["net_distribution"].items()}
    assert {net: Fraction(times, throws) for net, times in ways.items()} == published


def test_rule_1_1_a_stat_is_one_to_five() -> None:
    for stat in (1, 5):
        assert check(stat=stat, dv=1).stat == stat
    for stat in (0, 6, -1):
        sentence = "Must be a whole number from 1 to 5."
        assert refused(MOON, "skill-check", stat=stat, dv=1) == {"stat": [sentence]}


@pytest.mark.parametrize(("skill", "succeeds_on"), [("untrained", 5), ("trained", 4), ("mastered", 3)])
def test_rule_1_2_the_level_says_what_a_success_is(skill: str, succeeds_on: int) -> None:
    for face in range(1, 7):
        verdict = thrown(check(stat=1, skill=skill, dv=1), face).verdict
        assert verdict.success is (face >= succeeds_on)


def test_rule_1_2_a_skill_nobody_spoke_of_is_untrained() -> None:
    assert check(stat=2, dv=1).params()["skill"] == "untrained"


def test_rule_1_3_the_pool_is_stat_bonus_and_two_for_a_knack() -> None:
    pool, penalty = check(stat=3, bonus=4, knack=True, dv=1).hands()
    assert pool.size == 3 + 4 + 2
    assert penalty.size == 0


def test_rule_1_3_bonus_dice_succeed_on_the_skills_own_threshold() -> None:
    resolution = thrown(check(stat=1, bonus=2, skill="mastered", dv=2), 1, 3, 3)
    assert resolution.verdict.score == 2
    assert [(die.role, die.counts) for die in resolution.dice] == [("skill", 0), ("bonus", 1), ("bonus", 1)]


@pytest.mark.parametrize("skill", ["untrained", "trained", "mastered"])
def test_rule_1_4_a_penalty_die_cancels_on_five_or_six_whatever_the_level(skill: str) -> None:
    for face in range(1, 7):
        verdict = thrown(check(stat=1, penalty=1, skill=skill, dv=1), 6, face).verdict
        assert verdict.score == (0 if face >= 5 else 1)


def test_rule_1_4_penalty_dice_are_thrown_apart_and_named_so() -> None:
    dice = thrown(check(stat=1, penalty=2, dv=1), 6, 5, 1).dice
    assert [(die.role, die.value, die.counts) for die in dice] == [
        ("skill", 6, 1),
        ("penalty", 5, -1),
        ("penalty", 1, 0),
    ]


def test_rule_1_5_as_many_net_successes_as_the_dv_are_enough() -> None:
    won = thrown(check(stat=3, dv=2), 5, 6, 1).verdict
    lost = thrown(check(stat=3, dv=3), 5, 6, 1).verdict
    assert (won.outcome, won.success, won.score, won.target, won.margin) == ("success", True, 2, 2, 0)
    assert (lost.outcome, lost.success, lost.score, lost.target, lost.margin) == ("failure", False, 2, 3, -1)


def test_net_successes_never_fall_below_zero() -> None:
    verdict = thrown(check(stat=1, penalty=3, dv=1), 1, 6, 6, 6).verdict
    assert (verdict.score, verdict.margin) == (0, -1)


def test_more_penalty_dice_than_pool_dice_never_shrink_the_pool() -> None:
    action = check(stat=2, bonus=1, penalty=20, dv=1)
    assert [hand.size for hand in action.hands()] == [3, 20]


def test_bonus_and_penalty_dice_are_not_cancelled_against_each_other_before_the_throw() -> None:
    assert [hand.size for hand in check(stat=1, bonus=5, penalty=5, dv=1).hands()] == [6, 5]


@pytest.mark.parametrize(
    ("field", "value"), [("stat", 0), ("dv", 0), ("dv", 51), ("bonus", -1), ("penalty", -1), ("bonus", 21)]
)
def test_stat_zero_dv_below_one_and_negative_dice_are_refused(field: str, value: int) -> None:
    assert list(refused(MOON, "skill-check", **{"stat": 2, "dv": 1, field: value})) == [field]


def test_a_dv_above_the_pool_is_legal_and_its_probability_is_exactly_zero() -> None:
    action = check(stat=5, skill="mastered", dv=6)
    assert chance(action) == Fraction(0)
    assert odds(action).as_json()["success"] == {"fraction": "0/1", "probability": 0.0}


def test_there_are_no_criticals_here() -> None:
    assert set(chances(check(stat=5, bonus=10, penalty=10, dv=3))) == {"success", "failure"}
    assert thrown(check(stat=2, dv=1), 6, 6).verdict.notes == ()


def test_there_is_one_action_and_no_house_rule() -> None:
    description = registry.get(MOON).describe()
    assert [action["name"] for action in description["actions"]] == ["skill-check"]
    assert description["house_rules"] == []


def test_the_record_names_every_number_that_entered() -> None:
    action = check(stat=3, knack=True, bonus=1, penalty=2, skill="trained", dv=2)
    assert action.numbers() == (
        ("Stat", 3),
        ("Knack", 2),
        ("Bonus dice", 1),
        ("Penalty dice", 2),
        ("Success on", 4),
    )


# The sheet


def test_a_fresh_sheet_has_the_starting_skills_all_untrained() -> None:
    answer = SHEET({})
    assert {pool["skill"]: (pool["stat"], pool["level"], pool["pool"]) for pool in answer["pools"]} == {
        "Climbing": ("physique", "untrained", 2),
        "Combat": ("physique", "untrained", 2),
        "Stealth": ("physique", "untrained", 2),
        "Alchemy": ("intellect", "untrained", 2),
        "Occult": ("intellect", "untrained", 2),
        "Awareness": ("intellect", "untrained", 2),
        "Interaction": ("presence", "untrained", 2),
        "Leadership": ("presence", "untrained", 2),
    }
    assert answer["knacks_left"] == 3


def skills(*names: str, **fields: Any) -> list[dict[str, Any]]:
    return [{"name": name, "stat": "presence", **fields} for name in names]


def test_rule_1_3_the_sheet_gives_each_skills_pool_and_threshold() -> None:
    answer = SHEET({"presence": 4, "skills": skills("Bluff", level="mastered", knack=True)})
    assert answer["pools"] == [
        {
            "skill": "Bluff",
            "stat": "presence",
            "level": "mastered",
            "knack": True,
            "pool": 6,
            "success_on": 3,
        }
    ]


def test_rule_1_6_a_character_has_three_knacks_on_three_skills() -> None:
    assert SHEET({"skills": skills("A", "B", "C", knack=True)})["knacks_left"] == 0
    assert SHEET({"skills": skills("A", knack=True)})["knacks_left"] == 2
    with pytest.raises(ValidationError, match="3 Knacks") as refusal:
        SHEET({"skills": skills("A", "B", "C", "D", knack=True)})
    assert list(refusal.value.messages) == ["skills"]


def test_rule_1_6_an_untrained_skill_may_hold_a_knack() -> None:
    answer = SHEET({"presence": 1, "skills": skills("Bluff", knack=True)})
    assert (answer["pools"][0]["level"], answer["pools"][0]["pool"]) == ("untrained", 3)


def test_a_skill_stands_on_the_sheet_once_whatever_its_capitals() -> None:
    with pytest.raises(ValidationError, match="once") as refusal:
        SHEET({"skills": skills("Bluff", "bluff")})
    assert list(refusal.value.messages) == ["skills"]


def test_a_click_on_a_skill_fills_in_its_roll() -> None:
    answer = SHEET({"presence": 4, "skills": skills("Bluff", level="trained", knack=True)})
    params = {"stat": 4, "skill": "trained", "knack": True}
    button = {"label": "Bluff", "group": "Presence", "action": "skill-check", "params": params}
    assert answer["rolls"] == [button]
    assert check(**params, dv=2).hands()[0].size == answer["pools"][0]["pool"]
