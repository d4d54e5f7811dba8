"""A click: accepted once, resolved, and read back."""

import threading
import time

import pytest

from tests.service.table import SKILL_CHECK, Table, queued, set_table


def test_a_click_is_accepted_and_its_roll_can_be_read(table):
    answer = table.roll(table.tokens["anna"])
    assert answer.status_code == 202
    assert answer.headers["Location"] == f"{table.path}/rolls/{answer.json['id']}"
    assert answer.json["status"] == "pending"
    assert answer.json["outcome"] is None and answer.json["dice"] == []
    table.work()
    roll = table.call("GET", answer.headers["Location"], table.tokens["anna"]).json
    assert roll["status"] == "resolved"
    assert len(roll["dice"]) == 3
    assert roll["user"] == "anna" and roll["actor"] is None and roll["seq"] == 1
    assert roll["successes"] == sum(die["value"] >= 5 for die in roll["dice"])
    assert roll["success"] is (roll["successes"] >= 1)
    assert roll["odds"]["success"]["fraction"] == "19/27"  # 1 - (2/3)^3
    assert roll["fairness"]["nonce"]
    assert roll["card"]["title"] and roll["card"]["text"] and roll["card"]["html"]


def test_the_first_click_opens_a_session(table):
    assert table.get("/sessions").json["sessions"] == []
    roll = table.rolled()
    [session] = table.get("/sessions").json["sessions"]
    assert session["id"] == roll["session"]
    assert session["rolls"] == 1 and session["seed"] is None and session["ended_at"] is None
    assert session["commitment"] == roll["fairness"]["commitment"]


def test_an_actor_and_a_label_are_kept(table):
    actor = {"id": "Scene.a.Token.b.Actor.c", "name": "Bryn & Söhne"}
    roll = table.rolled(actor=actor, label="Leap the gap")
    assert (roll["actor"], roll["label"]) == (actor, "Leap the gap")


def test_waiting_answers_with_the_resolved_roll(table):
    with table.working():
        answer = table.roll(Prefer="wait=5")
    assert answer.status_code == 200
    assert answer.json["status"] == "resolved"
    assert answer.headers["Preference-Applied"] == "wait=5"
    assert answer.headers["Location"].endswith(answer.json["id"])


def test_waiting_is_over_after_the_time_that_was_asked_for(table):
    started = time.monotonic()
    answer = table.roll(Prefer="wait=1")
    assert 0.9 < time.monotonic() - started < 10
    assert answer.status_code == 202 and answer.json["status"] == "pending"


@pytest.mark.parametrize(
    ("prefer", "applied"),
    [("wait=900", "wait=10"), ("respond-async, wait=3", "wait=3"), ('WAIT = "2"', "wait=2")],
)
def test_a_wait_is_read_leniently_and_is_at_most_10_s(table, prefer, applied):
    with table.working():
        answer = table.roll(Prefer=prefer)
    assert answer.headers["Preference-Applied"] == applied and answer.status_code == 200


@pytest.mark.parametrize("prefer", ["wait=-1", "wait=soon", "wait=1.5", "wait=", "return=minimal", "wait=0"])
def test_a_wait_that_is_none_is_ignored(table, prefer):
    answer = table.roll(Prefer=prefer)
    assert answer.status_code == 202 and answer.headers.get("Preference-Applied") in (None, "wait=0")


def test_many_wait_at_once_and_each_gets_its_own(table):
    answers = {}

    def click(key: str) -> None:
        answers[key] = table.roll(key=key, body=SKILL_CHECK | {"label": key}, Prefer="wait=8").json

    with table.working():
        clicks = [threading.Thread(target=click, args=(f"k{n}",)) for n in range(12)]
        for each in clicks:
            each.start()
        for each in clicks:
            each.join()
    assert {key: roll["label"] for key, roll in answers.items()} == {f"k{n}": f"k{n}" for n in range(12)}
    assert {roll["status"] for roll in answers.values()} == {"resolved"}


def test_the_same_click_twice_is_one_roll(table):
    first = table.roll(key="one")
    again = table.roll(key="one")
    assert again.json["id"] == first.json["id"]
    assert again.headers["Idempotent-Replayed"] == "true" and "Idempotent-Replayed" not in first.headers
    assert table.work() == 1
    resolved = table.roll(key="one")
    assert (resolved.status_code, resolved.json["status"]) == (200, "resolved")
    assert len(table.get("/rolls").json["rolls"]) == 1


def test_the_order_of_fields_does_not_make_another_click(table):
    first = table.roll(key="one", body={"action": "skill-check", "params": {"stat": 3, "dv": 1}})
    again = table.roll(key="one", body={"params": {"dv": 1, "stat": 3}, "action": "skill-check"})
    assert again.status_code == 202 and again.json["id"] == first.json["id"]


def test_a_replay_that_waits_gets_the_resolved_roll(table):
    table.roll(key="one")
    table.work()
    again = table.roll(key="one", Prefer="wait=5")
    assert again.status_code == 200 and again.headers["Idempotent-Replayed"] == "true"


def test_the_same_key_with_another_body_is_refused(table):
    table.roll(key="one")
    answer = table.roll(key="one", body=SKILL_CHECK | {"label": "other"})
    assert answer.status_code == 422 and answer.json["type"].endswith("#key-reused")


def test_two_people_may_use_the_same_key(table):
    assert (
        table.roll(table.tokens["anna"], key="one").json["id"]
        != table.roll(table.tokens["bert"], key="one").json["id"]
    )


@pytest.mark.parametrize("key", ["", " ", "a b", "ä", "x" * 129, "a/b"])
def test_a_click_without_a_proper_key_is_refused(table, valkey, key):
    answer = table.post("/rolls", SKILL_CHECK, Idempotency_Key=key)
    assert answer.status_code == 400 and answer.json["type"].endswith("#idempotency-key")
    assert queued(valkey) == 0


def test_a_click_without_any_key_is_refused(table, valkey):
    answer = table.post("/rolls", SKILL_CHECK)
    assert answer.status_code == 400 and "Idempotency-Key" in answer.json["detail"]
    assert queued(valkey) == 0


def test_a_roll_may_name_the_open_session(table):
    session = table.post("/sessions", {}).json["id"]
    assert table.roll(body=SKILL_CHECK | {"session": session}).json["session"] == session


def test_a_roll_for_a_session_that_is_not_open_is_refused(table, valkey):
    session = table.post("/sessions", {}).json["id"]
    table.post(f"/sessions/{session}/end", None)
    answer = table.roll(body=SKILL_CHECK | {"session": session})
    assert answer.status_code == 409 and answer.json["type"].endswith("#session-not-open")
    assert queued(valkey) == 0


def test_a_roll_that_does_not_exist_is_not_found(table):
    for id in ("aaaaaaaaaa-bbbbbbbbbb", "nonsense", "%00"):
        answer = table.get(f"/rolls/{id}")
        assert answer.status_code == 404 and answer.mimetype == "application/problem+json"


def test_a_roll_of_another_campaign_is_not_found(table, app, settings):
    roll = table.rolled()
    other = set_table(app, settings)
    assert other.get(f"/rolls/{roll['id']}").status_code == 404


def test_house_rules_that_change_hold_for_the_next_roll(app, settings):
    table = set_table(app, settings, "heroes-2d6")
    body = {"action": "unopposed-test", "params": {"skill": 2, "tn": 9, "modifier": 2}}
    refused = table.roll(body=body)
    assert refused.status_code == 422 and "modifier" in refused.json["errors"]["params"]
    table.call("PATCH", table.path, table.gm, {"house_rules": {"unopposed_modifiers": True}})
    assert table.roll(body=body).status_code == 202


CONTEST = {"action": "contest", "params": {"opponent": {"kind": "player", "user": "bert"}}}


@pytest.fixture
def arena(app, settings) -> Table:
    table = set_table(app, settings, "fort-ref-will")
    for user in ("anna", "bert", "cara"):
        table.player(user)
    return table


def test_a_challenge_waits_and_its_answer_resolves_both(arena):
    challenge = arena.rolled(arena.tokens["anna"], CONTEST)
    assert (challenge["status"], challenge["challenged"], challenge["dice"]) == ("awaiting", "bert", [])
    answer = arena.answer(challenge["id"], arena.tokens["bert"], {"advantage": 1, "combat": True})
    assert answer.status_code in (202, 422)
    if answer.status_code == 422:
        answer = arena.answer(challenge["id"], arena.tokens["bert"], {"advantage": 1})
    assert answer.status_code == 202 and answer.json["answers"] == challenge["id"]
    arena.work()
    mine = arena.get(f"/rolls/{challenge['id']}").json
    theirs = arena.get(f"/rolls/{answer.json['id']}").json
    assert (mine["status"], theirs["status"]) == ("resolved", "resolved")
    assert mine["answered_by"] == theirs["id"] and theirs["answers"] == mine["id"]
    assert (mine["total"], mine["target"]) == (theirs["target"], theirs["total"])
    assert mine["opponent"]["user"] == "bert" and theirs["opponent"]["user"] == "anna"
    assert mine["seq"] == 1 and theirs["seq"] == 2
    assert len(arena.get("/rolls").json["rolls"]) == 2


def test_a_waiting_challenge_answers_at_once_that_it_awaits(arena):
    started = time.monotonic()
    with arena.working():
        answer = arena.roll(arena.tokens["anna"], CONTEST, Prefer="wait=9")
    assert time.monotonic() - started < 9
    assert (answer.status_code, answer.json["status"]) == (202, "awaiting")


def test_the_gm_may_answer_in_a_players_place(arena):
    challenge = arena.rolled(arena.tokens["anna"], CONTEST)
    assert arena.answer(challenge["id"], arena.gm, {}).status_code == 202
    arena.work()
    assert arena.get(f"/rolls/{challenge['id']}").json["status"] == "resolved"


def test_a_challenge_is_answered_once(arena):
    challenge = arena.rolled(arena.tokens["anna"], CONTEST)
    arena.answer(challenge["id"], arena.tokens["bert"], {}, key="first")
    again = arena.answer(challenge["id"], arena.tokens["bert"], {}, key="second")
    assert again.status_code == 409 and again.json["type"].endswith("#already-answered")
    same = arena.answer(challenge["id"], arena.tokens["bert"], {}, key="first")
    assert same.status_code == 202 and same.headers["Idempotent-Replayed"] == "true"
    assert arena.work() == 1


def test_only_the_challenged_player_answers(arena):
    challenge = arena.rolled(arena.tokens["anna"], CONTEST)
    for user in ("anna", "cara"):
        assert arena.answer(challenge["id"], arena.tokens[user], {}).status_code == 403


def test_a_roll_that_asks_nobody_takes_no_answer(arena):
    roll = arena.rolled(body={"action": "test", "params": {}})
    assert arena.answer(roll["id"], arena.gm, {}).status_code == 409


def test_an_answer_is_checked_field_by_field(arena, valkey):
    challenge = arena.rolled(arena.tokens["anna"], CONTEST)
    answer = arena.answer(challenge["id"], arena.tokens["bert"], {"advantage": 9})
    assert answer.status_code == 422 and "advantage" in answer.json["errors"]["params"]
    assert queued(valkey) == 0


@pytest.mark.parametrize(("who", "opponent"), [("anna", "anna"), ("anna", "nobody"), ("gm", "gm")])
def test_a_challenge_needs_somebody_else_of_the_campaign(arena, valkey, who, opponent):
    body = {"action": "contest", "params": {"opponent": {"kind": "player", "user": opponent}}}
    answer = arena.roll(arena.tokens.get(who, arena.gm), body)
    assert answer.status_code == 422
    assert answer.json["errors"]["params"]["opponent"]["user"]
    assert queued(valkey) == 0


def test_a_player_may_challenge_the_gm(arena):
    body = {"action": "contest", "params": {"opponent": {"kind": "player", "user": "gm"}}}
    challenge = arena.rolled(arena.tokens["anna"], body)
    assert challenge["challenged"] == "gm" and challenge["status"] == "awaiting"


def test_a_challenge_cannot_be_for_oneself_alone(arena, valkey):
    answer = arena.roll(arena.tokens["anna"], CONTEST | {"visibility": "self"})
    assert answer.status_code == 422 and answer.json["errors"]["visibility"]
    assert queued(valkey) == 0


def test_a_challenge_that_nobody_answered_is_closed_with_its_session(arena):
    challenge = arena.rolled(arena.tokens["anna"], CONTEST)
    arena.post(f"/sessions/{challenge['session']}/end", None)
    closed = arena.get(f"/rolls/{challenge['id']}").json
    assert (closed["status"], closed["outcome"], closed["success"]) == ("resolved", None, None)
    assert closed["notes"] == ["unanswered"]
    assert arena.answer(challenge["id"], arena.tokens["bert"], {}).status_code == 409


ACTIONS = [
    (
        "moon-hangs-low",
        "skill-check",
        {"stat": 5, "skill": "mastered", "knack": True, "bonus": 2, "penalty": 1, "dv": 4},
    ),
    ("heroes-2d6", "unopposed-test", {"skill": 3, "difficulty": "hard"}),
    ("heroes-2d6", "unopposed-test", {"skill": 0, "tn": 2}),
    ("heroes-2d6", "opposed-test", {"skill": 2, "opponent": {"kind": "creature", "skill": 1, "take7": True}}),
    ("d6-comparison", "opposed-check", {"skill": 3, "opponent_skill": 3}),
    ("d6-comparison", "unopposed-check", {"skill": 2, "difficulty": "near-impossible"}),
    ("fort-ref-will", "test", {}),
    ("fort-ref-will", "save", {"attribute": "WIL", "target": 9, "disadvantage": 1}),
    ("fort-ref-will", "contest", {"opponent": {"kind": "npc", "advantage": 1}}),
]


@pytest.mark.parametrize(("ruleset", "action", "params"), ACTIONS)
def test_every_action_of_every_rule_set_rolls(app, settings, ruleset, action, params):
    table = set_table(app, settings, ruleset)
    roll = table.rolled(body={"action": action, "params": params})
    assert roll["status"] == "resolved" and roll["ruleset"] == ruleset
    assert roll["params"].items() >= {k: v for k, v in params.items() if not isinstance(v, dict)}.items()
    assert ("total" in roll) != ("successes" in roll)
    assert roll["success"] in (True, False)
