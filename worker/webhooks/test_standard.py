"""Every message that is written here verifies with the reference library; nothing else does."""

import base64
import hashlib
import hmac
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError

from service.store.webhooks import Webhook, new_secret
from worker.webhooks import standard
from worker.webhooks.exchange import Answer, Verdict
from worker.webhooks.happenings import Happening

ID = "aaaaaaaaaa-" + "0" * 24


def now() -> int:
    return int(datetime.now(UTC).timestamp() * 1000)


def webhook(**more: object) -> Webhook:
    fields = {
        "id": "aaaaaaaaaa",
        "campaign": "bbbbbbbbbb",
        "kind": "standard",
        "url": "https://example.org/hook",
        "name": None,
        "events": ("roll.resolved",),
        "hidden": False,
        "enabled": True,
        "created_at": 0,
        "secret": new_secret(),
    }
    return Webhook(**{**fields, **more})


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=50)
TOLD = st.dictionaries(TEXT, TEXT | st.integers(-(2**53), 2**53) | st.none() | st.booleans(), max_size=5)


@given(told=TOLD)
def test_whatever_is_told_verifies_and_comes_out_as_it_went_in(told):
    hook = webhook()
    request = standard.request(hook, ID, Happening("roll.resolved", 1000, told), now())
    read = Verifier(hook.secret).verify(request.body, dict(request.headers))
    assert read == {"type": "roll.resolved", "timestamp": "1970-01-01T00:00:01.000Z", "data": told}


def test_the_signature_is_over_the_bytes_that_are_sent():
    """As specified: base64 of HMAC-SHA256 of `id.timestamp.body`, the key in base64 after whsec_."""
    hook = webhook()
    request = standard.request(hook, ID, Happening("webhook.test", 0, {"name": "Zoë 😀"}), now())
    key = base64.b64decode(hook.secret.removeprefix("whsec_"))
    signed = f"{ID}.{request.headers['webhook-timestamp']}.".encode() + request.body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert request.headers["webhook-signature"] == f"v1,{expected}"
    assert request.headers["webhook-id"] == ID and 24 <= len(key) <= 64


def test_the_timestamp_is_that_of_the_attempt():
    hook = webhook()
    for minutes in (0, 4, -4):
        request = standard.request(hook, ID, Happening("webhook.test", 0, {}), now() + minutes * 60_000)
        assert Verifier(hook.secret).verify(request.body, dict(request.headers))
    late = standard.request(hook, ID, Happening("webhook.test", 0, {}), now() - 6 * 60_000)
    with pytest.raises(WebhookVerificationError, match="too old"):
        Verifier(hook.secret).verify(late.body, dict(late.headers))


def test_two_secrets_sign_until_the_old_one_is_over():
    old = new_secret()
    hook = webhook(old_secret=old, old_secret_until=now() + 1000)
    request = standard.request(hook, ID, Happening("webhook.test", 0, {}), now())
    for secret in (hook.secret, old):
        assert Verifier(secret).verify(request.body, dict(request.headers))
    request = standard.request(hook, ID, Happening("webhook.test", 0, {}), now() + 2000)
    assert Verifier(hook.secret).verify(request.body, dict(request.headers))
    with pytest.raises(WebhookVerificationError, match="No matching"):
        Verifier(old).verify(request.body, dict(request.headers))


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        (200, Verdict.DELIVERED),
        (204, Verdict.DELIVERED),
        (302, Verdict.TRY_AGAIN),
        (400, Verdict.TRY_AGAIN),
        (404, Verdict.TRY_AGAIN),
        (410, Verdict.GONE),
        (429, Verdict.TRY_AGAIN),
        (500, Verdict.TRY_AGAIN),
    ],
)
def test_anything_but_2xx_is_a_failure_that_may_pass_and_410_the_end(status, verdict):
    assert standard.judge(Answer(status)) is verdict
