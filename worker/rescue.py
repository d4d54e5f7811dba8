"""Reports whose worker died: begun again, and given up with a sentence when that does not help."""

import logging

from rq.queue import Queue

from service.store import Store
from service.store.shared import text

RESCUE_EVERY = 5.0
"""Seconds between two looks."""
MOST_TRIES = 3
"""How often a report is begun."""
GIVEN_UP = (
    f"The report was begun {MOST_TRIES} times and its worker died each time. Ask for fewer sessions, or give "
    "the report worker more memory."
)

log = logging.getLogger(__name__)


class ReportRescue:
    """Looks for reports that are unfinished and in nobody's hands."""

    def __init__(self, store: Store, queue: Queue) -> None:
        self._store, self._queue = store, queue
        self._suspects: set[str] = set()

    def look(self) -> list[str]:
        """Queue again the reports that two looks in a row found in nobody's hands; return their ids.

        One whose job was popped only just now is held by nobody yet, which is why one look is not enough.
        """
        unfinished = set(self._store.reports.unfinished())
        if not unfinished:
            self._suspects.clear()
            return []
        queued = {text(job) for job in self._queue.connection.lrange(self._queue.key, 0, -1)}
        lost = {report for report in unfinished - queued if not self._store.reports.is_held(report)}
        confirmed, self._suspects = lost & self._suspects, lost - self._suspects
        return [report for report in sorted(confirmed) if self._try_again(report)]

    def _try_again(self, report: str) -> bool:
        found = self._store.reports.find(report)
        if found is None:  # its campaign was deleted, or its time is over
            self._store.reports.forget_unfinished(report)
            return False
        if found.tries >= MOST_TRIES:
            log.error("report %s: given up after %d tries", report, found.tries)
            self._store.reports.fail(found, GIVEN_UP)
            return False
        log.warning("report %s: its worker died, queued again", report)
        self._queue.connection.lrem(self._queue.intermediate_queue_key, 0, report)
        self._store.reports.queue(report)
        return True
