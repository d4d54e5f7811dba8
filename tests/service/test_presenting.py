"""A roll as each caller is shown it: the same keys always, and nothing that was to be hidden."""

import json
from dataclasses import dataclass

import pytest

from rules.dice import FixedDice
from service.presenting import KEYS, SHOWN_WHEN_THROWN, iso_time, present
from service.schemas.rolls import Roll
from tests.service.cards.samples import awaiting, contest, pending, roll, unanswered


@dataclass(frozen=True)
class Caller:
    role: str
    user: str


GM, ANNA, BERT, CARA = (
    Caller("gm", "gm"),
    Caller("player", "anna"),
    Caller("player", "bert"),
    Caller("player", "cara"),
)
CALLERS = (GM, ANNA, BERT, CARA)
POOL = {"stat": 3, "skill": "trained", "bonus": 1, "penalty": 1, "dv": 2}
TEST = {"skill": 3, "tn": 10}
OPPOSED = {"skill": 5, "opponent": {"kind": "player", "user": "bert"}}
CONTRACT = {
    *(
        "id",
        "seq",
        "session",
        "status",
        "ruleset",
        "action",
        "label",
        "user",
        "actor",
        "visibility",
        "params",
    ),
    *(
        "dice",
        "target",
        "outcome",
        "success",
        "margin",
        "odds",
        "created_at",
        "resolved_at",
        "fairness",
        "card",
    ),
}


def records(visibility):
    """A roll in each state."""
    challenge, answer = contest("heroes-2d6", "opposed-test", OPPOSED, {"skill": 4}, visibility=visibility)
    return {
        "successes": roll("moon-hangs-low", "skill-check", POOL, visibility=visibility),
        "total": roll("heroes-2d6", "unopposed-test", TEST, visibility=visibility),
        "without a roll": roll("fort-ref-will", "test", {"advantage": 2}, visibility=visibility),
        "pending": pending("moon-hangs-low", "skill-check", POOL, visibility=visibility),
        "awaiting": awaiting("heroes-2d6", "opposed-test", OPPOSED, visibility=visibility),
        "unanswered": unanswered("heroes-2d6", "opposed-test", OPPOSED, visibility=visibility),
        "challenge": challenge,
        "answer": answer,
    }


def test_a_resolved_roll_in_full():
    record = roll("moon-hangs-low", "skill-check", POOL, 7, dice=FixedDice((4, 5, 1, 6, 2)), label="Climb")
    shown = present(record, CARA)
    card = shown.pop("card")
    assert shown == {
        "id": record["id"],
        "seq": 7,
        "session": "q3m7kd2xva",
        "status": "resolved",
        "ruleset": "moon-hangs-low",
        "action": "skill-check",
        "title": "Skill check",
        "label": "Climb",
        "user": "anna",
        "user_name": "Anna",
        "actor": {"id": "A1", "name": "Mira the Quick"},
        "visibility": "public",
        "params": {**POOL, "knack": False},
        "dice": [
            {"faces": 6, "value": 4, "role": "skill", "kept": True, "counts": 1},
            {"faces": 6, "value": 5, "role": "skill", "kept": True, "counts": 1},
            {"faces": 6, "value": 1, "role": "skill", "kept": True, "counts": 0},
            {"faces": 6, "value": 6, "role": "bonus", "kept": True, "counts": 1},
            {"faces": 6, "value": 2, "role": "penalty", "kept": True, "counts": 0},
        ],
        "successes": 3,
        "target_label": "DV",
        "target": 2,
        "outcome": "success",
        "success": True,
        "margin": 1,
        "odds": {
            "success": {"fraction": "9/16", "probability": 0.5625},
            "outcomes": {
                "success": {"fraction": "9/16", "probability": 0.5625},
                "failure": {"fraction": "7/16", "probability": 0.4375},
            },
            "formula": "4d6cs>=4 - 1d6cs>=5",
        },
        "house_rules": {},
        "numbers": [("Stat", 3), ("Bonus dice", 1), ("Penalty dice", 1), ("Success on", 4)],
        "notes": [],
        "challenged": None,
        "challenged_name": None,
        "answers": None,
        "answered_by": None,
        "opponent": None,
        "created_at": "2026-03-06T19:07:00.000Z",
        "resolved_at": "2026-03-06T19:07:00.042Z",
        "fairness": {"commitment": record["commitment"], "nonce": "7d1c2f6e-0007"},
    }
    assert (card["title"], card["result"], card["colour"]) == (
        "Climb",
        "Success: 3 successes against DV 2",
        "#0077b6",
    )
    assert "Climb" in card["text"]
    assert "Climb" in card["html"]


def test_only_the_key_of_what_was_reached_is_there():
    assert present(records("public")["total"], ANNA).keys() == set(KEYS) - {"successes"}
    assert present(records("public")["successes"], ANNA).keys() == set(KEYS) - {"total"}
    assert present(records("public")["without a roll"], ANNA)["total"] is None


@pytest.mark.parametrize("visibility", ["public", "gm", "blind", "self"])
def test_the_keys_are_the_same_in_every_state_and_view(visibility):
    for record in records(visibility).values():
        for caller in CALLERS:
            shown = present(record, caller)
            if shown is not None:
                assert shown.keys() | {"total", "successes"} == set(KEYS)
                assert shown.keys() >= CONTRACT
                assert Roll().validate(json.loads(json.dumps(shown))) == {}


@pytest.mark.parametrize("state", ["pending", "awaiting"])
def test_what_is_not_there_yet_is_null_or_empty(state):
    shown = present(records("public")[state], ANNA)
    empty = (
        "total",
        "successes",
        "target",
        "outcome",
        "success",
        "margin",
        "odds",
        "resolved_at",
        "house_rules",
    )
    assert [shown[name] for name in empty] == [None] * len(empty)
    assert [shown[name] for name in ("dice", "numbers", "notes")] == [[], [], []]


def test_a_challenge_that_nobody_answered_has_no_dice_and_says_so():
    shown = present(records("public")["unanswered"], ANNA)
    assert (shown["status"], shown["dice"], shown["outcome"], shown["success"]) == (
        "resolved",
        [],
        None,
        None,
    )
    assert shown["notes"] == ["unanswered"]


@pytest.mark.parametrize(("visibility", "caller"), [("gm", ANNA), ("self", ANNA)])
def test_ones_own_hidden_roll_is_shown_but_for_its_number(visibility, caller):
    shown = present(records(visibility)["total"], caller)
    full = present(records("public")["total"], caller)
    assert shown["seq"] is None
    assert full["seq"] == 1
    same = set(KEYS) - {"seq", "visibility", "card", "successes"}
    assert {name: shown[name] for name in same} == {name: full[name] for name in same}
    assert "number 1" not in json.dumps(shown)


@pytest.mark.parametrize(
    "state", ["successes", "total", "without a roll", "challenge", "answer", "pending", "awaiting"]
)
@pytest.mark.parametrize("caller", [ANNA, BERT])
def test_a_blind_roll_shows_its_roller_nothing_that_depends_on_the_dice(state, caller):
    shown = present(records("blind")[state], caller)
    if shown is None:
        assert caller is BERT
        return
    hidden = {
        name: value for name, value in shown.items() if name not in (*SHOWN_WHEN_THROWN, "card", "fairness")
    }
    assert [value for value in hidden.values() if value not in (None, [])] == []
    assert shown["fairness"] == {"commitment": None, "nonce": None}


def test_every_throw_of_a_blind_roll_is_shown_alike():
    for dice in ((1, 1), (6, 6), (3, 4)):
        blind = roll("heroes-2d6", "unopposed-test", TEST, dice=FixedDice(dice), visibility="blind")
        other = roll("heroes-2d6", "unopposed-test", TEST, dice=FixedDice((2, 5)), visibility="blind")
        assert json.dumps(present(blind, ANNA)) == json.dumps(present(other, ANNA))
        assert present(blind, GM)["dice"] != present(other, GM)["dice"]


@pytest.mark.parametrize(("state", "theirs"), [("challenge", BERT), ("awaiting", BERT), ("answer", ANNA)])
def test_what_the_other_side_of_a_blind_roll_asked_for_is_withheld(state, theirs):
    record = records("blind")[state]
    own = BERT if theirs is ANNA else ANNA
    assert present(record, theirs)["params"] is None
    assert present(record, own)["params"] == record["params"]


def test_nor_does_the_title_tell_it():
    challenge = awaiting(
        "heroes-2d6", "opposed-test", {**OPPOSED, "purpose": "dodge"}, visibility="blind", challenged="bert"
    )
    theirs, own = present(challenge, BERT), present(challenge, ANNA)
    assert (own["title"], theirs["title"]) == ("Opposed test: dodge", "Opposed test")
    assert "dodge" not in json.dumps(theirs).lower()


@pytest.mark.parametrize(
    ("visibility", "who"),
    [("public", "gm anna bert cara"), ("gm", "gm anna bert"), ("blind", "gm anna bert"), ("self", "anna")],
)
def test_a_contest_exists_for_these_and_nobody_else(visibility, who):
    if visibility == "self":
        rolls = [records("self")["total"]]
    else:
        rolls = [records(visibility)[state] for state in ("challenge", "answer")]
    for record in rolls:
        assert [caller.user for caller in CALLERS if present(record, caller) is not None] == who.split()


def test_presenting_leaves_the_record_as_it_was():
    for visibility in ("public", "gm", "blind", "self"):
        for record in records(visibility).values():
            before = json.dumps(record)
            for caller in CALLERS:
                present(record, caller)
            assert json.dumps(record) == before


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (None, None),
        (0, "1970-01-01T00:00:00.000Z"),
        (1_772_823_600_007, "2026-03-06T19:00:00.007Z"),
        (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
    ],
)
def test_times_are_iso_8601_in_utc(milliseconds, text):
    assert iso_time(milliseconds) == text
