"""A report as one HTML page: nothing is loaded from anywhere, no script runs, it can be sent and printed."""

import re
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from worker.reports import words
from worker.reports.plots import COLOURS, Plot

_PROLOGUE = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
_COLOUR = re.compile("|".join(COLOURS), re.IGNORECASE)


def as_page(result: dict[str, Any], plots: Iterable[Plot]) -> bytes:
    """Return a report as HTML that stands alone."""
    drawings = {plot.name: _inline(plot) for plot in plots}
    page: str = _template().render(result=result, drawings=drawings, style=Markup(_part("page.css")))  # noqa: S704
    return page.encode()


def _template() -> Any:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"percent": words.percent, "signed": words.signed, "number": words.number}
    environment.tests["judged"] = lambda row: bool(row["luck"] and row["luck"]["verdict"])
    return environment.from_string(_part("page.html"))


def _part(name: str) -> str:
    return (files("worker.reports") / name).read_text(encoding="utf-8")


def _inline(plot: Plot) -> Markup:
    """Return a plot's drawing to stand in the page, in the page's own colours, light or dark.

    The names in it are escaped by matplotlib, as text of the SVG.
    """
    drawing = _METADATA.sub("", _PROLOGUE.sub("", plot.svg.decode(), count=1))
    drawing = _COLOUR.sub(lambda found: f"var(--{COLOURS[found[0].lower()]})", drawing)
    return Markup(drawing.replace("<svg ", '<svg role="img" ', 1))  # noqa: S704  our own drawing
