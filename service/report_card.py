"""A report's card: what the table is shown of it, as text and as HTML. A pure function of its result."""

from collections.abc import Mapping
from html import escape
from typing import Any

MOST_PLAYERS = 8
COLOUR = "#7f7f7f"


def report_card(result: Mapping[str, Any], published: bool) -> dict[str, str]:
    """Return the card: title, text, HTML that is safe to insert, and colour."""
    title = f"How the dice fell: {result['campaign']}"
    players = next(table["rows"] for table in result["tables"] if table["name"] == "players")
    lines = [(row["name"], _line(row)) for row in players[:MOST_PLAYERS]]
    about = " · ".join(result["about"])
    text = "\n".join([title, about, result["summary"], *(f"{name}: {line}" for name, line in lines)])
    # No bdi: Foundry's chat drops elements that it does not know.
    listed = "".join(
        f'<li><strong><span dir="auto">{escape(name)}</span></strong>: {escape(line)}</li>'
        for name, line in lines
    )
    html = (
        '<article class="tallybones-card tallybones-report">'
        f'<p class="tallybones-title"><span dir="auto">{escape(title)}</span></p>'
        f"<p>{escape(about)}</p><p>{escape(result['summary'])}</p>"
        f"{f'<ul>{listed}</ul>' if listed else ''}"
        f"<p>{'Public rolls only.' if published else escape(result['whose'])}</p></article>"
    )
    return {"title": title, "text": text, "html": html, "colour": COLOUR}


def _line(row: Mapping[str, Any]) -> str:
    rates = f"{row['rate']:.0%} succeeded, {row['expected_rate']:.0%} expected"
    return f"{row['rolls']:,} rolls, {rates}: {row['says']}"
