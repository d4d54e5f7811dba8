"""A card as plain text: for terminals, chats and anything else that shows letters only."""

from collections.abc import Callable, Iterable, Iterator
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
_FAINT = "2"

Paint = Callable[[str, str], str]


def as_text(content: Content, colour: bool = False) -> str:
    """Return the card in lines; `colour` adds a terminal's escape sequences (never for text that is stored).

    A die that counted as a success is marked ✓, one that cancelled a success ✗; a dropped die is in brackets.
    """
    return "\n".join(_lines(content, _painted if colour else _unpainted))


def _lines(content: Content, paint: Paint) -> Iterator[str]:
    yield " · ".join(dict.fromkeys((content.title, content.action)))
    yield content.by
    result = f"{content.mark} {content.headline}"
    margin = dict(content.facts).get("Margin")
    rest = f": {content.explanation}" if content.explanation else ""
    yield paint(result, _SGR.get(content.outcome or "", "")) + rest + (f", margin {margin}" if margin else "")
    for side in content.sides:
        yield from _side(side, paint, named=len(content.sides) > 1)
    if content.odds:
        yield f"Odds of success: {content.odds.words} ({content.odds.percent})"
    yield from content.notes
    if content.house_rules:
        yield f"House rules: {'; '.join(content.house_rules)}"
    if content.shown_to:
        yield content.shown_to
    for label, value in content.fairness.items():
        yield paint(f"{label}: {value}", _FAINT)


def _side(side: SideShown, paint: Paint, named: bool) -> Iterator[str]:
    dice = " | ".join(_groups(side.dice, paint))
    total = "" if side.points is None or not named else f" = {number(side.points)}"
    if dice or total:
        yield f"{side.name if named else 'Dice'}: {dice or 'no dice'}{total}"
    if side.numbers:
        yield "  " * named + " · ".join(side.numbers)


def _groups(dice: Iterable[DieShown], paint: Paint) -> Iterator[str]:
    for role, group in groupby(dice, key=lambda die: die.role):
        values = " ".join(_die(die, paint) for die in group)
        yield values if role == "opponent" else f"{role} {values}"


def _die(die: DieShown, paint: Paint) -> str:
    if not die.kept:
        return paint(f"({die.value})", _FAINT)
    return f"{die.value}{die.mark}"


def _painted(text: str, sgr: str) -> str:
    return f"\033[{sgr}m{text}\033[0m" if sgr else text


def _unpainted(text: str, _: str) -> str:
    return text
