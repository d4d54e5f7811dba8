"""History: pages and filters."""

import json

import pytest

from service.cards import card
from service.store.ledger import Ledger
from tests.service.table import SKILL_CHECK, Table, set_table


@pytest.fixture
def played(table) -> Table:
    """Six rolls in two sessions: anna's and bert's by turns, with and without an actor."""
    for number in range(6):
        who = ("anna", "bert")[number % 2]
        more = {"actor": {"id": f"actor{number % 3}", "name": "Bob"}} if number % 3 else {}
        session = table.rolled(table.tokens[who], label=str(number), **more)["session"]
        if number == 2:
            table.post(f"/sessions/{session}/end", None)
    return table


def labels(answer):
    assert answer.status_code == 200, answer.text
    return [roll["label"] for roll in answer.json["rolls"]]


def test_history_is_newest_first(played):
    assert labels(played.get("/rolls")) == ["5", "4", "3", "2", "1", "0"]
    assert played.get("/rolls").json["next_cursor"] is None


def test_pages_follow_one_another_without_gap_or_overlap(played):
    for limit in (1, 2, 3, 4, 5, 6, 7):
        seen, cursor, pages = [], "", 0
        while cursor is not None:
            answer = played.get(f"/rolls?limit={limit}{f'&cursor={cursor}' if cursor else ''}")
            seen += labels(answer)
            cursor, pages = answer.json["next_cursor"], pages + 1
        assert seen == ["5", "4", "3", "2", "1", "0"] and pages == -(-6 // limit)


def test_a_page_stays_as_it_was_when_new_rolls_come(played):
    first = played.get("/rolls?limit=3").json
    played.rolled(label="new")
    assert labels(played.get(f"/rolls?limit=3&cursor={first['next_cursor']}")) == ["2", "1", "0"]


def test_filters(played):
    first, second = (session["id"] for session in reversed(played.get("/sessions").json["sessions"]))
    assert labels(played.get("/rolls?user=anna")) == ["4", "2", "0"]
    assert labels(played.get("/rolls?actor=actor1")) == ["4", "1"]
    assert labels(played.get("/rolls?user=anna&actor=actor1")) == ["4"]
    assert labels(played.get(f"/rolls?session={first}")) == ["2", "1", "0"]
    assert labels(played.get(f"/rolls?session={second}")) == ["5", "4", "3"]
    assert labels(played.get("/rolls?action=skill-check")) == ["5", "4", "3", "2", "1", "0"]
    assert labels(played.get("/rolls?action=no-such")) == []
    assert labels(played.get("/rolls?session=aaaaaaaaaa")) == []


def test_filters_by_outcome(played):
    won = {roll["label"] for roll in played.get("/rolls").json["rolls"] if roll["success"]}
    assert set(labels(played.get("/rolls?outcome=success"))) == won
    assert set(labels(played.get("/rolls?outcome=failure"))) == {"0", "1", "2", "3", "4", "5"} - won


def test_filters_by_time(played):
    rolls = {roll["label"]: roll for roll in played.get("/rolls").json["rolls"]}
    third = rolls["3"]["created_at"]
    since = labels(played.get(f"/rolls?since={third}"))
    until = labels(played.get(f"/rolls?until={third}"))
    assert since + until == ["5", "4", "3", "2", "1", "0"] and "3" in since
    assert (
        labels(played.get("/rolls?since=2999-01-01")) == [] == labels(played.get("/rolls?until=1999-01-01"))
    )


def test_a_filter_goes_on_through_the_pages(played):
    first = played.get("/rolls?user=bert&limit=2")
    assert labels(first) == ["5", "3"]
    second = played.get(f"/rolls?user=bert&limit=2&cursor={first.json['next_cursor']}")
    assert labels(second) == ["1"] and second.json["next_cursor"] is None


def test_another_campaigns_history_is_apart(played, app, settings):
    other = set_table(app, settings)
    [session, _] = [session["id"] for session in played.get("/sessions").json["sessions"]]
    assert labels(other.get("/rolls")) == [] == labels(other.get(f"/rolls?session={session}"))


def test_pending_rolls_are_not_history_yet(table):
    table.roll(body=SKILL_CHECK)
    assert labels(table.get("/rolls")) == []


def every_page(table, query, token=None):
    """The pages of a query as (labels, cursor), to the last."""
    pages, cursor = [], ""
    while cursor is not None:
        answer = table.get(f"/rolls?{query}{f'&cursor={cursor}' if cursor else ''}", token)
        cursor = answer.json["next_cursor"]
        pages.append((labels(answer), cursor))
    return pages


@pytest.fixture
def short_search(monkeypatch):
    """Two rolls are looked at for a page."""
    monkeypatch.setattr("service.api.history.MOST_LOOKED_AT", 2)


@pytest.mark.usefixtures("short_search")
def test_a_page_that_found_little_goes_on_where_it_stopped(played):
    pages = every_page(played, "actor=actor1")
    assert [found for found, _ in pages] == [["4"], [], ["1"]]
    assert [found for found, _ in every_page(played, "actor=nobody")] == [[], [], []]
    bert = every_page(played, "user=bert&limit=1")
    assert [label for found, _ in bert for label in found] == ["5", "3", "1"]


def test_without_a_filter_each_page_is_full(played, monkeypatch):
    monkeypatch.setattr("service.api.history.MOST_LOOKED_AT", 4)
    assert [found for found, _ in every_page(played, "limit=3")] == [["5", "4", "3"], ["2", "1", "0"]]


@pytest.mark.usefixtures("short_search")
def test_where_a_page_stops_tells_nothing_of_hidden_rolls(table):
    """Neither their number nor their time: only rolls that the caller sees are counted, and named."""
    anna = table.tokens["anna"]
    for number in range(3):
        table.rolled(anna, label=f"seen {number}")
    alone = every_page(table, "actor=nobody", anna)
    for _ in range(3):
        table.rolled(table.gm, visibility="gm")
    assert every_page(table, "actor=nobody", anna) == alone
    table.rolled(anna, label="seen 3")
    history = table.services.store.rolls.history(table.id)
    seen = [stream_id for stream_id, record in history if record["visibility"] == "public"]
    assert [cursor for _, cursor in every_page(table, "actor=nobody", anna)] == [seen[1], None]


@pytest.mark.usefixtures("short_search")
def test_a_file_has_all_that_match_however_long_the_search(played):
    answer = played.get("/rolls?actor=actor1", Accept="application/x-ndjson")
    assert [json.loads(line)["label"] for line in answer.text.splitlines()] == ["4", "1"]


def test_no_card_is_made_of_a_roll_that_does_not_match(played, monkeypatch):
    made = []
    monkeypatch.setattr(
        "service.presenting.card", lambda record: made.append(record["label"]) or card(record)
    )
    assert labels(played.get("/rolls?actor=actor1")) == ["4", "1"] == made
    assert labels(played.get("/rolls?actor=nobody")) == [] and made == ["4", "1"]


def test_a_filter_sees_what_the_caller_sees(table):
    anna = table.tokens["anna"]
    table.rolled(anna, visibility="blind", label="blind")
    [known] = table.get("/rolls").json["rolls"]
    assert labels(table.get(f"/rolls?outcome={known['outcome']}")) == ["blind"]
    for outcome in ("success", "failure"):
        assert labels(table.get(f"/rolls?outcome={outcome}", anna)) == []
    assert labels(table.get("/rolls?user=anna", anna)) == ["blind"]


def test_sessions_from_after_the_time_asked_for_are_left_unread(played, monkeypatch):
    read = []
    backward = Ledger._backward
    monkeypatch.setattr(
        Ledger,
        "_backward",
        lambda self, session, *more: read.append(session) or backward(self, session, *more),
    )
    assert labels(played.get("/rolls?until=1999-01-01")) == [] == read
    assert len(labels(played.get("/rolls?until=2999-01-01"))) == 6 and len(read) == 2
