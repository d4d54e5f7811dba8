"""Which rows a plot has room for, and what it says of that where there are more."""

from collections.abc import Sequence
from typing import NamedTuple

from worker.reports.statistics import Row
from worker.reports.tables import Table, Tables

MOST_BARS = 20
MOST_SESSIONS = 60


class Drawn(NamedTuple):
    """The rows that are drawn; `limit` says which of how many, None where all are."""

    rows: tuple[Row, ...]
    limit: str | None


def bars(table: Table) -> Drawn:
    """Return the rows of a table that are drawn one below another: those with most rolls."""
    return _most(table, table.rows)


def luck(table: Table) -> Drawn:
    """Return the rows that are drawn of those with a z-score."""
    return _most(table, [row for row in table.rows if row.luck])


def sessions(tables: Tables) -> Drawn:
    """Return the sessions that are drawn: the last."""
    every = tables.sessions.rows
    cut = len(every) > MOST_SESSIONS
    return Drawn(
        every[-MOST_SESSIONS:], f"the last {MOST_SESSIONS} of {len(every):,} sessions" if cut else None
    )


def furthest(rows: Sequence[Row]) -> tuple[Row | None, Row | None]:
    """Return the row furthest above its odds and the one furthest below, of those with a verdict.

    None where none lies on that side: of few rolls nothing is made, however far off they fell.
    """
    judged = [row for row in rows if row.luck and row.luck.verdict]
    above = [row for row in judged if _beyond(row) > 0]
    below = [row for row in judged if _beyond(row) < 0]
    return max(above, key=_beyond, default=None), min(below, key=_beyond, default=None)


def told(*limits: str | None) -> str:
    """Join what is said of several plots' limits; "" where there is none."""
    return " and ".join(limit for limit in limits if limit)


def _beyond(row: Row) -> float:
    return row.rate - row.expected_rate


def _most(table: Table, rows: Sequence[Row]) -> Drawn:
    every = len(rows) + table.left_out
    cut = every > MOST_BARS
    limit = f"the {MOST_BARS} with most rolls of {every:,} {table.column.lower()}s" if cut else None
    return Drawn(tuple(rows[:MOST_BARS]), limit)
