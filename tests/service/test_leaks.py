"""That there was a hidden roll must not show: on no way out, in no count, id, header, length or time.

Whatever a player can read is read before and after others have rolled in secret; it stays the same, byte for
byte. The calls are those of the OpenAPI document, so a new one is tried too.
"""

import itertools
import re
import statistics
import time

import pytest

from tests.service.console.browser import Console
from tests.service.table import Listener, fresh_key, make_app, serving, set_table

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
    with serving(hall.app) as address:
        listener = Listener(address, hall, hall.tokens["cara"])
        assert listener.wait(lambda it: it.comments)
        for visibility in ("public", "gm", "gm", "public"):
            hall.rolled(hall.tokens["anna"], {"action": "test", "params": {}, "visibility": visibility})
        assert len(listener.rolls(2)) == 2
        assert listener.wait(lambda it: len(it.events) == 2)
        assert [event.data["seq"] for event in listener.events] == [4, 5]


def measured(*asks, rounds=60):
    """The median time (s) of each, asked in turns, so that whatever else the machine does hits all alike."""
    times = [[] for _ in asks]
    for ask in asks:
        ask()
    for _ in range(rounds):
        for ask, taken in zip(asks, times, strict=True):
            began = time.perf_counter()
            ask()
            taken.append(time.perf_counter() - began)
    return [statistics.median(taken) for taken in times]


def test_a_hidden_roll_takes_as_long_to_refuse_as_one_that_is_not_there(hall):
    """Coarse: what could be told apart over a network would be far beyond this."""
    hidden = hall.rolled(hall.gm, {"action": "test", "params": {}, "visibility": "gm"})["id"]
    cara, missing = hall.tokens["cara"], f"{hidden.split('-')[0]}-bbbbbbbbbb"
    asked = [lambda roll=roll: hall.get(f"/rolls/{roll}", cara) for roll in (hidden, missing)]
    answered = [lambda roll=roll: hall.answer(roll, cara, {}, "a-key") for roll in (hidden, missing)]
    for pair in (asked, answered):
        there, nowhere = measured(*pair)
        assert abs(there - nowhere) < max(0.3 * nowhere, 0.001)


def test_a_page_of_history_takes_as_long_with_hidden_rolls_in_between(hall):
    cara = hall.tokens["cara"]
    [without] = measured(lambda: hall.get("/rolls?limit=3", cara))
    for _ in range(20):
        hall.rolled(hall.gm, {"action": "test", "params": {}, "visibility": "gm"})
    [between] = measured(lambda: hall.get("/rolls?limit=3", cara))
    assert between < 3 * without + 0.005


def test_a_token_is_refused_as_fast_whatever_it_begins_with(hall):
    """Tokens are looked up by their digest: no part of one is ever compared with what was sent."""
    admin, gm = hall.admin, hall.gm
    guesses = [admin[:-1] + "!", "tba_" + "x" * 43, gm[:-1] + "!", "tbg_" + "x" * 43]
    times = measured(*(lambda token=token: hall.get("/rolls", token) for token in guesses))
    for right_so_far, made_up in (times[:2], times[2:]):
        assert abs(right_so_far - made_up) < max(0.3 * made_up, 0.001)


def test_a_click_is_answered_alike_whatever_its_visibility(hall):
    anna = hall.tokens["anna"]
    kinds = ("public", "gm", "blind", "self")
    sent = [
        lambda kind=kind: hall.post(
            "/rolls",
            {"action": "test", "params": {}, "visibility": kind},
            anna,
            Idempotency_Key=fresh_key(),
        )
        for kind in kinds
    ]
    times = measured(*sent, rounds=25)
    assert max(times) < 2 * min(times) + 0.002
