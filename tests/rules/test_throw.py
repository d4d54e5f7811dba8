"""What the record of a throw names."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules import registry
from rules.dice import OutOfDice, SeededDice
from rules.readings import Total
from rules.throw import MOST_DICE, Hand, Role, TooManyDice, resolve
from tests.rules.asking import FORT, HEROES, MOON, actions, ask, thrown

ACTIONS = [(ruleset.id, action.name) for ruleset in registry.all() for action in ruleset.actions]


@pytest.mark.parametrize(("ruleset", "name"), ACTIONS)
@settings(max_examples=60, deadline=None)
@given(drawn=st.data(), seed=st.binary(min_size=32, max_size=32))
def test_what_the_kept_dice_count_and_the_numbers_add_up_to_the_score(
    ruleset: str, name: str, drawn: st.DataObject, seed: bytes
) -> None:
    action = drawn.draw(actions(registry.get(ruleset), name, {}))
    resolution = resolve(action, SeededDice(seed, "q2wza7bcde", 1, "click"))
    if resolution.verdict.score is None:
        assert resolution.dice == ()
        return
    own = sum(die.counts for die in resolution.dice if die.side == "roller")
    added = sum(number for label, number in action.numbers() if label in ("Skill", "Circumstance"))
    expected = max(0, own) if ruleset == MOON else own + added if ruleset == HEROES else own
    assert resolution.verdict.score == expected
    assert all(die.counts == 0 for die in resolution.dice if not die.kept)


def test_the_dice_are_listed_in_the_order_in_which_they_are_drawn() -> None:
    dice = thrown(ask(MOON, "skill-check", stat=2, bonus=1, penalty=2, dv=1), 1, 2, 3, 4, 5).dice
    assert [(die.value, str(die.role)) for die in dice] == [
        (1, "skill"),
        (2, "skill"),
        (3, "bonus"),
        (4, "penalty"),
        (5, "penalty"),
    ]


def test_of_equal_dice_the_first_ones_are_kept() -> None:
    dice = thrown(ask(FORT, "test", advantage=1), 4, 4, 4).dice
    assert [die.kept for die in dice] == [True, True, False]


def test_the_same_seed_number_and_nonce_give_the_same_throw_again() -> None:
    action = ask(MOON, "skill-check", stat=5, bonus=20, penalty=20, dv=3)
    first, again = (resolve(action, SeededDice(bytes(32), "q2wza7bcde", 9, "click")) for _ in range(2))
    assert first == again


def test_a_roll_that_is_settled_draws_no_die() -> None:
    action = ask(FORT, "test", advantage=2)
    assert thrown(action).dice == ()


def test_too_few_dice_are_noticed() -> None:
    with pytest.raises(OutOfDice):
        thrown(ask(FORT, "test"), 6)


def test_fifty_dice_may_be_thrown_at_once_and_no_more() -> None:
    assert Hand(((Role.SKILL, MOST_DICE),), Total()).size == 50
    with pytest.raises(TooManyDice, match="51 dice") as refusal:
        Hand(((Role.SKILL, 50), (Role.BONUS, 1)), Total())
    assert refusal.value.asked == 51
