"""Calls from a browser at another origin: Foundry's."""

from dataclasses import replace

import pytest

from tests.service.table import make_app, set_table

FOUNDRY = "http://localhost:30000"


def preflight(table, path, method="POST", origin=FOUNDRY, **more):
    wanted = "authorization,content-type,accept,idempotency-key,prefer,last-event-id"
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": wanted,
        **more,
    }
    return table.app.test_client().options(path, headers=headers)


@pytest.mark.parametrize("method", ["GET", "POST", "PATCH", "DELETE"])
def test_a_preflight_lets_foundry_send_what_it_needs(table, method):
    answer = preflight(table, f"{table.path}/rolls", method)
    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Origin"] == FOUNDRY
    assert method in answer.headers["Access-Control-Allow-Methods"]
    allowed = {name.strip().lower() for name in answer.headers["Access-Control-Allow-Headers"].split(",")}
    assert allowed >= {
        "authorization",
        "content-type",
        "idempotency-key",
        "prefer",
        "last-event-id",
        "accept",
    }
    assert int(answer.headers["Access-Control-Max-Age"]) > 0
    assert "Origin" in answer.headers.get("Vary", "Origin")


def test_a_preflight_for_a_service_in_the_local_network(table):
    answer = preflight(table, f"{table.path}/rolls", **{"Access-Control-Request-Private-Network": "true"})
    assert answer.headers["Access-Control-Allow-Private-Network"] == "true"


def test_an_answer_shows_its_headers(table):
    answer = table.roll(Origin=FOUNDRY)
    assert answer.headers["Access-Control-Allow-Origin"] == FOUNDRY
    exposed = {name.strip() for name in answer.headers["Access-Control-Expose-Headers"].split(",")}
    assert exposed >= {"Location", "Retry-After", "Preference-Applied", "Idempotent-Replayed"}
    assert "Access-Control-Allow-Credentials" not in answer.headers


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "http://localhost:30001", "https://localhost:30000", "null"]
)
def test_other_origins_are_not_let_in(table, origin):
    for answer in (
        preflight(table, f"{table.path}/rolls", origin=origin),
        table.get("/rolls", Origin=origin),
    ):
        assert "Access-Control-Allow-Origin" not in answer.headers


def test_errors_can_be_read_by_the_browser_too(table, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError

    answers = {
        404: table.get("/nothing", Origin=FOUNDRY),
        401: table.call("GET", f"{table.path}/rolls", "tbp_unknown", Origin=FOUNDRY),
        405: table.call("PUT", f"{table.path}/rolls", table.gm, Origin=FOUNDRY),
        422: table.post("/rolls", {}, Origin=FOUNDRY, Idempotency_Key="x"),
        413: table.post("/rolls", {"label": "x" * 70_000}, Origin=FOUNDRY, Idempotency_Key="x"),
    }
    monkeypatch.setattr("service.api.rolls.present", broken)
    answers[500] = table.roll(Origin=FOUNDRY)
    for status, answer in answers.items():
        assert answer.status_code == status
        assert answer.headers["Access-Control-Allow-Origin"] == FOUNDRY, status


def test_the_stream_can_be_read_by_the_browser(table):
    answer = table.get("/stream", Origin=FOUNDRY)
    assert answer.headers["Access-Control-Allow-Origin"] == FOUNDRY
    answer.close()


def test_several_origins_and_odd_ones_are_taken_by_their_letters(settings, redis_url):
    origins = ("https://foundry.example.org", "http://[::1]:30000")
    app = make_app(replace(settings, origins=origins))
    table = set_table(app, settings)
    for origin in origins:
        assert table.get("/rolls", Origin=origin).headers["Access-Control-Allow-Origin"] == origin
    for origin in ("https://foundryxexample.org", "http://::1:30000", "https://foundry.example.org.evil.com"):
        assert "Access-Control-Allow-Origin" not in table.get("/rolls", Origin=origin).headers
