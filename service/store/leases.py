"""Leases: of several clients that see the same thing to do, one does it."""

from redis import Redis

from service.store import keys
from service.store.lua import Scripts

HELD_MS = 30_000
"""How long a lease holds that is not renewed."""


class Leases:
    """Taking leases, each for half a minute."""

    def __init__(self, redis: Redis, scripts: Scripts) -> None:
        self._redis, self._scripts = redis, scripts

    def take(self, campaign: str, name: str, holder: str) -> bool:
        """Take or renew a lease of the campaign; False when somebody else holds it."""
        return bool(self._scripts.run("lease", [keys.lease(campaign, name)], [holder, HELD_MS]))
