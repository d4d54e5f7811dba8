"""Webhooks: the GM says where cards go, and sees what became of each delivery."""

from typing import Any

from flask import Response

from service.auth import Who
from service.bodies import json_answer
from service.calls import Calls
from service.problems import NO_SECRET, TOO_MANY_WEBHOOKS, Problem, invalid, not_found
from service.schemas import webhooks as schemas
from service.services import services
from service.store import TooManyWebhooks, UnknownCampaign, UnknownDelivery, UnknownWebhook, Webhook
from service.store.keys import webhook_of
from service.webhook_address import AddressRules, what_is_wrong
from service.webhook_events import STANDARD
from service.webhook_view import present_delivery, present_webhook

calls = Calls("webhooks", __name__, url_prefix="/v1/campaigns/<id:campaign>")


@calls.call(
    "POST",
    "/webhooks",
    who=Who.GM,
    body=schemas.NewWebhook,
    answers={201: schemas.MadeWebhook},
    problems=(409,),
)
def make_webhook(asked: dict[str, Any], campaign: str) -> Response:
    """Make a webhook.

    For kind `standard` the answer holds the secret that signs, which is shown this once.
    """
    _check_address(asked["url"])
    try:
        webhook = services().store.webhooks.create(campaign, **asked)
    except TooManyWebhooks as error:
        raise Problem(TOO_MANY_WEBHOOKS) from error
    except UnknownCampaign as error:
        raise not_found("campaign") from error
    location = f"/v1/campaigns/{campaign}/webhooks/{webhook.id}"
    return json_answer(_with_secret(webhook), 201, {"Location": location})


@calls.call("GET", "/webhooks", who=Who.GM, answers={200: schemas.Webhooks})
def list_webhooks(campaign: str) -> Response:
    """List the webhooks, oldest first."""
    webhooks = services().store.webhooks.list(campaign)
    return json_answer({"webhooks": [present_webhook(webhook) for webhook in webhooks], "next_cursor": None})


@calls.call("GET", "/webhooks/<id:webhook>", who=Who.GM, answers={200: schemas.Webhook})
def read_webhook(campaign: str, webhook: str) -> Response:
    """Read a webhook."""
    return json_answer(present_webhook(_known(campaign, webhook)))


@calls.call(
    "PATCH",
    "/webhooks/<id:webhook>",
    who=Who.GM,
    body=schemas.WebhookChanges,
    answers={200: schemas.Webhook},
)
def change_webhook(changes: dict[str, Any], campaign: str, webhook: str) -> Response:
    """Change a webhook, or switch it off and on.

    While it is off, no delivery is made for it; what is due meanwhile is not sent.
    """
    if "url" in changes:
        _check_address(changes["url"])
    try:
        return json_answer(present_webhook(services().store.webhooks.update(campaign, webhook, changes)))
    except UnknownWebhook as error:
        raise not_found("webhook") from error


@calls.call("DELETE", "/webhooks/<id:webhook>", who=Who.GM, answers={204: None})
def delete_webhook(campaign: str, webhook: str) -> Response:
    """Delete a webhook, with its log and what is still to be sent to it."""
    if not services().store.webhooks.delete(campaign, webhook):
        raise not_found("webhook")
    return Response(status=204)


@calls.call(
    "POST",
    "/webhooks/<id:webhook>/rotate",
    who=Who.GM,
    answers={200: schemas.MadeWebhook},
    problems=(409,),
)
def rotate_secret(campaign: str, webhook: str) -> Response:
    """Give a webhook of kind `standard` a new secret, which is shown this once.

    For a day the old one signs beside it, so that the receiver can change over in peace.
    """
    if _known(campaign, webhook).kind != STANDARD:
        raise Problem(NO_SECRET)
    try:
        return json_answer(_with_secret(services().store.webhooks.rotate(campaign, webhook)))
    except UnknownWebhook as error:
        raise not_found("webhook") from error


@calls.call("POST", "/webhooks/<id:webhook>/test", who=Who.GM, answers={202: schemas.Delivery})
def send_test(campaign: str, webhook: str) -> Response:
    """Send a webhook a test, the event `webhook.test`, though it be switched off.

    The answer is its delivery, as the log shows it; read the log to see what came of it.
    """
    try:
        delivery = services().store.webhooks.test(campaign, webhook)
    except UnknownWebhook as error:
        raise not_found("webhook") from error
    return _delivery(webhook, delivery, 202)


@calls.call(
    "GET",
    "/webhooks/<id:webhook>/deliveries",
    who=Who.GM,
    query=schemas.DeliveriesQuery,
    answers={200: schemas.Deliveries},
)
def read_log(query: dict[str, Any], campaign: str, webhook: str) -> Response:
    """Read a webhook's log: its deliveries, newest first, with what was sent and answered.

    It keeps all that is not settled, and the 100 that were settled last.
    """
    _known(campaign, webhook)
    limit = query["limit"]
    try:
        found = services().store.deliveries.list(webhook, query.get("cursor"), limit + 1)
    except UnknownDelivery as error:
        raise invalid({"cursor": ["Must be a next_cursor of this list."]}) from error
    page = found[:limit]
    listed = [present_delivery(delivery) for delivery in page]
    return json_answer({"deliveries": listed, "next_cursor": page[-1].id if len(found) > limit else None})


@calls.call(
    "GET",
    "/webhooks/<id:webhook>/deliveries/<delivery:delivery>",
    who=Who.GM,
    answers={200: schemas.Delivery},
)
def read_delivery(campaign: str, webhook: str, delivery: str) -> Response:
    """Read one delivery of a webhook's log."""
    _known(campaign, webhook)
    return _delivery(webhook, delivery, 200)


@calls.call(
    "POST",
    "/webhooks/<id:webhook>/deliveries/<delivery:delivery>/redeliver",
    who=Who.GM,
    answers={202: schemas.Delivery},
)
def redeliver(campaign: str, webhook: str, delivery: str) -> Response:
    """Send a delivery again now, under the same id, though its webhook be switched off."""
    if webhook_of(delivery) != webhook:
        raise not_found("delivery")
    return _redeliver(campaign, delivery)


@calls.call("POST", "/deliveries/<delivery:delivery>/redeliver", who=Who.GM, answers={202: schemas.Delivery})
def redeliver_by_id(campaign: str, delivery: str) -> Response:
    """Send a delivery again now; its id says which webhook's it is."""
    return _redeliver(campaign, delivery)


def _redeliver(campaign: str, delivery: str) -> Response:
    if not services().store.webhooks.redeliver(campaign, delivery):
        raise not_found("delivery")
    return _delivery(webhook_of(delivery), delivery, 202)


def _delivery(webhook: str, delivery: str, status: int) -> Response:
    found = services().store.deliveries.get(webhook, delivery)
    if found is None:
        raise not_found("delivery")
    return json_answer(present_delivery(found), status)


def _known(campaign: str, webhook: str) -> Webhook:
    known = services().store.webhooks.get(campaign, webhook)
    if known is None:
        raise not_found("webhook")
    return known


def _check_address(url: str) -> None:
    """Refuse an address that the operator does not allow; the message does not repeat it."""
    settings = services().settings
    rules = AddressRules(http=settings.webhook_http, private=settings.webhook_private)
    wrong = what_is_wrong(url, rules)
    if wrong:
        raise invalid({"url": [wrong]})


def _with_secret(webhook: Webhook) -> dict[str, Any]:
    return present_webhook(webhook) | ({"secret": webhook.secret} if webhook.secret else {})
