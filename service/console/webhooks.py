"""Webhooks: made, tried, switched off and on, and what became of each delivery."""

from typing import Any

from flask import Response, request
from werkzeug.wrappers import Response as WerkzeugResponse

from service.console.ask import Refused, ask
from service.console.pages import go, page, pages
from service.webhook_events import DISCORD, EVENTS, FOUNDRY_REST, STANDARD, TEST

PAGE = 25
KINDS = (
    (DISCORD, "Discord", "The address of a channel’s webhook; the cards appear as messages."),
    (STANDARD, "Standard", "Signed JSON, for a program of your own."),
    (FOUNDRY_REST, "Foundry REST relay", "Posts the cards into a world’s chat by the relay’s address."),
)
EVENT_NAMES = {
    "roll.resolved": "A roll falls",
    "session.started": "A session starts",
    "session.ended": "A session ends",
    "report.ready": "A report is published",
    "webhook.test": "A test",
}
CHANGES = {"on": {"enabled": True}, "off": {"enabled": False}}


@pages.get("/console/webhooks")
def webhooks() -> Response:
    """List the webhooks, with a form for another."""
    return _webhooks()


@pages.post("/console/webhooks")
def make_webhook() -> Response:
    """Make a webhook; its secret, where it has one, is shown this once."""
    form = request.form
    asked: dict[str, Any] = {
        "kind": form.get("kind", ""),
        "url": form.get("url", "").strip(),
        "name": form.get("name", "").strip() or None,
        "events": [*form.getlist("events"), TEST],
        "hidden": bool(form.get("hidden")),
    }
    try:
        made = ask("POST", "/webhooks", asked)
    except Refused as refused:
        if refused.status not in (409, 422):
            raise
        return _webhooks(refused.status, asked, refused)
    return page("webhook_made.html", 201, webhook=made, renewed=False)


@pages.get("/console/webhooks/<id:webhook>")
def webhook_log(webhook: str) -> Response:
    """Show a webhook with its log."""
    query = {"limit": PAGE} | ({"cursor": request.args["cursor"]} if request.args.get("cursor") else {})
    listed = ask("GET", f"/webhooks/{webhook}/deliveries", query=query)
    return page(
        "webhook.html",
        webhook=ask("GET", f"/webhooks/{webhook}"),
        deliveries=listed["deliveries"],
        next_cursor=listed["next_cursor"],
        event_names=EVENT_NAMES,
        kinds={kind: name for kind, name, _ in KINDS},
        standard=STANDARD,
    )


@pages.post("/console/webhooks/<id:webhook>/switch")
def switch_webhook(webhook: str) -> WerkzeugResponse:
    """Switch a webhook on or off."""
    ask("PATCH", f"/webhooks/{webhook}", CHANGES.get(request.form.get("to", ""), {}))
    return go("webhook_log", "webhook-changed", webhook=webhook)


@pages.post("/console/webhooks/<id:webhook>/test")
def test_webhook(webhook: str) -> WerkzeugResponse:
    """Send a webhook a test."""
    ask("POST", f"/webhooks/{webhook}/test")
    return go("webhook_log", "test-sent", webhook=webhook)


@pages.post("/console/webhooks/<id:webhook>/rotate")
def rotate_secret(webhook: str) -> Response:
    """Give a webhook a new secret, and show it this once."""
    return page("webhook_made.html", webhook=ask("POST", f"/webhooks/{webhook}/rotate"), renewed=True)


@pages.post("/console/webhooks/<id:webhook>/deliveries/<delivery:delivery>/redeliver")
def redeliver(webhook: str, delivery: str) -> WerkzeugResponse:
    """Send a delivery again."""
    ask("POST", f"/webhooks/{webhook}/deliveries/{delivery}/redeliver")
    return go("webhook_log", "sent-again", webhook=webhook)


@pages.get("/console/webhooks/<id:webhook>/delete")
def confirm_delete(webhook: str) -> Response:
    """Ask whether a webhook shall be deleted."""
    return page("webhook_delete.html", webhook=ask("GET", f"/webhooks/{webhook}"))


@pages.post("/console/webhooks/<id:webhook>/delete")
def delete_webhook(webhook: str) -> WerkzeugResponse:
    """Delete a webhook."""
    ask("DELETE", f"/webhooks/{webhook}")
    return go("webhooks", "webhook-deleted")


def _webhooks(status: int = 200, asked: Any = None, refused: Refused | None = None) -> Response:
    errors = refused.errors if refused else {}
    return page(
        "webhooks.html",
        status,
        webhooks=ask("GET", "/webhooks")["webhooks"],
        asked=asked or {"kind": DISCORD, "events": list(EVENTS), "hidden": False},
        errors=errors,
        sentence=refused.sentence if refused and not errors else None,
        kinds=KINDS,
        event_names={event: name for event, name in EVENT_NAMES.items() if event != TEST},
    )
