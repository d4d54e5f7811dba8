"""Reports and webhooks, seen from the console."""

from dataclasses import replace

import pytest

from service.store import Attempt
from service.webhook_events import EVENTS
from tests.service.console.browser import Console
from tests.service.table import make_app
from worker.report import make_in

HOOK = "https://hooks.example.org/in"
DISCORD = "https://discord.com/api/webhooks/1234567890/tokenTOKENtokenTOKEN-wxyz"


@pytest.fixture
def rolled(table):
    for _ in range(3):
        table.rolled(table.tokens["anna"])
    return table


def test_a_report_is_asked_for_followed_and_read(console, rolled):
    page = console.send("/console/reports")
    assert "asked for" in page.text and "waiting for the report worker" in page.text.lower()
    (report,) = rolled.get("/reports").json["reports"]
    path = f"/console/reports/{report['id']}"
    assert [e.attributes["value"] for e in console.get(path).elements if e.tag == "progress"] == ["0"]
    make_in(rolled.services.store, report["id"])
    page = console.get(path)
    told = rolled.get(f"/reports/{report['id']}").json
    assert told["result"]["summary"] in page.text and "Anna" in page.text
    drawings = [
        e.attributes["src"] for e in page.elements if e.tag == "img" and "/reports/" in e.attributes["src"]
    ]
    assert len(drawings) == len(told["plots"]) > 0
    for plot, source in zip(told["plots"], drawings, strict=True):
        assert plot["text"] in " ".join(page.texts("figcaption"))
        answer = console.client.get(source)
        assert answer.mimetype == "image/svg+xml" and b"<svg" in answer.data
    for link, kind in (("Page to send or print", "text/html"), ("CSV", "text/csv")):
        answer = console.client.get(page.links[link])
        assert answer.mimetype == kind and answer.headers["Content-Disposition"].startswith("attachment")
        assert "unsafe" not in answer.headers["Content-Security-Policy"]
    page = console.send("/console/reports", f"{path}/delete")
    assert "The report is deleted." in page.text and rolled.get("/reports").json["reports"] == []


def test_a_report_about_some_rolls(console, rolled):
    session = rolled.get("/sessions").json["sessions"][0]["id"]
    console.send("/console/reports", user="anna", sessions=[session], publish="yes", since="2020-01-01")
    (report,) = rolled.get("/reports").json["reports"]
    assert (
        report["published"] and report["about"]["sessions"] == [session] and report["about"]["user"] == "anna"
    )


def test_wishes_that_will_not_do(console, rolled):
    page = console.send("/console/reports", status=422, since="2026-02-01", until="2026-01-01")
    assert page.form("/console/reports").invalid == ["until"] and "Must be later than since." in page.text
    for _ in range(3):
        console.send("/console/reports")
    assert "wait until one is done" in console.send("/console/reports", status=429).text


def test_a_report_that_is_not_there(console):
    for path in ("/console/reports/aaaaaaaaaa", "/console/reports/aaaaaaaaaa/report.csv"):
        assert console.get(path, 404).heading == "There is nothing here"


def test_a_webhook_is_added_with_its_secret_shown_once(console, table):
    page = console.send(
        "/console/webhooks", status=201, kind="standard", url=HOOK, name="Log", events=["roll.resolved"]
    )
    (webhook,) = table.get("/webhooks").json["webhooks"]
    secret = next(e.attributes["value"] for e in page.elements if e.attributes.get("id") == "secret")
    assert secret.startswith("whsec_") and webhook["events"] == ["roll.resolved", "webhook.test"]
    path = page.links["Done"]
    assert path == f"/console/webhooks/{webhook['id']}" and secret not in console.get(path).html


def test_a_discord_address_is_never_shown_again(console, table):
    page = console.send("/console/webhooks", status=201, kind="discord", url=DISCORD, hidden="yes")
    assert "tokenTOKEN" not in page.html and "tokenTOKEN" not in console.get("/console/webhooks").html
    (webhook,) = table.get("/webhooks").json["webhooks"]
    assert webhook["hidden"] and webhook["events"] == list(EVENTS)
    assert "Hidden rolls too" in console.get("/console/webhooks").text


def test_an_address_that_will_not_do_is_said_at_its_field(console):
    page = console.send("/console/webhooks", status=422, kind="discord", url="http://10.0.0.1/x")
    assert page.form("/console/webhooks").invalid == ["url"] and "Must begin with https://" in page.text


def test_a_webhook_is_tried_switched_renewed_and_deleted(console, table):
    console.send("/console/webhooks", status=201, kind="standard", url=HOOK)
    (webhook,) = table.get("/webhooks").json["webhooks"]
    path = f"/console/webhooks/{webhook['id']}"
    page = console.send(path, f"{path}/test")
    assert "A test is on its way" in page.text and "Pending" in page.texts("span", cls="past-who")
    (delivery,) = table.get(f"/webhooks/{webhook['id']}/deliveries").json["deliveries"]
    assert "It is sent again" in console.send(path, f"{path}/deliveries/{delivery['id']}/redeliver").text
    form = console.get(path).form(f"{path}/switch")
    console.client.post(form.action, data=form.filled() | {"to": "off"})
    assert "It is switched off" in console.get(path).text
    assert not table.get(f"/webhooks/{webhook['id']}").json["enabled"]
    assert console.send(path, f"{path}/rotate", status=200).heading == "A new secret"
    page = console.send(f"{path}/delete")
    assert "The webhook is deleted" in page.text and table.get("/webhooks").json["webhooks"] == []


def test_the_log_says_that_what_it_told_of_was_deleted(console, table):
    webhook = table.webhook()
    roll = table.rolled(table.tokens["anna"])
    path, store = f"/console/webhooks/{webhook}", table.services.store
    (delivery,) = (each for each in store.deliveries.list(webhook) if each.subject == roll["id"])
    request = {"method": "POST", "url": HOOK, "headers": {}, "body": f"told of {roll['id']}"}
    entry = {"at": store.clock(), "ms": 7, "answer": {"status": 200, "headers": {}, "body": "so it was"}}
    store.deliveries.attempted(
        Attempt(delivery=delivery.id, asked=0, outcome="delivered", log=entry, request=request)
    )
    again = f"{path}/deliveries/{delivery.id}/redeliver"
    page = console.get(path)
    assert request["body"] in page.text and "so it was" in page.text and again in page.html
    assert table.call("DELETE", f"{table.path}/rolls/{roll['id']}", table.gm).status_code == 204
    page = console.get(path)
    assert "was deleted for good" in page.text and "200" in page.text and "7 ms" in page.text
    assert request["body"] not in page.text and "so it was" not in page.text and again not in page.html


def test_private_addresses_where_the_operator_allows_them(table, settings):
    app = make_app(replace(settings, webhook_http=True, webhook_private=True))
    console = Console(type(table)(app, table.admin, table.id, table.gm, table.ruleset)).sign_in()
    page = console.send("/console/webhooks", status=201, kind="standard", url="http://127.0.0.1:9/hook")
    assert "It is shown this once" in page.text
    app.extensions["tallybones"].hub.stop()
