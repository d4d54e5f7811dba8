"""A card as HTML that is safe to insert: everything is escaped, styling is left to `card.css`."""

from collections.abc import Iterable
from functools import cache
from itertools import groupby
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from service.cards import wording
from service.cards.content import Content, DieShown

STYLESHEET = Path(__file__).with_name("card.css")
"""The cards' stylesheet: light, dark by preference, either by an ancestor `.theme-light` or `.theme-dark`."""


def as_html(content: Content) -> str:
    """Return the card as one `<article>`; it has no style, script, link or image."""
    outcome_class = content.outcome if content.outcome in wording.OUTCOMES else "none"
    return _template().render(content=content, outcome_class=outcome_class)


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined
    )
    environment.filters["hands"] = _hands
    environment.filters["number"] = wording.number
    return environment.get_template("card.html")


def _hands(dice: Iterable[DieShown]) -> list[tuple[str, list[DieShown]]]:
    """Put neighbouring dice of one role together."""
    return [(role, list(hand)) for role, hand in groupby(dice, key=lambda die: die.role)]
