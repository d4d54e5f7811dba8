"""Webhooks and deliveries as the API answers them: no address is shown whole, and no secret."""

from typing import Any

from service.presenting import iso_time
from service.store import Delivery, Webhook
from service.webhook_address import masked, without_query_values
from service.webhook_events import STANDARD


def present_webhook(webhook: Webhook) -> dict[str, Any]:
    """Return a webhook.

    Of an address that is itself a secret (Discord's, a relay's) only host and end are shown, of another its
    query is masked.
    """
    url = without_query_values(webhook.url) if webhook.kind == STANDARD else masked(webhook.url)
    return {
        "id": webhook.id,
        "kind": webhook.kind,
        "url": url,
        "name": webhook.name,
        "events": list(webhook.events),
        "hidden": webhook.hidden,
        "enabled": webhook.enabled,
        "created_at": iso_time(webhook.created_at),
        "failing_since": iso_time(webhook.failing_since),
        "off_because": webhook.off_because,
        "off_at": iso_time(webhook.off_at),
        "old_secret_until": iso_time(webhook.old_secret_until),
    }


def present_delivery(delivery: Delivery) -> dict[str, Any]:
    """Return a delivery; what was sent and answered was masked before it was kept."""
    return {
        "id": delivery.id,
        "webhook": delivery.webhook,
        "event": delivery.event,
        "subject": delivery.subject,
        "status": delivery.status,
        "created_at": iso_time(delivery.created_at),
        # What is due at once was due a while ago, so that no clock makes it wait.
        "next_attempt_at": iso_time(delivery.next_at and max(delivery.next_at, delivery.created_at)),
        "settled_at": iso_time(delivery.settled_at),
        "request": delivery.request,
        "forgotten": delivery.forgotten,
        "attempts": [
            {
                "at": iso_time(attempt["at"]),
                "ms": attempt["ms"],
                "answer": attempt.get("answer"),
                "error": attempt.get("error"),
            }
            for attempt in delivery.attempts
        ],
    }
