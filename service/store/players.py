"""Players: the Foundry users of a campaign that hold a token."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson
from redis import Redis

from service.store import keys, tokens
from service.store.errors import UnknownCampaign
from service.store.lua import Scripts
from service.store.shared import Clock, text


@dataclass(frozen=True, slots=True)
class Player:
    """A player; `created_at` (ms) is when the token was made."""

    user: str
    name: str
    created_at: int


class Players:
    """Giving players their tokens, and taking them back."""

    def __init__(self, redis: Redis, scripts: Scripts, clock: Clock) -> None:
        self._redis, self._scripts, self._clock = redis, scripts, clock

    def mint(self, campaign: str, user: str, name: str) -> tuple[Player, str]:
        """Give the user a token in place of any older one; return it, as it is shown this once.

        Raise UnknownCampaign.
        """
        player = Player(user, name, self._clock())
        token = tokens.new_token(tokens.PLAYER_PREFIX)
        kept_as = tokens.digest(token)
        kept = orjson.dumps({"name": name, "created_at": player.created_at, "token": kept_as})
        holder = tokens.holder("player", campaign, user, name)
        if self._scripts.run("token", [keys.players(campaign)], [campaign, user, kept, kept_as, holder]) < 0:
            raise UnknownCampaign(campaign)
        return player, token

    def get(self, campaign: str, user: str) -> Player | None:
        """Return the player, None when the user holds no token."""
        found = self._redis.hget(keys.players(campaign), user)
        return _player(user, found) if found else None

    def list(self, campaign: str) -> list[Player]:
        """Return the players by name."""
        found = self._redis.hgetall(keys.players(campaign))
        players = (_player(text(user), kept) for user, kept in found.items())
        return sorted(players, key=lambda player: (player.name.casefold(), player.user))

    def kept(self, campaign: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield each user with what is kept of them: name, created_at and the token's SHA-256."""
        for user, kept in sorted(self._redis.hgetall(keys.players(campaign)).items()):
            yield text(user), orjson.loads(kept)

    def revoke(self, campaign: str, user: str) -> bool:
        """Take the user's token back; return whether there was one."""
        return bool(self._scripts.run("token", [keys.players(campaign)], [campaign, user, "", "", ""]))


def _player(user: str, kept: Any) -> Player:
    found: dict[str, Any] = orjson.loads(kept)
    return Player(user, found["name"], found["created_at"])
