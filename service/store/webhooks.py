"""Webhooks: where a campaign's cards go besides the table."""

import base64
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from redis import Redis
from redis.client import Pipeline

from service.store import keys
from service.store.errors import TooManyWebhooks, UnknownCampaign, UnknownWebhook
from service.store.ids import new_id
from service.store.lua import Scripts
from service.store.shared import Clock, text
from service.webhook_events import STANDARD, TEST

Kept = Mapping[bytes, bytes]

MOST_WEBHOOKS = 20
"""Webhooks of one campaign."""
ROTATION_MS = 24 * 60 * 60 * 1000
"""How long a secret that was replaced signs beside the new one."""
SECRET_PREFIX = "whsec_"  # noqa: S105
SECRET_BYTES = 32


@dataclass(frozen=True, slots=True)
class Webhook:
    """A webhook; times in ms. `url` and the secrets must not leave the service but to where they belong.

    `off_because` says why the service switched it off: "gone" or "failing".
    """

    id: str
    campaign: str
    kind: str
    url: str
    name: str | None
    events: tuple[str, ...]
    hidden: bool
    enabled: bool
    created_at: int
    secret: str | None = None
    old_secret: str | None = None
    old_secret_until: int | None = None
    failing_since: int | None = None
    off_because: str | None = None
    off_at: int | None = None

    def signing_secrets(self, now: int) -> tuple[str, ...]:
        """Return the secrets that sign at `now`, the newest first."""
        old = self.old_secret if self.old_secret and (self.old_secret_until or 0) > now else None
        return tuple(secret for secret in (self.secret, old) if secret)


def new_secret() -> str:
    """Return a fresh secret of Standard Webhooks."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


class Webhooks:
    """Making, reading, changing and forgetting a campaign's webhooks."""

    def __init__(self, redis: Redis, scripts: Scripts, clock: Clock) -> None:
        self._redis, self._scripts, self._clock = redis, scripts, clock

    def create(
        self,
        campaign: str,
        kind: str,
        url: str,
        events: Sequence[str],
        name: str | None = None,
        hidden: bool = False,
    ) -> Webhook:
        """Make a webhook; one of kind `standard` gets a secret. Raise TooManyWebhooks or UnknownCampaign."""
        webhook = Webhook(
            id=new_id(),
            campaign=campaign,
            kind=kind,
            url=url,
            name=name,
            events=tuple(events),
            hidden=hidden,
            enabled=True,
            created_at=self._clock(),
            secret=new_secret() if kind == STANDARD else None,
        )
        table, others = keys.campaign(campaign), keys.webhooks(campaign)

        def make(together: Pipeline) -> None:
            if not together.exists(table):
                raise UnknownCampaign(campaign)
            if together.zcard(others) >= MOST_WEBHOOKS:
                raise TooManyWebhooks(MOST_WEBHOOKS)
            together.multi()
            together.hset(keys.webhook(webhook.id), mapping=_kept(webhook))
            together.zadd(others, {webhook.id: webhook.created_at})

        self._redis.transaction(make, table, others)
        return webhook

    def get(self, campaign: str, webhook: str) -> Webhook | None:
        """Return the webhook, None when the campaign has none of that id."""
        found = webhook_of(webhook, cast(Kept, self._redis.hgetall(keys.webhook(webhook))))
        return found if found and found.campaign == campaign else None

    def list(self, campaign: str) -> list[Webhook]:
        """Return the campaign's webhooks, oldest first."""
        ids = [text(found) for found in self._redis.zrange(keys.webhooks(campaign), 0, -1)]
        with self._redis.pipeline(transaction=False) as together:
            for webhook in ids:
                together.hgetall(keys.webhook(webhook))
            read = (webhook_of(*pair) for pair in zip(ids, together.execute(), strict=True))
            return [webhook for webhook in read if webhook]

    def update(self, campaign: str, webhook: str, changes: Mapping[str, Any]) -> Webhook:
        """Change what is given of url, name, events, hidden and enabled; raise UnknownWebhook.

        Switching it on again forgets its failures.
        """
        self._known(campaign, webhook)
        over = (
            ("failing_since", "off_because", "off_at", "off_by", "held_until")
            if changes.get("enabled")
            else ()
        )
        self._change(webhook, _written(changes), over)
        return self._known(campaign, webhook)

    def rotate(self, campaign: str, webhook: str) -> Webhook:
        """Give the webhook a new secret; the old one signs beside it for a day. Raise UnknownWebhook."""
        known = self._known(campaign, webhook)
        changes: dict[Any, Any] = {"secret": new_secret()}
        if known.secret:
            changes |= {"old_secret": known.secret, "old_secret_until": self._clock() + ROTATION_MS}
        self._change(webhook, changes)
        return self._known(campaign, webhook)

    def delete(self, campaign: str, webhook: str) -> bool:
        """Forget the webhook and its log; return whether there was one."""
        names = [keys.webhooks(campaign), keys.webhook(webhook)]
        return bool(self._scripts.run("forget", names, [webhook]))

    def test(self, campaign: str, webhook: str) -> str:
        """Send a test, though the webhook be switched off; return the delivery's id. Raise UnknownWebhook."""
        self._known(campaign, webhook)
        delivery = f"{webhook}-{secrets.token_hex(12)}"
        ask = {"delivery": delivery, "event": TEST, "subject": webhook, "again": False}
        self._send(webhook, ask)
        return delivery

    def redeliver(self, campaign: str, delivery: str) -> bool:
        """Send a delivery of the log again, under the same id; return whether there was one."""
        webhook = keys.webhook_of(delivery)
        if self.get(campaign, webhook) is None:
            return False
        # Its event and subject are kept already.
        return self._send(webhook, {"delivery": delivery, "event": "", "subject": "", "again": True})

    def _change(self, webhook: str, kept: Mapping[Any, Any], over: Sequence[str] = ()) -> None:
        """Write what is changed, and drop what is over; of a webhook that is gone nothing is to come back."""
        key = keys.webhook(webhook)

        def change(together: Pipeline) -> None:
            if not together.exists(key):
                raise UnknownWebhook(webhook)
            together.multi()
            if kept:
                together.hset(key, mapping=dict(kept))
            if over:
                together.hdel(key, *over)

        self._redis.transaction(change, key)

    def _send(self, webhook: str, ask: dict[str, Any]) -> bool:
        asked = {**ask, "webhook": webhook, "now": self._clock()}
        return bool(self._scripts.run("send", [keys.webhook(webhook)], [asked]))

    def _known(self, campaign: str, webhook: str) -> Webhook:
        known = self.get(campaign, webhook)
        if known is None:
            raise UnknownWebhook(webhook)
        return known


def webhook_of(webhook: str, found: Kept) -> Webhook | None:
    """Return the webhook of what is kept, None where nothing is."""
    if not found:
        return None
    kept = {text(name): text(value) for name, value in found.items()}
    times = {
        name: int(kept[name]) if kept.get(name) else None
        for name in ("old_secret_until", "failing_since", "off_at")
    }
    return Webhook(
        id=webhook,
        campaign=kept["campaign"],
        kind=kept["kind"],
        url=kept["url"],
        name=kept["name"] or None,
        events=tuple(kept["events"].split()),
        hidden=kept["hidden"] == "1",
        enabled=kept["enabled"] == "1",
        created_at=int(kept["created_at"]),
        secret=kept.get("secret") or None,
        old_secret=kept.get("old_secret") or None,
        off_because=kept.get("off_because") or None,
        **times,
    )


def _kept(webhook: Webhook) -> dict[Any, Any]:
    changing = {name: getattr(webhook, name) for name in ("url", "name", "events", "hidden", "enabled")}
    fixed = {"campaign": webhook.campaign, "kind": webhook.kind, "created_at": webhook.created_at}
    return fixed | _written(changing) | ({"secret": webhook.secret} if webhook.secret else {})


def _written(changes: Mapping[str, Any]) -> dict[Any, Any]:
    """Return values as they are kept: events as words, flags as 1 and 0, no name as nothing."""
    written: dict[Any, Any] = {}
    for name, value in changes.items():
        if name == "events":
            written[name] = " ".join(value)
        elif isinstance(value, bool):
            written[name] = int(value)
        else:
            written[name] = value or ""
    return written
