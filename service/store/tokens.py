"""Bearer tokens: random, told apart by their prefix, kept as their SHA-256."""

import hashlib
import secrets
from dataclasses import dataclass
from typing import Literal

import orjson
from redis import Redis

from service.store import keys

GM_PREFIX = "tbg_"
PLAYER_PREFIX = "tbp_"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who holds a token. The GM's user is "gm"; `token` is the token's SHA-256 in hex."""

    role: Literal["gm", "player"]
    campaign: str
    user: str
    name: str
    token: str


def new_token(prefix: str) -> str:
    """Return a fresh token of 256 random bits."""
    return prefix + secrets.token_urlsafe(32)


def digest(token: str) -> str:
    """Return the SHA-256 in hex under which a token is kept."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def holder(role: Literal["gm", "player"], campaign: str, user: str, name: str) -> bytes:
    """Return what is kept of a token's holder."""
    return orjson.dumps({"role": role, "campaign": campaign, "user": user, "name": name})


def held_by(holder: bytes | str | None, kept_as: str) -> Caller | None:
    """Return the caller that what is kept of a token names, None where nothing is kept."""
    return Caller(**orjson.loads(holder), token=kept_as) if holder else None


class Tokens:
    """Looking up who holds a token."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def caller(self, token: str) -> Caller | None:
        """Return who holds the token, None when nobody does (any more)."""
        if not token.startswith((GM_PREFIX, PLAYER_PREFIX)):
            return None
        kept_as = digest(token)
        return held_by(self._redis.get(keys.token(kept_as)), kept_as)
