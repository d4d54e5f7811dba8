"""All state, in Redis: campaigns, tokens, players, sessions and rolls.

Errors of the store are StoreError; Redis being away, read-only or full raises redis.exceptions.RedisError.
"""

from redis import Redis

from service.store.campaigns import Campaign, Campaigns
from service.store.deliveries import Attempt, Deliveries, Delivery
from service.store.erasing import Erasing
from service.store.errors import (
    AlreadyAnswered,
    KeyReused,
    NotAwaiting,
    NotResolved,
    SessionAlreadyOpen,
    SessionNotOpen,
    SessionStillOpen,
    StoreError,
    TooManyReports,
    TooManyWebhooks,
    UnknownCampaign,
    UnknownDelivery,
    UnknownRoll,
    UnknownSession,
    UnknownWebhook,
)
from service.store.ids import now_ms
from service.store.leases import Leases
from service.store.lua import Scripts
from service.store.packing import Packing
from service.store.pending import Pending
from service.store.players import Player, Players
from service.store.reports import Report, Reports, ReportWish
from service.store.restoring import NotRestored, Restoring
from service.store.rolls import Accepted, NewAnswer, NewRoll, Rolls
from service.store.sessions import Session, Sessions
from service.store.shared import Clock
from service.store.sign_ins import SignIns
from service.store.tallies import Tallies
from service.store.tokens import Caller, Tokens
from service.store.unresolved import Numbers, Unresolved
from service.store.webhooks import Webhook, Webhooks

__all__ = [
    "Accepted",
    "AlreadyAnswered",
    "Attempt",
    "Caller",
    "Campaign",
    "Campaigns",
    "Deliveries",
    "Delivery",
    "KeyReused",
    "NewAnswer",
    "NewRoll",
    "NotAwaiting",
    "NotResolved",
    "NotRestored",
    "Numbers",
    "Pending",
    "Player",
    "Players",
    "Report",
    "ReportWish",
    "Reports",
    "Restoring",
    "Rolls",
    "Session",
    "SessionAlreadyOpen",
    "SessionNotOpen",
    "SessionStillOpen",
    "Sessions",
    "SignIns",
    "Store",
    "StoreError",
    "Tallies",
    "Tokens",
    "TooManyReports",
    "TooManyWebhooks",
    "UnknownCampaign",
    "UnknownDelivery",
    "UnknownRoll",
    "UnknownSession",
    "UnknownWebhook",
    "Unresolved",
    "Webhook",
    "Webhooks",
]


class Store:
    """The state on one Redis server; `clock` tells the time in ms."""

    def __init__(self, redis: Redis, clock: Clock = now_ms) -> None:
        self.redis = redis
        self.clock = clock
        self.scripts = Scripts(redis)
        self.campaigns = Campaigns(redis, self.scripts, clock)
        self.tokens = Tokens(redis)
        self.sign_ins = SignIns(redis)
        self.players = Players(redis, self.scripts, clock)
        self.sessions = Sessions(redis, self.scripts, clock)
        self.rolls = Rolls(redis, self.scripts, clock)
        self.unresolved = Unresolved(redis)
        self.webhooks = Webhooks(redis, self.scripts, clock)
        self.deliveries = Deliveries(redis, self.scripts, clock)
        self.leases = Leases(redis, self.scripts)
        self.tallies = Tallies(redis, self.scripts)
        self.erasing = Erasing(redis, self.scripts, clock, self.tallies)
        self.packing = Packing(redis, self.scripts, clock, self.tallies)
        self.reports = Reports(redis, self.scripts, clock)

    def restoring(self) -> Restoring:
        """Return what brings a campaign back."""
        return Restoring(self.redis, self.scripts, self.clock)
