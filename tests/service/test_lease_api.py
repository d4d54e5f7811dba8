"""Leases between a GM's clients, and who a token's holder is."""

import pytest

from service.store.leases import HELD_MS


def wish(table, holder, name="post:roll-1", token=None):
    return table.post("/lease", {"name": name, "holder": holder}, token)


def test_one_of_two_tabs_holds_a_lease(table):
    assert wish(table, "tab-1").json == {"held": True}
    assert wish(table, "tab-2").json == {"held": False}
    assert wish(table, "tab-1").json == {"held": True}
    assert wish(table, "tab-2", "post:roll-2").json == {"held": True}


def test_a_lease_runs_out(table, valkey):
    wish(table, "tab-1")
    key = f"tb:campaign:{table.id}:lease:post:roll-1"
    assert 0 < valkey.pttl(key) <= HELD_MS == 30_000
    valkey.pexpire(key, 0)
    assert wish(table, "tab-2").json == {"held": True}


def test_only_the_gm_takes_leases(table):
    assert wish(table, "tab-1", token=table.tokens["anna"]).status_code == 403


@pytest.mark.parametrize("name", ["", "a b", "x" * 101, "a\n", None, 7])
def test_a_lease_has_a_plain_name(table, name):
    answer = wish(table, "tab-1", name)
    assert answer.status_code == 422 and "name" in answer.json["errors"]


def test_a_token_says_whose_it_is(table):
    assert table.get("/me").json == {"role": "gm", "user": "gm", "name": "GM"}
    assert table.get("/me", table.tokens["anna"]).json == {"role": "player", "user": "anna", "name": "Anna"}
    assert table.call("GET", f"{table.path}/me", "tbp_unknown").status_code == 401
