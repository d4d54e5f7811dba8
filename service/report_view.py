"""Reports as the API answers them, and who may read which."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import orjson

from service.presenting import iso_time
from service.store import Caller, Report, Store
from service.visibility import GM

PLOTS = ("luck", "rates", "trends", "dice")
"""The plots of a report by name, in their order."""


def may_read(report: Report, caller: Caller) -> bool:
    """Say whether a report exists for `caller`.

    Who asked for it reads it; a published one everybody does, once it is done. A player's own is not for the
    GM: it counts rolls that are for their roller's eyes only.
    """
    return report.user == caller.user or (report.published and report.status == "done")


def webhooks_hear_of(report: Report, hidden: bool) -> bool:
    """Say whether a webhook is told of a report; `hidden` where its GM lets it see hidden rolls.

    A player's own goes nowhere, and one that is not published only where hidden rolls go.
    """
    return report.user == GM and (report.published or hidden)


def present_report(report: Report) -> dict[str, Any]:
    """Return a report without what it says."""
    about = asdict(report.wish)
    return {
        "id": report.id,
        "user": report.user,
        "published": report.published,
        "about": about | {name: iso_time(about[name]) for name in ("since", "until")},
        "status": report.status,
        "progress": {"percent": report.percent, "step": report.step},
        "created_at": iso_time(report.created_at),
        "finished_at": iso_time(report.finished_at),
        "error": report.error,
        "card": report.card,
    }


def present_whole(store: Store, report: Report) -> dict[str, Any]:
    """Return a report with what it says, once it is done."""
    found = store.reports.part(report.id, "result") if report.status == "done" else None
    result: dict[str, Any] | None = orjson.loads(found) if found else None
    plots = result.pop("plots") if result else []
    address = f"/v1/campaigns/{report.campaign}/reports/{report.id}"
    drawings = [
        plot | {kind: f"{address}.{kind}?plot={plot['name']}" for kind in ("png", "svg")} for plot in plots
    ]
    return present_report(report) | {"result": result, "plots": drawings}


def report_event(report: Report, caller: Caller) -> Mapping[str, Any] | None:
    """Return what a `report` event tells `caller`, None where the report does not exist for them."""
    return present_report(report) if may_read(report, caller) else None
