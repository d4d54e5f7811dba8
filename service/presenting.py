"""A roll as the API answers it: the record, cut to what the caller may see, with its card.

Every answer has the same keys (`KEYS`) in every state and view; what is not there yet, or is withheld, is
null or an empty list. The points are under `total` or `successes`: one of the two keys in a resolved roll
that is shown; both, as null, in all others.

| view       | what is withheld                             |
|------------|----------------------------------------------|
| FULL       | nothing                                      |
| OWN        | `seq`                                        |
| THROWN     | all but `SHOWN_WHEN_THROWN`                  |
| CHALLENGED | all but `SHOWN_WHEN_THROWN`; `params` as well, and what the title tells of them |
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, cast

from rules.odds import as_json
from service.cards import card, thrown_card
from service.cards.wording import sentence
from service.visibility import View, Viewer, view_of

SCORES = ("total", "successes")

# The contract's keys, then those that this service adds.
KEYS = (
    "id",
    "seq",
    "session",
    "status",
    "ruleset",
    "action",
    "label",
    "user",
    "actor",
    "visibility",
    "params",
    "dice",
    *SCORES,
    "target",
    "outcome",
    "success",
    "margin",
    "odds",
    "created_at",
    "resolved_at",
    "fairness",
    "card",
    "title",
    "user_name",
    "target_label",
    "house_rules",
    "numbers",
    "notes",
    "challenged",
    "challenged_name",
    "answers",
    "answered_by",
    "opponent",
)

SHOWN_WHEN_THROWN = (
    "id",
    "session",
    "status",
    "ruleset",
    "action",
    "title",
    "label",
    "user",
    "user_name",
    "actor",
    "visibility",
    "params",
    "created_at",
    "resolved_at",
    "challenged",
    "challenged_name",
    "answers",
    "answered_by",
)

_LISTS = ("dice", "numbers", "notes")


def present(record: Mapping[str, object], caller: Viewer, *, with_card: bool = True) -> dict[str, Any] | None:
    """Return the roll as `caller` may see it, None when it does not exist for them."""
    view = view_of(record, caller)
    return None if view is None else present_view(record, view, with_card=with_card)


def present_view(record: Mapping[str, object], view: View, *, with_card: bool = True) -> dict[str, Any]:
    """Return the roll as everybody with that view of it sees it.

    Most of the work is the card; where nobody looks at it, it can be null.
    """
    seen = withhold(record, view)
    make = thrown_card if view in (View.THROWN, View.CHALLENGED) else card
    return _roll(seen, make(seen).as_json() if with_card else None)


def withhold(record: Mapping[str, object], view: View) -> Mapping[str, object]:
    """Return the record without what that view withholds: all that may be made, asked or told of it."""
    if view is View.FULL:
        return record
    if view is View.OWN:
        return {**record, "seq": None}
    seen = {name: record.get(name) for name in SHOWN_WHEN_THROWN}
    if view is View.CHALLENGED:
        # The title names what was asked for, as in "Opposed test: dodge"; the action alone does not.
        seen |= {"params": None, "title": sentence(str(seen["action"]))}
    return seen


def _roll(seen: Mapping[str, object], card_json: dict[str, Any] | None) -> dict[str, Any]:
    shown = cast(Mapping[str, Any], seen)
    roll = {name: shown.get(name) for name in KEYS}
    roll |= {name: list(shown.get(name) or ()) for name in _LISTS}
    score = shown.get("score")
    if score in SCORES:
        del roll[SCORES[1 - SCORES.index(score)]]
        roll[score] = shown["points"]
    if shown.get("outcome") is None:
        roll["house_rules"] = None  # until then the record holds all of the table's, not those in play
    return roll | {
        "odds": odds_json(shown.get("odds")),
        "created_at": iso_time(shown["created_at"]),
        "resolved_at": iso_time(shown.get("resolved_at")),
        "fairness": {"commitment": shown.get("commitment"), "nonce": shown.get("nonce")},
        "card": card_json,
    }


def odds_json(odds: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return a record's odds with each fraction beside its probability, None where there are none."""
    if odds is None:
        return None
    return {
        "success": as_json(Fraction(odds["success"])),
        "outcomes": {name: as_json(Fraction(fraction)) for name, fraction in odds["outcomes"].items()},
        "formula": odds["formula"],
    }


def iso_time(milliseconds: int | None) -> str | None:
    """Write milliseconds since 1970 as UTC in ISO 8601 with three decimals and Z."""
    if milliseconds is None:
        return None
    seconds, rest = divmod(milliseconds, 1000)
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{rest:03d}Z"
