"""The plots of a report, in colours of Okabe and Ito that the colour-blind tell apart; signs say the same."""

import io
import logging
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from worker.reports import drawn, words
from worker.reports.session_names import shortened
from worker.reports.statistics import WITHIN, Dice, Row
from worker.reports.tables import Tables

logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)

PAPER, INK, QUIET, LINE, BAND = "#fffdfa", "#24211c", "#6b665c", "#d8d2c6", "#ebe6db"
ABOVE, BELOW, WITHIN_COLOUR = "#0072b2", "#d55e00", "#4d4d4f"
COLOURS = {
    PAPER: "paper",
    INK: "ink",
    QUIET: "quiet",
    LINE: "line",
    BAND: "band",
    ABOVE: "above",
    BELOW: "below",
    WITHIN_COLOUR: "within",
}
"""What each colour is for: a page that has a dark side of its own paints them anew."""

WIDTH = 8.2
MOST_TICKS = 12
NAME_LENGTH = 26
SESSION_LENGTH = 30
DPI = 144

STYLE: Any = {
    "text.parse_math": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "tallybones",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "axes.edgecolor": LINE,
    "axes.labelcolor": QUIET,
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "xtick.color": QUIET,
    "ytick.color": INK,
    "ytick.left": False,
    "xtick.bottom": False,
    "text.color": INK,
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
}
SIGNS = {"above": (ABOVE, "^"), "below": (BELOW, "v"), "within": (WITHIN_COLOUR, "o")}


@dataclass(frozen=True)
class Plot:
    """A plot, with the sentences that say what it shows."""

    name: str
    title: str
    text: str
    png: bytes
    svg: bytes


def plots(tables: Tables, tell: Callable[[float], None] = lambda share: None) -> list[Plot]:
    """Draw those plots that the tables have something for."""
    wanted: list[tuple[str, str, str, Callable[[], Figure]]] = []
    if any(row.luck for row in (*tables.players.rows, *tables.characters.rows)):
        limits = (drawn.luck(tables.players).limit, drawn.luck(tables.characters).limit)
        wanted.append(("luck", _title("Luck", *limits), words.of_luck(tables), lambda: _luck(tables)))
    if tables.skills.rows:
        title = _title("Successes beside the odds", drawn.bars(tables.skills).limit)
        wanted.append(("rates", title, words.of_rates(tables), lambda: _rates(tables)))
    if len(tables.sessions.rows) > 1:
        title = _title("Session by session", drawn.sessions(tables).limit)
        wanted.append(("trends", title, words.of_trends(tables), lambda: _trends(tables)))
    if tables.dice:
        wanted.append(
            ("dice", "The faces of the dice", words.of_all_dice(tables.dice), lambda: _dice(tables.dice))
        )
    made = []
    for place, (name, title, text, draw) in enumerate(wanted, start=1):
        with mpl.rc_context(STYLE):
            figure = draw()
            made.append(Plot(name, title, text, _png(figure), _svg(figure, title)))
        tell(place / len(wanted))
    return made


def _title(title: str, *limits: str | None) -> str:
    """Return a plot's title, with what it has no room for."""
    told = drawn.told(*limits)
    return f"{title}: {told}" if told else title


def _png(figure: Figure) -> bytes:
    out = io.BytesIO()
    with warnings.catch_warnings():
        # A letter that the font lacks is drawn as a box; the page and the SVG show it.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support")
        figure.savefig(out, format="png", dpi=DPI, metadata={"Software": "Tallybones"})
    figure.set_layout_engine("none")  # laid out once; what is drawn of it next keeps its places
    return out.getvalue()


def _svg(figure: Figure, title: str) -> bytes:
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support")
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": "Tallybones", "Title": title})
    return out.getvalue()


def _canvas(height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.subplots()


def _sign(row: Row) -> tuple[str, str, str]:
    """Return colour, marker and fill of a row: hollow and grey where there is no verdict."""
    if row.luck is None or row.luck.verdict is None:
        return QUIET, "o", PAPER
    colour, marker = SIGNS[row.luck.verdict]
    return colour, marker, colour


def _luck(tables: Tables) -> Figure:
    groups = [(table.column + "s", drawn.luck(table)) for table in (tables.players, tables.characters)]
    rows: list[Row | str] = []
    for title, (members, _) in groups:
        if members:
            rows += [title, *members]
    figure, axes = _canvas(1.37 + 0.34 * len(rows))
    axes.axvspan(-WITHIN, WITHIN, color=BAND, zorder=0, linewidth=0)
    axes.axvline(0, color=QUIET, linewidth=1, zorder=1)
    labels = []
    for place, row in enumerate(rows):
        if isinstance(row, str):
            labels.append(row)
            continue
        assert row.luck is not None  # noqa: S101  rows without were left out above
        colour, marker, fill = _sign(row)
        axes.plot([row.luck.low, row.luck.high], [place, place], color=colour, linewidth=1.6, zorder=2)
        axes.plot(row.luck.z, place, marker, color=colour, markerfacecolor=fill, markersize=8, zorder=3)
        labels.append(f"{shortened(row.name, NAME_LENGTH)}  ({row.luck.rests_on:,})")
    axes.set_yticks(range(len(rows)), labels)
    for label, row in zip(axes.get_yticklabels(), rows, strict=True):
        if isinstance(row, str):
            label.set_color(QUIET)
            label.set_fontsize(9)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    reach = max(
        [3.2, *(max(-r.luck.low, r.luck.high) + 0.2 for r in rows if not isinstance(r, str) and r.luck)]
    )
    axes.set_xlim(-reach, reach)
    axes.xaxis.set_major_formatter(lambda value, _: words.signed(value, 0))
    axes.set_xlabel("◂  below the odds · above the odds  ▸\nz-score with its 95% interval")
    limits = (limit for _, (_, limit) in groups)
    _says(axes, "Grey: luck’s usual reach · in brackets: rolls in doubt", *limits)
    return figure


def _rates(tables: Tables) -> Figure:
    rows, limit = drawn.bars(tables.skills)
    figure, axes = _canvas(1.25 + 0.38 * len(rows))
    for place, row in enumerate(rows):
        colour, marker, fill = _sign(row)
        if row.luck:
            low, high = row.luck.usual
            axes.barh(place, high - low, left=low, height=0.56, color=BAND, zorder=1, linewidth=0)
        axes.plot([row.expected_rate] * 2, [place - 0.28, place + 0.28], color=INK, linewidth=2, zorder=2)
        axes.plot(row.rate, place, marker, color=colour, markerfacecolor=fill, markersize=8, zorder=3)
    axes.set_yticks(
        range(len(rows)), [f"{shortened(row.name, NAME_LENGTH)}  ({row.rolls:,})" for row in rows]
    )
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(-0.02, 1.02)
    axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.grid(axis="x", color=LINE, linewidth=0.6, zorder=0)
    _says(axes, "Mark: succeeded · line: expected · bar: luck’s usual reach · in brackets: rolls", limit)
    return figure


def _trends(tables: Tables) -> Figure:
    rows, limit = drawn.sessions(tables)
    so_far = tables.so_far[-len(rows) :]
    places = list(range(len(rows)))
    figure = Figure(figsize=(WIDTH, 5.2), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    usual = [row.luck.usual if row.luck else (row.expected_rate,) * 2 for row in rows]
    lows = [low for low, _ in usual]
    reaches = [high - low for low, high in usual]
    upper.bar(places, reaches, bottom=lows, width=0.62, color=BAND, zorder=1, linewidth=0)
    for place, row in zip(places, rows, strict=True):
        colour, marker, fill = _sign(row)
        upper.plot([place - 0.31, place + 0.31], [row.expected_rate] * 2, color=INK, linewidth=2, zorder=2)
        upper.plot(place, row.rate, marker, color=colour, markerfacecolor=fill, markersize=7, zorder=3)
    upper.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    upper.set_ylim(-0.02, 1.02)
    upper.grid(axis="y", color=LINE, linewidth=0.6, zorder=0)
    _says(upper, "Each session · mark: succeeded · line: expected · bar: luck’s usual reach", limit)
    lower.axhspan(-WITHIN, WITHIN, color=BAND, zorder=0, linewidth=0)
    lower.axhline(0, color=QUIET, linewidth=1)
    lower.plot(
        places,
        [row.luck.z if row.luck else 0 for row in so_far],
        color=INK,
        linewidth=1.8,
        marker="o",
        markersize=3,
    )
    _says(lower, "All rolls so far: z-score · grey: luck’s usual reach")
    reach = max([2.6, *(abs(row.luck.z) + 0.3 for row in so_far if row.luck)])
    lower.set_ylim(-reach, reach)
    lower.yaxis.set_major_formatter(lambda value, _: words.signed(value, 0))
    named = [place for place, row in enumerate(rows) if row in drawn.furthest(rows)]
    shown = ticks(len(rows), named)
    names = [shortened(rows[place].name, SESSION_LENGTH) for place in shown]
    steep = len(rows) > 3 * MOST_TICKS and any(b - a == 1 for a, b in pairwise(shown))
    lower.set_xticks(
        shown, names, rotation=65 if steep else 35, ha="right", rotation_mode="anchor", fontsize=9
    )
    return figure


def ticks(count: int, named: Sequence[int]) -> list[int]:
    """Return the places that get their name below: every so many, and those that the text names."""
    step = max(1, -(-count // MOST_TICKS))
    regular = (place for place in range(0, count, step) if all(abs(place - near) >= step for near in named))
    return sorted({*regular, *named})


def _dice(sizes: Sequence[Dice]) -> Figure:
    figure = Figure(figsize=(WIDTH, 0.5 + 2.4 * len(sizes)), layout="constrained")
    inside: Any = {"textcoords": "offset points", "ha": "center", "fontsize": 9, "color": PAPER}
    for axes, dice in zip(figure.subplots(len(sizes), 1, squeeze=False)[:, 0], sizes, strict=True):
        faces = range(1, dice.faces + 1)
        fair = dice.thrown / dice.faces
        reach = WITHIN * (dice.thrown * (1 / dice.faces) * (1 - 1 / dice.faces)) ** 0.5
        axes.axhspan(max(0, fair - reach), fair + reach, color=BAND, zorder=0, linewidth=0)
        axes.bar(faces, dice.counts, width=0.6, color=WITHIN_COLOUR, zorder=2)
        axes.axhline(fair, color=ABOVE, linewidth=1.6, linestyle=(0, (4, 2)), zorder=3)
        axes.set_xlim(0.3, dice.faces + 0.7)
        axes.set_ylim(0, max(*dice.counts, fair + reach, 1) * 1.15)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=min(dice.faces, 20), integer=True))
        if dice.faces <= 20:
            axes.set_xticks(list(faces))
            for face, count in zip(faces, dice.counts, strict=True):
                axes.annotate(f"{count:,}", (face, count), (0, -13), **inside)
        axes.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
        _says(
            axes, f"{dice.thrown:,} dice of {dice.faces} faces · dashed: all alike · grey: luck’s usual reach"
        )
    return figure


def _says(axes: Axes, what: str, *limits: str | None) -> None:
    """Say above a plot what its signs are, and which rows it has room for where not for all."""
    lines = [f"{limit[0].upper()}{limit[1:]}" for limit in limits if limit]
    axes.set_title("\n".join([*lines, what]), loc="left", fontsize=10, color=QUIET, wrap=True)
