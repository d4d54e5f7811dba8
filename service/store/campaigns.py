"""Campaigns: a table, its rule set and its house rules."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from redis import Redis
from redis.client import Pipeline

from service.store import keys, tokens
from service.store.errors import UnknownCampaign
from service.store.ids import new_id
from service.store.lua import Scripts
from service.store.shared import Clock, text

GM_NAME = "GM"


@dataclass(frozen=True, slots=True)
class Campaign:
    """A campaign; `created_at` in ms, `open_session` the id of the session that is open.

    Sessions are deleted `retention_days` after their end; None keeps them.
    """

    id: str
    name: str
    ruleset: str
    house_rules: dict[str, Any]
    created_at: int
    open_session: str | None
    retention_days: int | None = None


class Campaigns:
    """Making, reading and changing campaigns."""

    def __init__(self, redis: Redis, scripts: Scripts, clock: Clock) -> None:
        self._redis, self._scripts, self._clock = redis, scripts, clock

    def create(self, name: str, ruleset: str, house_rules: Mapping[str, Any]) -> tuple[Campaign, str]:
        """Make a campaign; return it and its GM key, which is shown this once."""
        campaign = Campaign(new_id(), name, ruleset, dict(house_rules), self._clock(), None)
        gm_key = tokens.new_token(tokens.GM_PREFIX)
        with self._redis.pipeline() as together:
            together.hset(
                keys.campaign(campaign.id),
                mapping={
                    "name": name,
                    "ruleset": ruleset,
                    "house_rules": orjson.dumps(campaign.house_rules),
                    "created_at": campaign.created_at,
                    "gm_key": tokens.digest(gm_key),
                },
            )
            together.zadd(keys.CAMPAIGNS, {campaign.id: campaign.created_at})
            together.set(keys.token(tokens.digest(gm_key)), tokens.holder("gm", campaign.id, "gm", GM_NAME))
            together.execute()
        return campaign, gm_key

    def get(self, campaign: str) -> Campaign | None:
        """Return the campaign, None when there is none."""
        return _campaign(campaign, self._redis.hgetall(keys.campaign(campaign)))

    def with_caller(self, campaign: str, token: str) -> tuple[Campaign | None, tokens.Caller | None]:
        """Return the campaign, and who holds the token, in one round trip; None where there is none."""
        kept_as = tokens.digest(token)
        with self._redis.pipeline(transaction=False) as together:
            together.hgetall(keys.campaign(campaign))
            together.get(keys.token(kept_as))
            found, held = together.execute()
        return _campaign(campaign, found), tokens.held_by(held, kept_as)

    def kept_key(self, campaign: str) -> str | None:
        """Return the SHA-256 of the GM key, None when there is no such campaign."""
        kept = self._redis.hget(keys.campaign(campaign), "gm_key")
        return text(kept) if kept else None

    def newest_event(self, campaign: str) -> str:
        """Return the id of the campaign's newest event, "0-0" where there is none."""
        newest = self._redis.hget(keys.campaign(campaign), "last_ms")
        return f"{int(newest or 0)}-0"

    def all(self) -> list[Campaign]:
        """Return every campaign, oldest first."""
        ids = [text(found) for found in self._redis.zrange(keys.CAMPAIGNS, 0, -1)]
        with self._redis.pipeline(transaction=False) as together:
            for campaign in ids:
                together.hgetall(keys.campaign(campaign))
            read = (_campaign(*pair) for pair in zip(ids, together.execute(), strict=True))
            return [campaign for campaign in read if campaign]

    def update(
        self,
        campaign: str,
        name: str | None = None,
        house_rules: Mapping[str, Any] | None = None,
        retention_days: int | None = None,
    ) -> Campaign:
        """Change what is given, and return the campaign; raise UnknownCampaign.

        `retention_days` 0 keeps sessions for ever.
        """
        changes: dict[Any, Any] = {}
        if name is not None:
            changes["name"] = name
        if house_rules is not None:
            changes["house_rules"] = orjson.dumps(dict(house_rules))
        if retention_days is not None:
            changes["retention_days"] = retention_days
        key = keys.campaign(campaign)

        def change(together: Pipeline) -> None:
            if not together.exists(key):
                raise UnknownCampaign(campaign)
            together.multi()
            if changes:
                together.hset(key, mapping=changes)

        self._redis.transaction(change, key)
        changed = self.get(campaign)
        if changed is None:
            raise UnknownCampaign(campaign)
        return changed

    def renew_gm_key(self, campaign: str) -> str:
        """Replace the GM key; return the new one, which is shown this once. Raise UnknownCampaign."""
        gm_key = tokens.new_token(tokens.GM_PREFIX)
        kept_as = tokens.digest(gm_key)
        holder = tokens.holder("gm", campaign, "gm", GM_NAME)
        ask = [campaign, "gm_key", kept_as, kept_as, holder]
        if self._scripts.run("token", [keys.campaign(campaign)], ask) < 0:
            raise UnknownCampaign(campaign)
        return gm_key


def _campaign(campaign: str, found: Any) -> Campaign | None:
    if not found:
        return None
    return Campaign(
        id=campaign,
        name=text(found[b"name"]),
        ruleset=text(found[b"ruleset"]),
        house_rules=orjson.loads(found[b"house_rules"]),
        created_at=int(found[b"created_at"]),
        open_session=text(found[b"open"]) if b"open" in found else None,
        retention_days=int(found.get(b"retention_days", 0)) or None,
    )
