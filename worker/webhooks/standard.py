"""Standard Webhooks v1 (standardwebhooks.com): JSON that is signed with a secret of the webhook's own."""

import orjson
from standardwebhooks import Webhook as Signer

from service.presenting import iso_time
from service.store import Webhook
from worker.webhooks.exchange import Answer, Request, Verdict, verdict
from worker.webhooks.happenings import Happening
from worker.webhooks.schedule import utc

ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"


def request(webhook: Webhook, delivery: str, happening: Happening, now: int) -> Request:
    """Return the message, signed at `now` (ms) with each secret in force; its id is the delivery's."""
    told = {"type": happening.event, "timestamp": iso_time(happening.at), "data": happening.told}
    body = orjson.dumps(told)
    moment, secrets = utc(now), webhook.signing_secrets(now)
    headers = {
        "Content-Type": "application/json",
        ID: delivery,
        TIMESTAMP: str(now // 1000),
        # The library signs the text's UTF-8 bytes, which are the body's.
        SIGNATURE: " ".join(Signer(secret).sign(delivery, moment, body.decode()) for secret in secrets),
    }
    bare = (secret.partition("_")[2] for secret in secrets)
    return Request(webhook.url, headers, body, frozenset({SIGNATURE}), (*secrets, *bare))


def judge(answer: Answer) -> Verdict:
    """Judge an answer as the specification does: 2xx or a failure that may pass; 410 switches off."""
    return verdict(answer)


def pause(answer: Answer) -> float:
    """Return for how many seconds the receiver wants nothing after this answer: it cannot say so."""
    return 0.0
