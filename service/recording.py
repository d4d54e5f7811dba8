"""Writing a roll down: what was asked, then what the throw came to."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from rules.action import Action
from rules.odds import fraction_text, odds
from rules.throw import Die, Resolution
from service.records import ActorRecord, Chain, DieRecord, OddsRecord, RollRecord
from service.visibility import BLIND, GM_ONLY, PUBLIC, SELF

CHAINS: dict[str, Chain] = {PUBLIC: "open", GM_ONLY: "hidden", BLIND: "hidden", SELF: "self"}
"""The chain on which each visibility counts, so that a gap tells a player nothing."""

BEFORE_FIRST: dict[Chain, int] = {"open": 0, "hidden": 0, "self": 1_000_000_000}
"""The number before a chain's first. Two chains share the hidden seed: no roll of one may have the dice of
another, or a `self` roll would show what a `gm` roll under the same key is going to be."""


def asked(
    action: Action,
    *,
    ruleset: str,
    params: dict[str, Any],
    user: str,
    user_name: str,
    nonce: str,
    now: int,
    visibility: str = PUBLIC,
    actor: ActorRecord | None = None,
    label: str | None = None,
) -> dict[str, Any]:
    """Return a pending record without what its session gives it (id, session, seq, commitment).

    `params` are those of this side: of the action, or of the answer to it. `now` is in ms.
    """
    return {
        "chain": CHAINS[visibility],
        "nonce": nonce,
        "status": "pending",
        "ruleset": ruleset,
        "action": action.name,
        "title": action.heading(),
        "label": label,
        "user": user,
        "user_name": user_name,
        "actor": actor,
        "visibility": visibility,
        "params": params,
        "house_rules": action.house.as_json(),
        "challenged": None,
        "challenged_name": None,
        "answers": None,
        "answered_by": None,
        "opponent": None,
        "created_at": now,
        "resolved_at": None,
    }


def resolved(
    record: RollRecord, action: Action, resolution: Resolution, dice: Iterable[Die], now: int
) -> RollRecord:
    """Return a roll's record with what its throw came to; `dice` are those that its own number yields."""
    verdict = resolution.verdict
    done = record.copy()
    done["status"] = "resolved"
    done["resolved_at"] = now
    done["house_rules"] = action.house_rules_that_mattered(verdict)
    done["dice"] = [die_record(die) for die in dice]
    done["score"] = action.score
    done["points"] = verdict.score
    done["target_label"] = action.target_label
    done["target"] = verdict.target
    done["outcome"] = verdict.outcome.value
    done["success"] = verdict.success
    done["margin"] = verdict.margin
    done["numbers"] = list(action.numbers())
    done["notes"] = list(verdict.notes)
    done["odds"] = odds_record(action)
    return done


def die_record(die: Die) -> DieRecord:
    """Return a die as the ledger keeps it."""
    return {
        "faces": die.faces,
        "value": die.value,
        "role": die.role.value,
        "kept": die.kept,
        "counts": die.counts,
    }


@lru_cache(maxsize=1024)
def odds_record(action: Action) -> OddsRecord:
    """Return the odds of an action as the ledger keeps them."""
    exact = odds(action)
    return {
        "success": fraction_text(exact.success),
        "outcomes": {outcome.value: fraction_text(chance) for outcome, chance in exact.outcomes.items()},
        "formula": exact.formula,
    }
