"""The history as a file: CSV and NDJSON, all that matches, as the caller may see it."""

import collections
import csv
import gc
import io
import json

import orjson
import psutil
import pytest
from redis.exceptions import ConnectionError

from service.history_files import COLUMNS
from service.store import keys
from tests.service.table import Table

CSV, NDJSON = "text/csv", "application/x-ndjson"
FORMULA_SIGNS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")


@pytest.fixture
def played(table) -> Table:
    """Nine rolls in two sessions, of each visibility, by anna and bert."""
    for number, visibility in enumerate(
        ("public", "gm", "blind", "self", "public", "public", "gm", "self", "public")
    ):
        who = table.tokens[("anna", "bert")[number % 2]]
        session = table.rolled(who, label=f"roll {number}", visibility=visibility)["session"]
        if number == 4:
            table.post(f"/sessions/{session}/end", None)
    return table


def lines(answer):
    assert answer.status_code == 200 and answer.mimetype == NDJSON
    return [json.loads(line) for line in answer.text.splitlines()]


def table_of(answer):
    assert answer.status_code == 200 and answer.mimetype == CSV
    assert answer.data.startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(io.StringIO(answer.data.decode("utf-8-sig"), newline="")))


@pytest.mark.parametrize("who", ["gm", "anna", "bert"])
@pytest.mark.parametrize(
    "query", ["", "?user=anna", "?outcome=success", "?since=2001-01-01", "?until=2001-01-01"]
)
def test_a_file_holds_what_the_pages_hold(played, who, query):
    token = played.tokens.get(who)
    pages = played.get(f"/rolls{query}", token).json["rolls"]
    assert lines(played.get(f"/rolls{query}", token, Accept=NDJSON)) == pages
    rows = table_of(played.get(f"/rolls{query}", token, Accept=CSV))
    assert [row["id"] for row in rows] == [roll["id"] for roll in pages]
    for row, roll in zip(rows, pages, strict=True):
        assert (row["outcome"] or None, row["nonce"] or None) == (roll["outcome"], roll["fairness"]["nonce"])
        assert row["seq"] == ("" if roll["seq"] is None else str(roll["seq"]))
        assert row["points"] == ("" if roll.get("successes") is None else str(roll["successes"]))


def test_it_is_whole_whatever_the_limit(played):
    assert len(lines(played.get("/rolls?limit=1", Accept=NDJSON))) == 7
    first = played.get("/rolls?limit=2").json
    rest = lines(played.get(f"/rolls?limit=1&cursor={first['next_cursor']}", Accept=NDJSON))
    assert len(rest) == 5


def test_one_session_of_the_two(played):
    session = played.get("/sessions").json["sessions"][1]["id"]
    rolls = lines(played.get(f"/rolls?session={session}", Accept=NDJSON))
    assert [roll["label"] for roll in rolls] == ["roll 4", "roll 2", "roll 1", "roll 0"]


def test_json_is_what_comes_when_nothing_else_is_asked_for(played):
    for accept in ("*/*", "application/json", "text/html", "application/json, text/csv;q=0.5"):
        assert played.get("/rolls", Accept=accept).mimetype == "application/json"
    assert played.get("/rolls", Accept="text/csv, application/json;q=0.5").mimetype == CSV


def test_a_file_is_saved_and_not_cached(played):
    answer = played.get("/rolls", Accept=CSV)
    assert answer.headers["Content-Disposition"] == f'attachment; filename="rolls-{played.id}.csv"'
    assert answer.headers["Cache-Control"] == "no-store"


def test_nothing_matches(table):
    assert lines(table.get("/rolls", Accept=NDJSON)) == []
    assert table.get("/rolls", Accept=CSV).data.decode("utf-8-sig") == ",".join(COLUMNS) + "\r\n"


def test_no_cell_is_a_formula(table):
    labels = ["=HYPERLINK(1)", "+1", "-2+3", "@SUM(A1)", '"quoted", =1', "line; =2", " =3", "\uff1d1"]
    for label in labels:
        actor = {"id": "A1", "name": label.strip()}
        table.rolled(table.player("evil", "=cmd|'/c calc'!A1"), label=label, actor=actor)
    for row in table_of(table.get("/rolls", Accept=CSV)):
        for name, cell in row.items():
            number = name in ("margin", "points", "target", "seq", "probability", "opponent_points")
            assert number or not cell.strip(" ").startswith(FORMULA_SIGNS), (name, cell)
        assert row["user_name"] == "'=cmd|'/c calc'!A1"
    found = {row["label"].replace("'", "") for row in table_of(table.get("/rolls", Accept=CSV))}
    assert found == {label.strip() for label in labels}


@pytest.mark.parametrize("separator", [";", "\t"])
def test_no_cell_is_a_formula_where_something_else_parts_them(table, separator):
    """German, French and Spanish spreadsheets part cells at semicolons."""
    for label in ("x;=1+1;y", "x; +1", "x;;-1", "x;@SUM(A1)", 'x;"=1', "x;\uff1d1;\uff0b1;\uff0d1;\uff201"):
        table.rolled(label=label, actor={"id": "A1", "name": label})
    written = table.get("/rolls", Accept=CSV).data.decode("utf-8-sig")
    cells = [c for row in csv.reader(io.StringIO(written, newline=""), delimiter=separator) for c in row]
    assert any("1+1" in cell for cell in cells)
    assert [cell for cell in cells if cell.strip(" ").startswith(FORMULA_SIGNS)] == []


def many(table, number):
    """A session with so many rolls, put there as the commit would."""
    record = table.services.store.rolls.get(table.id, table.rolled()["id"])
    [(stream_id, _)] = list(table.services.store.rolls.history(table.id))
    ms, redis = int(stream_id.split("-")[0]), table.services.redis
    for start in range(0, number, 5000):
        with redis.pipeline(transaction=False) as together:
            for place in range(start, min(start + 5000, number)):
                entry = {"e": "roll", "r": orjson.dumps({**record, "seq": place + 2})}
                together.xadd(keys.stream(record["session"]), entry, id=f"{ms + place + 1}-0")
            together.execute()


def stream(table, accept):
    """The answer, to be read part by part."""
    headers = {"Authorization": f"Bearer {table.gm}", "Accept": accept}
    return table.app.test_client().get(f"{table.path}/rolls", headers=headers, buffered=False)


@pytest.mark.parametrize(("accept", "number"), [(CSV, 50_000), (NDJSON, 8_000)])
def test_it_takes_the_same_memory_however_long_it_is(table, accept, number):
    many(table, number)
    process, used, size = psutil.Process(), [], 0
    for place, part in enumerate(stream(table, accept).iter_encoded()):
        size += part.count(b"\n")
        if place % 40 == 0:
            gc.collect()
            used.append(process.memory_info().rss)
    assert size == number + 1 + (accept == CSV)
    assert (max(used[1:]) - used[1]) / 2**20 < 12  # the first holds what the preparation left


@pytest.mark.parametrize("accept", [CSV, NDJSON])
def test_a_failure_on_the_way_is_seen_in_the_file_and_by_the_client(table, monkeypatch, accept):
    many(table, 300)
    xrevrange, read = table.services.redis.xrevrange, []

    def failing(*args, **more):
        read.append(args)
        if len(read) == 3:
            raise ConnectionError("gone")
        return xrevrange(*args, **more)

    monkeypatch.setattr(table.services.redis, "xrevrange", failing)
    answer = stream(table, accept)
    parts, written = [], answer.iter_encoded()
    with pytest.raises(ConnectionError):
        collections.deque(map(parts.append, written), maxlen=0)
    told = b"".join(parts).decode().splitlines()
    assert "it is not all of it" in told[-1] and len(told) > 100


def test_a_store_that_is_away_from_the_start_is_a_problem_as_any_other(table, monkeypatch):
    def away(*_, **__):
        raise ConnectionError("gone")

    table.rolled()
    monkeypatch.setattr(table.services.redis, "xrevrange", away)
    answer = table.get("/rolls", Accept=CSV)
    assert answer.status_code == 503 and answer.mimetype == "application/problem+json"


def test_the_document_tells_of_both(app):
    document = app.test_client().get("/openapi.json").json
    call = document["paths"]["/v1/campaigns/{campaign}/rolls"]["get"]
    assert set(call["responses"]["200"]["content"]) == {"application/json", CSV, NDJSON}
