"""What is done now and then, by the worker of the queue that nobody waits for: old sessions are packed."""

import logging

from service.store import Store

KEEP_HOUSE_EVERY = 60.0
"""Seconds between two looks."""

log = logging.getLogger(__name__)


class Housekeeping:
    """Keeps what is kept small."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def look(self) -> None:
        """Pack sessions that ended a while ago."""
        packed = [session for session in self._store.packing.due() if self._store.packing.pack(session)]
        if packed:
            log.info("packed %d sessions", len(packed))
