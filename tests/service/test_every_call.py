"""Every call of the OpenAPI document, by everybody: made from the document, so that none is forgotten.

The bodies are left out: who may call is settled before anything of the request is read.
"""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from service.auth import Who
from service.settings import Settings
from tests.service.table import Listener, fresh_key, make_app, serving, set_table

NOWHERE = "redis://unused.invalid"
LET_IN = "let in"

OUTSIDERS = {"nobody": 401, "unknown": 401, "revoked": 401}
ELSEWHERE = OUTSIDERS | {"stranger": 404, "other GM": 404}
EXPECTED = {
    Who.ADMIN: OUTSIDERS
    | {"stranger": 403, "other GM": 403, "player": 403, "the GM": 403, "the admin": LET_IN},
    Who.GM: ELSEWHERE | {"player": 403, "the admin": 403, "the GM": LET_IN},
    Who.MEMBER: ELSEWHERE | {"the admin": 403, "player": LET_IN, "the GM": LET_IN},
    Who.OWNER: ELSEWHERE | {"player": 403, "the admin": LET_IN, "the GM": LET_IN},
}
"""What each meets at a call, by whom it is for; those who are let in last, for they may change something."""
DELETES_ALL = ("DELETE", "/v1/campaigns/{campaign}")


def _document():
    settings = Settings(admin_token="unused-unused-unused", data=Path(), redis_url=NOWHERE)
    return make_app(settings).test_client().get("/openapi.json").json


DOCUMENT = _document()
OPERATIONS = [
    (method.upper(), path, operation)
    for path, calls in DOCUMENT["paths"].items()
    for method, operation in calls.items()
    if method in ("get", "post", "put", "patch", "delete")
]
GUARDED = [each for each in OPERATIONS if each[2].get("security")]


def who_may(operation):
    """Who may make a call, as its description says."""
    [named] = [who for who in Who if f"Needs {who.value}." in operation["description"].split("\n\n")]
    return named


def names(values):
    return [f"{method} {path}" for method, path, _ in values]


@pytest.fixture
def people(app, settings):
    """Everybody who may come along, by the token they bring."""
    table, other = set_table(app, settings), set_table(app, settings)
    table.player("anna")
    revoked = table.player("bert")
    table.call("DELETE", f"{table.path}/players/bert", table.gm)
    return table, {
        "nobody": None,
        "unknown": "tbp_" + "x" * 43,
        "revoked": revoked,
        "stranger": other.player("anna"),
        "other GM": other.gm,
        "player": table.tokens["anna"],
        "the GM": table.gm,
        "the admin": settings.admin_token,
    }


def aimed(table, path):
    """A path of the table's campaign, with ids of nothing."""
    made_up = {"campaign": table.id, "roll": "aaaaaaaaaa-bbbbbbbbbb", "user": "nobody-of-that-name"}
    made_up |= {"delivery": "aaaaaaaaaa-" + "0" * 24, "ruleset": table.ruleset}
    return re.sub(r"\{(\w+)\}", lambda part: made_up.get(part[1], "aaaaaaaaaa"), path)


@pytest.mark.parametrize(("method", "path", "operation"), GUARDED, ids=names(GUARDED))
def test_everybody_at_every_call(people, method, path, operation):
    table, tokens = people
    who = who_may(operation)
    for person, expected in EXPECTED[who].items():
        answer = table.call(method, aimed(table, path), tokens[person], Idempotency_Key=fresh_key())
        answer.close()
        if expected == LET_IN:
            # 404 is that of the made-up ids here: these know the campaign
            assert answer.status_code not in (401, 403), person
            if (method, path) == DELETES_ALL:
                return
        else:
            assert answer.status_code == expected, (person, answer.text)
            assert answer.mimetype == "application/problem+json"


def test_what_is_open_to_all_is_named_here():
    unguarded = {(method, path) for method, path, operation in OPERATIONS if not operation.get("security")}
    assert unguarded == {
        ("GET", "/livez"),
        ("GET", "/readyz"),
        ("GET", "/metrics"),
        ("GET", "/v1/rulesets"),
        ("GET", "/v1/rulesets/{ruleset}"),
        ("POST", "/v1/rulesets/{ruleset}/odds"),
        ("POST", "/v1/rulesets/{ruleset}/sheet"),
    }


OF_A_CAMPAIGN = [
    each
    for each in GUARDED
    if set(re.findall(r"\{(\w+)\}", each[1])) & {"session", "roll", "report", "webhook", "delivery"}
]


@pytest.mark.parametrize(("method", "path", "operation"), OF_A_CAMPAIGN, ids=names(OF_A_CAMPAIGN))
def test_ids_of_another_campaign_lead_nowhere(people, app, settings, method, path, operation):
    """A GM's key with the own campaign in the path opens nothing of another's, and changes nothing there."""
    table, _ = people
    mine = set_table(app, settings)
    roll = table.rolled()
    webhook = table.webhook()
    real = {"campaign": mine.id, "session": roll["session"], "roll": roll["id"], "webhook": webhook}
    real["delivery"] = table.services.store.webhooks.test(table.id, webhook)
    real["report"] = table.post("/reports", {}).json["id"]
    made_up = {"campaign": mine.id, "roll": "aaaaaaaaaa-bbbbbbbbbb", "delivery": "aaaaaaaaaa-" + "0" * 24}
    before = contents(table)

    def ask(ids):
        aimed_at = re.sub(r"\{(\w+)\}", lambda part: ids.get(part[1], "aaaaaaaaaa"), path)
        body = {"params": {}} if path.endswith("/answer") else {} if "requestBody" in operation else None
        answer = mine.call(method, aimed_at, mine.gm, body, Idempotency_Key="a-key")
        return answer.status_code, answer.data

    assert ask(real) == ask(made_up)
    assert ask(real)[0] in (404, 422) and contents(table) == before


def contents(table):
    """What the table's GM reads of it."""
    paths = ("", "/players", "/sessions", "/rolls", "/webhooks", "/reports")
    return [table.get(path).data for path in paths]


def test_a_token_that_is_revoked_stops_at_once_on_every_way(people, app):
    table, _ = people
    for user, stop in (
        ("cara", lambda: table.call("DELETE", f"{table.path}/players/cara", table.gm)),
        ("dora", lambda: table.player("dora")),
    ):
        token = table.player(user)
        accepted = table.roll(token, key="the-same-click")
        assert accepted.status_code == 202
        with serving(app) as address:
            listener = Listener(address, table, token)
            assert listener.wait(lambda it: it.comments)
            stop()
            assert listener.wait(lambda it: it.ended, 3)
        for method, path, _operation in GUARDED:
            answer = table.call(method, aimed(table, path), token, Idempotency_Key=fresh_key())
            assert answer.status_code == 401, (method, path)
        assert table.roll(token, key="the-same-click").status_code == 401
        assert table.services.store.tokens.caller(token) is None
        break_hub(app)


def break_hub(app):
    """`serving` has stopped the hub; a new one stands for that of another process."""
    services = app.extensions["tallybones"]
    fresh = make_app(services.settings).extensions["tallybones"].hub
    app.extensions["tallybones"] = replace(services, hub=fresh)
