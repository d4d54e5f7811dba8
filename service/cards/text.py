"""A card as plain text: for terminals, chats and anything else that shows letters only."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from service.cards.content import Content, DieShown, SideShown
from service.cards.wording import number

# The nearest of the sixteen colours that every terminal has, and bold for the criticals.
_SGR = {
    "critical-success": "1;36",
    "success": "36",
    "automatic-success": "36",
    "tie": "1",
    "automatic-failure": "33",
    "failure": "33",
    "critical-failure": "1;33",
}
_RESULT_LINE = 2


def as_text(content: Content) -> str:
    """Return the card in lines, the third of which is the result.

    A die that counted as a success is marked ✓, one that cancelled a success ✗; a dropped die is in brackets.
    """
    return "\n".join(_lines(content))


def painted(text: str, outcome: str | None) -> str:
    """Return a card's text for a terminal that shows colours: the outcome's word stands out."""
    lines = text.split("\n")
    sgr = _SGR.get(outcome or "")
    if sgr:
        headline, colon, explanation = lines[_RESULT_LINE].partition(":")
        lines[_RESULT_LINE] = f"\033[{sgr}m{headline}\033[0m{colon}{explanation}"
    return "\n".join(lines)


def _lines(content: Content) -> Iterator[str]:
    yield " · ".join(dict.fromkeys((content.title, content.action)))
    yield content.by
    margin = dict(content.facts).get("Margin")
    yield f"{content.mark} {content.result}" + (f", margin {margin}" if margin else "")
    for side in content.sides:
        yield from _side(side, named=len(content.sides) > 1)
    if content.odds:
        yield f"Odds of success: {content.odds.words} ({content.odds.percent})"
    yield from content.notes
    if content.house_rules:
        yield f"House rules: {'; '.join(content.house_rules)}"
    if content.shown_to:
        yield content.shown_to
    for label, value in content.fairness.items():
        yield f"{label}: {value}"


def _side(side: SideShown, named: bool) -> Iterator[str]:
    dice = " | ".join(_groups(side.dice))
    total = "" if side.points is None or not named else f" = {number(side.points)}"
    if dice or total:
        yield f"{side.name if named else 'Dice'}: {dice or 'no dice'}{total}"
    if side.numbers:
        yield "  " * named + " · ".join(side.numbers)


def _groups(dice: Iterable[DieShown]) -> Iterator[str]:
    for role, group in groupby(dice, key=lambda die: die.role):
        values = " ".join(_die(die) for die in group)
        yield values if role == "opponent" else f"{role} {values}"


def _die(die: DieShown) -> str:
    return f"{die.value}{die.mark}" if die.kept else f"({die.value})"
