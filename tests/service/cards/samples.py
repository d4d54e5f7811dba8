"""Example rolls, resolved by the real rules with seeded dice: for tests and the gallery (script/cards)."""

from collections.abc import Mapping
from typing import Any

from rules import registry
from rules.action import Action
from rules.dice import DiceSource, FixedDice, SeededDice
from rules.fairness import commitment
from rules.throw import Side, resolve
from service.recording import asked, resolved
from service.records import RollRecord

SESSION = "q3m7kd2xva"
SEED = bytes(range(32))
CREATED = 1_772_823_600_000
MIRA = {"id": "A1", "name": "Mira the Quick"}
BRAM = {"id": "A2", "name": "Bram Oakhand"}


def pending(ruleset: str, action: str, params: Mapping[str, Any], seq: int = 1, **fields: Any) -> RollRecord:
    """Return a roll that was accepted and not yet resolved."""
    house_rules = fields.pop("house_rules", {})
    loaded = registry.get(ruleset).load(action, params, house_rules)
    record = asked(
        loaded,
        ruleset=ruleset,
        params=loaded.params(),
        user="anna",
        user_name="Anna",
        nonce=f"7d1c2f6e-{seq:04d}",
        now=CREATED + seq * 60_000,
        actor=MIRA,  # type: ignore[arg-type]
    ) | {
        "id": f"{SESSION}-{'abcdefghij'[seq % 10]}bcdefghij",
        "session": SESSION,
        "seq": seq,
        "commitment": commitment(SESSION, SEED),
        "challenged": loaded.challenged,
    }
    return record | fields  # type: ignore[return-value]


def action_of(record: RollRecord) -> Action:
    """Return the action that a record asks for."""
    ruleset = registry.get(record["ruleset"])
    return ruleset.load(record["action"], record["params"], record["house_rules"], record["user"] != "gm")


def seeded(record: RollRecord) -> SeededDice:
    """Return the dice that belong to a record."""
    return SeededDice(SEED, record["session"], record["seq"], record["nonce"])


def roll(
    ruleset: str,
    action: str,
    params: Mapping[str, Any],
    seq: int = 1,
    dice: DiceSource | None = None,
    **fields: Any,
) -> RollRecord:
    """Return a resolved roll."""
    record = pending(ruleset, action, params, seq, **fields)
    asked = action_of(record)
    resolution = resolve(asked, dice or seeded(record))
    return resolved(record, asked, resolution, resolution.dice, record["created_at"] + 42)


def contest(
    ruleset: str,
    action: str,
    params: Mapping[str, Any],
    answer: Mapping[str, Any],
    seq: int = 1,
    dice: tuple[DiceSource, DiceSource] | None = None,
    **fields: Any,
) -> tuple[RollRecord, RollRecord]:
    """Return a challenge and its answer by Bert, both resolved."""
    challenge = awaiting(ruleset, action, params, seq, **fields)
    reply = challenge.copy()
    reply |= {  # type: ignore[typeddict-item]
        "id": f"{SESSION}-zbcdefghij",
        "seq": seq + 1,
        "user": "bert",
        "user_name": "Bert",
        "actor": BRAM,
        "label": None,
        "params": dict(answer),
        "challenged": None,
        "answers": challenge["id"],
    }
    asked = action_of(challenge).answered(answer)
    other = asked.other_side(challenge["user"])
    sources = dice or (seeded(challenge), seeded(reply))
    resolution = resolve(asked, *sources)
    hands = {side: [die for die in resolution.dice if die.side is side] for side in Side}
    fallen = {side: FixedDice(die.value for die in hand) for side, hand in hands.items()}
    seen = resolve(other, fallen[Side.OPPONENT], fallen[Side.ROLLER])
    mine = resolved(challenge, asked, resolution, hands[Side.ROLLER], CREATED)
    theirs = resolved(reply, other, seen, [die for die in seen.dice if die.side is Side.ROLLER], CREATED)
    mine["answered_by"] = reply["id"]
    for own, facing, judged in ((mine, theirs, resolution), (theirs, mine, seen)):
        own["opponent"] = {
            "user": facing["user"],
            "user_name": facing["user_name"],
            "actor": facing["actor"],
            "dice": facing["dice"],
            "points": judged.verdict.target,
            "numbers": facing["numbers"],
        }
    return mine, theirs


def awaiting(ruleset: str, action: str, params: Mapping[str, Any], seq: int = 1, **fields: Any) -> RollRecord:
    """Return a challenge that nobody has answered yet."""
    return pending(ruleset, action, params, seq, status="awaiting", **fields)


def unanswered(
    ruleset: str, action: str, params: Mapping[str, Any], seq: int = 1, **fields: Any
) -> RollRecord:
    """Return a challenge that its session's end closed."""
    record = awaiting(ruleset, action, params, seq, **fields)
    record["status"] = "resolved"
    record["resolved_at"] = record["created_at"] + 3_600_000
    record["dice"], record["notes"] = [], ["unanswered"]
    return record
