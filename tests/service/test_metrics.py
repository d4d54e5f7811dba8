"""What a monitor reads, and what a player who reads it must not learn."""

from dataclasses import replace

import pytest
from prometheus_client.parser import text_string_to_metric_families
from redis import Redis
from redis.exceptions import ConnectionError

from service.store import Attempt, figures
from service.store.figures import COUNTING
from tests.service.table import SKILL_CHECK, Listener, make_app, serving, set_table, staff
from worker.worker import make_worker

HIDDEN_KINDS = ("gm", "blind", "self")


@pytest.fixture(autouse=True)
def _nothing_counted():
    """What earlier tests of this process have counted is not this test's."""
    COUNTING._counts.clear()


def scrape(table, token=None):
    """The figures by name and labels."""
    answer = table.call("GET", "/metrics", token)
    assert answer.status_code == 200 and answer.content_type.startswith("text/plain; version=")
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def test_rolls_are_counted_from_click_to_card(table):
    for _ in range(3):
        table.rolled()
    table.rolled(visibility="gm")
    told = scrape(table, table.admin)
    assert told["tallybones_rolls_accepted_total", "everyone"] == 3
    assert told["tallybones_rolls_resolved_total", "everyone"] == 3
    assert told["tallybones_rolls_resolved_total", "hidden"] == 1
    assert told["tallybones_click_to_card_seconds_count", "everyone"] == 3
    assert told["tallybones_click_to_card_seconds_bucket", "30.0", "everyone"] == 3
    assert 0 <= told["tallybones_click_to_card_seconds_sum", "everyone"] < 30


def test_the_buckets_add_up_and_hold_the_seconds_that_a_card_took(table):
    for ms in (4, 5, 6, 900, 40_000):
        record = {"visibility": "public", "challenged": None, "answers": None}
        COUNTING.resolved([record | {"created_at": 1000, "resolved_at": 1000 + ms}])
    told = scrape(table)
    heights = [
        told["tallybones_click_to_card_seconds_bucket", bound, "everyone"] for bound in ("0.005", "0.01")
    ]
    assert heights == [2, 3]
    assert told["tallybones_click_to_card_seconds_bucket", "1.0", "everyone"] == 4
    assert told["tallybones_click_to_card_seconds_bucket", "+Inf", "everyone"] == 5
    assert told["tallybones_click_to_card_seconds_sum", "everyone"] == pytest.approx(40.915)


def test_the_time_that_a_person_took_to_answer_is_no_cards(settings):
    table = set_table(make_app(settings), settings, "fort-ref-will")
    anna, bert = table.player("anna"), table.player("bert")
    opponent = {"kind": "player", "user": "bert"}
    challenge = table.rolled(anna, {"action": "contest", "params": {"opponent": opponent}})
    assert ("tallybones_click_to_card_seconds_count", "everyone") in scrape(table)
    table.answer(challenge["id"], bert, {})
    table.work()
    told = scrape(table)
    assert told["tallybones_rolls_resolved_total", "everyone"] == 2
    assert told["tallybones_click_to_card_seconds_count", "everyone"] == 1


def test_a_click_sent_again_is_one_roll(table):
    for _ in range(3):
        table.roll(key="the-same")
    assert scrape(table)["tallybones_rolls_accepted_total", "everyone"] == 1


def test_queues_workers_and_streams(table, app, valkey):
    staff(valkey)
    table.roll()
    told = scrape(table)
    assert told["tallybones_queue_depth", "everyone", "rolls"] == 1
    assert [told["tallybones_workers", queue] for queue in ("rolls", "deliveries", "reports")] == [1, 1, 1]
    assert told["tallybones_open_streams",] == 0
    with serving(app) as address:
        listeners = [Listener(address, table) for _ in range(3)]
        assert all(listener.wait(lambda it: it.comments) for listener in listeners)
        assert scrape(table)["tallybones_open_streams",] == 3


def test_the_streams_of_every_web_process_count_until_it_says_nothing_more(table, valkey):
    figures.say_streams(valkey, "another process", 7)
    assert scrape(table)["tallybones_open_streams",] == 7
    valkey.delete("tb:web:another process:streams")
    assert scrape(table)["tallybones_open_streams",] == 0
    assert b"another process" not in valkey.smembers("tb:web")


def test_errors_are_counted_by_status(table, monkeypatch):
    monkeypatch.setattr(table.services.store.players, "list", lambda campaign: 1 / 0)
    assert table.get("/players").status_code == 500
    assert scrape(table)["tallybones_http_errors_total", "500"] == 1


def test_deliveries_are_counted_by_what_came_of_them(table, valkey):
    valkey.hset(
        "tb:figures", mapping={"deliveries\tdelivered\teveryone": 5, "deliveries\tpending\teveryone": 2}
    )
    told = scrape(table)
    assert told["tallybones_delivery_attempts_total", "delivered", "everyone"] == 5
    assert told["tallybones_delivery_attempts_total", "everyone", "retry"] == 2
    assert told["tallybones_delivery_attempts_total", "everyone", "failed"] == 0


def test_requests_by_call_are_the_operators(table):
    table.get("/rolls/aaaaaaaaaa-bbbbbbbbbb")
    name = ("tallybones_http_requests_total", "/v1/campaigns/<id:campaign>/rolls/<roll:roll>", "404", "GET")
    assert scrape(table, table.admin)[name] == 1
    for token in (None, table.gm, table.tokens["anna"], "tba_" + "x" * 43):
        assert not [name for name in scrape(table, token) if name[0] == "tallybones_http_requests_total"]


def test_made_up_paths_and_methods_make_no_series(table):
    for number in range(3):
        table.call("GET", f"/made-up/{number}", None)
        table.call(f"METHOD{number}", "/v1/rulesets", None)
    names = [name for name in scrape(table, table.admin) if name[0] == "tallybones_http_requests_total"]
    assert ("tallybones_http_requests_total", "404", "any", "none") in names
    assert not [name for name in names if "made-up" in str(name) or "METHOD" in str(name)]


@pytest.mark.parametrize("visibility", HIDDEN_KINDS)
def test_whoever_reads_them_learns_nothing_of_a_hidden_roll(table, visibility):
    """Asked for, waiting, resolved, delivered: to all but the operator the figures stay as they are."""
    hook = {"kind": "standard", "url": "https://example.org/hook", "hidden": True}
    webhook = table.post("/webhooks", hook).json["id"]
    table.rolled()
    table.services.redis.delete("rq:queue:deliveries")
    deliveries, hears_of_it = table.services.store.deliveries, visibility != "self"
    name = "tallybones_delivery_attempts_total"

    def read(token=None):
        answer = table.call("GET", "/metrics", token)
        # its own last word on when a counter was made is no figure
        return answer.text, answer.headers["Content-Length"]

    before, whole = read(), read(table.admin)
    for token in (table.gm, table.tokens["anna"]):
        roll = table.roll(token, {**SKILL_CHECK, "visibility": visibility}).json["id"]
        assert read() == before == read(table.tokens["bert"]), "while it waits"
        table.work()
        assert read() == before == read(table.tokens["bert"]), "once it is resolved"
        for outcome in ("pending", "delivered") if hears_of_it else ():
            [newest] = deliveries.list(webhook, limit=1)
            assert newest.subject == roll
            tried = Attempt(delivery=newest.id, asked=newest.asked, outcome=outcome, log={}, due=1)
            assert deliveries.attempted(tried) is None
            assert read() == before == read(table.tokens["bert"]), f"once a webhook's attempt is {outcome}"
    assert read(table.admin) != whole
    told = scrape(table, table.admin)
    tries = [told[name, "delivered", "hidden"], told[name, "hidden", "retry"]]
    assert tries == ([2, 2] if hears_of_it else [0, 0])
    table.rolled()
    assert read() != before


def test_no_campaign_player_or_roll_is_named(table):
    roll = table.rolled()
    for token in (None, table.admin):
        text = table.call("GET", "/metrics", token).text
        for name in (table.id, roll["id"], roll["session"], "anna", "Friday", table.gm, table.admin):
            assert name not in text


def test_without_redis_a_monitor_hears_so(settings, free_port):
    app = make_app(replace(settings, redis_url=f"redis://127.0.0.1:{free_port}/0", rate_limits=False))
    answer = app.test_client().get("/metrics")
    assert answer.status_code == 200 and "tallybones_redis_up 0.0" in answer.text
    assert "tallybones_rolls" not in answer.text


def test_a_worker_adds_its_counts_by_and_by_and_when_it_leaves(valkey, table):
    table.roll()
    worker = make_worker("rolls", valkey)
    assert worker.work(burst=True)
    assert valkey.hget("tb:figures", "resolved\teveryone") == b"1"


def test_counts_are_kept_while_redis_is_away(valkey, settings, free_port):
    COUNTING.count("accepted", "everyone")
    with pytest.raises(ConnectionError):
        COUNTING.flush(Redis(port=free_port))
    COUNTING.count("accepted", "everyone")
    COUNTING.flush(valkey)
    assert valkey.hget("tb:figures", "accepted\teveryone") == b"2"
    COUNTING.flush(valkey)
    assert valkey.hget("tb:figures", "accepted\teveryone") == b"2"
