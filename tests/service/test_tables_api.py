"""Campaigns, players and sessions."""

import hashlib

import pytest

from rules.fairness import commitment
from tests.service.table import SKILL_CHECK, bearer, set_table


def test_a_campaign_is_made_with_its_gm_key(app, settings):
    body = {"name": "Friday", "ruleset": "heroes-2d6", "house_rules": {"tie": "hero-wins"}}
    answer = app.test_client().post("/v1/campaigns", json=body, headers=bearer(settings.admin_token))
    assert answer.status_code == 201
    made = answer.json
    assert answer.headers["Location"] == f"/v1/campaigns/{made['id']}"
    assert made["gm_key"].startswith("tbg_")
    assert made["house_rules"] == {
        "criticals": "override",
        "tie": "hero-wins",
        "unopposed_modifiers": False,
        "player_facing": False,
    }
    read = app.test_client().get(answer.headers["Location"], headers=bearer(made["gm_key"])).json
    assert read == {name: value for name, value in made.items() if name != "gm_key"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": "Friday", "ruleset": "chess"}, "ruleset"),
        ({"name": "Friday"}, "ruleset"),
        ({"ruleset": "moon-hangs-low"}, "name"),
        ({"name": "<b>F</b>", "ruleset": "moon-hangs-low"}, "name"),
        ({"name": "F", "ruleset": "heroes-2d6", "house_rules": {"tie": "coin"}}, "house_rules"),
        ({"name": "F", "ruleset": "heroes-2d6", "house_rules": {"player_facing": 1}}, "house_rules"),
    ],
)
def test_a_campaign_that_cannot_be_is_refused(app, settings, valkey, body, field):
    answer = app.test_client().post("/v1/campaigns", json=body, headers=bearer(settings.admin_token))
    assert answer.status_code == 422 and answer.json["errors"][field]
    assert not valkey.exists("tb:campaigns")


def test_the_admin_lists_campaigns_without_their_keys(app, settings, table):
    listed = app.test_client().get("/v1/campaigns", headers=bearer(settings.admin_token)).json
    assert [campaign["id"] for campaign in listed["campaigns"]] == [table.id]
    assert "gm_key" not in listed["campaigns"][0] and listed["next_cursor"] is None


def test_a_patch_changes_only_what_it_names(app, settings):
    table = set_table(app, settings, "heroes-2d6", house_rules={"tie": "hero-wins"})
    changed = table.call("PATCH", table.path, table.gm, {"house_rules": {"criticals": "off"}}).json
    assert (changed["house_rules"]["tie"], changed["house_rules"]["criticals"]) == ("hero-wins", "off")
    assert changed["name"] == "Friday"
    renamed = table.call("PATCH", table.path, table.gm, {"name": "Saturday"}).json
    assert renamed["name"] == "Saturday" and renamed["house_rules"] == changed["house_rules"]
    assert table.get("").json == renamed


def test_players_are_listed_without_their_tokens(table):
    listed = table.get("/players").json
    assert listed == {
        "players": [{"user": "anna", "name": "Anna"}, {"user": "bert", "name": "Bert"}],
        "next_cursor": None,
    }
    assert table.get("/players/anna").json == {"user": "anna", "name": "Anna"}


def test_tokens_are_kept_as_their_hash(table, valkey):
    everything = b"".join(valkey.dump(key) or b"" for key in valkey.scan_iter("*"))
    for token in (*table.tokens.values(), table.gm):
        assert token.encode() not in everything
        assert hashlib.sha256(token.encode()).hexdigest().encode() in b"".join(valkey.scan_iter("tb:token:*"))


@pytest.mark.parametrize("path", ["/players/anna", "/players?user=anna"])
def test_a_player_is_revoked_once(table, path):
    assert table.call("DELETE", table.path + path, table.gm).status_code == 204
    assert table.call("DELETE", table.path + path, table.gm).status_code == 404
    assert [player["user"] for player in table.get("/players").json["players"]] == ["bert"]


def test_a_session_is_started_and_ended(table):
    started = table.post("/sessions", {"title": "The mill"})
    assert started.status_code == 201
    session = started.json
    assert (session["title"], session["ended_at"], session["seed"], session["rolls"]) == (
        "The mill",
        None,
        None,
        0,
    )
    assert table.call("GET", started.headers["Location"], table.tokens["anna"]).json["id"] == session["id"]
    table.rolled()
    ended = table.post(f"/sessions/{session['id']}/end", None)
    assert ended.status_code == 200
    assert ended.json["rolls"] == 1 and ended.json["ended_at"]
    assert commitment(session["id"], bytes.fromhex(ended.json["seed"])) == session["commitment"]
    assert table.post(f"/sessions/{session['id']}/end", None).json == ended.json


def test_a_session_needs_no_title_and_no_body(table):
    answer = table.call("POST", f"{table.path}/sessions", table.gm)
    assert answer.status_code == 201 and answer.json["title"] is None


def test_a_second_open_session_is_refused(table):
    session = table.post("/sessions", {}).json["id"]
    answer = table.post("/sessions", {})
    assert (
        answer.status_code == 409 and answer.json["session"] == session and session in answer.json["detail"]
    )


def test_only_the_gm_sees_the_seed_of_hidden_rolls(table):
    session = table.post("/sessions", {}).json
    assert session["hidden_commitment"] and session["hidden_seed"] is None
    for_anna = table.get(f"/sessions/{session['id']}", table.tokens["anna"]).json
    assert "hidden_seed" not in for_anna and "hidden_commitment" not in for_anna
    ended = table.post(f"/sessions/{session['id']}/end", None).json
    assert commitment(session["id"], bytes.fromhex(ended["hidden_seed"])) == session["hidden_commitment"]
    [for_anna] = table.get("/sessions", table.tokens["anna"]).json["sessions"]
    assert for_anna["seed"] == ended["seed"] and "hidden_seed" not in for_anna


def test_sessions_are_paged_newest_first(table):
    made = []
    for _ in range(5):
        made.append(table.post("/sessions", {}).json["id"])
        table.post(f"/sessions/{made[-1]}/end", None)
    seen, cursor = [], ""
    while cursor is not None:
        page = table.get(f"/sessions?limit=2{f'&cursor={cursor}' if cursor else ''}").json
        assert len(page["sessions"]) <= 2
        seen += [session["id"] for session in page["sessions"]]
        cursor = page["next_cursor"]
    assert seen == made[::-1]
    assert table.get("/sessions?cursor=aaaaaaaaaa").status_code == 422


def test_another_campaigns_session_is_not_found(table, app, settings):
    session = set_table(app, settings).post("/sessions", {}).json["id"]
    assert table.get(f"/sessions/{session}").status_code == 404
    assert table.post(f"/sessions/{session}/end", None).status_code == 404


def test_a_new_session_follows_one_that_was_ended(table):
    first = table.rolled()["session"]
    table.post(f"/sessions/{first}/end", None)
    assert table.rolled()["session"] != first
    assert table.roll(body=SKILL_CHECK).status_code == 202
