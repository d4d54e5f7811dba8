"""The calls, one module a resource."""

from service.api.campaigns import calls as campaigns
from service.api.health import calls as health
from service.api.players import calls as players
from service.api.rolls import calls as rolls
from service.api.rulesets import calls as rulesets
from service.api.sessions import calls as sessions
from service.api.stream import calls as stream

ALL = (rulesets, campaigns, players, sessions, rolls, stream, health)
