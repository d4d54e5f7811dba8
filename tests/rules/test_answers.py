"""An opposed roll has two sides, and both tell the same story (rules 2.3, 2.5, 4.2 and 4.4)."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules import registry
from rules.action import GM, Action, NotAnswered, TakesNoAnswer
from rules.dice import FixedDice
from rules.odds import odds
from rules.throw import Side, resolve
from rules.verdict import Verdict
from tests.rules.asking import D6, FORT, HEROES, MOON, actions, ask

CHALLENGES = [(HEROES, "opposed-test", {"skill": 3}), (FORT, "contest", {})]
SEATS = {
    "a player asks a player": ("mira", "jon"),
    "a player asks the GM": ("mira", GM),
    "the GM asks": (GM, "jon"),
}
MIRRORED = {"success": "failure", "failure": "success", "tie": "tie"}
MIRRORED |= {"automatic-success": "automatic-failure", "automatic-failure": "automatic-success"}


def challenge(
    ruleset: str, name: str, params: dict[str, Any], seat: str = "a player asks a player", **house: Any
) -> tuple[Action, str]:
    """Return an unanswered challenge, and who made it."""
    roller, challenged = SEATS[seat]
    asked = {**params, "opponent": {"kind": "player", "user": challenged}}
    return registry.get(ruleset).load(name, asked, house, roller != GM), roller


def both_sides(
    answered: Action, roller: str, mine: tuple[int, ...], theirs: tuple[int, ...]
) -> list[Verdict]:
    """Judge the same dice as the challenger and as the challenged."""
    seen_by_them = answered.other_side(roller)
    return [
        resolve(answered, FixedDice(mine), FixedDice(theirs)).verdict,
        resolve(seen_by_them, FixedDice(theirs), FixedDice(mine)).verdict,
    ]


def heroes(seat: str, mine: tuple[int, ...], theirs: tuple[int, ...], **house: Any) -> list[tuple[str, Any]]:
    asked, roller = challenge(HEROES, "opposed-test", {"skill": 3}, seat, **house)
    sides = both_sides(asked.answered({"skill": 3}), roller, mine, theirs)
    return [(str(side.outcome), side.success) for side in sides]


def fort(seat: str, mine: tuple[int, ...], theirs: tuple[int, ...]) -> list[tuple[str, Any]]:
    asked, roller = challenge(FORT, "contest", {}, seat)
    sides = both_sides(asked.answered({}), roller, mine, theirs)
    return [(str(side.outcome), side.success) for side in sides]


WON, LOST = ("success", True), ("failure", False)


@pytest.mark.parametrize("seat", SEATS)
def test_what_one_side_wins_the_other_loses(seat: str) -> None:
    assert heroes(seat, (4, 5), (2, 2)) == fort(seat, (4, 5), (2, 2)) == [WON, LOST]
    assert heroes(seat, (2, 2), (4, 5)) == fort(seat, (2, 2), (4, 5)) == [LOST, WON]


@pytest.mark.parametrize("seat", SEATS)
def test_equal_totals_of_an_opposed_test_are_a_tie_to_both(seat: str) -> None:
    assert heroes(seat, (3, 4), (5, 2)) == [("tie", False), ("tie", False)]


@pytest.mark.parametrize(
    ("seat", "sides"),
    [
        ("a player asks a player", [("tie", False), ("tie", False)]),
        ("a player asks the GM", [WON, LOST]),
        ("the GM asks", [LOST, WON]),
    ],
)
def test_where_the_hero_wins_ties_the_player_does_in_either_seat(seat: str, sides: Any) -> None:
    assert heroes(seat, (3, 4), (5, 2), tie="hero-wins") == sides


@pytest.mark.parametrize(
    ("seat", "sides"),
    [
        ("a player asks a player", [("tie", None), ("tie", None)]),
        ("a player asks the GM", [WON, LOST]),
        ("the GM asks", [LOST, WON]),
    ],
)
def test_a_player_wins_a_tied_contest_in_either_seat(seat: str, sides: Any) -> None:
    assert fort(seat, (3, 4), (5, 2)) == sides


@pytest.mark.parametrize("tie", ["both-fail", "hero-wins"])
@pytest.mark.parametrize("seat", SEATS)
def test_double_one_against_double_one_leaves_both_unsuccessful_in_every_seat(seat: str, tie: str) -> None:
    assert heroes(seat, (1, 1), (1, 1), tie=tie) == [("tie", False), ("tie", False)]


def test_a_critical_is_named_on_the_side_that_threw_it() -> None:
    seat = "a player asks a player"
    assert heroes(seat, (6, 6), (6, 5)) == [("critical-success", True), LOST]
    assert heroes(seat, (1, 1), (1, 2)) == [("critical-failure", False), WON]


def test_the_gm_against_the_gm_is_a_tie_even_where_the_hero_wins_ties() -> None:
    params = {"skill": 0, "opponent": {"kind": "player", "user": GM}}
    asked = registry.get(HEROES).load("opposed-test", params, {"tie": "hero-wins"}, False)
    sides = both_sides(asked.answered({"skill": 0}), GM, (3, 4), (5, 2))
    assert [str(side.outcome) for side in sides] == ["tie", "tie"]


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize(("ruleset", "name", "params"), CHALLENGES)
def test_over_every_throw_both_sides_agree(ruleset: str, name: str, params: dict, seat: str) -> None:
    house = {"tie": "hero-wins", "criticals": "off"} if ruleset == HEROES else {}
    asked, roller = challenge(ruleset, name, params, seat, **house)
    answered = asked.answered(params)
    for values in product(range(1, 7), repeat=4):
        mine, theirs = both_sides(answered, roller, values[:2], values[2:])
        assert MIRRORED[mine.outcome] == theirs.outcome
        assert (mine.score, mine.target, mine.margin) == (theirs.target, theirs.score, -(theirs.margin or 0))


@pytest.mark.parametrize(("ruleset", "name"), [(HEROES, "opposed-test"), (FORT, "contest")])
@settings(max_examples=60, deadline=None)
@given(drawn=st.data())
def test_the_odds_of_both_sides_mirror_each_other(ruleset: str, name: str, drawn: st.DataObject) -> None:
    answered = drawn.draw(actions(registry.get(ruleset), name, {}).filter(lambda action: action.challenged))
    roller = "jon" if answered.roller_is_player else GM
    there = answered.other_side(roller)
    mine, theirs = odds(answered), odds(there)
    assert mine.outcomes.get("tie", 0) == theirs.outcomes.get("tie", 0)
    assert mine.success + theirs.success + mine.outcomes.get("tie", 0) == 1
    back = there.other_side(answered.challenged or "")
    assert odds(back).outcomes == mine.outcomes


@pytest.mark.parametrize(("ruleset", "name", "params"), CHALLENGES)
def test_before_an_answer_the_odds_are_those_against_an_equal_throw(
    ruleset: str, name: str, params: dict
) -> None:
    asked, _ = challenge(ruleset, name, params)
    assert odds(asked).outcomes == odds(asked.answered(params)).outcomes


def test_before_an_answer_an_advantage_is_given_to_both() -> None:
    asked, _ = challenge(FORT, "contest", {"advantage": 3, "combat": True})
    assert odds(asked).success == odds(asked.answered({"advantage": 3})).success
    assert odds(asked).formula == "5d6kh2"


def test_a_settled_contest_is_settled_on_both_sides() -> None:
    asked, roller = challenge(FORT, "contest", {"advantage": 2})
    mine, theirs = both_sides(asked.answered({}), roller, (), ())
    assert (mine.outcome, theirs.outcome) == ("automatic-success", "automatic-failure")


@pytest.mark.parametrize(("ruleset", "name", "params"), CHALLENGES)
def test_the_answerers_dice_come_from_their_own_source(ruleset: str, name: str, params: dict) -> None:
    asked, roller = challenge(ruleset, name, params)
    answered = asked.answered(params)
    dice = resolve(answered, FixedDice([1, 2]), FixedDice([5, 6])).dice
    assert [(die.side, die.value) for die in dice] == [
        (Side.ROLLER, 1),
        (Side.ROLLER, 2),
        (Side.OPPONENT, 5),
        (Side.OPPONENT, 6),
    ]
    seen = resolve(answered.other_side(roller), FixedDice([5, 6]), FixedDice([1, 2])).dice
    assert [die.value for die in seen] == [5, 6, 1, 2]


def test_a_creature_throws_from_the_rollers_source_after_the_roller() -> None:
    action = ask(HEROES, "opposed-test", skill=0, opponent={"kind": "creature", "skill": 0})
    dice = resolve(action, FixedDice([1, 2, 5, 6])).dice
    assert [(die.side, die.value) for die in dice][2:] == [(Side.OPPONENT, 5), (Side.OPPONENT, 6)]


def test_who_must_answer() -> None:
    assert challenge(FORT, "contest", {})[0].challenged == "jon"
    assert challenge(FORT, "contest", {}, "a player asks the GM")[0].challenged == GM
    assert ask(FORT, "contest", opponent={"kind": "npc"}).challenged is None
    assert ask(FORT, "test").challenged is None


def test_the_other_side_knows_who_challenged_it() -> None:
    asked, roller = challenge(HEROES, "opposed-test", {"skill": 5, "modifier": 2})
    there = asked.answered({"skill": 1, "modifier": -4}).other_side(roller)
    assert there.params() == {
        "skill": 1,
        "modifier": -4,
        "purpose": "other",
        "opponent": {"kind": "player", "user": "mira"},
    }
    assert there.numbers() == (("Skill", 1), ("Circumstance", -4))


@pytest.mark.parametrize(("ruleset", "name", "params"), CHALLENGES)
def test_nothing_is_thrown_or_turned_round_before_the_answer(ruleset: str, name: str, params: dict) -> None:
    asked, roller = challenge(ruleset, name, params)
    with pytest.raises(NotAnswered) as refusal:
        resolve(asked, FixedDice([1, 2, 3, 4]))
    assert refusal.value.action == name
    with pytest.raises(NotAnswered):
        asked.other_side(roller)


@pytest.mark.parametrize(
    "asked",
    [
        ask(MOON, "skill-check", stat=1, dv=1),
        ask(HEROES, "unopposed-test", skill=1, tn=8),
        ask(D6, "opposed-check", skill=1, opponent_skill=1),
        ask(FORT, "save", attribute="FOR", target=7),
    ],
    ids=lambda action: action.name,
)
def test_a_roll_that_nobody_answers_says_so(asked: Action) -> None:
    assert asked.answer_schema() is None
    for turn in (lambda: asked.answered({}), lambda: asked.other_side("jon"), asked.against_an_equal):
        with pytest.raises(TakesNoAnswer) as refusal:
            turn()
        assert refusal.value.action == asked.name


@pytest.mark.parametrize(
    "asked",
    [
        ask(HEROES, "opposed-test", skill=1, opponent={"kind": "creature", "skill": 1}),
        ask(FORT, "contest", opponent={"kind": "npc"}),
    ],
    ids=lambda action: action.name,
)
def test_nobody_answers_for_a_creature(asked: Action) -> None:
    with pytest.raises(TakesNoAnswer):
        asked.answered({"skill": 1})
