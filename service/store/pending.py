"""A roll that is to be resolved."""

from dataclasses import dataclass
from typing import cast

import orjson

from service.records import RollRecord
from service.store.shared import text


@dataclass(frozen=True, slots=True)
class Pending:
    """A roll to be resolved, with the seed of its chain and, where it answers one, its challenge."""

    record: RollRecord
    campaign: str
    seed: bytes
    challenge: RollRecord | None


def pending_roll(
    found: bytes | None,
    campaign: bytes | None,
    seed: bytes | None,
    hidden_seed: bytes | None,
    challenge: bytes | None,
) -> Pending | None:
    """Return a roll from what is kept of it, of its session and of its challenge.

    None where there is nothing (more) to do: it was committed, or waits for its other side.
    """
    if not found or not campaign:
        return None
    record = cast(RollRecord, orjson.loads(found))
    if record["status"] != "pending":
        return None
    chosen = seed if record["chain"] == "open" else hidden_seed
    asked = cast(RollRecord, orjson.loads(challenge)) if challenge else None
    if asked is not None and asked["id"] != record["answers"]:
        asked = None
    return Pending(record, text(campaign), bytes.fromhex(text(chosen)), asked)
