"""Deliveries: the messages to a webhook, when each is due, and what came of it."""

import builtins
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson
from redis import Redis

from service.store import keys
from service.store.errors import UnknownDelivery
from service.store.ids import new_id
from service.store.lua import Scripts
from service.store.shared import Clock, text
from service.store.webhooks import Webhook, webhook_of

Status = Literal["pending", "delivered", "failed"]

KEEP = 100
"""Settled deliveries that a webhook's log keeps; those that are not settled stay in any case."""
KEEP_ATTEMPTS = 12
"""Attempts that are kept of one delivery."""
MOST_FAILING_MS = 5 * 24 * 60 * 60 * 1000
"""A webhook that has failed for this long is switched off."""
LEASE_MS = 10_000
"""A worker that has not said for so long that it still sends to a webhook does so no more."""
MOST_DUE = 1000


@dataclass(frozen=True, slots=True)
class Delivery:
    """One message to one webhook; its id is the message's and stays. Times in ms.

    `subject` is the roll, session, report or (in a test) webhook that it tells of. `step` counts the waits of
    the schedule that it has had, `put_off` those that the receiver asked for, `asked` how often the GM had it
    sent. `request` is what was sent last,
    and `attempts` (oldest first) what came of it, both with secrets masked. `forgotten` is True where what it
    tells of was deleted for good: what was sent and answered went with it.
    """

    id: str
    webhook: str
    event: str
    subject: str
    status: Status
    created_at: int
    next_at: int | None
    settled_at: int | None
    step: int
    put_off: int
    asked: int
    request: dict[str, Any] | None
    forgotten: bool = False
    attempts: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What came of sending a delivery, and what follows; noted once, however often that is tried.

    `asked` is the delivery's. `due` (ms) is when to try again where `outcome` is pending. `held_until` (ms)
    keeps everything from the webhook until then. `off` says why to switch the webhook off. `tried` is False
    where nothing was sent.
    """

    delivery: str
    asked: int
    outcome: Status
    log: dict[str, Any]
    request: dict[str, Any] | None = None
    due: int = 0
    step: int = 0
    put_off: int = 0
    held_until: int = 0
    off: str | None = None
    tried: bool = True
    id: str = field(default_factory=new_id)


class Deliveries:
    """Reading the log, and working off what is due."""

    def __init__(self, redis: Redis, scripts: Scripts, clock: Clock) -> None:
        self._redis, self._scripts, self._clock = redis, scripts, clock

    def list(self, webhook: str, before: str | None = None, limit: int = 50) -> builtins.list[Delivery]:
        """Return deliveries of a webhook, newest first, after `before` (an id); raise UnknownDelivery."""
        start = 0
        if before is not None:
            rank: Any = self._redis.zrevrank(keys.webhook_log(webhook), before)
            if rank is None:
                raise UnknownDelivery(before)
            start = rank + 1
        found = self._redis.zrevrange(keys.webhook_log(webhook), start, start + limit - 1)
        ids = [text(delivery) for delivery in found]
        return [delivery for delivery in self._read(ids) if delivery]

    def get(self, webhook: str, delivery: str) -> Delivery | None:
        """Return the delivery, None when the webhook's log has none of that id."""
        [found] = self._read([delivery])
        return found if found and found.webhook == webhook else None

    def due(self) -> builtins.list[str]:
        """Return the webhooks that have something to send now, the longest due first."""
        found = self._redis.zrangebyscore(keys.DELIVERIES_DUE, "-inf", self._clock(), start=0, num=MOST_DUE)
        return [text(webhook) for webhook in found]

    def enter_lane(self, webhook: str, owner: str) -> bool:
        """Claim the right to send to a webhook, for LEASE_MS; False where somebody has it."""
        return bool(self._redis.set(keys.webhook_lane(webhook), owner, nx=True, px=LEASE_MS))

    def keep_lanes(self, webhooks: builtins.list[str]) -> None:
        """Keep that right for another LEASE_MS."""
        with self._redis.pipeline(transaction=False) as together:
            for webhook in webhooks:
                together.pexpire(keys.webhook_lane(webhook), LEASE_MS)
            together.execute()

    def leave_lane(self, webhook: str, owner: str) -> None:
        """Give that right back, and put down when the webhook has something to send again."""
        self._scripts.run("leave", [keys.webhook_lane(webhook)], [webhook, owner])

    def take(self, webhook: str, owner: str) -> tuple[Delivery, Webhook] | None:
        """Return what to send now; None where nothing is due, or where somebody else has the lane."""
        ask = {"webhook": webhook, "owner": owner, "now": self._clock(), "lease": LEASE_MS}
        names = [keys.webhook(webhook), keys.webhook_lane(webhook)]
        taken = self._scripts.run("take", names, [ask])
        if not taken:
            return None
        delivery, kept, known = text(taken[0]), _pairs(taken[1]), webhook_of(webhook, _pairs(taken[2]))
        found = _delivery(delivery, kept, ())
        return (found, known) if found and known else None

    def attempted(self, attempt: Attempt) -> str | None:
        """Note what came of an attempt; return why that switched the webhook off, None where it did not."""
        webhook = keys.webhook_of(attempt.delivery)
        ask = {
            "webhook": webhook,
            "delivery": attempt.delivery,
            "attempt": attempt.id,
            "asked": attempt.asked,
            "now": self._clock(),
            "outcome": attempt.outcome,
            "due": attempt.due,
            "step": attempt.step,
            "put_off": attempt.put_off,
            "held_until": attempt.held_until,
            "off": attempt.off or "",
            "tried": attempt.tried,
            "most_failing": MOST_FAILING_MS,
            "keep": KEEP,
            "keep_attempts": KEEP_ATTEMPTS,
        }
        sent = orjson.dumps(attempt.request) if attempt.request else b""
        off = self._scripts.run("attempted", [keys.webhook(webhook)], [ask, orjson.dumps(attempt.log), sent])
        return text(off) or None

    def _read(self, ids: builtins.list[str]) -> builtins.list[Delivery | None]:
        with self._redis.pipeline(transaction=False) as together:
            for delivery in ids:
                together.hgetall(keys.delivery(delivery))
                together.lrange(keys.attempts(delivery), 0, -1)
            answers = together.execute()
        pairs = zip(ids, answers[::2], answers[1::2], strict=True)
        return [_delivery(*found) for found in pairs]


def _pairs(flat: builtins.list[bytes]) -> dict[bytes, bytes]:
    return dict(zip(flat[::2], flat[1::2], strict=True))


def _delivery(delivery: str, found: dict[bytes, bytes], attempts: Any) -> Delivery | None:
    if not found:
        return None
    kept = {text(name): value for name, value in found.items()}
    status: Any = text(kept["status"])
    return Delivery(
        id=delivery,
        webhook=text(kept["webhook"]),
        event=text(kept["event"]),
        subject=text(kept["subject"]),
        status=status,
        created_at=int(kept["created_at"]),
        next_at=int(kept["next_at"]) if "next_at" in kept else None,
        settled_at=int(kept["settled_at"]) if "settled_at" in kept else None,
        step=int(kept.get("step", 0)),
        put_off=int(kept.get("put_off", 0)),
        asked=int(kept.get("asked", 0)),
        request=orjson.loads(kept["request"]) if "request" in kept else None,
        forgotten="forgotten" in kept,
        attempts=tuple(orjson.loads(attempt) for attempt in attempts),
    )
