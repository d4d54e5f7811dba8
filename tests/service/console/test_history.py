"""History: filters, pages, and one roll alone."""

import json
from datetime import UTC, datetime, timedelta

from tests.service.table import SKILL_CHECK


def fill(table):
    anna, bert = table.tokens["anna"], table.tokens["bert"]
    table.rolled(anna, label="First", actor={"id": "A1", "name": "Mira"})
    table.rolled(bert, {**SKILL_CHECK, "params": {"stat": 1, "dv": 50}}, label="Second")
    table.post(f"/sessions/{table.get('/sessions').json['sessions'][0]['id']}/end", None)
    table.rolled(anna, label="Third", visibility="blind")


def labels(page):
    return [text.removesuffix(" blind") for text in page.texts("span", cls="past-what")]


def test_all_rolls_newest_first_with_their_cards(console, table):
    assert "No dice have been thrown yet" in console.get("/console/history").text
    fill(table)
    page = console.get("/console/history")
    assert labels(page) == ["Third", "Second", "First"]
    assert len([e for e in page.elements if "tallybones-card" in e.attributes.get("class", "").split()]) == 3


def test_each_filter_narrows_it(console, table):
    fill(table)
    newest, oldest = [session["id"] for session in table.get("/sessions").json["sessions"]]
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).date().isoformat()
    for query, expected in {
        "user=anna": ["Third", "First"],
        f"session={oldest}": ["Second", "First"],
        f"session={newest}": ["Third"],
        "outcome=failure&user=bert": ["Second"],
        "actor=A1": ["First"],
        "action=skill-check&user=bert": ["Second"],
        f"until={tomorrow}": ["Third", "Second", "First"],
        f"since={tomorrow}": [],
    }.items():
        page = console.get(f"/console/history?{query}")
        assert labels(page) == expected, query
        chosen = dict(part.split("=") for part in query.split("&"))
        sends = page.form("/console/history").sends
        assert all(sends[name] == [value] for name, value in chosen.items()), query
    assert "No roll matches" in console.get(f"/console/history?since={tomorrow}").text


def test_sessions_of_one_title_are_told_apart_by_their_start(console, table):
    for title in ("The well", "The well", "The mill"):
        session = table.post("/sessions", {"title": title}).json
        table.post(f"/sessions/{session['id']}/end", None)
    named = console.get("/console/history").texts("option")
    assert "The mill" in named and "The well" not in named
    assert sum(name.startswith("The well, ") and name.endswith(" UTC") for name in named) == 2


def test_the_form_filters_without_scripts(console, table):
    fill(table)
    form = console.get("/console/history").form("/console/history")
    sent = {name: values[0] for name, values in form.filled(user="bert").items()}
    assert labels(console.get(f"/console/history?{'&'.join(f'{n}={v}' for n, v in sent.items())}")) == [
        "Second"
    ]


def test_pages_follow_on_each_other_and_keep_the_filter(console, table, monkeypatch):
    monkeypatch.setattr("service.console.history.PAGE", 2)
    for number in range(5):
        table.rolled(table.tokens["anna"], label=f"Roll {number}")
    table.rolled(table.tokens["bert"], label="Other")
    page, seen = console.get("/console/history?user=anna"), []
    while True:
        seen += labels(page)
        if "Older rolls" not in page.links:
            break
        page = console.get(page.links["Older rolls"])
        assert page.links["Newest"] == "/console/history?user=anna"
    assert seen == [f"Roll {number}" for number in (4, 3, 2, 1, 0)]


def test_a_page_without_a_match_leads_on_to_older_rolls(console, table, monkeypatch):
    monkeypatch.setattr("service.api.history.MOST_LOOKED_AT", 2)
    fill(table)
    page = console.get("/console/history?actor=A1")
    assert labels(page) == [] and "None of the newest rolls matches" in page.text
    assert "No roll matches" not in page.text and "Older rolls" in page.links and "CSV" in page.links
    older = console.get(page.links["Older rolls"])
    assert labels(older) == ["First"] and "Older rolls" not in older.links
    last = console.get(console.get("/console/history?actor=nobody").links["Older rolls"])
    assert "No older roll matches" in last.text and last.links["Newest"] == "/console/history?actor=nobody"


def test_what_is_no_filter_is_said_at_its_field(console):
    page = console.get("/console/history?since=yesterday&outcome=great", 422)
    assert "Must be a moment as ISO 8601" in page.text
    assert set(page.form("/console/history").invalid) == {"since", "outcome"}
    console.get("/console/history?cursor=nonsense", 422)


def test_one_roll_alone(console, table):
    fill(table)
    page = console.get(console.get("/console/history?actor=A1").links["This roll alone"])
    assert page.heading == "One roll" and page.texts("h3", cls="tallybones-title") == ["First"]
    assert page.links["all rolls of Anna"] == "/console/history?user=anna"


def test_all_that_match_as_a_file(console, table, monkeypatch):
    monkeypatch.setattr("service.console.history.PAGE", 1)
    fill(table)
    table.rolled(table.tokens["anna"], label="Unseen", visibility="self")
    page = console.get("/console/history?user=anna")
    csv = console.client.get(page.links["CSV"])
    assert csv.mimetype == "text/csv" and csv.headers["Content-Disposition"].startswith("attachment")
    lines = csv.text.splitlines()
    assert len(lines) == 3 and "Third" in lines[1] and "First" in lines[2] and "Unseen" not in csv.text
    told = [json.loads(line) for line in console.client.get(page.links["NDJSON"]).text.splitlines()]
    assert [roll["label"] for roll in told] == ["Third", "First"]
    assert console.client.get("/console/history.csv?outcome=great").status_code == 422


def test_a_session_as_a_file_to_check(console, table):
    fill(table)
    ended = table.get("/sessions").json["sessions"][1]
    address = console.get("/console/sessions").links["save the session"]
    assert address == f"/console/sessions/{ended['id']}/dice.ndjson"
    answer = console.client.get(address)
    session, *rolls = [json.loads(line) for line in answer.text.splitlines()]
    assert session == ended and session["seed"] and len(rolls) == ended["rolls"] == 2
    assert all(roll["session"] == ended["id"] for roll in rolls)
    console.get("/console/sessions/aaaaaaaaaa/dice.ndjson", 404)
