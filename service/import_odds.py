"""What an import requires of a roll's odds: they are those that the rules give for what was asked."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import prod
from typing import Any

import orjson
from marshmallow import ValidationError

from rules import registry
from rules.action import Action, TakesNoAnswer
from rules.ruleset import RuleSet, UnknownAction
from rules.throw import TooManyDice
from service.import_lines import Wrong
from service.recording import odds_record
from service.visibility import GM

Record = dict[str, Any]

LONGEST_REMEMBERED = 2000
"""Characters of a question beyond which its answer is worked out each time."""


def require_odds_if_thrown(record: Record) -> None:
    """Refuse a resolved roll that has an outcome and no odds, or odds and no outcome; raise Wrong."""
    if (record["outcome"] is None) != (record["odds"] is None):
        raise Wrong("roll.odds", "does not go with its outcome")


class OddsOfSession:
    """Compares the odds of a session's rolls with those by the rules.

    Of a challenge that was answered they depend on both sides' params: it is compared when both are there.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[Record, int]] = {}

    def require(self, record: Record, line: int) -> None:
        """Check a resolved roll of that line, or of an earlier one that waited for it; raise Wrong."""
        if record["odds"] is None:
            return
        named = record["answers"] or record["answered_by"]
        if named is None:
            _require(record, line, None)
        elif named not in self._waiting:
            self._waiting[record["id"]] = record, line
            _require_of_its_dice(record)  # all there is to say where the other side never comes
        else:
            other, before = self._waiting.pop(named)
            _require(other, before, record)
            _require(record, line, other)


def _require_of_its_dice(record: Record) -> None:
    """Refuse a chance that is no number of all the ways in which the roll's dice can fall."""
    opponent = record["opponent"] or {"dice": []}
    ways = prod(die["faces"] for die in (*record["dice"], *opponent["dice"]))
    odds = record["odds"]
    for chance in (odds["success"], *odds["outcomes"].values()):
        if ways % int(chance.partition("/")[2]):
            raise Wrong("roll.odds", "holds a chance that no throw of these dice has")


def _require(record: Record, line: int, other: Record | None) -> None:
    """Refuse odds that are not by the rules, whatever house rules the roll does not name; raise Wrong."""
    ruleset = registry.get(record["ruleset"])
    if ruleset.every_setting(record["house_rules"]) is None:
        _require_of_its_dice(record)
        return
    names = ("action", "params", "user", "answers")
    question = {
        "ruleset": ruleset.id,
        "house_rules": record["house_rules"],
        "odds": record["odds"],
        "mine": {name: record[name] for name in names},
        "theirs": other and {name: other[name] for name in names},
    }
    asked = orjson.dumps(question, option=orjson.OPT_SORT_KEYS)
    refused = _refused(asked) if len(asked) <= LONGEST_REMEMBERED else _refused.__wrapped__(asked)
    if refused is not None:
        raise Wrong(*refused, line=line)


@lru_cache(maxsize=16384)
def _refused(asked: bytes) -> tuple[str, str] | None:
    """Return the field and the sentence with which odds are refused, None where they are by the rules."""
    question = orjson.loads(asked)
    ruleset, said = registry.get(question["ruleset"]), question["odds"]
    right = []
    for action in _actions(ruleset, question["house_rules"], question["mine"], question["theirs"]):
        odds = odds_record(action)
        if odds == said:
            return None
        right.append(odds)
    by_these = f"is not what this version of {ruleset.id} gives for such a roll"
    if not any(odds["success"] == said["success"] for odds in right):
        gives = " or ".join(dict.fromkeys(odds["success"] for odds in right))
        return "roll.odds.success", f"{by_these}: {gives or 'it has none such'}"
    return "roll.odds", by_these


def _actions(
    ruleset: RuleSet, named: Mapping[str, Any], mine: Record, theirs: Record | None
) -> Iterator[Action]:
    """Yield the action of a roll under every setting of the house rules that it does not name."""
    asked, answer = (theirs, mine) if theirs is not None and mine["answers"] else (mine, theirs)
    for house_rules in ruleset.every_setting(named) or ():
        try:
            action = ruleset.load(asked["action"], asked["params"], house_rules, asked["user"] != GM)
            if answer is not None:
                action = action.answered(answer["params"])
            yield action.other_side(asked["user"]) if answer is mine else action
        except (ValidationError, TakesNoAnswer, TooManyDice, UnknownAction):
            continue
