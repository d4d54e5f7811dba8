"""What an event says: the same for all kinds of webhook, as the webhook may see it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from service import webhook_events as events
from service.presenting import present_view
from service.report_view import PLOTS, present_report, webhooks_hear_of
from service.session_view import session_told
from service.store import Delivery, Store, Webhook
from service.visibility import webhook_view


class NothingToTell(Exception):
    """There is nothing (more) to tell this webhook; `sentence` says why."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that happened: `at` in ms; `told` is the `data` of a standard message.

    A report's `picture` (PNG) goes where pictures can go.
    """

    event: str
    at: int
    told: Mapping[str, Any]
    picture: bytes | None = None


def happening(store: Store, webhook: Webhook, delivery: Delivery) -> Happening:
    """Return what a delivery tells, read from the ledger and cut to what the webhook may see.

    Raises NothingToTell: its subject is gone, or the webhook may not see it (any more).
    """
    return _TELLERS[delivery.event](store, webhook, delivery)


def _roll(store: Store, webhook: Webhook, delivery: Delivery) -> Happening:
    record = store.rolls.get(webhook.campaign, delivery.subject)
    if record is None:
        raise NothingToTell("The roll is no longer in the history.")
    view = webhook_view(record, webhook.hidden)
    if view is None:
        raise NothingToTell("This webhook is not shown hidden rolls.")
    return Happening(delivery.event, record["resolved_at"] or delivery.created_at, present_view(record, view))


def _session(store: Store, webhook: Webhook, delivery: Delivery) -> Happening:
    session = store.sessions.get(webhook.campaign, delivery.subject)
    if session is None:
        raise NothingToTell("The session is no longer in the history.")
    ended = delivery.event == events.SESSION_ENDED
    told = session_told(store, session, ended=ended)
    moment = session.ended_at if ended else session.started_at
    return Happening(delivery.event, moment or delivery.created_at, told)


def _report(store: Store, webhook: Webhook, delivery: Delivery) -> Happening:
    report = store.reports.get(webhook.campaign, delivery.subject)
    if report is None or report.card is None:
        raise NothingToTell("The report is gone.")
    if not webhooks_hear_of(report, webhook.hidden):
        raise NothingToTell("This webhook is not shown reports on hidden rolls.")
    pictures = (store.reports.part(report.id, f"png:{plot}") for plot in PLOTS)
    moment = report.finished_at or delivery.created_at
    return Happening(delivery.event, moment, present_report(report), next(filter(None, pictures), None))


def _test(store: Store, webhook: Webhook, delivery: Delivery) -> Happening:
    told = {"webhook": webhook.id, "name": webhook.name, "message": "Tallybones can post here."}
    return Happening(delivery.event, delivery.created_at, told)


_TELLERS: Mapping[str, Callable[[Store, Webhook, Delivery], Happening]] = {
    events.ROLL_RESOLVED: _roll,
    events.SESSION_STARTED: _session,
    events.SESSION_ENDED: _session,
    events.REPORT_READY: _report,
    events.TEST: _test,
}
