"""What is done now and then, by the worker that nobody waits for.

Sessions are packed some time after their end, and deleted when their campaign does not keep them any longer.
"""

import logging

from service.store import Store

KEEP_HOUSE_EVERY = 60.0
"""Seconds between two looks."""
MOST_ERASED = 20
"""Sessions of a campaign that are deleted at one look."""

log = logging.getLogger(__name__)


class Housekeeping:
    """Keeps what is kept small."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def look(self) -> None:
        """Delete sessions whose time is over, and pack those that ended a while ago."""
        for campaign in self._store.campaigns.all():
            if campaign.retention_days is not None:
                erased = self._store.erasing.expired(campaign.id, campaign.retention_days, MOST_ERASED)
                if erased:
                    log.info("campaign %s: deleted %d sessions, as it asks", campaign.id, len(erased))
        packed = [session for session in self._store.packing.due() if self._store.packing.pack(session)]
        if packed:
            log.info("packed %d sessions", len(packed))
