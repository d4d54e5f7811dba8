"""Rate limits."""

from dataclasses import replace

import pytest
from limits.strategies import FixedWindowRateLimiter
from redis.exceptions import TimeoutError

from service import limits
from tests.service.table import make_app, set_table


@pytest.fixture
def tight(settings, monkeypatch):
    """A table at which each may make five calls a minute."""
    monkeypatch.setattr(limits, "EACH_CALLER", "5 per minute")
    table = set_table(make_app(settings), settings)
    table.player("anna")
    table.player("bert")
    return table


def test_too_many_calls_are_told_how_long_to_wait(tight):
    token = tight.tokens["anna"]
    statuses = [tight.get("/sessions", token).status_code for _ in range(5)]
    assert statuses == [200] * 5
    answer = tight.get("/rolls", token)
    assert answer.status_code == 429 and answer.mimetype == "application/problem+json"
    assert 1 <= int(answer.headers["Retry-After"]) <= 61
    assert answer.headers["Retry-After"] in answer.json["detail"]


def test_each_token_has_its_own(tight):
    for _ in range(7):
        tight.get("/rolls", tight.tokens["anna"])
    assert tight.get("/rolls", tight.tokens["bert"]).status_code == 200


def test_calls_without_a_token_share_their_address(tight):
    client = tight.app.test_client()
    statuses = [client.get("/v1/rulesets").status_code for _ in range(7)]
    assert statuses[:4] == [200] * 4 and statuses[-1] == 429
    elsewhere = {"REMOTE_ADDR": "192.0.2.7"}
    assert client.get("/v1/rulesets", environ_overrides=elsewhere).status_code == 200


@pytest.mark.parametrize(("behind_proxy", "last"), [(True, 200), (False, 429)])
def test_a_proxy_is_believed_who_calls_only_where_the_settings_say_so(
    settings, monkeypatch, behind_proxy, last
):
    monkeypatch.setattr(limits, "EACH_CALLER", "5 per minute")
    client = make_app(replace(settings, behind_proxy=behind_proxy)).test_client()

    def asked(forwarded):
        return client.get("/v1/rulesets", headers={"X-Forwarded-For": forwarded}).status_code

    # What stands before the last address is the caller's own claim.
    assert [asked(f"198.51.100.{number}, 203.0.113.1") for number in range(6)] == [200] * 5 + [429]
    assert asked("203.0.113.2") == last


def test_health_and_preflights_are_not_counted(tight):
    client = tight.app.test_client()
    assert {client.get("/livez").status_code for _ in range(9)} == {200}
    headers = {"Origin": "http://localhost:30000", "Access-Control-Request-Method": "GET"}
    assert {client.options("/v1/rulesets", headers=headers).status_code for _ in range(9)} == {200}


def test_making_up_tokens_counts_for_the_address(tight):
    statuses = [tight.get("/rolls", f"tbp_{number:043}").status_code for number in range(8)]
    assert statuses == [401] * 5 + [429] * 3
    assert tight.get("/rolls", tight.tokens["anna"]).status_code == 200
    elsewhere = {"REMOTE_ADDR": "192.0.2.7"}
    client = tight.app.test_client()
    headers = {"Authorization": "Bearer tbp_unknown"}
    assert client.get(f"{tight.path}/rolls", headers=headers, environ_overrides=elsewhere).status_code == 401


def test_a_made_up_token_is_refused_as_ever_where_it_cannot_be_counted(tight, monkeypatch):
    """As where Redis falls silent just then."""
    hit = FixedWindowRateLimiter.hit

    def silent_for_strangers(self, item, *place, **more):
        if "strangers" in place:
            raise TimeoutError("Timeout reading from socket")
        return hit(self, item, *place, **more)

    monkeypatch.setattr(FixedWindowRateLimiter, "hit", silent_for_strangers)
    answer = tight.get("/rolls", "tbp_unknown")
    assert answer.status_code == 401 and answer.mimetype == "application/problem+json"


def test_limits_can_be_lifted(settings, monkeypatch):
    monkeypatch.setattr(limits, "EACH_CALLER", "2 per minute")
    table = set_table(make_app(replace(settings, rate_limits=False)), settings)
    assert {table.get("/rolls").status_code for _ in range(9)} == {200}


def test_no_token_is_kept_where_calls_are_counted(tight, valkey):
    tight.get("/rolls", tight.tokens["anna"])
    counted = list(valkey.scan_iter("LIMITS*"))
    assert counted and not any(tight.tokens["anna"].encode() in key for key in counted)


def test_they_are_generous():
    assert limits.EACH_CALLER == "1200 per minute"
