"""Players and their tokens; the campaign's name, house rules, connect code and key."""

from service.connect_code import decode
from tests.service.console.browser import Console
from tests.service.table import make_app


def test_a_token_is_given_shown_once_and_works(console, table):
    page = console.send("/console/players", status=201, name="Cara", user="cara")
    token = page.form("/console/sign-out") and next(
        e.attributes["value"] for e in page.elements if e.attributes.get("id") == "token"
    )
    assert page.heading == "A token for Cara" and token.startswith("tbp_")
    assert table.get("/me", token).json == {"role": "player", "user": "cara", "name": "Cara"}
    listed = console.get("/console/players")
    assert "Cara" in listed.text and token not in listed.html


def test_what_will_not_do_is_said_at_its_field(console):
    page = console.send("/console/players", status=422, name="Cara", user="gm")
    assert page.form("/console/players").invalid == ["user"] and "choose another id" in page.text
    assert page.form("/console/players").sends["name"] == ["Cara"]


def test_revoking_is_asked_about_and_cuts_off(console, table):
    token = table.tokens["anna"]
    path = console.get("/console/players").links["Revoke the token of Anna"]
    assert console.get(path).heading == "Revoke the token of Anna?"
    assert table.get("/me", token).status_code == 200
    page = console.send(path)
    assert "cut off" in page.text and "Anna" not in page.texts("ul", cls="people")[0]
    assert table.get("/me", token).status_code == 401
    console.get("/console/players/nobody/revoke", 404)


def test_the_name_is_changed(console, table):
    page = console.send("/console/campaign", "/console/campaign/name", name="Saturday")
    assert "Saturday" in page.texts("p", cls="campaign-name") and table.get("").json["name"] == "Saturday"
    wrong = console.send("/console/campaign", "/console/campaign/name", status=422, name=" ")
    assert wrong.form("/console/campaign/name").invalid == ["name"]


def test_house_rules_are_those_of_the_rule_set(console, heroes):
    assert "has no house rules to choose from" in console.get("/console/campaign").text
    form = heroes.get("/console/campaign").form("/console/campaign/house-rules")
    assert form.sends["house.criticals"] == ["override"] and "house.player_facing" not in form.sends
    heroes.send(
        "/console/campaign",
        "/console/campaign/house-rules",
        house_criticals="flavour",
        house_player_facing="yes",
    )
    assert heroes.table.get("").json["house_rules"] == {
        "criticals": "flavour",
        "tie": "both-fail",
        "unopposed_modifiers": False,
        "player_facing": True,
    }
    heroes.send("/console/campaign", "/console/campaign/house-rules", house_player_facing=None)
    assert heroes.table.get("").json["house_rules"]["player_facing"] is False


def test_the_connect_code_is_for_whoever_has_the_key(console, table):
    page = console.get("/console/campaign")
    assert "tb1_" not in page.html and table.gm not in page.html
    path = "/console/campaign/connect-code"
    for wrong in ("", "tbg_" + "x" * 43, table.tokens["anna"], table.admin):
        refused = console.send("/console/campaign", path, status=422, key=wrong)
        assert refused.form(path).invalid == ["key"] and "tb1_" not in refused.html
    page = console.send("/console/campaign", path, status=200, key=table.gm)
    code = next(e.attributes["value"] for e in page.elements if e.attributes.get("id") == "connect-code")
    found = decode(code)
    assert (found.url, found.campaign, found.key) == ("http://localhost", table.id, table.gm)
    assert console.answer.headers["Cache-Control"] == "no-store"


def test_the_connect_code_names_the_public_address(table, settings):
    from dataclasses import replace

    app = make_app(replace(settings, public_url="https://dice.example.org"))
    console = Console(type(table)(app, table.admin, table.id, table.gm, table.ruleset)).sign_in()
    path = "/console/campaign/connect-code"
    page = console.send("/console/campaign", path, status=200, key=table.gm)
    code = next(e.attributes["value"] for e in page.elements if e.attributes.get("id") == "connect-code")
    assert decode(code).url == "https://dice.example.org"
    app.extensions["tallybones"].hub.stop()


def test_a_new_key_is_confirmed_shown_once_and_ends_the_old(console, table):
    other = Console(table).sign_in()
    path = "/console/campaign/renew-key"
    refused = console.send("/console/campaign", path, status=422, confirm="yes")
    assert refused.form(path).invalid == ["confirm"] and table.get("").status_code == 200
    page = console.send("/console/campaign", path, status=200, confirm="renew")
    shown = {
        e.attributes["id"]: e.attributes["value"]
        for e in page.elements
        if e.tag == "input" and "id" in e.attributes
    }
    key = shown["gm-key"]
    assert decode(shown["connect-code"]).key == key and key != table.gm
    assert table.get("").status_code == 401 and table.get("", key).status_code == 200
    other.get("/", 200)
    assert other.get("/").heading == "The GM’s console"
    assert "Friday" in console.get("/").text  # the browser that made it stays signed in
    assert key not in console.get("/console/campaign").html
