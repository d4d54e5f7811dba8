"""The job that resolves a roll: draw, judge, record, commit.

Running it again changes nothing: the dice are a function of the session's seed and the roll, and a roll that
is committed is left alone.
"""

import logging
from collections.abc import Sequence
from functools import lru_cache

from redis import Redis
from rq import get_current_job

from rules import registry
from rules.action import Action
from rules.dice import SeededDice
from rules.throw import Resolution, Side, resolve
from service.logs import told
from service.recording import die_record, resolved
from service.records import OpponentRecord, RollRecord
from service.store import Pending, Store
from service.store.figures import COUNTING

log = logging.getLogger(__name__)


def resolve_roll(roll_id: str) -> None:
    """Resolve an accepted roll (the RQ job)."""
    job = get_current_job()
    if job is None:
        raise RuntimeError("resolve_roll runs as an RQ job only")
    resolve_in(_store_on(job.connection), roll_id)


def resolve_in(store: Store, roll_id: str) -> bool:
    """Resolve an accepted roll of a store; False where there was nothing (more) to do."""
    pending = store.rolls.pending(roll_id)
    if pending is None:
        return False
    records = resolve_pending(pending, store.clock())
    if records is None:
        return store.rolls.put_awaiting(pending.campaign, pending.record)
    committed = store.rolls.commit(pending.campaign, records) > 0
    if committed:
        tell_of(records)
    return committed


def tell_of(records: Sequence[RollRecord]) -> None:
    """Count rolls that are resolved, and tell the log of them: one line for those that were together."""
    if records:
        COUNTING.resolved(records)
        log.info(
            "rolls resolved",
            extra=told(
                rolls=[record["id"] for record in records],
                ms=max((record["resolved_at"] or 0) - record["created_at"] for record in records),
            ),
        )


def resolve_pending(pending: Pending, now: int) -> list[RollRecord] | None:
    """Return what a roll comes to, as records to commit; None for a challenge, which has to wait."""
    if pending.challenge is not None:
        return _both_sides(pending, pending.challenge, now)
    action = _action_of(pending.record)
    if action.challenged:
        return None
    resolution = resolve(action, _dice(pending.record, pending.seed))
    return [resolved(pending.record, action, resolution, resolution.dice, now)]


@lru_cache(maxsize=4)
def _store_on(redis: Redis) -> Store:
    return Store(redis)


def _action_of(record: RollRecord) -> Action:
    """Return a roll's action, under the house rules that held when it was accepted."""
    return registry.get(record["ruleset"]).load(
        record["action"], record["params"], record["house_rules"], roller_is_player=record["user"] != "gm"
    )


def _dice(record: RollRecord, seed: bytes) -> SeededDice:
    return SeededDice(seed, record["session"], record["seq"], record["nonce"])


def _both_sides(pending: Pending, challenge: RollRecord, now: int) -> list[RollRecord]:
    """Resolve a challenge and its answer, each with its own dice and seen from its own side."""
    answer = pending.record
    action = _action_of(challenge).answered(answer["params"])
    other = action.other_side(challenge["user"])
    sides = []
    for mine, theirs, asked, their_asked in (
        (challenge, answer, action, other),
        (answer, challenge, other, action),
    ):
        resolution = resolve(asked, _dice(mine, pending.seed), _dice(theirs, pending.seed))
        own = [die for die in resolution.dice if die.side is Side.ROLLER]
        record = resolved(mine, asked, resolution, own, now)
        record["opponent"] = _opponent(theirs, their_asked, resolution)
        sides.append(record)
    sides[0]["answered_by"] = answer["id"]
    return sides


def _opponent(record: RollRecord, action: Action, resolution: Resolution) -> OpponentRecord:
    """Return the other side as the roller's card shows it; what it reached is the roller's target."""
    return {
        "user": record["user"],
        "user_name": record["user_name"],
        "actor": record["actor"],
        "dice": [die_record(die) for die in resolution.dice if die.side is Side.OPPONENT],
        "points": resolution.verdict.target,
        "numbers": list(action.numbers()),
    }
