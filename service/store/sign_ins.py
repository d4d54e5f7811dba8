"""Sign-ins to the console: a browser's cookie stands for a GM key as long as both are good.

The cookie is random and kept as its SHA-256; of the GM key only the SHA-256 is known here too. A key that was
renewed, or a campaign that was deleted, ends its sign-ins with the next look: there is nothing to clean up.
"""

import secrets

from redis import Redis

from service.store import keys
from service.store.shared import text
from service.store.tokens import Caller, digest, held_by
from service.visibility import THE_GM

KEPT = 30 * 24 * 60 * 60
"""Seconds without a visit after which a sign-in ends."""


class SignIns:
    """Opening, finding and ending sign-ins."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def open(self, caller: Caller) -> str:
        """Sign a GM in; return the cookie's value, which is known to nobody else."""
        cookie = secrets.token_urlsafe(32)
        self._redis.set(keys.sign_in(digest(cookie)), caller.token, ex=KEPT)
        return cookie

    def caller(self, cookie: str) -> Caller | None:
        """Return the GM who is signed in with that cookie, None when nobody is (any more)."""
        kept_as = self._redis.getex(keys.sign_in(digest(cookie)), ex=KEPT)
        if kept_as is None:
            return None
        token = text(kept_as)
        caller = held_by(self._redis.get(keys.token(token)), token)
        return caller if caller is not None and caller.role == THE_GM else None

    def end(self, cookie: str) -> None:
        """Sign out; doing so again changes nothing."""
        self._redis.delete(keys.sign_in(digest(cookie)))
