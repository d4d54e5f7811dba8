"""What is done now and then, by the worker that nobody waits for.

Sessions are packed some time after their end, and deleted when their campaign does not keep them any longer.
"""

import logging
from collections.abc import Callable

from service.store import Store

KEEP_HOUSE_EVERY = 60.0
"""Seconds between two looks."""
MOST_ERASED = 20
"""Sessions of a campaign that are deleted at one look."""

log = logging.getLogger(__name__)


class Housekeeping:
    """Keeps what is kept small; `say_alive` is called in between, as it may take long."""

    def __init__(self, store: Store, say_alive: Callable[[], object] = lambda: None) -> None:
        self._store, self._say_alive = store, say_alive

    def look(self) -> None:
        """Delete sessions whose time is over, and pack those that ended a while ago."""
        for campaign in self._store.campaigns.all():
            if campaign.retention_days is not None:
                erased = self._store.erasing.expired(campaign.id, campaign.retention_days, MOST_ERASED)
                if erased:
                    log.info("campaign %s: deleted %d sessions, as it asks", campaign.id, len(erased))
                self._say_alive()
        packed = 0
        for session in self._store.packing.due():
            packed += self._store.packing.pack(session)
            self._say_alive()
        if packed:
            log.info("packed %d sessions", packed)
