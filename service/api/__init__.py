"""The calls, one module a resource."""

from service.api.campaigns import calls as campaigns_calls
from service.api.health import calls as health_calls
from service.api.lease import calls as lease_calls
from service.api.me import calls as me_calls
from service.api.metrics import calls as metrics_calls
from service.api.players import calls as players_calls
from service.api.reports import calls as reports_calls
from service.api.rolls import calls as rolls_calls
from service.api.rulesets import calls as rulesets_calls
from service.api.sessions import calls as sessions_calls
from service.api.stream import calls as stream_calls
from service.api.webhooks import calls as webhooks_calls

ALL = (
    rulesets_calls,
    campaigns_calls,
    players_calls,
    sessions_calls,
    rolls_calls,
    stream_calls,
    reports_calls,
    webhooks_calls,
    me_calls,
    lease_calls,
    health_calls,
    metrics_calls,
)
