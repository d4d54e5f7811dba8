"""That there was a hidden roll must not show: on no way out, in no count, id, header, length or time.

Whatever a player can read is read before and after others have rolled in secret; it stays the same, byte for
byte. The calls are those of the OpenAPI document, so a new one is tried too.
"""

import hmac
import itertools
import re
import time
from dataclasses import dataclass, replace

import pytest

from service import presenting
from service.store.tokens import digest
from tests.service.console.browser import Console
from tests.service.table import Listener, make_app, serving, set_table
from tests.service.test_cost import counted_trips

OF_THE_MOMENT = ("Date", "X-Request-ID")
WHEN_EXPORTED = re.compile(rb'"exported_at":\d+')
HISTORY_AS = ("application/json", "text/csv", "application/x-ndjson")


@pytest.fixture
def hall(settings):
    """A table with an open session, public rolls, a published report, and a player who looks: cara."""
    table = set_table(make_app(settings), settings, "fort-ref-will")
    for user in ("anna", "bert", "cara"):
        table.player(user)
    table.post("/sessions", {"title": "One"})
    for _ in range(3):
        table.rolled(table.tokens["anna"], {"action": "test", "params": {}})
    return table


def readable(table):
    """All that can be asked for with GET, of the document and of the pages: paths, with real ids in them."""
    document = table.app.test_client().get("/openapi.json").json
    session = table.get("/sessions").json["sessions"][0]["id"]
    roll = table.get("/rolls", table.tokens["cara"]).json["rolls"][0]["id"]
    real = {"campaign": table.id, "ruleset": table.ruleset, "session": session, "roll": roll, "user": "anna"}
    for path, calls in document["paths"].items():
        if "get" in calls and not path.endswith("/stream"):
            yield re.sub(r"\{(\w+)\}", lambda part: real.get(part[1], "aaaaaaaaaa"), path)
    rolls = f"{table.path}/rolls"
    for query in ("limit=1", "limit=2", "outcome=success", "user=anna", "action=test", f"session={session}"):
        yield f"{rolls}?{query}"
    yield from (f"{rolls}/{session}-bbbbbbbbbb", f"{rolls}?cursor=1-0", "/", "/nowhere")


def read_all(table, token):
    """What the holder of a token is answered, by path and wish: status, headers and body."""
    seen = {}
    for path, wish in itertools.product(list(readable(table)), HISTORY_AS):
        answer = table.call("GET", path, token, Accept=wish)
        headers = {name: value for name, value in answer.headers if name not in OF_THE_MOMENT}
        seen[path, wish] = (answer.status_code, headers, WHEN_EXPORTED.sub(b"", answer.data))
    return seen


@pytest.mark.parametrize("visibility", ["gm", "blind", "self"])
def test_nothing_that_a_player_reads_changes_by_hidden_rolls(hall, visibility):
    cara = hall.tokens["cara"]
    before, elsewhere = read_all(hall, cara), read_all(hall, None)
    body = {"action": "test", "params": {}, "visibility": visibility, "label": "hush"}
    for token in (hall.tokens["anna"], hall.gm, hall.tokens["bert"]):
        hall.rolled(token, body)
    hall.roll(hall.gm, body)  # and one that waits
    if visibility != "self":
        opponent = {"kind": "player", "user": "bert"}
        hall.rolled(hall.gm, body | {"action": "contest", "params": {"opponent": opponent}})
    assert read_all(hall, cara) == before
    assert read_all(hall, None) == elsewhere
    assert len(before) > 60 and sum(status == 200 for status, _, _ in before.values()) > 20


CONSOLE = (
    "/",
    "/console/roll/test",
    "/console/roll/test?like={roll}",
    "/console/history",
    "/console/rolls/{roll}",
    "/console/sessions",
    "/console/sessions/{session}/end",
    "/console/players",
    "/console/reports",
    "/console/webhooks",
    "/console/campaign",
)


def read_console(console, roll):
    """The console's pages, without the key that each form has for its next click."""
    parts = {"roll": roll, "session": roll.split("-")[0]}
    pages = {path: console.client.get(path.format(**parts)) for path in CONSOLE}
    assert {path: page.status_code for path, page in pages.items()} == dict.fromkeys(CONSOLE, 200)
    key = re.compile(r'(name="key" value=")[0-9a-f-]{36}"')
    return {path: key.sub(r'\1"', page.text) for path, page in pages.items()}


def test_nothing_that_the_gm_reads_changes_by_what_players_roll_for_themselves(hall):
    console = Console(hall).sign_in()
    roll = hall.get("/rolls").json["rolls"][0]["id"]
    pages, answers = read_console(console, roll), read_all(hall, hall.gm)
    body = {"action": "test", "params": {}, "visibility": "self", "label": "hush"}
    hall.rolled(hall.tokens["anna"], body)
    hall.rolled(hall.tokens["bert"], body)
    hall.roll(hall.tokens["bert"], body)  # and one that waits
    assert read_console(console, roll) == pages
    assert read_all(hall, hall.gm) == answers


def test_no_answer_of_the_api_has_a_mark_that_changes_with_hidden_rolls(hall):
    """An ETag or a date of change would have to leave them out; there is none."""
    for path, (_, headers, _) in read_all(hall, hall.gm).items():
        if path[0].startswith("/v1/campaigns"):
            assert not {"ETag", "Last-Modified"} & set(headers), path
            assert headers["Cache-Control"] in ("no-store", "no-cache", "private, no-store"), path


def test_a_blind_roll_has_the_same_length_whatever_was_thrown(hall):
    anna = hall.tokens["anna"]
    outcomes, lengths = set(), set()
    for _ in range(12):
        body = {"action": "test", "params": {}, "visibility": "blind"}
        shown = hall.rolled(anna, body)
        outcomes.add(hall.get(f"/rolls/{shown['id']}").json["outcome"])
        lengths.add(len(hall.get(f"/rolls/{shown['id']}", anna).data))
    assert len(lengths) == 1 and len(outcomes) > 1


def test_ids_of_rolls_tell_neither_their_order_nor_their_number(hall):
    """The part after the session's is random: 50 random bits, nothing that counts."""
    ids = [hall.rolled(body={"action": "test", "params": {}})["id"].split("-")[1] for _ in range(40)]
    assert all(re.fullmatch(r"[a-z2-7]{10}", each) for each in ids) and len(set(ids)) == 40
    ups = sum(later > earlier for earlier, later in itertools.pairwise(ids))
    assert 8 <= ups <= 31  # one in a billion is beyond this when the order is random


def test_events_a_player_gets_are_not_numbered_through(hall):
    """The ids of events are times; a hidden roll in between leaves no gap that could be counted."""
    clicked, received = [], []
    with serving(hall.app) as address:
        listener = Listener(address, hall, hall.tokens["cara"])
        assert listener.wait(lambda it: it.comments)
        for visibility in ("public", "gm", "gm", "public"):
            time.sleep(0.02)  # ids that count up by one fall behind the time
            before = time.time_ns() // 1_000_000
            hall.rolled(hall.tokens["anna"], {"action": "test", "params": {}, "visibility": visibility})
            if visibility == "public":
                clicked.append(before)
                assert len(listener.rolls(len(clicked))) == len(clicked)
                received.append(time.time_ns() // 1_000_000)
        events = listener.events
    assert [event.data["seq"] for event in events] == [4, 5]
    assert all(re.fullmatch(r"\d+-0", event.id) for event in events)
    ids = [int(event.id.removesuffix("-0")) for event in events]
    for began, id, ended in zip(clicked, ids, received, strict=True):
        assert began <= id <= ended


@dataclass(frozen=True)
class Work:
    """What an answer takes: requests to Redis, and rolls that are made up to be shown.

    Each takes far longer than anything else that could differ, and neither varies with the machine.
    """

    trips: int
    rolls_made_up: int


@pytest.fixture
def work_of(monkeypatch):
    """Return what it takes to answer, with that status, what was asked once before."""

    def work_of(ask, status):
        assert ask().status_code == status  # scripts are loaded, connections are made
        made, make = [], presenting._roll
        with counted_trips(monkeypatch) as sent, monkeypatch.context() as patch:
            patch.setattr(presenting, "_roll", lambda *parts: made.append(parts) or make(*parts))
            assert ask().status_code == status
        return Work(len(sent), len(made))

    return work_of


def test_a_hidden_roll_takes_as_long_to_refuse_as_one_that_is_not_there(hall, work_of):
    hidden = hall.rolled(hall.gm, {"action": "test", "params": {}, "visibility": "gm"})["id"]
    waiting = hall.roll(hall.gm, {"action": "test", "params": {}, "visibility": "gm"}).json["id"]
    cara, missing = hall.tokens["cara"], f"{hidden.split('-')[0]}-bbbbbbbbbb"
    for roll in (hidden, waiting, missing):
        assert work_of(lambda roll=roll: hall.get(f"/rolls/{roll}", cara), 404) == Work(3, 0), roll
        assert work_of(lambda roll=roll: hall.answer(roll, cara, {}, "a-key"), 404) == Work(3, 0), roll


def test_a_page_of_history_takes_as_long_with_hidden_rolls_in_between(hall, work_of):
    cara = hall.tokens["cara"]
    without = work_of(lambda: hall.get("/rolls?limit=3", cara), 200)
    assert without.rolls_made_up == 3
    for _ in range(20):
        hall.rolled(hall.gm, {"action": "test", "params": {}, "visibility": "gm"})
    assert work_of(lambda: hall.get("/rolls?limit=3", cara), 200) == without


def test_tokens_are_compared_by_their_digests_only(settings, monkeypatch):
    """Whatever a token begins with: no part of one is ever held against a part of what was sent."""
    older = "tba_" + "o" * 43
    table = set_table(make_app(replace(settings, admin_token_old=older)), settings, "fort-ref-will")
    admin, gm, compare, compared = table.admin, table.gm, hmac.compare_digest, []

    def compare_and_note(one, other):
        compared.append((one, other))
        return compare(one, other)

    monkeypatch.setattr(hmac, "compare_digest", compare_and_note)
    for token in (admin, older, admin[:-1] + "!", "tba_" + "x" * 43, gm, gm[:-1] + "!"):
        compared.clear()
        with counted_trips(monkeypatch) as sent:
            status = table.get("/rolls", token).status_code
        assert status == {admin: 403, older: 403, gm: 200}.get(token, 401)
        assert compared == [(digest(token), digest(good)) for good in (admin, older)]
        assert not any(token.encode() in command for command in sent)
        looked_up = any(digest(token).encode() in command for command in sent)
        assert looked_up == token.startswith("tbg_")


@pytest.mark.parametrize("visibility", ["public", "gm", "blind", "self"])
def test_a_click_is_answered_alike_whatever_its_visibility(hall, work_of, visibility):
    body = {"action": "test", "params": {}, "visibility": visibility}
    assert work_of(lambda: hall.roll(hall.tokens["anna"], body), 202) == Work(3, 1)
