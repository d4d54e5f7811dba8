"""What receivers get, when they get it again, and what the log says."""

import json
import time

import pytest
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError

from tests.worker.webhooks.receiver import (
    after,
    answers,
    dripping_body,
    dripping_headers,
    flooding,
    garbage,
    in_turn,
    resets,
    silent,
)
from worker.webhooks import deliver, transport

SECONDS_BEFORE_LAST = 5 * 24 * 60 * 60


def verified(webhook, received):
    """What a message says, once the reference library has found its signature good."""
    return Verifier(webhook.secret).verify(received.body, received.headers)


def test_a_resolved_roll_arrives_signed(post, receiver):
    there = receiver()
    webhook = post.webhook(there.url())
    post.run()
    roll = post.roll()
    started, message = there.wait_for(2)
    assert verified(webhook, started)["type"] == "session.started"
    told = verified(webhook, message)
    assert told["type"] == "roll.resolved" and told["data"]["id"] == roll
    assert told["data"]["visibility"] == "public" and told["data"]["card"]["text"]
    assert told["timestamp"] == told["data"]["resolved_at"]
    [newest, _] = post.settled(webhook, 2)
    assert (newest.id, newest.status, newest.subject) == (message.id, "delivered", roll)
    [attempt] = newest.attempts
    assert attempt["answer"]["status"] == 204 and attempt["ms"] >= 0


def test_a_session_is_told_of_at_its_start_without_its_seed_and_at_its_end_with_it(post, receiver):
    there = receiver()
    webhook = post.webhook(there.url(), events=["session.started", "session.ended"])
    roll = post.roll()
    session = roll.partition("-")[0]
    post.roll(visibility="blind")
    post.store.sessions.end(post.table.campaign, session)
    post.run()  # only now: the start is told as it was
    started, ended = sorted(
        (verified(webhook, each) for each in there.wait_for(2)), key=lambda told: told["type"], reverse=True
    )
    assert started["data"] | {"started_at": None} == started["data"] | {
        "id": session,
        "title": None,
        "started_at": None,
        "ended_at": None,
        "commitment": ended["data"]["commitment"],
        "seed": None,
        "rolls": 0,
    }
    assert len(ended["data"]["seed"]) == 64 and ended["data"]["rolls"] == 1
    assert "hidden_seed" not in ended["data"]


def test_a_wrong_secret_or_a_changed_body_does_not_verify(post, receiver):
    there = receiver()
    webhook = post.webhook(there.url())
    post.run()
    post.store.webhooks.test(post.table.campaign, webhook.id)
    [message] = there.wait_for()
    other = post.webhook(there.url())
    for secret, body in ((other.secret, message.body), (webhook.secret, message.body + b" ")):
        with pytest.raises(WebhookVerificationError):
            Verifier(secret).verify(body, message.headers)


def test_both_secrets_sign_for_a_day_after_a_rotation(post, receiver):
    there = receiver()
    old = post.webhook(there.url())
    new = post.store.webhooks.rotate(post.table.campaign, old.id)
    assert new.secret != old.secret
    post.run()
    post.store.webhooks.test(post.table.campaign, old.id)
    [message] = there.wait_for()
    assert verified(old, message) == verified(new, message)
    assert len(message.headers["webhook-signature"].split(" ")) == 2
    assert len(post.read(old).signing_secrets(post.store.clock() + 86_400_001)) == 1
    assert post.read(old).signing_secrets(post.store.clock() + 86_400_001) == (new.secret,)


def test_a_failed_message_comes_again_under_the_same_id_with_a_new_timestamp(post, receiver):
    there = receiver(in_turn(answers(500, b"oops"), answers(200)))
    webhook = post.webhook(there.url(), events=["roll.resolved"])
    post.run()
    post.roll()
    [failed] = post.attempted(webhook)
    wait = failed.next_at - failed.attempts[0]["at"]
    assert 4_400 <= wait <= 6_000 and failed.status == "pending"
    assert failed.attempts[0]["answer"]["body"] == "oops"
    assert post.read(webhook).failing_since is not None
    post.forward(seconds=4)
    time.sleep(0.1)
    assert len(there.received) == 1
    post.forward(seconds=2)
    first, second = there.wait_for(2)
    assert first.id == second.id and first.body == second.body
    assert int(second.headers["webhook-timestamp"]) >= int(first.headers["webhook-timestamp"]) + 6
    [done] = post.settled(webhook)
    assert done.status == "delivered" and len(done.attempts) == 2
    assert post.read(webhook).failing_since is None


def test_the_waits_are_those_of_the_schedule_and_then_it_has_failed(post, receiver):
    there = receiver(answers(503))
    webhook = post.webhook(there.url(), events=["roll.resolved"])
    post.run()
    post.roll()
    waits = []
    for count in range(1, 10):
        [entry] = post.attempted(webhook, count)
        waits.append((entry.next_at - entry.attempts[-1]["at"]) / 1000)
        post.forward(seconds=waits[-1] + 1)
    expected = (5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400)
    assert all(0.89 * due <= wait <= 1.11 * due + 1 for wait, due in zip(waits, expected, strict=True))
    [entry] = post.settled(webhook)
    assert entry.status == "failed" and len(set(there.ids())) == 1 and len(there.received) == 10


def test_it_is_switched_off_after_five_days_of_failing_and_the_gm_is_told(post, receiver):
    there = receiver(answers(500))
    webhook = post.webhook(there.url(), events=["roll.resolved"])
    with post.redis.pubsub() as live:
        live.subscribe("tb:live")
        post.run()
        post.roll()
        post.attempted(webhook)
        post.forward(seconds=SECONDS_BEFORE_LAST - 60)
        post.attempted(webhook, 2)
        assert post.read(webhook).enabled
        post.forward(seconds=400)
        post.attempted(webhook, 3)
        off = post.read(webhook)
        assert (off.enabled, off.off_because) == (False, "failing") and off.off_at
        events = []
        while message := live.get_message(timeout=0.5):
            if message["type"] == "message":
                events.append(json.loads(message["data"]))
    assert [event["record"] for event in events if event["event"] == "webhook"] == [{"id": webhook.id}]
    # What was still to come is not sent, and no delivery is made for it any more.
    post.forward(seconds=200_000)
    [entry] = post.settled(webhook)
    assert entry.status == "failed" and "switched off" in entry.attempts[-1]["error"]
    post.roll()
    assert len(post.log(webhook)) == 1 and len(there.received) == 3


def test_switched_on_again_it_starts_afresh(post, receiver):
    there = receiver(in_turn(answers(410), answers(200)))
    webhook = post.webhook(there.url(), events=["roll.resolved"])
    post.run()
    post.roll()
    post.settled(webhook)
    off = post.read(webhook)
    assert (off.enabled, off.off_because) == (False, "gone")
    on = post.store.webhooks.update(post.table.campaign, webhook.id, {"enabled": True})
    assert (on.enabled, on.off_because, on.failing_since, on.off_at) == (True, None, None, None)
    post.roll()
    assert post.settled(webhook, 2)[0].status == "delivered"


def test_410_switches_off_at_once_and_is_not_tried_again(post, receiver):
    there = receiver(answers(410))
    webhook = post.webhook(there.url(), events=["roll.resolved"])
    post.run()
    post.roll()
    [entry] = post.settled(webhook)
    assert entry.status == "failed" and not post.read(webhook).enabled
    post.forward(seconds=600)
    time.sleep(0.1)
    assert len(there.received) == 1


def test_429_waits_as_long_as_it_asks_for_and_holds_the_others_back(post, receiver):
    there = receiver(in_turn(answers(429, retry_after="30"), answers(200)))
    webhook = post.webhook(there.url(), events=["roll.resolved"])
    post.run()
    post.roll()
    [entry] = post.attempted(webhook)
    assert 29_900 <= entry.next_at - entry.attempts[0]["at"] <= 31_000
    post.roll()
    post.forward(seconds=28)
    time.sleep(0.1)
    assert len(there.received) == 1
    post.forward(seconds=3)
    assert {entry.status for entry in post.settled(webhook, 2)} == {"delivered"}
    assert len(there.received) == 3


def test_a_date_as_retry_after_is_obeyed(post, receiver):
    there = receiver(answers(503, retry_after="Fri, 31 Dec 2999 23:59:59 GMT"))
    webhook = post.webhook(there.url(), events=["roll.resolved"])
    post.run()
    post.roll()
    [entry] = post.attempted(webhook)
    assert entry.next_at - entry.attempts[0]["at"] == pytest.approx(48 * 3_600_000, abs=2000)


def test_a_redirect_is_a_failure_and_is_not_followed(post, receiver):
    elsewhere = receiver()
    there = receiver(answers(307, location=elsewhere.url("/inside?token=abcdef123")))
    webhook = post.webhook(there.url(), events=["roll.resolved"])
    post.run()
    post.roll()
    [entry] = post.attempted(webhook)
    assert entry.status == "pending" and "redirect" in entry.attempts[0]["error"]
    assert entry.attempts[0]["answer"]["status"] == 307 and elsewhere.received == []
    assert "abcdef123" not in repr(entry)


@pytest.mark.parametrize("behave", [silent, dripping_headers, resets, garbage])
def test_one_that_never_answers_is_a_failure_that_may_pass(post, receiver, monkeypatch, behave):
    limit(monkeypatch, 0.6)
    there = receiver(behave)
    webhook = post.webhook(there.url(), events=["roll.resolved"])
    post.run()
    post.roll()
    [entry] = post.attempted(webhook, seconds=5)
    assert entry.status == "pending" and entry.attempts[0].get("answer") is None
    assert entry.attempts[0]["error"].endswith(".") and entry.attempts[0]["ms"] < 2000
    assert "127.0.0.1" not in entry.attempts[0]["error"]


@pytest.mark.parametrize("behave", [dripping_body, flooding])
def test_an_answer_that_never_ends_is_read_no_further_than_need_be(post, receiver, monkeypatch, behave):
    limit(monkeypatch, 0.6)
    there = receiver(behave)
    webhook = post.webhook(there.url(), events=["roll.resolved"])
    post.run()
    post.roll()
    [entry] = post.settled(webhook, seconds=5)
    assert entry.status == "delivered" and entry.attempts[0]["ms"] < 2000
    assert 0 < len(entry.attempts[0]["answer"]["body"]) <= 2001


def test_nobody_there_is_a_failure_that_may_pass(post, free_port):
    webhook = post.webhook(f"http://127.0.0.1:{free_port}/hook", events=["roll.resolved"])
    post.run()
    post.roll()
    [entry] = post.attempted(webhook)
    assert entry.status == "pending" and "refused" in entry.attempts[0]["error"]


def test_redelivery_sends_the_same_id_again_even_where_it_was_delivered(post, receiver):
    there = receiver()
    webhook = post.webhook(there.url(), events=["roll.resolved"])
    post.run()
    post.roll()
    [entry] = post.settled(webhook)
    assert post.store.webhooks.redeliver(post.table.campaign, entry.id)
    first, second = there.wait_for(2)
    assert first.id == second.id == entry.id and first.body == second.body
    post.attempted(webhook, 2)
    assert not post.store.webhooks.redeliver(post.table.campaign, f"{webhook.id}-{'0' * 24}")


def test_a_test_goes_out_though_it_be_switched_off(post, receiver):
    there = receiver()
    webhook = post.webhook(there.url())
    post.store.webhooks.update(post.table.campaign, webhook.id, {"enabled": False})
    post.run()
    delivery = post.store.webhooks.test(post.table.campaign, webhook.id)
    [message] = there.wait_for()
    assert message.id == delivery and verified(webhook, message)["type"] == "webhook.test"


def test_a_burst_comes_in_order_and_once_each(post, receiver):
    there = receiver()
    webhook = post.webhook(there.url(), events=["roll.resolved"])
    rolls = [post.roll() for _ in range(40)]
    post.run()
    came = [verified(webhook, each)["data"]["id"] for each in there.wait_for(40)]
    assert came == rolls
    post.settled(webhook, 40)
    assert len(there.received) == 40


def test_the_log_keeps_the_last_hundred_and_all_that_is_not_settled(post, receiver):
    there = receiver(in_turn(answers(500), answers(200)))
    webhook = post.webhook(there.url(), events=["roll.resolved"])
    first = post.roll()
    for _ in range(103):
        post.roll()
    post.run()
    post.settled(webhook, 100)
    there.wait_for(104)
    time.sleep(0.2)
    log = post.log(webhook)
    assert [entry.subject for entry in log if entry.status == "pending"] == [first]
    assert sum(entry.status == "delivered" for entry in log) == 100
    kept = len(post.redis.keys("tb:delivery:*:attempts"))
    assert kept == 101


def test_a_deleted_webhook_leaves_nothing_behind(post, receiver):
    there = receiver(after(0.3, answers(200)))
    webhook = post.webhook(there.url())
    post.run()
    post.roll()
    there.wait_for()
    assert post.store.webhooks.delete(post.table.campaign, webhook.id)
    time.sleep(0.6)
    assert post.redis.keys("tb:webhook:*") == post.redis.keys("tb:delivery:*") == []
    assert post.redis.zcard("tb:deliveries:due") == 0


def limit(monkeypatch, seconds):
    """Let a request take no longer."""
    real = transport.post
    monkeypatch.setattr("worker.webhooks.deliver.post", lambda request, rules: real(request, rules, seconds))


def test_asked_for_again_while_it_is_being_sent_it_is_sent_again(post, receiver):
    there = receiver(after(0.4, answers(200)))
    webhook = post.webhook(there.url(), events=["roll.resolved"])
    post.run()
    post.roll()
    [first] = there.wait_for()
    assert post.store.webhooks.redeliver(post.table.campaign, first.id)
    assert [each.id for each in there.wait_for(2)] == [first.id] * 2
    assert post.settled(webhook)[0].status == "delivered"


def test_a_mistake_of_the_service_delays_its_own_delivery_and_no_other(post, receiver, monkeypatch, caplog):
    there = receiver()
    webhook = post.webhook(there.url(), events=["roll.resolved"])
    bad, good = post.roll(), post.roll()
    real = deliver.happening

    def mistaken(store, hook, delivery):
        if delivery.subject == bad:
            raise KeyError(hook.url)
        return real(store, hook, delivery)

    monkeypatch.setattr(deliver, "happening", mistaken)
    post.run()
    [message] = there.wait_for()
    assert verified(webhook, message)["data"]["id"] == good
    [_, waiting] = post.attempted(webhook, 2)
    assert (waiting.subject, waiting.status, waiting.step) == (bad, "pending", 1)
    assert "could not be made" in waiting.attempts[0]["error"]
    assert post.read(webhook).failing_since is None
    assert "KeyError" in caplog.text and there.url() not in caplog.text


def test_what_is_deleted_before_it_was_sent_is_not_sent_and_the_log_says_why(post, receiver):
    there = receiver()
    webhook = post.webhook(there.url(), events=["roll.resolved", "session.ended"])
    table, roll = post.table.campaign, post.roll()
    assert post.store.erasing.roll(table, post.store.rolls.get(table, roll))
    session = post.roll().partition("-")[0]
    post.store.sessions.end(table, session)
    assert post.store.erasing.session(table, session)
    post.run()
    log = post.settled(webhook, 3)
    assert there.received == []
    assert [(each.status, each.request, each.forgotten) for each in log] == 3 * [("failed", None, True)]
    assert [
        (each.event, each.attempts[-1]["error"]) for each in sorted(log, key=lambda each: each.event)
    ] == [
        ("roll.resolved", "The roll is no longer in the history."),
        ("roll.resolved", "The roll is no longer in the history."),
        ("session.ended", "The session is no longer in the history."),
    ]
    assert post.read(webhook).failing_since is None


def test_what_is_deleted_is_not_sent_again_though_asked_for(post, receiver):
    there = receiver()
    webhook = post.webhook(there.url(), events=["roll.resolved"])
    post.run()
    table, roll = post.table.campaign, post.roll()
    [delivery] = post.settled(webhook)
    assert delivery.request and not delivery.forgotten
    assert post.store.erasing.roll(table, post.store.rolls.get(table, roll))
    assert post.store.webhooks.redeliver(table, delivery.id)
    [again] = post.until(webhook, lambda log: log[0].status == "failed")
    assert (again.request, again.forgotten, len(there.received)) == (None, True, 1)
    assert again.attempts[-1]["error"] == "The roll is no longer in the history."


def test_a_receiver_that_says_back_what_it_was_told_keeps_nothing_in_the_log(post, receiver):
    def says_back(handler):
        answers(200, handler.receiver.received[-1].body)(handler)

    there = receiver(after(0.3, says_back))
    webhook = post.webhook(there.url(), events=["roll.resolved"])
    post.run()
    table, roll = post.table.campaign, post.roll()
    there.wait_for()
    record = post.store.rolls.get(table, roll)
    assert post.store.erasing.roll(table, record)  # while it is on its way
    [delivery] = post.settled(webhook)
    assert delivery.status == "delivered" and delivery.attempts[0]["answer"]["status"] == 200
    assert record["nonce"].encode() in there.received[0].body
    assert record["nonce"] not in str(delivery)
