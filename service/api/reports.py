"""Reports: asked for, followed, and read as JSON, as a page, as a table and as plots."""

from typing import Any

from flask import Response

from service.auth import Who, caller
from service.bodies import json_answer
from service.calls import Calls
from service.problems import FORBIDDEN, REPORT_NOT_DONE, TOO_MANY, Problem, invalid, not_found
from service.report_view import may_read, present_report, present_whole
from service.schemas import reports as schemas
from service.services import services
from service.store import Report, ReportWish, TooManyReports
from service.visibility import THE_GM

calls = Calls("reports", __name__, url_prefix="/v1/campaigns/<id:campaign>/reports")

RETRY_SECONDS = 5
PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; sandbox"
_TEXT = {"type": "string"}
_BYTES = {"type": "string", "format": "binary"}


@calls.call("POST", "", who=Who.MEMBER, body=schemas.NewReport, answers={202: schemas.Report})
def ask_for_report(asked: dict[str, Any], campaign: str) -> Response:
    """Ask for a report.

    A player's is of their own rolls, as far as they see them. The GM's counts all that the GM sees; one to be
    published counts public rolls only, and its card goes to everybody as a `report` event. Follow it at
    `Location`, or by the `report` events of the stream.
    """
    who, publish = caller(), asked.pop("publish")
    if who.role != THE_GM:
        if publish:
            raise Problem(FORBIDDEN, "Only the GM publishes a report.")
        asked["user"] = who.user
    sessions = asked.get("sessions")
    if sessions is not None:
        asked["sessions"] = tuple(sessions)
        _check_sessions(campaign, sessions)
    try:
        report = services().store.reports.ask(campaign, who.user, ReportWish(**asked), publish=publish)
    except TooManyReports as error:
        sentence = f"{error.most} of your reports are unfinished; wait until one is done, or delete one."
        raise Problem(TOO_MANY, sentence, headers={"Retry-After": str(RETRY_SECONDS)}) from error
    headers = {"Location": f"/v1/campaigns/{campaign}/reports/{report.id}"}
    return json_answer(present_whole(services().store, report), 202, headers)


@calls.call("GET", "", who=Who.MEMBER, answers={200: schemas.Reports})
def list_reports(campaign: str) -> Response:
    """List the reports that the caller may read, newest first."""
    reports = [each for each in services().store.reports.list(campaign) if may_read(each, caller())]
    return json_answer({"reports": [present_report(each) for each in reports], "next_cursor": None})


@calls.call("GET", "/<id:report>", who=Who.MEMBER, answers={200: schemas.Report})
def read_report(campaign: str, report: str) -> Response:
    """Read a report: how far it is, then what it says."""
    return json_answer(present_whole(services().store, _known(campaign, report)))


@calls.call("DELETE", "/<id:report>", who=Who.MEMBER, answers={204: None})
def delete_report(campaign: str, report: str) -> Response:
    """Delete a report for good.

    For whoever asked for it.
    """
    if _known(campaign, report).user != caller().user:
        raise Problem(FORBIDDEN, "Only who asked for a report deletes it.")
    services().store.reports.delete(campaign, report)
    return Response(status=204)


@calls.call(
    "GET",
    "/<id:report>.html",
    who=Who.MEMBER,
    answers={200: _TEXT},
    media_type="text/html",
    problems=(409,),
)
def read_report_page(campaign: str, report: str) -> Response:
    """Read a finished report as one HTML page that can be sent and printed."""
    answer = _part(campaign, report, "html", "text/html; charset=utf-8", "html")
    answer.headers["Content-Security-Policy"] = PAGE_POLICY
    return answer


@calls.call(
    "GET",
    "/<id:report>.csv",
    who=Who.MEMBER,
    answers={200: _TEXT},
    media_type="text/csv",
    problems=(409,),
)
def read_report_table(campaign: str, report: str) -> Response:
    """Read the tables of a finished report as CSV."""
    answer = _part(campaign, report, "csv", "text/csv; charset=utf-8", "csv")
    answer.headers["Content-Disposition"] = f'attachment; filename="tallybones-{report}.csv"'
    return answer


@calls.call(
    "GET",
    "/<id:report>.png",
    who=Who.MEMBER,
    query=schemas.PlotQuery,
    answers={200: _BYTES},
    media_type="image/png",
    problems=(409,),
)
def read_report_png(query: dict[str, str], campaign: str, report: str) -> Response:
    """Read a plot of a finished report as PNG."""
    return _part(campaign, report, f"png:{query['plot']}", "image/png", "plot")


@calls.call(
    "GET",
    "/<id:report>.svg",
    who=Who.MEMBER,
    query=schemas.PlotQuery,
    answers={200: _TEXT},
    media_type="image/svg+xml",
    problems=(409,),
)
def read_report_svg(query: dict[str, str], campaign: str, report: str) -> Response:
    """Read a plot of a finished report as SVG."""
    answer = _part(campaign, report, f"svg:{query['plot']}", "image/svg+xml", "plot")
    answer.headers["Content-Security-Policy"] = PAGE_POLICY
    return answer


def _check_sessions(campaign: str, sessions: list[str]) -> None:
    unknown = services().store.sessions.unknown_among(campaign, sessions)
    if unknown:
        places = {str(sessions.index(session)): ["There is no such session."] for session in unknown}
        raise invalid({"sessions": places})


def _known(campaign: str, report: str) -> Report:
    found = services().store.reports.get(campaign, report)
    if found is None or not may_read(found, caller()):
        raise not_found("report")
    return found


def _part(campaign: str, report: str, name: str, content_type: str, what: str) -> Response:
    known = _known(campaign, report)
    if known.status != "done":
        sentence = known.error or f"The report is not done: {known.step}, {known.percent} %."
        headers = {} if known.status == "failed" else {"Retry-After": str(RETRY_SECONDS)}
        raise Problem(REPORT_NOT_DONE, sentence, headers=headers)
    part = services().store.reports.part(report, name)
    if part is None:
        raise not_found(what)
    return Response(part, content_type=content_type, headers={"Cache-Control": "private, no-store"})
