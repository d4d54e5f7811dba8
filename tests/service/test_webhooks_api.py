"""Webhooks over HTTP: what the GM sends and sees, and what nobody does."""

import logging
from dataclasses import replace

import jsonschema_rs
import pytest

from service.webhook_events import EVENTS
from tests.service.table import SKILL_CHECK, Listener, make_app, set_table

HOOK = "https://hooks.example.org/in"
DISCORD = "https://discord.com/api/webhooks/1234567890/tokenTOKENtokenTOKEN-wxyz"


def make(table, **more):
    answer = table.post("/webhooks", {"kind": "standard", "url": HOOK, **more})
    assert answer.status_code == 201, answer.text
    return answer.json


def test_a_webhook_is_made_from_a_kind_and_an_address(table):
    made = make(table)
    assert made["secret"].startswith("whsec_")
    assert {name: made[name] for name in ("kind", "url", "name", "events", "hidden", "enabled")} == {
        "kind": "standard",
        "url": HOOK,
        "name": None,
        "events": list(EVENTS),
        "hidden": False,
        "enabled": True,
    }
    assert made["failing_since"] is made["off_because"] is None


def test_the_secret_is_shown_once(table):
    made = make(table)
    shown = table.get(f"/webhooks/{made['id']}").json
    assert "secret" not in shown and shown == {name: made[name] for name in shown}
    assert made["secret"] not in table.get("/webhooks").text
    rotated = table.post(f"/webhooks/{made['id']}/rotate", None).json
    assert rotated["secret"] != made["secret"] and rotated["old_secret_until"] > rotated["created_at"]
    assert rotated["secret"] not in table.get(f"/webhooks/{made['id']}").text


def test_only_a_standard_webhook_has_a_secret(table):
    made = table.post("/webhooks", {"kind": "discord", "url": DISCORD}).json
    assert "secret" not in made
    assert table.post(f"/webhooks/{made['id']}/rotate", None).status_code == 409


@pytest.mark.parametrize(
    ("kind", "url"),
    [
        ("discord", DISCORD),
        ("foundry-rest", "https://relay.example.org/chat?clientId=abc&apiKey=keyKEYkeyKEY-wxyz"),
        ("standard", "https://hooks.example.org/in?token=tokenTOKEN-wxyz"),
    ],
)
def test_an_address_that_is_a_secret_is_never_shown(table, kind, url, caplog):
    caplog.set_level(logging.DEBUG)
    answer = table.post("/webhooks", {"kind": kind, "url": url})
    webhook = answer.json["id"]
    texts = [
        answer.text,
        table.get("/webhooks").text,
        table.get(f"/webhooks/{webhook}").text,
        table.call("PATCH", f"{table.path}/webhooks/{webhook}", table.gm, {"url": url, "name": "New"}).text,
        table.post(f"/webhooks/{webhook}/test", None).text,
        table.get(f"/webhooks/{webhook}/deliveries").text,
        table.post("/webhooks", {"kind": kind, "url": url, "colour": 1}).text,
        table.post("/webhooks", {"kind": kind, "url": url.replace("https", "ftp")}).text,
        caplog.text,
    ]
    for text in texts:
        assert not any(secret in text for secret in ("TOKENtoken", "KEYkeyKEY", "tokenTOKEN"))
    host = url.split("/")[2]
    assert host in answer.json["url"]
    if kind != "standard":
        assert answer.json["url"] == f"https://{host}/…wxyz"


def test_no_address_and_no_secret_is_logged_when_the_store_takes_no_write(table, valkey, caplog):
    """redis-py would put the beginning of the command that failed, values and all, into its error."""
    webhook = table.post("/webhooks", {"kind": "standard", "url": HOOK}).json["id"]
    discord = table.post("/webhooks", {"kind": "discord", "url": DISCORD}).json["id"]
    caplog.set_level(logging.DEBUG)
    valkey.config_set("maxmemory", 1)
    try:
        answers = [
            table.call("PATCH", f"{table.path}/webhooks/{discord}", table.gm, {"url": DISCORD + "2"}),
            table.post(f"/webhooks/{webhook}/rotate", None),
            table.post("/webhooks", {"kind": "discord", "url": DISCORD}),
        ]
    finally:
        valkey.config_set("maxmemory", 0)
    assert [answer.status_code for answer in answers] == [503, 503, 503]
    told = [message for message in caplog.messages if "Redis does not take the request" in message]
    assert len(told) == 3 and all("HSET" in message for message in told)
    for secret in ("discord.com", "TOKENtoken", "whsec_"):
        assert secret not in caplog.text


BAD = [
    ({"url": HOOK}, "kind"),
    ({"kind": "smtp", "url": HOOK}, "kind"),
    ({"kind": "standard"}, "url"),
    ({"kind": "standard", "url": 5}, "url"),
    ({"kind": "standard", "url": ""}, "url"),
    ({"kind": "standard", "url": "http://example.org/"}, "url"),
    ({"kind": "standard", "url": "https://127.0.0.1/"}, "url"),
    ({"kind": "standard", "url": "https://localhost:8000/"}, "url"),
    ({"kind": "standard", "url": HOOK + "?" + "x" * 2000}, "url"),
    ({"kind": "standard", "url": HOOK, "name": "<b>x</b>"}, "name"),
    ({"kind": "standard", "url": HOOK, "events": []}, "events"),
    ({"kind": "standard", "url": HOOK, "events": ["roll.made"]}, "events"),
    ({"kind": "standard", "url": HOOK, "events": "roll.resolved"}, "events"),
    ({"kind": "standard", "url": HOOK, "hidden": 1}, "hidden"),
    ({"kind": "standard", "url": HOOK, "hidden": "true"}, "hidden"),
    ({"kind": "standard", "url": HOOK, "secret": "whsec_AAAA"}, "secret"),
    ({"kind": "standard", "url": HOOK, "enabled": False}, "enabled"),
]


@pytest.mark.parametrize(("body", "field"), BAD, ids=str)
def test_a_bad_field_is_named(table, body, field):
    answer = table.post("/webhooks", body)
    assert answer.status_code == 422 and field in answer.json["errors"]
    assert table.get("/webhooks").json["webhooks"] == []


def test_http_and_private_addresses_are_taken_where_the_operator_allows_them(settings):
    app = make_app(replace(settings, webhook_http=True, webhook_private=True))
    table = set_table(app, settings)
    assert make(table, url="http://127.0.0.1:9/hook")["url"] == "http://127.0.0.1:9/hook"
    assert make(table, url="http://localhost/")["url"] == "http://localhost/"


def test_it_is_changed_and_switched_off_and_on(table):
    made = make(table)
    path = f"{table.path}/webhooks/{made['id']}"
    changes = {"name": "Mine", "events": ["roll.resolved"], "hidden": True, "enabled": False}
    changed = table.call("PATCH", path, table.gm, changes).json
    assert {name: changed[name] for name in changes} == changes
    assert table.call("PATCH", path, table.gm, {}).json == changed
    assert table.call("PATCH", path, table.gm, {"name": None, "enabled": True}).json["name"] is None
    assert table.call("PATCH", path, table.gm, {"kind": "discord"}).status_code == 422
    assert table.call("PATCH", path, table.gm, {"url": "https://10.0.0.1/"}).status_code == 422


def test_a_deleted_one_is_gone(table):
    made = make(table)
    path = f"{table.path}/webhooks/{made['id']}"
    assert table.call("DELETE", path, table.gm).status_code == 204
    for method in ("DELETE", "GET", "PATCH"):
        assert table.call(method, path, table.gm, {} if method == "PATCH" else None).status_code == 404
    assert table.post(f"/webhooks/{made['id']}/test", None).status_code == 404


def test_there_are_at_most_twenty(table):
    for _ in range(20):
        make(table)
    answer = table.post("/webhooks", {"kind": "standard", "url": HOOK})
    assert answer.status_code == 409 and "20" in answer.json["detail"]


def test_another_campaigns_webhook_does_not_exist(table, app, settings):
    other = set_table(app, settings)
    theirs = make(other)["id"]
    delivery = other.post(f"/webhooks/{theirs}/test", None).json["id"]
    for method, path in (
        ("GET", f"/webhooks/{theirs}"),
        ("DELETE", f"/webhooks/{theirs}"),
        ("POST", f"/webhooks/{theirs}/test"),
        ("POST", f"/webhooks/{theirs}/rotate"),
        ("GET", f"/webhooks/{theirs}/deliveries"),
        ("GET", f"/webhooks/{theirs}/deliveries/{delivery}"),
        ("POST", f"/webhooks/{theirs}/deliveries/{delivery}/redeliver"),
        ("POST", f"/deliveries/{delivery}/redeliver"),
    ):
        assert table.call(method, table.path + path, table.gm).status_code == 404, path


def test_a_roll_makes_one_delivery_for_each_webhook_that_may_see_it(table):
    all_of_them, hidden = make(table), make(table, hidden=True)
    ended_only = make(table, events=["session.ended"])
    for visibility in ("public", "gm", "blind", "self"):
        table.rolled(table.tokens["anna"], SKILL_CHECK, visibility=visibility)
    table.rolled(table.gm, SKILL_CHECK, visibility="self")

    def heard(webhook):
        listed = table.get(f"/webhooks/{webhook['id']}/deliveries").json["deliveries"]
        return [entry["subject"] for entry in listed if entry["event"] == "roll.resolved"]

    visible = {roll["id"]: roll["visibility"] for roll in table.get("/rolls").json["rolls"]}
    assert [visible[roll] for roll in heard(all_of_them)] == ["public"]
    assert [visible[roll] for roll in heard(hidden)] == ["blind", "gm", "public"]
    assert heard(ended_only) == []
    waiting = table.get(f"/webhooks/{all_of_them['id']}/deliveries").json["deliveries"]
    assert {entry["event"] for entry in waiting} == {"session.started", "roll.resolved"}
    assert all(entry["next_attempt_at"] == entry["created_at"] for entry in waiting)


def test_the_log_has_pages(table):
    webhook = make(table, events=["roll.resolved"])["id"]
    rolls = [table.rolled()["id"] for _ in range(5)]
    seen, cursor = [], ""
    while cursor is not None:
        page = table.get(f"/webhooks/{webhook}/deliveries?limit=2{cursor and '&cursor=' + cursor}").json
        seen += [entry["subject"] for entry in page["deliveries"]]
        assert len(page["deliveries"]) <= 2
        cursor = page["next_cursor"]
    assert seen == rolls[::-1]
    assert table.get(f"/webhooks/{webhook}/deliveries?cursor={webhook}-{'0' * 24}").status_code == 422


def test_the_gm_alone_hears_that_a_webhook_was_switched_off(table, address):
    webhook = make(table, name="Logbook")["id"]
    gm, anna = Listener(address, table), Listener(address, table, table.tokens["anna"])
    for listener in (gm, anna):
        assert listener.status == 200
    store = table.services.store
    delivery = store.webhooks.test(table.id, webhook)
    from service.store import Attempt

    gone = Attempt(delivery=delivery, asked=1, outcome="failed", log={"at": 1, "ms": 1}, off="gone")
    assert store.deliveries.attempted(gone) == "gone"
    roll = table.rolled()
    assert gm.wait(lambda listener: any(event.event == "webhook" for event in listener.events))
    [told] = [event.data for event in gm.events if event.event == "webhook"]
    assert (told["id"], told["name"], told["enabled"], told["off_because"]) == (
        webhook,
        "Logbook",
        False,
        "gone",
    )
    assert told == table.get(f"/webhooks/{webhook}").json
    assert anna.rolls()[0]["id"] == roll["id"]
    assert not [event for event in anna.events if event.event == "webhook"]


@pytest.mark.parametrize("event", EVENTS)
def test_each_event_has_a_published_schema_that_refers_to_nothing_outside(app, event):
    answer = app.test_client().get(f"/docs/schemas/webhooks/{event}.json")
    assert answer.status_code == 200 and answer.mimetype == "application/schema+json"
    jsonschema_rs.meta.validate(answer.json)
    assert "#/components" not in answer.text and answer.json["properties"]["type"] == {"const": event}
    document = app.test_client().get("/openapi.json").json
    assert event in document["webhooks"]


def test_there_is_no_schema_for_what_is_no_event(app):
    assert app.test_client().get("/docs/schemas/webhooks/roll.made.json").status_code == 404
