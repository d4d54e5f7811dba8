"""Rule sets: descriptions, odds and sheets over HTTP."""

from fractions import Fraction

import pytest

IDS = ["moon-hangs-low", "heroes-2d6", "d6-comparison", "fort-ref-will"]


def test_all_rule_sets_are_listed(app):
    listed = app.test_client().get("/v1/rulesets").json
    assert [ruleset["id"] for ruleset in listed["rulesets"]] == IDS and listed["next_cursor"] is None


@pytest.mark.parametrize("id", IDS)
def test_a_rule_set_describes_its_forms(app, id):
    described = app.test_client().get(f"/v1/rulesets/{id}").json
    assert described["id"] == id and described["title"] and described["actions"]
    for action in described["actions"]:
        assert {"name", "title", "fields"} <= set(action)
        assert all({"name", "label", "type"} <= set(field) for field in action["fields"])


def test_a_rule_set_that_is_not_there(app):
    for method, path in (("GET", ""), ("POST", "/odds"), ("POST", "/sheet")):
        body = {"action": "x", "params": {}} if path == "/odds" else {}
        answer = app.test_client().open(
            f"/v1/rulesets/chess{path}", method=method, json=body if path else None
        )
        assert answer.status_code == 404 and answer.mimetype == "application/problem+json"


@pytest.mark.parametrize(
    ("ruleset", "question", "success"),
    [
        ("fort-ref-will", {"action": "test", "params": {}}, "7/12"),
        ("d6-comparison", {"action": "opposed-check", "params": {"skill": 5, "opponent_skill": 2}}, "5/6"),
        ("heroes-2d6", {"action": "unopposed-test", "params": {"skill": 0, "tn": 12}}, "1/36"),
        ("moon-hangs-low", {"action": "skill-check", "params": {"stat": 1, "dv": 2}}, "0/1"),
    ],
)
def test_odds_are_exact(app, ruleset, question, success):
    odds = app.test_client().post(f"/v1/rulesets/{ruleset}/odds", json=question).json
    assert odds["success"]["fraction"] == success
    assert odds["success"]["probability"] == pytest.approx(float(Fraction(success)))
    assert sum(Fraction(chance["fraction"]) for chance in odds["outcomes"].values()) == 1


def test_odds_under_house_rules(app):
    question = {"action": "unopposed-test", "params": {"skill": 50, "tn": 2}}
    client, path = app.test_client(), "/v1/rulesets/heroes-2d6/odds"
    assert client.post(path, json=question).json["success"]["fraction"] == "35/36"
    off = question | {"house_rules": {"criticals": "off"}}
    assert client.post(path, json=off).json["success"]["fraction"] == "1/1"


def test_odds_against_a_player_are_against_an_equal_throw(app):
    question = {"action": "contest", "params": {"opponent": {"kind": "player", "user": "anybody"}}}
    odds = app.test_client().post("/v1/rulesets/fort-ref-will/odds", json=question).json
    assert set(odds["outcomes"]) == {"success", "failure", "tie"}
    assert odds["outcomes"]["success"] == odds["outcomes"]["failure"]


@pytest.mark.parametrize(
    ("question", "field"),
    [
        ({"action": "test", "params": {"target": 21}}, "params"),
        ({"action": "dance", "params": {}}, "action"),
        ({"action": "test", "params": {}, "house_rules": {"stacking": "on"}}, "house_rules"),
        ({"action": "test", "params": {}, "user": "x"}, "user"),
        ({"params": {}}, "action"),
    ],
)
def test_a_bad_question_is_refused(app, question, field):
    answer = app.test_client().post("/v1/rulesets/fort-ref-will/odds", json=question)
    assert answer.status_code == 422 and answer.json["errors"][field]


def test_a_pack_is_worked_out(app):
    sheet = {"bulky": 9, "worn": 7, "stress": 1, "speed": 40}
    worked = app.test_client().post("/v1/rulesets/fort-ref-will/sheet", json=sheet).json
    # 9 bulky, 2 worn things beyond the fifth and 1 stress: 12 slots of 10, so half speed.
    assert (worked["slots_used"], worked["over"], worked["encumbered"], worked["dead"]) == (
        12,
        2,
        True,
        False,
    )
    assert (worked["speed_factor"], worked["speed"]) == ("1/2", 20)


def test_a_bad_sheet_is_refused_by_field(app):
    answer = app.test_client().post("/v1/rulesets/fort-ref-will/sheet", json={"stress": 1.5, "wings": 2})
    assert answer.status_code == 422 and set(answer.json["errors"]) == {"stress", "wings"}
