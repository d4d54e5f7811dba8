"""Rate limits."""

from dataclasses import replace

import pytest
from limits.strategies import FixedWindowRateLimiter
from redis.exceptions import TimeoutError

from service import limits
from tests.service.console.browser import Console
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


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/rulesets"),
        ("POST", "/v1/rulesets/moon-hangs-low/odds"),
        ("GET", "/metrics"),
        ("POST", "/console/sign-in"),
        ("GET", "/console/history"),
        ("GET", "/docs"),
        ("GET", "/v1/campaigns/nothing/here"),
        ("GET", "/nothing/here"),
        ("DELETE", "/v1/rulesets"),
    ],
)
def test_made_up_tokens_lift_no_limit_where_nobody_looks_at_them(tight, method, path):
    statuses = [tight.call(method, path, f"tbp_{number:043}").status_code for number in range(8)]
    assert 429 not in statuses[:4] and statuses[-2:] == [429, 429]
    client = tight.app.test_client()
    elsewhere = client.open(path, method=method, environ_overrides={"REMOTE_ADDR": "192.0.2.7"})
    assert elsewhere.status_code == statuses[0]
    assert tight.get("/rolls", tight.tokens["anna"]).status_code == 200


def test_made_up_tokens_leave_no_count_of_their_own_where_nobody_looks_at_them(tight, valkey):
    before = set(valkey.scan_iter("LIMITS*"))
    for number in range(4):
        tight.call("GET", "/v1/rulesets", f"tbp_{number:043}")
        tight.call("GET", "/nothing/here", f"tbp_{number:043}")
    assert len(set(valkey.scan_iter("LIMITS*")) - before) == 2


def test_unknown_tokens_leave_one_count_together(tight, valkey):
    before = set(valkey.scan_iter("LIMITS*"))
    statuses = [tight.get("/rolls", f"tbp_{number:043}").status_code for number in range(8)]
    assert statuses == [401] * 5 + [429] * 3
    assert len(set(valkey.scan_iter("LIMITS*")) - before) == 1
    assert [tight.get("/rolls").status_code for _ in range(6)][-1] == 429


def test_a_refusal_says_who_sent_too_many(tight):
    for _ in range(6):
        tokens, addresses = tight.get("/rolls"), tight.call("GET", "/v1/rulesets", None)
        nothing = tight.call("GET", "/nothing/here", None)
    assert "came with this token" in tokens.json["detail"]
    assert "came from this address" in addresses.json["detail"]
    assert "came from this address" in nothing.json["detail"] and nothing.headers["Retry-After"] == "60"


def test_what_the_console_asks_within_counts_for_nobody(tight):
    console = Console(tight).sign_in()
    statuses = [console.client.get("/console/history").status_code for _ in range(7)]
    assert statuses == [200] * 5 + [429] * 2


def test_a_gm_at_the_console_is_not_held_up_by_strangers_at_the_same_address(tight):
    console, stranger = Console(tight).sign_in(), tight.app.test_client()
    assert [stranger.get("/console/history").status_code for _ in range(7)][-1] == 429
    assert console.client.get("/console/history").status_code == 200
    assert console.client.get("/").status_code == 200


def test_made_up_cookies_count_for_the_address(tight):
    answers = []
    for number in range(7):
        client = tight.app.test_client()
        client.set_cookie("tallybones", f"made-up-{number}")
        answers.append(client.get("/console/history").status_code)
    assert answers[:5] == [401] * 5 and answers[-1] == 429


def test_another_sign_in_with_the_same_key_has_no_more(tight):
    first = Console(tight).sign_in()
    second = Console(tight).sign_in()
    for _ in range(5):
        assert first.client.get("/console/history").status_code == 200
    assert second.client.get("/console/history").status_code == 429


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
