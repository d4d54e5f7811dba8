"""Webhooks and deliveries: what is sent and what is answered; and what each event says."""

from marshmallow import fields, validate

from rules.fields import YesNo
from service.schemas.fields import DELIVERY_ID, ID, GivenName, Limit, Strict, identifier
from service.schemas.reports import ReportListed
from service.schemas.rolls import Roll
from service.schemas.tables import Session
from service.webhook_address import LONGEST
from service.webhook_events import (
    EVENTS,
    KINDS,
    REPORT_READY,
    ROLL_RESOLVED,
    SESSION_ENDED,
    SESSION_STARTED,
    TEST,
)

MOST_EVENTS = len(EVENTS)
STATUSES = ("pending", "delivered", "failed")
WHY_OFF = ("gone", "failing")


def _address(**kwargs: object) -> fields.String:
    return fields.String(
        validate=validate.Length(1, LONGEST),
        metadata={"description": "Where to post: https, to a public host.", "format": "uri"},
        **kwargs,  # type: ignore[arg-type]
    )


def _events(**kwargs: object) -> fields.List[str]:
    one = fields.String(validate=validate.OneOf(EVENTS))
    description = "Which events; all, where it is left out."
    return fields.List(
        one,
        validate=validate.Length(1, MOST_EVENTS),
        metadata={"description": description},
        **kwargs,  # type: ignore[arg-type]
    )


class NewWebhook(Strict):
    """A webhook to make."""

    kind = fields.String(required=True, validate=validate.OneOf(KINDS))
    url = _address(required=True)
    name = GivenName(allow_none=True, load_default=None)
    events = _events(load_default=lambda: list(EVENTS))
    hidden = YesNo(
        load_default=False,
        metadata={"description": "Whether it is shown gm and blind rolls too; self rolls it never is."},
    )


class WebhookChanges(Strict):
    """What to change of a webhook; switching it on forgets its failures."""

    url = _address()
    name = GivenName(allow_none=True)
    events = _events()
    hidden = YesNo()
    enabled = YesNo()


class Webhook(Strict):
    """A webhook. Its address is a secret: it is shown with all but its host and its end masked."""

    id = identifier(ID, "", required=True)
    kind = fields.String(required=True, validate=validate.OneOf(KINDS))
    url = fields.String(required=True)
    name = fields.String(required=True, allow_none=True)
    events = fields.List(fields.String(validate=validate.OneOf(EVENTS)), required=True)
    hidden = fields.Boolean(required=True)
    enabled = fields.Boolean(required=True)
    created_at = fields.String(required=True, metadata={"format": "date-time"})
    failing_since = fields.String(required=True, allow_none=True, metadata={"format": "date-time"})
    off_because = fields.String(
        required=True,
        allow_none=True,
        validate=validate.OneOf(WHY_OFF),
        metadata={"description": "Why the service switched it off: gone, or failing for days."},
    )
    off_at = fields.String(required=True, allow_none=True, metadata={"format": "date-time"})
    old_secret_until = fields.String(
        required=True,
        allow_none=True,
        metadata={"format": "date-time", "description": "Until when a replaced secret signs too."},
    )


class MadeWebhook(Webhook):
    """A webhook just made or given a new secret; kind `standard` has one, which is shown only now."""

    secret = fields.String()


class Webhooks(Strict):
    """The webhooks of a campaign, oldest first."""

    webhooks = fields.List(fields.Nested(Webhook), required=True)
    next_cursor = fields.String(required=True, allow_none=True)


class DeliveryRequest(Strict):
    """What was sent last, secrets masked; a long body is cut."""

    method = fields.String(required=True)
    url = fields.String(required=True)
    headers = fields.Dict(keys=fields.String(), values=fields.String(), required=True)
    body = fields.String(required=True)


class DeliveryAnswer(Strict):
    """What the receiver answered, secrets masked; a long body is cut."""

    status = fields.Integer(required=True)
    headers = fields.Dict(keys=fields.String(), values=fields.String(), required=True)
    body = fields.String(required=True)


class DeliveryAttempt(Strict):
    """One attempt: when, how long it took, and the answer or why there is none."""

    at = fields.String(required=True, metadata={"format": "date-time"})
    ms = fields.Integer(required=True)
    answer = fields.Nested(DeliveryAnswer, required=True, allow_none=True)
    error = fields.String(required=True, allow_none=True)


class Delivery(Strict):
    """One message to one webhook. Its id is the message's, the same however often it is sent."""

    id = identifier(DELIVERY_ID, "", required=True)
    webhook = identifier(ID, "", required=True)
    event = fields.String(required=True, validate=validate.OneOf(EVENTS))
    subject = fields.String(
        required=True, metadata={"description": "The roll, session, report or webhook it tells of."}
    )
    status = fields.String(required=True, validate=validate.OneOf(STATUSES))
    created_at = fields.String(required=True, metadata={"format": "date-time"})
    next_attempt_at = fields.String(required=True, allow_none=True, metadata={"format": "date-time"})
    settled_at = fields.String(required=True, allow_none=True, metadata={"format": "date-time"})
    request = fields.Nested(DeliveryRequest, required=True, allow_none=True)
    forgotten = fields.Boolean(
        required=True,
        metadata={"description": "What it tells of was deleted for good, and what was sent and answered."},
    )
    attempts = fields.List(fields.Nested(DeliveryAttempt), required=True)


class Deliveries(Strict):
    """A page of a webhook's log, newest first."""

    deliveries = fields.List(fields.Nested(Delivery), required=True)
    next_cursor = fields.String(required=True, allow_none=True)


class DeliveriesQuery(Strict):
    """Which deliveries."""

    cursor = identifier(DELIVERY_ID, "Must be a next_cursor of this list.")
    limit = Limit()


class WebhookTest(Strict):
    """A test that the GM asked for."""

    webhook = identifier(ID, "", required=True)
    name = fields.String(required=True, allow_none=True)
    message = fields.String(required=True)


TOLD: dict[str, type[Strict]] = {
    ROLL_RESOLVED: Roll,
    SESSION_STARTED: Session,
    SESSION_ENDED: Session,
    REPORT_READY: ReportListed,
    TEST: WebhookTest,
}
"""What the `data` of each event is."""
