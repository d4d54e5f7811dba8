"""The job that makes a report. Running it again changes nothing once the report is finished.

What it needs of scipy and matplotlib is loaded here alone: no other worker, and no web process, imports this.
"""

import logging
import time

import orjson
from redis import Redis
from redis.exceptions import RedisError
from rq import get_current_job

from service.report_card import report_card
from service.store import Campaign, Report, Store
from service.store.tallies import RebuildFailed
from service.tallying import Onlooker, Roller
from service.visibility import Viewer
from worker.books import say_alive
from worker.reports.gather import gather
from worker.reports.page import as_page
from worker.reports.plots import Plot, plots
from worker.reports.result import result_of
from worker.reports.table import as_csv
from worker.reports.tables import tables

TELL_EVERY = 0.3
"""Seconds between two words on how far a report is."""
READ, COUNTED, DRAWN = 60, 70, 95
"""Percent at which the figures are read, the tables worked out, the plots drawn."""

log = logging.getLogger(__name__)


class Gone(Exception):
    """The report was deleted while it was being made."""

    def __init__(self, report: str) -> None:
        super().__init__(f"report {report} was deleted")
        self.report = report


def make_report(report: str) -> None:
    """Make a report (the RQ job)."""
    job = get_current_job()
    if job is None:
        raise RuntimeError("make_report runs as an RQ job only")
    connection: Redis = job.connection
    make_in(Store(connection), report)


def make_in(store: Store, report_id: str) -> bool:
    """Make a report of a store; False where there was nothing (more) to do.

    Where Redis leaves in the middle the report stays begun, and is begun again by whoever finds it; any other
    failure is the report's own, told in a sentence.
    """
    report = store.reports.begin(report_id)
    if report is None:
        return False
    try:
        return _make(store, report)
    except Gone:
        return False
    except RedisError:
        raise
    except Exception as error:
        store.reports.fail(report, _why(error))
        log.exception("report %s could not be made", report.id)
        raise


def _why(error: Exception) -> str:
    if isinstance(error, RebuildFailed):
        return "Rolls kept changing while they were counted. Ask for the report again."
    return f"The report could not be made ({type(error).__name__}); the worker's log says why."


def viewer_of(report: Report) -> Viewer:
    """Return whose eyes a report is made with: the whole table's where it is published."""
    return Onlooker() if report.published else Roller(report.user)


def _make(store: Store, report: Report) -> bool:
    campaign = store.campaigns.get(report.campaign)
    if campaign is None:
        raise Gone(report.id)
    progress = Progress(store, report)
    parts, card = report_parts(store, campaign, report, progress)
    return store.reports.finish(report, parts, card)


def report_parts(
    store: Store, campaign: Campaign, report: Report, progress: "Progress"
) -> tuple[dict[str, bytes], dict[str, str]]:
    """Return the parts of a finished report by name, and its card."""
    viewer = viewer_of(report)
    figures = gather(
        store,
        campaign.id,
        viewer,
        report.wish,
        lambda share: progress.at(share * READ, "reading the tallies"),
    )
    progress.at(READ, "working out the tables")
    worked_out = tables(figures, campaign.ruleset)
    drawn = plots(
        worked_out, lambda share: progress.at(COUNTED + share * (DRAWN - COUNTED), "drawing the plots")
    )
    result = result_of(store, campaign, report, viewer, figures, worked_out, drawn)
    parts = {"result": orjson.dumps(result), "html": as_page(result, drawn), "csv": as_csv(result)}
    return parts | _drawings(drawn), report_card(result, report.published)


def _drawings(drawn: list[Plot]) -> dict[str, bytes]:
    return {f"{kind}:{plot.name}": getattr(plot, kind) for plot in drawn for kind in ("png", "svg")}


class Progress:
    """Tells how far a report is, now and then."""

    def __init__(self, store: Store, report: Report) -> None:
        self._store, self._report = store, report
        self._due, self._step = 0.0, ""

    def at(self, percent: float, step: str) -> None:
        """Tell, if it is time to; raise Gone where nobody wants the report any more."""
        say_alive()
        if time.monotonic() < self._due and step == self._step:
            return
        self._due, self._step = time.monotonic() + TELL_EVERY, step
        if not self._store.reports.tell(self._report, round(percent), step):
            raise Gone(self._report.id)
