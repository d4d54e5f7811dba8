"""The odds are those of the very throws that the judge sees; and icepool finds the same."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

import icepool
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from rules import registry
from rules.action import Action
from rules.dice import FixedDice
from rules.moon_hangs_low import SkillCheck
from rules.odds import as_json, fraction_text, odds
from rules.readings import BestTwo, Successes, distribution
from rules.throw import Hand, Role, resolve
from tests.rules.asking import D6, FORT, HEROES, MOON, actions, ask, chance, chances

ACTIONS = [(ruleset.id, action.name) for ruleset in registry.all() for action in ruleset.actions]
FEW_DICE = {"stat": 3, "bonus": 2, "penalty": 3, "advantage": 2, "disadvantage": 2, "skill": 9, "dv": 6}


def every_throw(action: Action) -> tuple[Counter, int]:
    """Throw every combination of dice once: how often each outcome came, and how often a success."""
    faces = [hand.faces for hand in action.hands() for _ in range(hand.size)]
    outcomes: Counter = Counter()
    successes = 0
    for values in product(*(range(1, sides + 1) for sides in faces)):
        verdict = resolve(action, FixedDice(values)).verdict
        outcomes[verdict.outcome] += 1
        successes += verdict.success is True
    return outcomes, successes


@pytest.mark.parametrize(("ruleset", "name"), ACTIONS)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(drawn=st.data())
def test_the_odds_are_the_share_of_all_throws_that_the_judge_says(
    ruleset: str, name: str, drawn: st.DataObject
) -> None:
    action = drawn.draw(actions(registry.get(ruleset), name, FEW_DICE))
    assume(sum(hand.size for hand in action.hands()) <= 5)
    outcomes, successes = every_throw(action)
    throws = outcomes.total()
    asked = odds(action)
    assert asked.success == Fraction(successes, throws)
    assert asked.outcomes == {outcome: Fraction(times, throws) for outcome, times in outcomes.items()}


@pytest.mark.parametrize(("ruleset", "name"), ACTIONS)
@settings(max_examples=40, deadline=None)
@given(drawn=st.data())
def test_the_outcomes_of_any_roll_add_to_one_and_success_is_the_sum_of_those_that_succeed(
    ruleset: str, name: str, drawn: st.DataObject
) -> None:
    action = drawn.draw(actions(registry.get(ruleset), name, {}))
    asked = odds(action)
    assert sum(asked.outcomes.values()) == 1
    assert all(chance > 0 for chance in asked.outcomes.values())
    won = {"success", "critical-success", "automatic-success"}
    assert asked.success == sum(chance for name, chance in asked.outcomes.items() if name in won)


@dataclass(frozen=True, kw_only=True)
class FiftyAgainstFifty(SkillCheck):
    """The largest hands: 50 dice at 4+, less 50 penalty dice."""

    def hands(self) -> tuple[Hand, ...]:
        own, penalty = Hand(((Role.SKILL, 50),), Successes(4)), Hand(((Role.PENALTY, 50),), Successes(5))
        return own, penalty


def pool(dice: int, at_least: int) -> icepool.Die:
    return dice @ (icepool.d6 >= at_least).map({True: 1, False: 0})


def by_icepool(event: icepool.Die) -> Fraction:
    return event.probability(True)


@pytest.mark.parametrize("dv", [1, 8, 20, 50])
def test_fifty_dice_less_fifty_penalty_dice_agree_with_icepool(dv: int) -> None:
    theirs = by_icepool(pool(50, 4) - pool(50, 5) >= dv)
    assert chance(FiftyAgainstFifty(stat=1, dv=dv)) == theirs


@pytest.mark.parametrize(("skill", "at_least"), [("untrained", 5), ("trained", 4), ("mastered", 3)])
def test_the_largest_pool_that_may_be_asked_for_agrees_with_icepool(skill: str, at_least: int) -> None:
    action = ask(MOON, "skill-check", stat=5, knack=True, bonus=20, penalty=20, skill=skill, dv=4)
    assert sum(hand.size for hand in action.hands()) == 47
    assert chance(action) == by_icepool(pool(27, at_least) - pool(20, 5) >= 4)


@pytest.mark.parametrize("dice", [2, 3, 5, 7, 20])
@pytest.mark.parametrize("highest", [True, False])
def test_keeping_two_of_many_dice_agrees_with_icepool(dice: int, highest: bool) -> None:
    keep = icepool.d6.highest if highest else icepool.d6.lowest
    kept = keep(dice, 2)
    assert {value: Fraction(ways, 6**dice) for value, ways in distribution(BestTwo(highest), dice)} == {
        value: kept.probability(value) for value in kept.outcomes()
    }


@pytest.mark.parametrize("mine", range(-5, 6, 2))
@pytest.mark.parametrize("theirs", range(-5, 6))
def test_contests_with_up_to_seven_dice_a_side_agree_with_icepool(mine: int, theirs: int) -> None:
    def side(net: int) -> icepool.Die:
        return (icepool.d6.highest if net >= 0 else icepool.d6.lowest)(2 + abs(net), 2)

    opponent = {"kind": "npc", "advantage": max(0, theirs), "disadvantage": max(0, -theirs)}
    action = ask(
        FORT, "contest", combat=True, advantage=max(0, mine), disadvantage=max(0, -mine), opponent=opponent
    )
    assert chance(action) == by_icepool(side(mine) >= side(theirs))


@pytest.mark.parametrize("difference", [-20, -3, 0, 5])
def test_opposed_tests_agree_with_icepool(difference: int) -> None:
    skills = {"skill": max(0, difference), "opponent": {"kind": "creature", "skill": max(0, -difference)}}
    hero, creature = 2 @ icepool.d6, 2 @ icepool.d6
    action = ask(HEROES, "opposed-test", {"criticals": "off"}, **skills)
    assert chance(action) == by_icepool(hero + difference > creature)
    assert chances(action).get("tie", 0) == by_icepool((hero + difference - creature) == 0)


def test_an_odd_that_is_asked_for_twice_is_worked_out_once() -> None:
    first, again = (ask(D6, "opposed-check", skill=3, opponent_skill=2) for _ in range(2))
    assert odds(first) is odds(again)


def test_odds_are_answered_as_a_fraction_and_a_float() -> None:
    answer = odds(ask(FORT, "test", target=8)).as_json()
    assert answer == {
        "success": {"fraction": "5/12", "probability": pytest.approx(5 / 12)},
        "outcomes": {
            "success": {"fraction": "5/12", "probability": pytest.approx(5 / 12)},
            "failure": {"fraction": "7/12", "probability": pytest.approx(7 / 12)},
        },
        "formula": "2d6",
    }


def test_certainty_is_written_as_a_fraction_too() -> None:
    assert fraction_text(Fraction(0)) == "0/1"
    assert as_json(Fraction(1)) == {"fraction": "1/1", "probability": 1.0}


def test_an_outcome_that_cannot_happen_is_not_named() -> None:
    assert chances(ask(MOON, "skill-check", stat=1, dv=2)) == {"failure": Fraction(1)}


@pytest.mark.parametrize(
    ("asked", "formula"),
    [
        (ask(MOON, "skill-check", stat=4, skill="trained", dv=2), "4d6cs>=4"),
        (ask(MOON, "skill-check", stat=4, knack=True, bonus=1, penalty=2, dv=2), "7d6cs>=5 - 2d6cs>=5"),
        (ask(HEROES, "unopposed-test", skill=3, tn=8), "2d6 + 3"),
        (ask(HEROES, "unopposed-test", skill=0, tn=8), "2d6"),
        (
            ask(HEROES, "opposed-test", skill=1, modifier=-4, opponent={"kind": "player", "user": "a"}),
            "2d6 - 3",
        ),
        (ask(D6, "unopposed-check", skill=3, difficulty="easy"), "1d6"),
        (ask(FORT, "test", advantage=1), "3d6kh2"),
        (ask(FORT, "test", disadvantage=3, combat=True), "5d6kl2"),
        (ask(FORT, "test", advantage=2), None),
        (ask(FORT, "save", attribute="WIL", target=7, advantage=1), "2d6"),
        (
            ask(FORT, "save", {"advantage_table": "as-printed"}, attribute="WIL", target=7, advantage=1),
            "3d6kl2",
        ),
        (
            ask(FORT, "save", {"advantage_table": "as-printed"}, attribute="WIL", target=7, disadvantage=1),
            "3d6kh2",
        ),
        (ask(FORT, "contest", advantage=1, opponent={"kind": "player", "user": "a"}), "3d6kh2"),
        (ask(FORT, "contest", advantage=2, opponent={"kind": "npc"}), None),
    ],
)
def test_a_formula_throws_the_rollers_dice_in_foundry(asked: Action, formula: str | None) -> None:
    assert odds(asked).formula == formula


@pytest.mark.parametrize(("ruleset", "name"), ACTIONS)
@settings(max_examples=20, deadline=None)
@given(drawn=st.data())
def test_a_formula_names_as_many_dice_as_the_roller_throws(
    ruleset: str, name: str, drawn: st.DataObject
) -> None:
    action = drawn.draw(actions(registry.get(ruleset), name, {}))
    own = [hand.size for hand in action.hands() if hand.side == "roller" and hand.size]
    formula = odds(action).formula or ""
    assert [int(part.split("d6")[0]) for part in formula.split(" - ") if "d6" in part] == own
    assert prod(own) > 0
