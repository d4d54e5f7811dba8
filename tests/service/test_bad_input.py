"""Bad input never reaches the queue, and its answer says which field and what it takes."""

import json
from urllib.parse import quote

import pytest

from tests.service.table import SKILL_CHECK, fresh_key, queued

GOOD = {"stat": 3, "skill": "trained", "knack": False, "bonus": 1, "penalty": 0, "dv": 2}


def with_params(**changes):
    return {"action": "skill-check", "params": GOOD | changes}


BAD_FIELDS = [
    pytest.param(with_params(stat=2.0), "params.stat", id="a float"),
    pytest.param(with_params(dv=True), "params.dv", id="a boolean for a number"),
    pytest.param(with_params(stat="3"), "params.stat", id="a numeric string"),
    pytest.param(with_params(stat=10**400), "params.stat", id="a huge integer"),
    pytest.param(with_params(stat=-(2**64)), "params.stat", id="a huge negative integer"),
    pytest.param(with_params(stat=0), "params.stat", id="below the range"),
    pytest.param(with_params(stat=6), "params.stat", id="above the range"),
    pytest.param(with_params(stat=None), "params.stat", id="null"),
    pytest.param(with_params(stat=[3]), "params.stat", id="a list"),
    pytest.param(with_params(knack=1), "params.knack", id="a number for a flag"),
    pytest.param(with_params(skill="Trained"), "params.skill", id="no such choice"),
    pytest.param(with_params(luck=1), "params.luck", id="an unknown param"),
    pytest.param({"action": "skill-check", "params": {}}, "params.stat", id="a missing param"),
    pytest.param({"action": "skill-check", "params": []}, "params", id="params as a list"),
    pytest.param({"action": "skill-check"}, "params", id="no params"),
    pytest.param({"params": GOOD}, "action", id="no action"),
    pytest.param({"action": "contest", "params": {}}, "action", id="another rule set's action"),
    pytest.param({"action": 5, "params": GOOD}, "action", id="an action that is a number"),
    pytest.param(SKILL_CHECK | {"colour": "red"}, "colour", id="an unknown field"),
    pytest.param(SKILL_CHECK | {"visibility": "hidden"}, "visibility", id="no such visibility"),
    pytest.param(SKILL_CHECK | {"visibility": None}, "visibility", id="null visibility"),
    pytest.param(SKILL_CHECK | {"session": "x"}, "session", id="no session id"),
    pytest.param(SKILL_CHECK | {"label": ""}, "label", id="an empty label"),
    pytest.param(SKILL_CHECK | {"label": "x" * 81}, "label", id="a long label"),
    pytest.param(SKILL_CHECK | {"label": "a\nb"}, "label", id="a line break in a label"),
    pytest.param(SKILL_CHECK | {"label": "a\x1b[2Jb"}, "label", id="an escape in a label"),
    pytest.param(SKILL_CHECK | {"label": "<img src=x onerror=alert(1)>"}, "label", id="HTML in a label"),
    pytest.param(SKILL_CHECK | {"label": 7}, "label", id="a label that is a number"),
    pytest.param(SKILL_CHECK | {"actor": {"id": "a"}}, "actor.name", id="an actor without a name"),
    pytest.param(SKILL_CHECK | {"actor": "Bob"}, "actor", id="an actor that is a name"),
    pytest.param(
        SKILL_CHECK | {"actor": {"id": "a b", "name": "Bob"}}, "actor.id", id="a blank in an actor's id"
    ),
    pytest.param(
        SKILL_CHECK | {"actor": {"id": "a", "name": "<b>Bob</b>"}}, "actor.name", id="HTML in a name"
    ),
    pytest.param(
        SKILL_CHECK | {"actor": {"id": "a", "name": "Bob\x07"}}, "actor.name", id="a control in a name"
    ),
    pytest.param(
        SKILL_CHECK | {"actor": {"id": "a", "name": "Bob", "hp": 3}}, "actor.hp", id="an unknown actor field"
    ),
]


@pytest.mark.parametrize(("body", "field"), BAD_FIELDS)
def test_a_bad_field_is_named(table, valkey, body, field):
    answer = post(table, json.dumps(body))
    assert answer.status_code == 422 and answer.mimetype == "application/problem+json"
    errors = answer.json["errors"]
    for name in field.split("."):
        errors = errors[name]
    assert errors and field.split(".")[0] in answer.json["detail"]
    assert queued(valkey) == 0 and not valkey.exists("tb:pending")


BAD_BODIES = [
    pytest.param(b"", 400, id="empty"),
    pytest.param(b"{", 400, id="cut off"),
    pytest.param(b"{'action': 'x'}", 400, id="Python, not JSON"),
    pytest.param(b'{"action": "skill-check", "params": {"stat": NaN, "dv": 1}}', 400, id="NaN"),
    pytest.param(b'{"action": "skill-check", "params": {"stat": -Infinity, "dv": 1}}', 400, id="infinity"),
    pytest.param(
        b'{"action": "skill-check", "params": {"stat": 1e999, "dv": 1}}', 400, id="a float beyond all"
    ),
    pytest.param(b'{"action": "a", "action": "b", "params": {}}', 400, id="a name twice"),
    pytest.param(
        b'{"params": {"stat": 1, "stat": 5, "dv": 1}, "action": "skill-check"}', 400, id="a param twice"
    ),
    pytest.param(b'{"action": "\xff", "params": {}}', 400, id="not UTF-8"),
    pytest.param('{"action": "ä"}'.encode("utf-16"), 400, id="UTF-16"),
    pytest.param(b'\xef\xbb\xbf{"action": "x"}', 400, id="a byte order mark"),
    pytest.param(b'{"label": "a\\u0000b", "action": "x", "params": {}}', 400, id="NUL"),
    pytest.param(b'{"label": "a\x00b"}', 400, id="a raw NUL"),
    pytest.param(b'{"label": "\\ud800", "action": "x", "params": {}}', 400, id="a lone surrogate"),
    pytest.param(b'{"\\udfff": 1}', 400, id="a lone surrogate in a name"),
    pytest.param(b'{"action": ' + b"[" * 30000 + b"]" * 30000 + b"}", 400, id="nested 30,000 deep"),
    pytest.param(b'{"a":' * 9000 + b"1" + b"}" * 9000, 400, id="objects 9,000 deep"),
    pytest.param(b'{"a": ' + b"9" * 5000 + b"}", 400, id="5,000 digits"),
    pytest.param(b"[]", 422, id="a list"),
    pytest.param(b'"skill-check"', 422, id="a string"),
    pytest.param(b"null", 422, id="null"),
    pytest.param(
        b'{"action": "skill-check", "params": ' + b'{"a": ' * 40 + b"1" + b"}" * 40 + b"}", 422, id="40 deep"
    ),
    pytest.param(b'{"label": "' + b"x" * 1_000_000 + b'"}', 413, id="1 MB"),
    pytest.param(b" " * 65_537, 413, id="64 KiB and a byte"),
]


@pytest.mark.parametrize(("raw", "status"), BAD_BODIES)
def test_a_bad_body_is_refused(table, valkey, raw, status):
    answer = post(table, raw)
    assert (answer.status_code, answer.mimetype) == (status, "application/problem+json")
    assert answer.json["status"] == status and answer.json["detail"].endswith((".", "…"))
    assert queued(valkey) == 0


@pytest.mark.parametrize(
    "media_type", ["text/plain", "application/x-www-form-urlencoded", "application/xml", None]
)
def test_a_body_that_is_not_called_json_is_refused(table, valkey, media_type):
    answer = post(table, json.dumps(SKILL_CHECK), media_type)
    assert answer.status_code == 415 and "application/json" in answer.json["detail"]
    assert queued(valkey) == 0


def test_json_with_a_charset_is_json(table):
    assert post(table, json.dumps(SKILL_CHECK), "application/json; charset=utf-8").status_code == 202


def test_names_with_odd_but_harmless_letters_are_kept(table):
    for name in ("Zoë <3 Bob & Co.", "Ragnar “the Red”", "张飞", "a < b > c", "😀"):
        roll = table.rolled(actor={"id": "a", "name": name}, label=name)
        assert roll["actor"]["name"] == name and roll["label"] == name


def test_outer_spaces_of_a_label_are_dropped(table):
    assert table.rolled(label="  Leap ")["label"] == "Leap"


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=201",
        "limit=-1",
        "limit=ten",
        "limit=1.0",
        "limit=",
        "limit=٣",
        "cursor=x",
        "cursor=1-",
        "cursor=99999999999999999999-0",
        "since=yesterday",
        "since=2026-13-01",
        "until=12",
        "outcome=won",
        "session=x",
        "user=a%20b",
        "colour=red",
        "limit=1&limit=2",
        "actor=%00",
    ],
)
def test_a_bad_query_is_refused(table, query):
    answer = table.get(f"/rolls?{query}")
    assert answer.status_code in (400, 422) and answer.mimetype == "application/problem+json"
    if answer.status_code == 422:
        assert query.split("=")[0] in answer.json["errors"]


@pytest.mark.parametrize("letter", ["%00", "%07", "%0A", "%7F"])
@pytest.mark.parametrize("field", ["user", "actor", "cursor"])
def test_a_control_character_in_a_query_is_told_as_such(table, field, letter):
    """It is UTF-8 like any other letter: what is wrong is the value of that field."""
    answer = table.get(f"/rolls?{field}=a{letter}b")
    assert answer.status_code == 422
    assert answer.json["errors"] == {field: ["Must be text without control characters."]}
    assert answer.json["detail"] == f"{field}: Must be text without control characters."


@pytest.mark.parametrize("raw", ["%FF", "%C3", "%ED%A0%80"])
def test_a_query_of_bytes_that_are_no_utf8_is_told_as_such(table, raw):
    answer = table.get(f"/rolls?actor=a{raw}")
    assert (answer.status_code, answer.json["detail"]) == (
        400,
        "The query holds bytes that are no UTF-8 text.",
    )


@pytest.mark.parametrize("field", ["user", "actor"])
def test_the_sign_for_an_unreadable_letter_is_refused_by_its_field_alone(table, field):
    answer = table.get(f"/rolls?{field}=%EF%BF%BD")
    assert answer.status_code == 422 and list(answer.json["errors"]) == [field]


@pytest.mark.parametrize(
    "moment",
    ["2026-11-30T20:15:00Z", "2026-11-30T20:15:00.123%2B01:00", "2026-11-30T20:15:00+01:00", "2026-11-30"],
)
def test_moments_are_iso_8601(table, moment):
    assert table.get(f"/rolls?since={moment}").status_code == 200


OUT_OF_RANGE = [
    "0001-01-01T00:00:00+14:00",
    "0001-01-01",
    "1969-12-31",
    "1970-01-01T00:00:00+00:01",
    "1969-12-31T23:59:59.9999Z",
    "9999-12-31T23:59:59-12:00",
    "9999-12-31T23:59:59.999999-00:01",
]
AT_THE_ENDS = [
    ("1970-01-01", "1970-01-01T00:00:00.000Z"),
    ("1969-12-31T23:00:00-01:00", "1970-01-01T00:00:00.000Z"),
    ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999Z"),
]


@pytest.mark.parametrize("moment", OUT_OF_RANGE)
@pytest.mark.parametrize("field", ["since", "until"])
def test_a_moment_beyond_the_years_that_are_taken_is_refused(table, field, moment):
    answers = [table.post("/reports", {field: moment}), table.get(f"/rolls?{field}={quote(moment)}")]
    for answer in answers:
        assert answer.status_code == 422
        assert answer.json["errors"] == {field: ["Must lie from 1970-01-01 to 9999-12-31, in UTC."]}
    assert table.get("/reports").json["reports"] == []


@pytest.mark.parametrize(("moment", "told"), AT_THE_ENDS)
@pytest.mark.parametrize("field", ["since", "until"])
def test_the_first_and_the_last_moment_are_taken(table, field, moment, told):
    assert table.get(f"/rolls?{field}={quote(moment)}").status_code == 200
    assert table.post("/reports", {field: moment}).json["about"][field] == told
    assert [report["about"][field] for report in table.get("/reports").json["reports"]] == [told]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/players", {"user": "gm", "name": "Me"}),
        ("POST", "/players", {"user": "a b", "name": "Me"}),
        ("POST", "/players", {"user": "x" * 65, "name": "Me"}),
        ("POST", "/players", {"user": "anna\n", "name": "Me"}),
        ("POST", "/players", {"user": "anna", "name": "<script>"}),
        ("POST", "/players", {"user": "anna", "name": "\u2028"}),
        ("POST", "/players", {"user": "anna"}),
        ("POST", "/sessions", {"title": "<i>x</i>"}),
        ("POST", "/sessions", {"title": 5}),
        ("POST", "/sessions", {"name": "x"}),
        ("PATCH", "", {"name": ""}),
        ("PATCH", "", {"ruleset": "heroes-2d6"}),
        ("PATCH", "", {"house_rules": {"criticals": "off"}}),
        ("PATCH", "", {"house_rules": []}),
        ("DELETE", "/players?user=gm", None),
        ("DELETE", "/players", None),
    ],
)
def test_other_bad_bodies_are_refused_field_by_field(table, method, path, body):
    answer = table.call(method, table.path + path, table.gm, body)
    assert answer.status_code == 422 and answer.json["errors"]


def test_an_error_names_no_more_of_a_long_name_than_one_can_read(table):
    answer = post(table, json.dumps(SKILL_CHECK | {"x" * 5000: 1}))
    assert answer.status_code == 422 and len(answer.json["detail"]) < 300


def post(table, raw, media_type="application/json"):
    headers = {"Authorization": f"Bearer {table.gm}", "Idempotency-Key": fresh_key()}
    return table.app.test_client().post(
        f"{table.path}/rolls", data=raw, content_type=media_type, headers=headers
    )
