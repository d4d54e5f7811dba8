"""A report as data: what the API answers, and what the page and the table are written from."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from rules.odds import fraction_text
from service.cards.names import shown
from service.cards.wording import OUTCOMES, sentence
from service.presenting import iso_time
from service.records import RollRecord
from service.store import Campaign, Report, Store
from service.visibility import View, Viewer, view_of
from worker.reports import words
from worker.reports.figures import Figures, Moment
from worker.reports.plots import Plot
from worker.reports.session_names import names_of
from worker.reports.statistics import LEAST_SAMPLE, LEAST_SPREAD, Dice, Luck, Row, SoFar
from worker.reports.tables import Table, Tables


def result_of(
    store: Store,
    campaign: Campaign,
    report: Report,
    viewer: Viewer,
    figures: Figures,
    tables: Tables,
    plots: Iterable[Plot],
) -> dict[str, Any]:
    """Return all that a report says, as JSON takes it."""
    names = {**figures.users, **{f"actor:{actor}": name for actor, name in figures.actors.items()}}
    total, called = tables.total, names_of(figures.sessions)
    return {
        "campaign": shown(campaign.name),
        "made_at": iso_time(store.clock()),
        "about": words.of_wish(report.wish, names, len(figures.sessions)),
        "whose": whose(report, names),
        "summary": words.of_total(total),
        "least_sample": LEAST_SAMPLE,
        "least_spread": LEAST_SPREAD,
        "sessions_read": [
            {"id": session.id, "name": called[session.id], "started_at": iso_time(session.started_at)}
            for session in figures.sessions
        ],
        "total": _row(total) if total else None,
        "tables": [_table(table) for table in tables.all],
        "so_far": [_so_far(row) for row in tables.so_far],
        "dice": [_dice(dice) for dice in tables.dice],
        "best": _moments(store, campaign.id, viewer, figures, figures.best),
        "worst": _moments(store, campaign.id, viewer, figures, figures.worst),
        "plots": [{"name": plot.name, "title": plot.title, "text": plot.text} for plot in plots],
        "notes": [words.REACH, words.SAMPLE, words.CHANCE_ALONE, words.BOTH_SIDES],
    }


def whose(report: Report, names: dict[str, str]) -> str:
    """Say which rolls count in a report, by who reads it."""
    if report.published:
        return "Public rolls only: this report is for the whole table."
    if report.user == "gm":
        return "All rolls that the GM sees, hidden ones too: for the GM only."
    name = shown(names.get(report.user, report.user))
    return f"{name}’s own rolls, as far as {name} sees them: for {name} only."


def _so_far(row: SoFar) -> dict[str, Any]:
    return {
        "key": row.key,
        "name": row.name,
        "rolls": row.rolls,
        "rate": row.rate,
        "expected_rate": row.expected_rate,
        "luck": _luck(row.luck),
    }


def _luck(luck: Luck | None) -> dict[str, Any] | None:
    if luck is None:
        return None
    return {
        "z": luck.z,
        "interval": [luck.low, luck.high],
        "rests_on": luck.rests_on,
        "usual_rate": list(luck.usual),
        "verdict": luck.verdict,
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "key": row.key,
        "name": row.name,
        "rolls": row.rolls,
        "successes": row.successes,
        "rate": row.rate,
        "expected_rate": row.expected_rate,
        "expected": _exact(row.expected),
        "variance": _exact(row.variance),
        "luck": _luck(row.luck),
        "says": words.verdict(row.luck),
        "criticals": {
            "successes": row.criticals.successes,
            "failures": row.criticals.failures,
            "expected_successes": row.criticals.expected_successes,
            "expected_failures": row.criticals.expected_failures,
        },
        "margins": None
        if row.margins is None
        else {
            "rolls": row.margins.rolls,
            "mean": row.margins.mean,
            "spread": row.margins.spread,
            "on_success": row.margins.on_success,
            "on_failure": row.margins.on_failure,
        },
        "streaks": None if row.streaks is None else {"successes": row.streaks[0], "failures": row.streaks[1]},
    }


def _exact(value: Fraction) -> dict[str, Any]:
    return {"fraction": fraction_text(value), "number": float(value)}


def _table(table: Table) -> dict[str, Any]:
    return {
        "name": table.name,
        "title": table.title,
        "column": table.column,
        "rows": [_row(row) for row in table.rows],
        "left_out": table.left_out,
    }


def _dice(dice: Dice) -> dict[str, Any]:
    return {
        "faces": dice.faces,
        "thrown": dice.thrown,
        "counts": list(dice.counts),
        "roles": {role: list(counts) for role, counts in dice.roles.items()},
        "chi_square": dice.chi_square,
        "degrees": dice.degrees,
        "p": dice.p,
        "says": words.of_dice(dice),
    }


def _moments(
    store: Store, campaign: str, viewer: Viewer, figures: Figures, moments: Iterable[Moment]
) -> list[dict[str, Any]]:
    """Return the rolls of those moments; one that was deleted, or is not to be seen, is left out."""
    names = names_of(figures.sessions)
    found = ((moment, store.rolls.get(campaign, moment.id)) for moment in moments)
    return [
        _moment(record, names[moment.session], figures.users)
        for moment, record in found
        if record is not None and view_of(record, viewer) in (View.FULL, View.OWN)
    ]


def _moment(record: RollRecord, session: str, users: dict[str, str]) -> dict[str, Any]:
    odds, actor = record.get("odds"), record["actor"]
    success = Fraction(odds["success"] if odds else 0)
    chance = success if record.get("success") else 1 - success
    outcome = record.get("outcome") or ""
    return {
        "roll": record["id"],
        "session": record["session"],
        "session_name": session,
        "resolved_at": iso_time(record["resolved_at"]),
        "user": record["user"],
        "by": shown(actor["name"] if actor else users.get(record["user"], record["user_name"])),
        "what": shown(record["label"] or record["title"]),
        "outcome": outcome,
        "outcome_name": OUTCOMES.get(outcome) or sentence(outcome),
        "points": record.get("points"),
        "target": record.get("target"),
        "target_label": record.get("target_label"),
        "chance": {"fraction": fraction_text(chance), "probability": float(chance)},
    }
