"""Rolling from the form of each action of each rule set."""

import pytest

from rules import registry
from tests.service.console.browser import Console
from tests.service.table import set_table

FILLED = {
    ("moon-hangs-low", "skill-check"): {"params_stat": "3", "params_dv": "2", "params_skill": "trained"},
    ("heroes-2d6", "unopposed-test"): {"params_skill": "4", "params.one-of": "tn", "params_tn": "11"},
    ("heroes-2d6", "opposed-test"): {"params_skill": "4", "params_opponent_creature_skill": "5"},
    ("d6-comparison", "opposed-check"): {"params_skill": "5", "params.opponent_skill": "2"},
    ("d6-comparison", "unopposed-check"): {"params_skill": "3", "params_difficulty": "heroic"},
    ("fort-ref-will", "test"): {"params_advantage": "1", "params_combat": "yes"},
    ("fort-ref-will", "save"): {"params_attribute": "REF", "params_target": "9"},
    ("fort-ref-will", "contest"): {"params_opponent_npc_advantage": "1"},
}


def test_every_action_is_in_the_table_above():
    assert set(FILLED) == {(rules.id, action.name) for rules in registry.all() for action in rules.actions}


@pytest.mark.parametrize(("rules", "action"), FILLED)
def test_a_filled_in_form_rolls_and_shows_its_card_and_odds(app, settings, rules, action):
    table = set_table(app, settings, rules)
    path = f"/console/roll/{action}"
    with table.working():
        console = Console(table).sign_in()
        page = console.send(path, label="From the console", **FILLED[rules, action])
    (roll,) = table.get("/rolls").json["rolls"]
    assert (roll["action"], roll["status"], roll["label"]) == (action, "resolved", "From the console")
    assert "Rolled." in page.text and page.texts("h3", cls="tallybones-title") == ["From the console"]
    assert roll["card"]["odds"]["words"] in page.texts("p", cls="odds-head")[0]
    assert roll["card"]["odds"]["percent"] == page.texts("span", cls="odds-percent")[0]
    sent = page.form(path).sends
    assert all(sent[name] == [value] for name, value in as_named(FILLED[rules, action], sent).items())


def as_named(filled, sent):
    plain = {place.replace(".", "_"): place for place in sent}
    return {plain[name.replace(".", "_")]: value for name, value in filled.items()}


def test_the_first_action_is_where_rolling_begins(console):
    answer = console.client.get("/console/roll")
    assert answer.headers["Location"] == "/console/roll/skill-check"
    console.get("/console/roll/unheard-of", 404)


def test_what_is_wrong_stands_at_its_field_and_what_was_typed_stays(console):
    path = "/console/roll/skill-check"
    page = console.send(path, status=422, params_dv="99", params_bonus="many")
    form = page.form(path)
    assert set(form.invalid) == {"params.stat", "params.dv", "params.bonus"}
    assert form.sends["params.dv"] == ["99"] and form.sends["params.bonus"] == ["many"]
    assert "Is missing. Must be a whole number from 1 to 5." in page.text
    assert "Must be a whole number from 1 to 50." in page.text
    described = {e.attributes.get("aria-describedby", "") for e in page.elements if e.tag == "input"}
    assert any("params-dv-error" in each for each in described)
    assert console.table.get("/rolls").json["rolls"] == []


def test_sending_the_same_form_twice_rolls_once(console, working):
    form = console.get("/console/roll/skill-check").form("/console/roll/skill-check")
    sent = form.filled(params_stat="3", params_dv="1")
    first, second = (console.client.post(form.action, data=sent) for _ in range(2))
    assert first.headers["Location"] == second.headers["Location"]
    assert len(working.get("/rolls").json["rolls"]) == 1


def test_a_card_that_takes_its_time_is_promised(console, monkeypatch):
    monkeypatch.setattr("service.console.rolling.WAIT", 0)
    page = console.send("/console/roll/skill-check", params_stat="3", params_dv="1")
    assert "the card comes as soon as" in page.text


@pytest.mark.parametrize("visibility", ["public", "gm", "blind", "self"])
def test_the_gm_says_who_sees_it(console, working, visibility):
    console.send("/console/roll/skill-check", params_stat="3", params_dv="1", visibility=visibility)
    (roll,) = working.get("/rolls").json["rolls"]
    assert roll["visibility"] == visibility
    seen = working.get("/rolls", working.tokens["anna"]).json["rolls"]
    assert len(seen) == (visibility == "public")


def test_a_challenge_to_a_player_waits_for_them(heroes):
    page = heroes.send(
        "/console/roll/opposed-test",
        **{"params_skill": "5", "params.opponent.kind": "player", "params_opponent_player_user": "anna"},
    )
    assert "the other side is asked for an answer" in page.text and "Anna is asked" in page.text
    offered = page.form("/console/roll/opposed-test").offers["params.opponent.player.user"]
    assert set(offered) == {"anna", "bert"}  # nobody challenges themselves


def test_a_secret_challenge_is_refused_at_its_field(heroes):
    page = heroes.send(
        "/console/roll/opposed-test",
        status=422,
        visibility="self",
        **{"params_skill": "5", "params.opponent.kind": "player", "params_opponent_player_user": "anna"},
    )
    assert "the other side has to see the roll" in page.text


def test_house_rules_change_what_the_form_asks(heroes):
    path = "/console/roll/unopposed-test"
    assert "params.modifier" not in heroes.get(path).form(path).offers
    page = heroes.send("/console/campaign", "/console/campaign/house-rules", house_unopposed_modifiers="yes")
    assert "The house rules are changed." in page.text
    assert "params.modifier" in heroes.get(path).form(path).offers


def test_odds_come_while_one_types(console):
    form = console.get("/console/roll/skill-check").form("/console/roll/skill-check")
    answer = console.client.post(form.action + "/odds", data=form.filled(params_stat="2", params_dv="1"))
    exact = console.table.call(
        "POST",
        "/v1/rulesets/moon-hangs-low/odds",
        None,
        {"action": "skill-check", "params": {"stat": 2, "dv": 1}},
    ).json["success"]
    assert answer.json["wrong"] == {} and f"{exact['probability'] * 100:.1f}%" in answer.json["odds"]
    wrong = console.client.post(form.action + "/odds", data=form.filled(params_stat="2", params_dv="0")).json
    assert wrong["wrong"] == {"params.dv": "Must be a whole number from 1 to 50."}
    assert "as soon as the form is filled in" in wrong["odds"]
    assert console.table.get("/rolls").json["rolls"] == []


def test_odds_without_scripts_come_with_a_button(console):
    form = console.get("/console/roll/skill-check").form("/console/roll/skill-check")
    sent = form.filled(params_stat="2", params_dv="1") | {"odds": "1"}
    answer = console.client.post(form.action, data=sent)
    assert answer.status_code == 200 and "odds-percent" in answer.text
    assert console.table.get("/rolls").json["rolls"] == []


def test_odds_are_the_gms_own_for_a_gm_wins_no_ties(app, settings):
    """Against a non-player a player wins ties; the GM, who rolls for one, does not."""
    table = set_table(app, settings, "fort-ref-will")
    with table.working():
        page = Console(table).sign_in().send("/console/roll/contest")
    (roll,) = table.get("/rolls").json["rolls"]
    assert roll["card"]["odds"]["percent"] == page.texts("span", cls="odds-percent")[0]


def test_another_packages_rule_set_has_its_form_too(app, settings, example_ruleset):
    table = set_table(app, settings, "candlelight", house_rules={"last_candle": True})
    with table.working():
        console = Console(table).sign_in()
        page = console.send(
            "/console/roll/venture", params_talent="3", params_difficulty="far", params_alone="yes"
        )
    assert "Rolled." in page.text
    (roll,) = table.get("/rolls").json["rolls"]
    assert roll["params"] == {"talent": 3, "difficulty": "far", "alone": True}


def test_a_field_of_every_type_is_drawn_and_read(lantern):
    console = Console(lantern).sign_in()
    filled = {"params_darkness": "12", "params.watch.kind": "watched", "params_watch_watched_by": "anna"}
    path = "/console/roll/light"
    form = console.get(path).form(path)
    assert {"params.flames.0.colour", "params.flames.0.shade", "params.motto"} <= set(form.offers)
    assert "params.flames.1.colour" not in form.offers
    page = console.send(path, params_flames_0_colour="Blue", params_flames_0_size="3", **filled)
    first = lantern.get("/rolls").json["rolls"][0]["params"]
    assert first == {
        "flames": [{"colour": "Blue", "size": 3, "shade": "pale", "blinks": False}],
        "darkness": 12,
        "motto": "Shine",
        "watch": {"kind": "watched", "by": "anna"},
    }
    form = page.form(path)  # as rolled, with a row to fill in
    sent = form.filled(params_flames_1_colour="Red", params_flames_0_removed="yes")
    console.client.post(path, data=sent)
    again = lantern.get("/rolls").json["rolls"][0]["params"]
    assert [flame["colour"] for flame in again["flames"]] == ["Red"]
    wrong = console.send(path, status=422, params_flames_0_colour="Blue", params_flames_0_size="99", **filled)
    assert wrong.form(path).invalid == ["params.flames.0.size"]
