"""Judging a session's rolls again by their rules: every action passes as recorded, and nothing else does."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules import registry
from rules.action import Action
from rules.findings import Checked, Fault
from rules.judging import judge
from rules.published import Evening, read_roll
from rules.verifying import check, thrown_by
from service.presenting import present_view
from service.recording import asked
from service.records import RollRecord
from service.store.pending import Pending
from service.store.rolls import _unanswered
from service.visibility import View
from tests.fair_dice import commitment
from tests.rules.asking import actions, ask
from worker.resolve import resolve_pending

SESSION, SEED = "sessionaaa", "5a" * 32
COMMITMENT = commitment(SESSION, SEED)
OWN_ACTIONS = [(ruleset, action.name) for ruleset in registry.OWN for action in ruleset.actions]


def record_of(action: Action, ruleset: str, number: int, nonce: str, **more: Any) -> RollRecord:
    """What the store keeps of a click."""
    given = action.params() if more.get("params") is None else more["params"]
    user = more.get("user") or ("anna" if action.roller_is_player else "gm")
    record = asked(
        action, ruleset=ruleset, params=given, user=user, user_name=user.title(), nonce=nonce, now=1
    )
    ids = {"id": f"{SESSION}-{number:010d}", "session": SESSION, "seq": number, "commitment": COMMITMENT}
    return {**record, **ids, "challenged": action.challenged, "answers": more.get("answers")}


def rolled(action: Action, ruleset: str, nonce: str = "click") -> list[RollRecord]:
    """The records of a roll, or of both sides, as the worker resolves them."""
    roll = record_of(replace(action, answer=None), ruleset, 1, nonce)
    challenge = None
    if action.answer is not None:
        challenge = roll
        roll = record_of(
            action,
            ruleset,
            2,
            f"{nonce}-2",
            params=action.answer.params(),
            user=action.challenged,
            answers=challenge["id"],
        )
    records = resolve_pending(Pending(roll, "campaign", bytes.fromhex(SEED), challenge), 2)
    assert records is not None
    return records


def judged(shown: list[Any], deleted: tuple[int, ...] = ()) -> Checked:
    """What checking and judging say of a session of these rolls, as a file holds them."""
    rolls = [read_roll(roll) for roll in json.loads(json.dumps(shown))]
    evening = Evening(SESSION, COMMITMENT, SEED, last_seq=len(rolls) + len(deleted), deleted=deleted)
    checked = check(evening, rolls)
    judge(checked, evening, rolls)
    return checked


def faults(shown: list[Any]) -> list[tuple[Fault, str | None]]:
    return [(finding.fault, finding.roll) for finding in judged(shown).findings]


def shown(records: list[RollRecord]) -> list[dict[str, Any]]:
    """The rolls as the API answers them."""
    return [present_view(record, View.FULL, with_card=False) for record in records]


def drawn(data: st.DataObject, ruleset: Any, name: str) -> list[RollRecord]:
    action = data.draw(actions(ruleset, name, {"bonus": 6, "penalty": 4}))
    return rolled(action, ruleset.id, data.draw(st.text("abc123", min_size=1, max_size=8)))


@pytest.mark.parametrize(("ruleset", "name"), OWN_ACTIONS, ids=[name for _, name in OWN_ACTIONS])
@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_action_passes_as_it_was_recorded(ruleset, name, data):
    records = drawn(data, ruleset, name)
    for rolls in (records, shown(records)):
        checked = judged(rolls)
        assert checked.findings == [] and checked.unjudged == 0
        assert checked.dice == sum(len(record["dice"]) for record in records)


@pytest.mark.parametrize(("ruleset", "name"), OWN_ACTIONS, ids=[name for _, name in OWN_ACTIONS])
@given(data=st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_formula_of_every_action_throws_its_own_dice(ruleset, name, data):
    for record in drawn(data, ruleset, name):
        own = [die["faces"] for die in record["dice"] if die["role"] != "opponent"]
        formula = record["odds"]["formula"]
        assert (own == []) if formula is None else (thrown_by(formula) == own)


@pytest.mark.parametrize(("ruleset", "name"), OWN_ACTIONS, ids=[name for _, name in OWN_ACTIONS])
@given(data=st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_whatever_die_is_left_out_or_put_there_is_found(ruleset, name, data):
    rolls = shown(drawn(data, ruleset, name))
    roll = data.draw(st.sampled_from(rolls))
    if roll["dice"]:
        whole = roll["dice"]
        roll["dice"] = whole[: data.draw(st.integers(0, len(whole) - 1))]
        assert (Fault.MISSING_DIE, roll["id"]) in faults(rolls)
        roll["odds"] = None  # who leaves a die out can leave this out too
        assert (Fault.MISSING_DIE, roll["id"]) in faults(rolls)
        roll["dice"] = whole
    roll["dice"] = [*roll["dice"], {"faces": 1, "value": 1, "role": "opponent", "kept": True, "counts": 1}]
    assert (Fault.EXTRA_DIE, roll["id"]) in faults(rolls)


@pytest.mark.parametrize(("ruleset", "name"), OWN_ACTIONS, ids=[name for _, name in OWN_ACTIONS])
@given(data=st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_whatever_a_roll_came_to_is_changed_is_found(ruleset, name, data):
    rolls = shown(drawn(data, ruleset, name))
    roll = data.draw(st.sampled_from(rolls))
    points = "successes" if "successes" in roll else "total"
    fact = data.draw(st.sampled_from(["outcome", "success", "target", "margin", points]))
    others = {"outcome": "tie" if roll["outcome"] == "failure" else "failure", "success": not roll["success"]}
    roll[fact] = others[fact] if fact in others else (roll[fact] or 0) + 1
    [(fault, named)] = faults(rolls)
    assert (fault, named) == (Fault.OTHER_OUTCOME, roll["id"])


def moon(**params: Any) -> list[dict[str, Any]]:
    return shown(rolled(ask("moon-hangs-low", "skill-check", None, **params), "moon-hangs-low"))


def test_a_roll_cut_to_one_die_is_named_with_what_it_came_to():
    [roll] = moon(stat=5, knack=True, penalty=1, dv=50)
    roll |= {"dice": roll["dice"][:1], "successes": 60, "outcome": "success", "success": True, "margin": 10}
    right = sum(die["counts"] for die in moon(stat=5, knack=True, penalty=1, dv=50)[0]["dice"])
    says = [finding.says for finding in judged([roll]).findings]
    assert says == [
        f"Roll {roll['id']} shows 1 of the 8 dice that its formula 7d6cs>=5 - 1d6cs>=5 throws.",
        f"Roll {roll['id']} says outcome success, success yes, successes 60, margin 10, but by the rules it "
        f"comes to outcome failure, success no, successes {max(0, right)}, margin {max(0, right) - 50}.",
    ]


def test_a_die_of_other_faces_is_named_though_it_follows():
    [roll] = moon(stat=1, dv=1)
    roll["dice"][0] |= {"faces": 1, "value": 1}  # a die of one face shows 1, whatever the seed
    assert faults([roll]) == [(Fault.CHANGED_DIE, roll["id"])]


def test_a_critical_passes_where_criticals_are_off_and_the_roll_names_no_rule():
    action = ask("heroes-2d6", "unopposed-test", {"criticals": "off"}, skill=3, tn=8)
    rolls = [shown(rolled(action, "heroes-2d6", f"click-{number}"))[0] for number in range(200)]
    doubles = [roll for roll in rolls if sum(die["value"] for die in roll["dice"]) in (2, 12)]
    assert doubles and {roll["outcome"] for roll in doubles} == {"success", "failure"}
    assert [faults([roll]) for roll in doubles] == [[]] * len(doubles)
    [roll] = [{**roll, "outcome": "tie"} for roll in doubles[:1]]
    assert faults([roll]) == [(Fault.OTHER_OUTCOME, roll["id"])]


def opposed() -> list[RollRecord]:
    player = {"kind": "player", "user": "bert"}
    action = ask("heroes-2d6", "opposed-test", None, skill=3, opponent=player).answered({"skill": 4})
    return rolled(action, "heroes-2d6")


def test_a_challenge_that_nobody_answered_passes_and_none_can_be_made_of_an_answered_one():
    challenge, answer = opposed()
    nothing = dict.fromkeys(("opponent", "answered_by"))
    unanswered = {**_unanswered({**challenge, "house_rules": {}, **nothing}), "resolved_at": 2}
    assert faults([unanswered]) == [] and faults(shown([unanswered])) == []
    assert (Fault.OTHER_OUTCOME, challenge["id"]) in faults([unanswered, answer])
    assert (Fault.MISSING_DIE, challenge["id"]) in faults([unanswered, answer])


def test_a_roll_that_nobody_can_answer_cannot_be_called_unanswered():
    [roll] = moon(stat=2, dv=1)
    nothing = dict.fromkeys(("successes", "outcome", "success", "target", "margin", "odds"))
    roll |= {**nothing, "dice": [], "notes": ["unanswered"]}
    assert faults([roll]) == [(Fault.MISSING_DIE, roll["id"]), (Fault.OTHER_OUTCOME, roll["id"])]


def test_dice_of_the_other_side_that_it_did_not_throw_are_named():
    challenge, answer = shown(opposed())
    challenge["opponent"]["dice"][0]["value"] = challenge["opponent"]["dice"][0]["value"] % 6 + 1
    assert faults([challenge, answer]) == [(Fault.OTHER_SIDE, challenge["id"])]


def test_an_outcome_without_an_answer_is_named():
    challenge, answer = shown(opposed())
    challenge["answered_by"], answer["answers"] = None, None
    assert (Fault.OTHER_OUTCOME, challenge["id"]) in faults([challenge, answer])


def test_what_cannot_be_judged_here_is_counted():
    [roll] = moon(stat=2, dv=1)
    challenge, _ = shown(opposed())
    for changed, deleted in (({**roll, "ruleset": "no-such"}, ()), (challenge, (2,))):
        checked = judged([changed], deleted=deleted)
        assert checked.findings == [] and checked.unjudged == 1


@pytest.mark.parametrize("link", ["answers", "answered_by"])
def test_another_side_that_cannot_be_is_named(link):
    challenge, answer = shown(opposed())
    assert faults([challenge]) == [(Fault.MISSING_ROLL, challenge["id"])]
    assert (Fault.MISSING_ROLL, answer["id"]) in faults([answer])
    [roll] = moon(stat=2, dv=1)
    invented = {**roll, link: f"{SESSION}-aaaaaaaaaa", "success": not roll["success"]}
    for deleted in ((), (2,)):
        checked = judged([invented], deleted=deleted)
        assert [(each.fault, each.roll) for each in checked.findings] == [(Fault.OTHER_PARAMS, roll["id"])]


def test_challenges_that_are_said_to_have_no_answer_are_told():
    challenge, answer = opposed()
    nothing = dict.fromkeys(("opponent", "answered_by"))
    unanswered = {**_unanswered({**challenge, "house_rules": {}, **nothing}), "resolved_at": 2}
    assert judged([unanswered]).unanswered == (challenge["id"],)
    assert judged([challenge, answer]).unanswered == ()


@pytest.mark.parametrize(
    "changes",
    [
        {"total": 99, "points": 7},
        {"successes": 99},
        {"notes": ["critical"]},
        {"numbers": [["Skill", 99]]},
        {"opponent": None},
    ],
    ids=str,
)
def test_what_a_card_says_is_compared(changes):
    challenge, answer = shown(opposed())
    assert faults([challenge, answer]) == []
    assert {roll for _, roll in faults([challenge | changes, answer])} == {challenge["id"]}


@pytest.mark.parametrize(
    "changes", [{"points": 99}, {"dice": {"kept": False}}, {"dice": {"counts": 77}}], ids=str
)
def test_what_a_card_says_of_the_other_side_is_compared(changes):
    challenge, answer = shown(opposed())
    dice = [die | changes["dice"] for die in challenge["opponent"]["dice"]] if "dice" in changes else None
    challenge["opponent"] |= changes if dice is None else {"dice": dice}
    assert faults([challenge, answer]) == [(Fault.OTHER_SIDE, challenge["id"])]


@pytest.mark.parametrize("probability", [0.001, None, "1/2"])
def test_the_number_beside_a_fraction_has_to_go_with_it(probability):
    [roll] = moon(stat=2, dv=1)
    roll["odds"]["success"]["probability"] = probability
    assert faults([roll]) == [(Fault.OTHER_OUTCOME, roll["id"])]


@pytest.mark.parametrize(
    "changes", [{"action": "no-such"}, {"action": None}, {"ruleset": None}, {"params": None}]
)
def test_a_roll_that_does_not_say_what_it_was_is_named(changes):
    [roll] = moon(stat=2, dv=1)
    assert faults([roll | changes]) == [(Fault.OTHER_PARAMS, roll["id"])]


@pytest.mark.parametrize("ruleset", ["no-such", "heroes-2d6"])
def test_a_roll_of_other_rules_than_its_session_s_is_named(ruleset):
    action = ask("moon-hangs-low", "skill-check", None, stat=2, dv=1)
    rolls = []
    for number in (1, 2, 3):
        roll = record_of(action, "moon-hangs-low", number, f"click-{number}")
        records = resolve_pending(Pending(roll, "campaign", bytes.fromhex(SEED), None), 2)
        rolls += shown(records or [])
    rolls[1] |= {"ruleset": ruleset, "success": not rolls[1]["success"]}
    assert faults(rolls) == [(Fault.OTHER_PARAMS, rolls[1]["id"])]


@pytest.mark.parametrize(("ruleset", "name"), OWN_ACTIONS, ids=[name for _, name in OWN_ACTIONS])
@given(data=st.data())
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_whatever_is_said_of_odds_and_of_each_die_is_checked(ruleset, name, data):
    records = drawn(data, ruleset, name)
    rolls = data.draw(st.sampled_from([records, shown(records)]))
    roll = data.draw(st.sampled_from(rolls))
    marks = ["kept", "counts", "role"] if roll["dice"] else []
    what = data.draw(st.sampled_from(["success", "outcomes", "formula", "odds", *marks]))
    odds = roll["odds"]
    if what == "odds":
        roll["odds"] = None
    elif what in odds:
        others = {"success": "1/1000", "outcomes": {"success": "1/1000"}, "formula": "1d4"}
        roll["odds"] = {**odds, what: others[what]}
    else:
        die = data.draw(st.sampled_from(roll["dice"]))
        place = roll["dice"].index(die)
        others = {"kept": not die["kept"], "counts": die["counts"] + 1, "role": "lucky"}
        dice = [{**die, what: others[what]} if at == place else each for at, each in enumerate(roll["dice"])]
        roll["dice"] = dice
    found = faults(rolls)
    assert found and {named for _, named in found} == {roll["id"]}
    assert what in ("formula", "role") or Fault.OTHER_OUTCOME in {fault for fault, _ in found}


@pytest.mark.parametrize("params", [{}, {"stat": 9, "dv": 1}, {"stat": 2, "dv": 1, "luck": 3}])
def test_what_the_rules_do_not_have_is_named(params):
    [roll] = moon(stat=2, dv=1)
    assert faults([{**roll, "params": params}]) == [(Fault.OTHER_PARAMS, roll["id"])]


def test_of_a_roll_whose_dice_do_not_follow_nothing_more_is_said():
    [roll] = moon(stat=5, dv=1)
    roll["fairness"]["nonce"] = "made-up"
    assert faults([roll]) == [(Fault.DICE_DO_NOT_FOLLOW, roll["id"])]


@pytest.mark.parametrize(
    "formula", ["", "d6", "2d6!", "max(1d6, 1d8)", "1000d6", "2d6 * 2", "1d6 + " * 60 + "1d6", "٢d6"]
)
def test_a_formula_that_the_rules_do_not_write_says_nothing(formula):
    assert thrown_by(formula) is None
