"""One attempt at a delivery: what is told, posted, judged, and noted; and the RQ job that asks for it."""

import logging
import time
import traceback
from dataclasses import replace
from functools import partial
from types import ModuleType
from typing import Any

from redis.exceptions import RedisError
from rq import get_current_job

from service.settings import Settings
from service.store import Attempt, Delivery, Store, Webhook
from service.webhook_address import HIDDEN, AddressRules, masked, secrets_in, without
from service.webhook_events import DISCORD, FOUNDRY_REST, STANDARD
from worker.webhooks import discord, foundry_rest, schedule, standard
from worker.webhooks.exchange import RATE_LIMITED, Answer, Request, Verdict
from worker.webhooks.happenings import NothingToTell, happening
from worker.webhooks.transport import REDIRECTS, NotSent, post

KINDS: dict[str, ModuleType] = {STANDARD: standard, DISCORD: discord, FOUNDRY_REST: foundry_rest}

LONGEST_LOGGED = 2000
"""Characters of a body that the log keeps."""
MOST_OBEYED = 20
"""How often a receiver may put a delivery off with 429 before the waits of the schedule count as well."""
LOGGED_HEADERS = (
    "content-type",
    "retry-after",
    "location",
    "x-ratelimit-remaining",
    "x-ratelimit-reset-after",
)

OUR_MISTAKE = "The message could not be made; the service's log says why."

log = logging.getLogger(__name__)


def deliver(delivery: str) -> None:
    """Send what is due to a delivery's webhook (the RQ job).

    It only wakes the lanes: what is due is kept apart from RQ, so that a lost job loses no delivery.
    """
    from worker.webhooks.lanes import lanes_on

    job = get_current_job()
    if job is None:
        raise RuntimeError("deliver runs as an RQ job only")
    lanes_on(job.connection).wake(delivery)


def address_rules(settings: Settings) -> AddressRules:
    """Return what the operator allows of addresses."""
    return AddressRules(http=settings.webhook_http, private=settings.webhook_private)


def attempt(store: Store, webhook: Webhook, delivery: Delivery, rules: AddressRules) -> Attempt:
    """Send a delivery, and return what came of it; a mistake of our own counts as a failure that may pass."""
    now, started = store.clock(), time.monotonic()
    try:
        return _attempt(store, webhook, delivery, rules, now, started)
    except (RedisError, OSError):
        raise
    except Exception as error:  # noqa: BLE001  else it would stand in the way of all that come after it
        # Not its message: that may hold an address.
        where = "".join(traceback.format_tb(error.__traceback__))
        log.error("delivery %s: a %s\n%s", delivery.id, type(error).__name__, where)
        entry = {"at": now, "ms": _ms_since(started), "error": OUR_MISTAKE}
        made = _follows(delivery, Verdict.TRY_AGAIN, None, 0.0, store.clock(), entry, None)
        return replace(made, tried=False)


def _attempt(
    store: Store, webhook: Webhook, delivery: Delivery, rules: AddressRules, now: int, started: float
) -> Attempt:
    entry: dict[str, Any] = {"at": now}
    if not webhook.enabled and not delivery.asked:
        return _untried(delivery, entry, "The webhook is switched off.")
    kind = KINDS[webhook.kind]
    try:
        request = kind.request(webhook, delivery.id, happening(store, webhook, delivery), now)
    except NothingToTell as nothing:
        return _untried(delivery, entry, nothing.sentence)
    secrets = _secrets(webhook, request)
    sent = _logged_request(request, secrets)
    try:
        answer = post(request, rules)
    except NotSent as error:
        entry |= {"ms": _ms_since(started), "error": error.sentence}
        judged = Verdict.NEVER if error.permanent else Verdict.TRY_AGAIN
        return _follows(delivery, judged, None, 0.0, store.clock(), entry, sent)
    entry |= {"ms": _ms_since(started), "answer": _logged_answer(answer, secrets)}
    if answer.status in REDIRECTS:
        entry["error"] = "The receiver redirects; redirects are not followed."
    return _follows(delivery, kind.judge(answer), answer, kind.pause(answer), store.clock(), entry, sent)


def _follows(
    delivery: Delivery,
    judged: Verdict,
    answer: Answer | None,
    pause: float,
    now: int,
    entry: dict[str, Any],
    sent: dict[str, Any] | None,
) -> Attempt:
    """Return what follows from a verdict: all is done, or when to try again."""
    held = now + round(pause * 1000) if pause else 0
    made = partial(Attempt, delivery=delivery.id, asked=delivery.asked, log=entry, request=sent)
    if judged is Verdict.DELIVERED:
        return made(outcome="delivered", held_until=held)
    if judged in (Verdict.NEVER, Verdict.GONE):
        off = "gone" if judged is Verdict.GONE else None
        return made(outcome="failed", off=off)
    step, asked = delivery.step, None
    if answer is not None:
        asked = schedule.retry_after(answer.headers.get("retry-after"), now / 1000)
    limited = answer is not None and answer.status == RATE_LIMITED
    wait = schedule.wait(step)
    if limited and asked is not None:
        held = now + round(max(asked, 1.0) * 1000)  # it would refuse the others as well
    if limited and asked is not None and delivery.put_off < MOST_OBEYED:
        due, put_off = held, delivery.put_off + 1
    elif wait is None:
        return made(outcome="failed", held_until=held)
    else:
        step, put_off = step + 1, delivery.put_off
        due = now + round(max(wait, asked or 0.0) * 1000)
    return made(outcome="pending", due=due, step=step, put_off=put_off, held_until=held)


def _untried(delivery: Delivery, entry: dict[str, Any], sentence: str) -> Attempt:
    entry |= {"ms": 0, "error": sentence}
    return Attempt(delivery=delivery.id, asked=delivery.asked, outcome="failed", log=entry, tried=False)


def _secrets(webhook: Webhook, request: Request) -> set[str]:
    return secrets_in(webhook.url) | secrets_in(request.url) | set(request.secrets)


def _logged_request(request: Request, secrets: set[str]) -> dict[str, Any]:
    headers = {name: HIDDEN if name in request.masked else value for name, value in request.headers.items()}
    return {
        "method": "POST",
        "url": masked(request.url),
        "headers": headers,
        "body": _logged(request.body, secrets),
    }


def _logged_answer(answer: Answer, secrets: set[str]) -> dict[str, Any]:
    headers = {
        name: without(secrets, answer.headers[name]) for name in LOGGED_HEADERS if name in answer.headers
    }
    if "location" in headers:
        headers["location"] = masked(headers["location"])
    return {"status": answer.status, "headers": headers, "body": _logged(answer.body, secrets)}


def _logged(body: bytes, secrets: set[str]) -> str:
    text = without(secrets, body.decode("utf-8", "replace")).replace("\0", "")
    return text if len(text) <= LONGEST_LOGGED else text[:LONGEST_LOGGED] + HIDDEN


def _ms_since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
