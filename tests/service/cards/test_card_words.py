"""What a card says, in each state and for each outcome."""

import re

import pytest

from rules.dice import FixedDice
from service.cards import card, painted, thrown_card
from service.cards.names import NAMELESS, shown
from tests.service.cards.hostile import HOSTILE_NAMES
from tests.service.cards.samples import awaiting, contest, pending, roll, unanswered

POOL = {"stat": 3, "skill": "trained", "bonus": 1, "penalty": 1, "dv": 2}
BERT = {"kind": "player", "user": "bert"}
BEAST = {"kind": "creature", "skill": 6}
MOON, HEROES, D6, FORT = "moon-hangs-low", "heroes-2d6", "d6-comparison", "fort-ref-will"


def thrown(ruleset, action, params, *values, **fields):
    return card(roll(ruleset, action, params, dice=FixedDice(values), **fields)).content


@pytest.mark.parametrize(
    ("asked", "values", "result", "margin"),
    [
        ((MOON, "skill-check", POOL), (4, 5, 1, 6, 2), "Success: 3 successes against DV 2", "+1"),
        ((MOON, "skill-check", POOL), (4, 5, 1, 3, 6), "Failure: 1 success against DV 2", "−1"),
        ((HEROES, "unopposed-test", {"skill": 3, "tn": 10}), (3, 4), "Success: 10 against TN 10", "0"),
        (
            (HEROES, "unopposed-test", {"skill": 3, "tn": 20}),
            (6, 6),
            "Critical success: 15 against TN 20",
            "−5",
        ),
        (
            (HEROES, "unopposed-test", {"skill": 9, "tn": 8}),
            (1, 1),
            "Critical failure: 11 against TN 8",
            "+3",
        ),
        ((HEROES, "opposed-test", {"skill": 5, "opponent": BEAST}), (3, 4, 2, 4), "Tie: 12 against 12", "0"),
        (
            (HEROES, "opposed-test", {"skill": 5, "opponent": BEAST}),
            (3, 4, 2, 5),
            "Failure: 12 against 13",
            "−1",
        ),
        ((D6, "opposed-check", {"skill": 3, "opponent_skill": 5}), (5,), "Success: 5, needing 5", "0"),
        ((FORT, "test", {"target": 8}), (2, 3), "Failure: 5 against target 8", "−3"),
        ((FORT, "save", {"attribute": "FOR", "target": 8}), (2, 3), "Success: 5 under target 8", "+3"),
        ((FORT, "save", {"attribute": "FOR", "target": 8}), (6, 3), "Failure: 9 over target 8", "−1"),
        ((FORT, "save", {"attribute": "FOR", "target": 8}), (5, 3), "Success: 8 against target 8", "0"),
        ((FORT, "test", {"advantage": 2}), (), "Automatic success: resolved without a roll", None),
        ((FORT, "test", {"disadvantage": 2}), (), "Automatic failure: resolved without a roll", None),
    ],
)
def test_the_result_in_one_line(asked, values, result, margin):
    content = thrown(*asked, *values)
    assert content.result == result
    assert dict(content.facts).get("Margin") == margin


def test_an_opposed_roll_shows_both_sides_on_both_cards():
    dice = FixedDice((3, 4)), FixedDice((5, 5))
    opposed = {"skill": 5, "opponent": BERT}
    mine, theirs = contest(HEROES, "opposed-test", opposed, {"skill": 4, "modifier": 2}, dice=dice)
    seen = [card(record).content for record in (mine, theirs)]
    assert [[(side.name, side.points) for side in content.sides] for content in seen] == [
        [("Mira the Quick", 12), ("Bram Oakhand", 16)],
        [("Bram Oakhand", 16), ("Mira the Quick", 12)],
    ]
    assert [[[die.value for die in side.dice] for side in content.sides] for content in seen] == [
        [[3, 4], [5, 5]],
        [[5, 5], [3, 4]],
    ]
    assert [[{die.role for die in side.dice} for side in content.sides] for content in seen] == [
        [{"skill"}, {"opponent"}],
        [{"skill"}, {"opponent"}],
    ]
    assert [content.result for content in seen] == ["Failure: 12 against 16", "Success: 16 against 12"]
    assert [side.numbers for side in seen[0].sides] == [("Skill 5",), ("Skill 4", "Circumstance +2")]


def test_a_creature_that_takes_seven_has_no_dice_and_its_total():
    content = thrown(HEROES, "opposed-test", {"skill": 5, "opponent": {**BEAST, "take7": True}}, 3, 4)
    creature = content.sides[1]
    assert (creature.name, creature.points, creature.dice, creature.numbers) == (
        "The creature",
        13,
        (),
        ("Skill 6",),
    )
    assert "The creature took 7 instead of throwing." in content.notes


def test_the_house_rules_that_mattered_are_named():
    house_rules = {"criticals": "flavour", "tie": "hero-wins"}
    params = {"skill": 6, "opponent": BEAST}
    content = thrown(HEROES, "opposed-test", params, 6, 6, 6, 6, house_rules=house_rules)
    assert content.house_rules == ("Criticals: flavour", "Tie: hero wins")


def test_the_odds_are_in_words_with_the_percentage_beside_them():
    content = thrown(HEROES, "unopposed-test", {"skill": 3, "tn": 10}, 3, 4)
    assert (content.odds.words, content.odds.percent) == ("a 7 in 12 chance", "58.3%")


@pytest.mark.parametrize(
    ("record", "state", "result"),
    [
        (pending(MOON, "skill-check", POOL), "pending", "Being thrown"),
        (
            awaiting(HEROES, "opposed-test", {"skill": 5, "opponent": BERT}),
            "awaiting",
            "Waiting for an answer: bert is asked to roll against this",
        ),
        (
            awaiting(HEROES, "opposed-test", {"skill": 5, "opponent": {"kind": "player", "user": "gm"}}),
            "awaiting",
            "Waiting for an answer: the GM is asked to roll against this",
        ),
        (
            unanswered(HEROES, "opposed-test", {"skill": 5, "opponent": BERT}),
            "unanswered",
            "Never thrown: bert did not answer before the session ended",
        ),
    ],
    ids=["pending", "awaiting", "awaiting the GM", "unanswered"],
)
def test_a_roll_without_a_result_says_why(record, state, result):
    content = card(record).content
    assert (content.state, content.result, content.sides, content.odds) == (state, result, (), None)


@pytest.mark.parametrize(
    ("record", "result"),
    [
        (roll(MOON, "skill-check", POOL, visibility="blind"), "Thrown: the GM has the result"),
        (
            pending(MOON, "skill-check", POOL, visibility="blind"),
            "Being thrown: only the GM will see the result",
        ),
        (
            unanswered(HEROES, "opposed-test", {"skill": 5, "opponent": BERT}, visibility="blind"),
            "Never thrown: nobody answered before the session ended",
        ),
    ],
    ids=["thrown", "pending", "unanswered"],
)
def test_a_blind_roll_says_only_that_it_was_thrown(record, result):
    content = thrown_card(record).content
    assert content.result == result
    assert (content.sides, content.facts, content.odds, content.notes, dict(content.fairness)) == (
        (),
        (),
        None,
        (),
        {},
    )


def test_all_blind_rolls_look_alike_whatever_fell():
    seen = {
        thrown_card(
            roll(HEROES, "unopposed-test", {"skill": 3, "tn": 10}, visibility="blind", dice=FixedDice(dice))
        ).html
        for dice in ((1, 1), (6, 6), (3, 4))
    }
    assert len(seen) == 1


def test_the_text_says_it_all():
    record = roll(MOON, "skill-check", POOL, dice=FixedDice((4, 5, 1, 6, 2)), label="Climb the wall", seq=7)
    assert card(record).text.splitlines()[:6] == [
        "Climb the wall · Skill check",
        "Mira the Quick (Anna)",
        "✓ Success: 3 successes against DV 2, margin +1",
        "Dice: skill 4✓ 5✓ 1 | bonus 6✓ | penalty 2",
        "Stat 3 · Bonus dice 1 · Penalty dice 1 · Success on 4",
        "Odds of success: a 9 in 16 chance (56.3%)",
    ]
    assert "Roll: number 7 of its session" in card(record).text


def test_the_text_puts_dropped_dice_in_brackets_and_marks_cancelling_ones():
    kept = roll(FORT, "test", {"advantage": 1}, dice=FixedDice((2, 6, 5)))
    assert "Dice: skill (2) 6 | extra 5" in card(kept).text
    cancelled = roll(MOON, "skill-check", POOL, dice=FixedDice((4, 5, 1, 6, 6)))
    assert "penalty 6✗" in card(cancelled).text


def test_a_terminal_shows_the_outcome_in_colour_and_nothing_else_changes():
    text = card(roll(MOON, "skill-check", POOL, dice=FixedDice((4, 5, 1, 6, 2)))).text
    assert "\x1b" not in text
    assert "\x1b[36m✓ Success\x1b[0m: 3 successes against DV 2" in painted(text, "success")
    assert re.sub(r"\x1b\[[\d;]+m", "", painted(text, "success")) == text
    assert painted(text, None) == text


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_no_name_breaks_a_line_or_reorders_what_is_around_it(name):
    record = roll(MOON, "skill-check", POOL, label=name, actor={"id": "A", "name": name}, user_name=name)
    plain = roll(MOON, "skill-check", POOL, label="x", actor={"id": "A", "name": "x"}, user_name="x")
    text = card(record).text
    assert len(text.split("\n")) == len(card(plain).text.split("\n"))
    assert not re.search("[\x00-\x09\x0b-\x1f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]", text)


@pytest.mark.parametrize(
    ("typed", "seen"),
    [
        ("Mira", "Mira"),
        ("  Mira \n the  Quick ", "Mira the Quick"),
        ("\u202egnp.exe", "gnp.exe"),
        ("\u200b\u200d\u2060", NAMELESS),
        ("👩‍👩‍👧", "👩‍👩‍👧"),
        ("😀" * 80, "😀" * 80),
    ],
)
def test_a_name_loses_only_what_cannot_be_seen(typed, seen):
    assert shown(typed) == seen
