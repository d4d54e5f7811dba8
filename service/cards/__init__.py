"""Cards: what is shown of a roll, as data, as text and as HTML. Pure functions of the roll's record."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from service.cards.content import Content, Record, content_of, thrown_content_of
from service.cards.html import STYLESHEET, as_html
from service.cards.text import as_text, painted

__all__ = [
    "STYLESHEET",
    "Card",
    "as_html",
    "as_text",
    "card",
    "content_of",
    "painted",
    "thrown_card",
    "thrown_content_of",
]


@dataclass(frozen=True)
class Card:
    """One roll as it is shown; `content` is what `text` and `html` say."""

    content: Content

    @property
    def text(self) -> str:
        """The card in lines, without escapes or markup."""
        return as_text(self.content)

    @property
    def html(self) -> str:
        """The card as safe HTML."""
        return as_html(self.content)

    def as_json(self) -> dict[str, Any]:
        """Return the card as the API answers it."""
        content = self.content
        return {
            "title": content.title,
            "action": content.action,
            "by": content.by,
            "state": content.state,
            "result": content.result,
            "sides": [
                {**vars(side), "dice": [dict(vars(die)) for die in side.dice]} for side in content.sides
            ],
            "facts": [list(fact) for fact in content.facts],
            "odds": dict(vars(content.odds)) if content.odds else None,
            "outcomes": [dict(vars(chance)) for chance in content.outcomes],
            "house_rules": list(content.house_rules),
            "notes": list(content.notes),
            "shown_to": content.shown_to,
            "text": self.text,
            "html": self.html,
            "colour": content.colour,
        }


def card(record: Mapping[str, object]) -> Card:
    """Return the card of a roll that may be seen: pending, awaiting an answer, resolved or never answered."""
    return Card(content_of(cast(Record, record)))


def thrown_card(record: Mapping[str, object]) -> Card:
    """Return the card of a blind roll for those who threw it; reads nothing that depends on the dice."""
    return Card(thrown_content_of(cast(Record, record)))
