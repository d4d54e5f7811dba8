"""What keeps other sites out: form tokens, origins, headers."""

import re

import pytest

from service.console.guard import FORM_TOKEN
from tests.service.console.browser import Console
from tests.service.console.reading import Reading
from tests.service.table import make_app, set_table


def changing_rules(app):
    """Every address of the console that takes a form, with an example for each part."""
    examples = {
        "session": "a" * 10,
        "roll": f"{'a' * 10}-{'a' * 10}",
        "user": "anna",
        "action": "skill-check",
        "report": "a" * 10,
        "webhook": "a" * 10,
        "delivery": f"{'a' * 10}-{'0' * 24}",
    }
    for rule in app.url_map.iter_rules():
        if rule.endpoint.startswith("console.") and "POST" in rule.methods:
            yield re.sub(r"<(?:\w+:)?(\w+)>", lambda part: examples[part[1]], rule.rule)


def test_no_form_counts_without_the_token_of_its_page(app, table):
    console = Console(table).sign_in()
    paths = [path for path in changing_rules(app) if path != "/console/sign-in"]
    assert len(paths) > 15
    for path in paths:
        for sent in ({}, {FORM_TOKEN: ""}, {FORM_TOKEN: "0" * 64}):
            answer = console.client.post(path, data=sent)
            assert answer.status_code == 403, path
            assert "not sent from" in answer.text
    assert "Friday" in console.get("/").text and table.get("/players").json["players"]


def test_strangers_send_no_form(app, table):
    for path in changing_rules(app):
        if path != "/console/sign-in":
            assert table.app.test_client().post(path, data={}).status_code == 401, path


def test_the_token_is_the_sign_ins_own(app, settings, table):
    other = Console(set_table(app, settings)).sign_in()
    stolen = other.get("/").form("/console/sign-out").sends[FORM_TOKEN][0]
    console = Console(table).sign_in()
    assert console.get("/").form("/console/sign-out").sends[FORM_TOKEN][0] != stolen
    answer = console.client.post("/console/sign-out", data={FORM_TOKEN: stolen})
    assert answer.status_code == 403 and "Friday" in console.get("/").text


FOREIGN = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://localhost:30000"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
]
OWN = [{}, {"Origin": "http://localhost"}, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_forms_of_other_sites_are_refused(table, headers):
    console = Console(table).sign_in()
    form = console.get("/").form("/console/sessions")
    answer = console.client.post(form.action, data=form.filled(), headers=headers)
    assert answer.status_code == 403
    assert table.get("/sessions").json["sessions"] == []
    assert (
        table.app.test_client().post("/console/sign-in", data={"key": table.gm}, headers=headers).status_code
        == 403
    )  # nobody is signed in to somebody else's table unawares


@pytest.mark.parametrize("headers", OWN, ids=str)
def test_the_consoles_own_are_taken(table, headers):
    console = Console(table).sign_in()
    form = console.get("/").form("/console/sessions")
    assert console.client.post(form.action, data=form.filled(), headers=headers).status_code == 303


@pytest.mark.parametrize(
    "path", ["/", "/console/history", "/console/roll/skill-check", "/console/nowhere", "/console/card.css"]
)
@pytest.mark.parametrize("signed_in", [True, False])
def test_every_page_is_strict(table, path, signed_in):
    console = Console(table)
    if signed_in:
        console.sign_in()
    headers = console.client.get(path).headers
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["form-action"] == "'self'"
    assert (
        "unsafe" not in headers["Content-Security-Policy"]
        and "http" not in headers["Content-Security-Policy"]
    )
    assert headers["X-Frame-Options"] == "DENY" and headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert path.endswith(".css") or headers["Cache-Control"] == "no-store"


def test_pages_hold_nothing_that_the_policy_forbids(console):
    for path in (
        "/",
        "/console/roll/skill-check",
        "/console/history",
        "/console/campaign",
        "/console/webhooks",
    ):
        page = console.get(path)
        for element in page.elements:
            assert not [name for name in element.attributes if name == "style" or name.startswith("on")]
            if element.tag in ("script", "link", "img"):
                source = element.attributes.get("src") or element.attributes["href"]
                assert source.startswith("/") and not source.startswith("//") and not element.text.strip()
                assert console.client.get(source).status_code == 200
        assert not any(element.tag == "style" for element in page.elements)


def test_pages_of_other_origins_may_not_read_the_console(console):
    answer = console.client.get("/", headers={"Origin": "http://localhost:30000"})
    assert "Access-Control-Allow-Credentials" not in answer.headers


def test_the_api_takes_no_cookie(console, table):
    assert console.client.get(f"{table.path}/rolls").status_code == 401
    headers = {"tallybones.caller": table.gm, "Tallybones-Caller": table.gm}
    assert table.app.test_client().get(f"{table.path}/rolls", headers=headers).status_code == 401


def test_addresses_bring_no_words_along(console):
    page = console.get("/?said=Send%20your%20key%20to%20us")
    assert "Send your key" not in page.html


def test_a_store_that_is_away_is_said_on_a_page(console, valkey_server, monkeypatch):
    import redis

    def gone(*_: object, **__: object) -> None:
        raise redis.exceptions.ConnectionError("away")

    monkeypatch.setattr(console.table.services.store.sign_ins, "caller", gone)
    page = console.get("/", 503)
    assert page.heading == "The store is away" and console.answer.headers["Retry-After"]


def test_a_store_that_is_silent_is_waited_for_once_a_page(console, monkeypatch):
    import redis

    asked = []

    def silent(cookie: str) -> None:
        asked.append(cookie)
        raise redis.exceptions.TimeoutError("Timeout reading from socket")

    monkeypatch.setattr(console.table.services.store.sign_ins, "caller", silent)
    assert console.get("/", 503).heading == "The store is away"
    assert asked == [console.cookie]


def test_too_many_requests_are_said_on_a_page(table, monkeypatch):
    monkeypatch.setattr("service.limits.EACH_CALLER", "5 per minute")
    app = make_app(table.services.settings)
    client = app.test_client()
    answers = [client.get("/console/history") for _ in range(8)]
    assert answers[0].status_code == 401 and answers[-1].status_code == 429
    assert Reading(answers[-1].text).heading == "Slower, please" and answers[-1].headers["Retry-After"]
    app.extensions["tallybones"].hub.stop()


def test_a_fault_of_ours_is_said_on_a_page(console, monkeypatch):
    def broken(*_: object) -> None:
        raise RuntimeError("secret details")

    monkeypatch.setattr("service.console.table.latest", broken)
    page = console.get("/", 500)
    assert page.heading == "Something went wrong" and "secret details" not in page.html
