"""Challenges that wait for their other side."""

from typing import Any

from service.console import guard
from service.presenting import present
from service.services import services
from service.store import keys
from service.store.shared import text


def waiting(session: str) -> list[dict[str, Any]]:
    """Return the challenges of a session that wait for an answer, oldest first, as the GM may see them."""
    store, caller = services().store, guard.signed_in()
    asked = store.redis.hgetall(keys.awaiting(session))
    unanswered = [text(challenge) for challenge, answer in asked.items() if not answer]
    records = [store.rolls.get(caller.campaign, challenge) for challenge in unanswered]
    shown = [present(record, caller) for record in records if record is not None]
    still = [roll for roll in shown if roll is not None and roll["status"] == "awaiting"]
    return sorted(still, key=lambda roll: str(roll["created_at"]))
