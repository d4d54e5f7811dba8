"""Deleting rolls and sessions for good, and how long sessions are kept."""

import pytest


def test_a_roll_is_deleted_after_a_question(console, table):
    roll = table.rolled(table.tokens["anna"], label="Gone soon")
    path = console.get(f"/console/rolls/{roll['id']}").links["Delete it"]
    assert console.get(path).heading == "Delete this roll for good?"
    assert table.get(f"/rolls/{roll['id']}").status_code == 200
    page = console.send(path)
    assert "The roll is deleted." in page.text and "Gone soon" not in page.html
    assert table.get(f"/rolls/{roll['id']}").status_code == 404


def test_a_roll_that_the_gm_may_not_see_is_not_there(console, table):
    roll = table.rolled(table.tokens["anna"], visibility="self")
    page = console.get(f"/console/rolls/{roll['id']}/delete", 404)
    assert roll["id"] not in page.text and "Delete" not in page.links


def test_an_ended_session_is_deleted_after_a_question(console, table):
    session = table.rolled()["session"]
    assert "Delete this session" not in console.get("/console/sessions").links  # it is open
    table.post(f"/sessions/{session}/end", None)
    path = console.get("/console/sessions").links["Delete this session"]
    assert "1 roll that you see" in console.get(path).text
    page = console.send(path)
    assert "The session is deleted." in page.text and table.get("/sessions").json["sessions"] == []
    assert table.get("/rolls").json["rolls"] == []


@pytest.mark.parametrize(("typed", "kept"), [("30", 30), ("", None)])
def test_sessions_are_kept_as_long_as_the_gm_says(console, table, typed, kept):
    path = "/console/campaign/retention"
    console.send("/console/campaign", path, days="7")
    page = console.send("/console/campaign", path, days=typed)
    assert table.get("").json["retention_days"] == kept
    assert page.form(path).sends["days"] == [typed]


@pytest.mark.parametrize("typed", ["0", "-1", "soon", "9" * 12])
def test_what_is_no_number_of_days_is_said_at_its_field(console, table, typed):
    path = "/console/campaign/retention"
    page = console.send("/console/campaign", path, status=422, days=typed)
    assert page.form(path).invalid == ["days"] and page.form(path).sends["days"] == [typed]
    assert table.get("").json["retention_days"] is None
