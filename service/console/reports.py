"""Reports: asked for, followed, read with their plots, and taken along."""

from collections.abc import Mapping
from typing import Any

from flask import Response, request, url_for
from werkzeug.wrappers import Response as WerkzeugResponse

from service.console.ask import Refused, ask, passed_on
from service.console.choices import action_options, actor_options, session_options, user_options
from service.console.days import days_of, with_moments
from service.console.pages import go, page, pages

FIELDS = ("user", "actor", "action", "skill", "since", "until")
FILES = {"html": "text/html", "csv": "text/csv"}


@pages.get("/console/reports")
def reports() -> Response:
    """List the reports, with a form for another; what the address names is chosen in it."""
    return _reports(asked=_given(request.args))


@pages.post("/console/reports")
def ask_for_report() -> Response | WerkzeugResponse:
    """Ask for a report."""
    asked: dict[str, Any] = _given(request.form)
    if chosen := request.form.getlist("sessions"):
        asked["sessions"] = chosen
    if request.form.get("publish"):
        asked["publish"] = True
    try:
        ask("POST", "/reports", with_moments(asked | days_of(request.form)))
    except Refused as refused:
        if refused.status not in (422, 429):
            raise
        return _reports(refused.status, asked, refused)
    return go("reports", "report-asked")


@pages.get("/console/reports/<id:report>")
def report(report: str) -> Response:
    """Show a report: how far it is, then what it says."""
    found = ask("GET", f"/reports/{report}")
    plots = [
        plot | {"src": url_for("console.report_plot", report=report, plot=plot["name"])}
        for plot in found["plots"]
    ]
    return page("report.html", report=found, result=found["result"], plots=plots)


@pages.get("/console/reports/<id:report>/<name:plot>.svg")
def report_plot(report: str, plot: str) -> Response:
    """Serve a plot for the report's page."""
    return passed_on(f"/reports/{report}.svg", "image/svg+xml", {"plot": plot})


@pages.get("/console/reports/<id:report>/report.<any(html, csv):kind>")
def report_file(report: str, kind: str) -> Response:
    """Serve a report as a file to keep or send.

    To keep, for it has its styles in itself: no page of the console's address may.
    """
    answer = passed_on(f"/reports/{report}.{kind}", FILES[kind])
    answer.headers["Content-Disposition"] = f'attachment; filename="tallybones-{report}.{kind}"'
    return answer


@pages.post("/console/reports/<id:report>/delete")
def delete_report(report: str) -> WerkzeugResponse:
    """Delete a report."""
    ask("DELETE", f"/reports/{report}")
    return go("reports", "report-deleted")


def _given(values: Mapping[str, str]) -> dict[str, Any]:
    return {name: values[name].strip() for name in FIELDS if values.get(name)}


def _reports(status: int = 200, asked: Any = None, refused: Refused | None = None) -> Response:
    errors = dict(refused.errors) if refused else {}
    if isinstance(errors.get("sessions"), dict):
        errors["sessions"] = ["One of these sessions is not there any more."]
    return page(
        "reports.html",
        status,
        reports=ask("GET", "/reports")["reports"],
        asked=asked or {},
        errors=errors,
        sentence=refused.sentence if refused and not errors else None,
        session_options=session_options(),
        user_options=user_options(),
        action_options=action_options(),
        actor_options=actor_options((asked or {}).get("actor")),
    )
