"""An event in plain words, for receivers that show text."""

from collections.abc import Mapping
from typing import Any

from service import webhook_events as events
from service.cards.names import shown
from worker.webhooks.happenings import Happening


def title_of(happening: Happening) -> str:
    """Return an event's headline."""
    told = happening.told
    match happening.event:
        case events.ROLL_RESOLVED:
            return _title_of_card(told)
        case events.SESSION_STARTED:
            return f"Session started{_named(told['title'])}"
        case events.SESSION_ENDED:
            return f"Session ended{_named(told['title'])}"
        case events.REPORT_READY:
            return _title_of_card(told)
        case _:
            return "Test"


def lines_of(happening: Happening) -> list[str]:
    """Return what an event says below its headline; of a roll or a report, its card's text."""
    told = happening.told
    match happening.event:
        case events.ROLL_RESOLVED:
            return _lines_of_card(told)
        case events.SESSION_STARTED:
            return [f"Commitment to its dice: {told['commitment']}"]
        case events.SESSION_ENDED:
            rolls = told["rolls"]
            return [
                f"{rolls} roll{'' if rolls == 1 else 's'}",
                f"Commitment: {told['commitment']}",
                f"Seed: {told['seed']}",
            ]
        case events.REPORT_READY:
            return _lines_of_card(told)
        case _:
            return [told["message"]]


def _title_of_card(told: Mapping[str, Any]) -> str:
    title: str = told["card"]["title"]
    return title


def _lines_of_card(told: Mapping[str, Any]) -> list[str]:
    text: str = told["card"]["text"]
    return text.split("\n")[1:]


def _named(title: str | None) -> str:
    return f": {shown(title)}" if title else ""
