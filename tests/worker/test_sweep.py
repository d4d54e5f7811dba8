"""What a dead worker leaves is queued again; what no worker survives is given up."""

import logging
import time

import pytest
from redis import Redis
from rq import Queue, Retry
from rq.executions import Execution
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer

from service.store import keys
from worker.resolve import resolve_in
from worker.sweep import LEFT_ALONE_MS, MOST_TRIES, Sweeper
from worker.worker import make_worker


@pytest.fixture
def queue(valkey: Redis) -> Queue:
    return Queue("rolls", connection=valkey, serializer=JSONSerializer)


@pytest.fixture
def sweep(store, queue, valkey):
    """Sweep as often as is asked, as if some time lay between."""
    sweeper = Sweeper(store, queue)

    def sweep(times: int = 1) -> list[str]:
        swept = []
        for _ in range(times):
            valkey.delete(keys.SWEEPING)
            swept += sweeper.sweep()
        return swept

    return sweep


def start(queue: Queue, roll: str, worker: str) -> None:
    """Take a job from the queue and start it, as a worker of that name does."""
    queue.connection.lrem(queue.key, 1, roll)
    job = Job.fetch(roll, connection=queue.connection, serializer=JSONSerializer)
    with queue.connection.pipeline() as together:
        Execution.create(job, 90, together, worker_name=worker)
        job.prepare_for_execution(worker, together)
        together.execute()


def work(valkey: Redis) -> None:
    """Let a worker without a sweeper empty the queue."""
    worker = make_worker("deliveries", valkey)
    worker.queues = worker._ordered_queues = [Queue("rolls", connection=valkey, serializer=JSONSerializer)]
    worker.work(burst=True)


def test_a_job_that_is_not_in_the_queue_is_queued_again(table, queue, sweep, valkey):
    roll = table.accept().record["id"]
    valkey.lrem("rq:queue:rolls", 0, roll)
    assert sweep() == []  # first seen missing
    assert sweep() == [roll]
    assert queue.job_ids == [roll]
    work(valkey)
    assert table.store.rolls.get(table.campaign, roll)["status"] == "resolved"


def test_a_job_whose_hash_is_gone_too_is_made_anew(table, queue, sweep, valkey):
    roll = table.accept().record["id"]
    valkey.delete("rq:queue:rolls", f"rq:job:{roll}")
    assert sweep(2) == [roll]
    work(valkey)
    assert table.store.rolls.get(table.campaign, roll)["status"] == "resolved"


def test_a_job_that_was_popped_and_never_started_is_queued_again(table, queue, sweep, valkey):
    roll = table.accept().record["id"]
    valkey.lmove("rq:queue:rolls", "rq:queue:rolls:intermediate")
    assert sweep(2) == [roll]
    assert valkey.llen("rq:queue:rolls:intermediate") == 0
    work(valkey)
    assert table.store.rolls.get(table.campaign, roll)["status"] == "resolved"


def test_a_job_in_a_dead_workers_hands_is_queued_again(table, queue, sweep, valkey):
    roll = table.accept().record["id"]
    start(queue, roll, "gone")
    assert sweep(2) == [roll]
    assert valkey.zcard("rq:wip:rolls") == 0 and valkey.keys("rq:execution*") == []


def test_a_job_whose_worker_died_right_after_the_commit_is_cleared_away(table, queue, sweep, valkey):
    roll, challenge = table.accept().record["id"], table.accept(against="bert").record["id"]
    for job in (roll, challenge):
        start(queue, job, "gone")
        resolve_in(table.store, job)
    assert sweep(2) == []
    assert valkey.zcard("rq:wip:rolls") == 0
    assert valkey.keys("rq:execution*") == valkey.keys("rq:job:*") == queue.job_ids == []


def test_a_job_of_somebody_elses_is_left_to_rq(queue, sweep):
    job = queue.enqueue("operator.add", 1, 2, retry=Retry(max=1))
    start(queue, job.id, "gone, or at work for more than five seconds")
    assert sweep(3) == []
    assert job.get_status() == JobStatus.STARTED
    assert queue.started_job_registry.get_job_ids() == [job.id]
    queue.started_job_registry.cleanup(time.time() + 1000)
    assert queue.job_ids == [job.id]


def test_what_is_left_of_a_job_that_is_gone_is_cleared_away(table, queue, sweep, valkey):
    roll = table.accept().record["id"]
    start(queue, roll, "gone")
    resolve_in(table.store, roll)
    valkey.delete(f"rq:job:{roll}")
    assert sweep() == []
    assert valkey.zcard("rq:wip:rolls") == 0 and valkey.keys("rq:execution*") == []


def test_a_fresh_rolls_job_is_not_cleared_away(table, queue, sweep, valkey):
    roll = table.accept().record["id"]
    start(queue, roll, "gone")
    assert sweep() == []
    assert valkey.exists(f"rq:job:{roll}")


def test_a_job_in_a_living_workers_hands_is_left_there(table, queue, sweep, valkey):
    roll = table.accept().record["id"]
    start(queue, roll, "busy")
    valkey.set(keys.alive("busy"), 1)
    assert sweep(3) == []
    assert queue.job_ids == []


def test_a_job_that_waits_in_the_queue_is_left_there(table, queue, sweep, clock):
    roll = table.accept().record["id"]
    clock.forward(hours=1)
    assert sweep(3) == []
    assert queue.job_ids == [roll]


def test_a_roll_that_was_popped_just_now_is_left_to_its_worker(table, queue, sweep, valkey):
    roll = table.accept().record["id"]
    valkey.lmove("rq:queue:rolls", "rq:queue:rolls:intermediate")
    assert sweep() == []
    start(queue, roll, "busy")
    valkey.set(keys.alive("busy"), 1)
    assert sweep(2) == []


def test_clocks_that_differ_do_not_matter(table, sweep, clock, valkey):
    clock.forward(hours=5)
    roll = table.accept().record["id"]
    valkey.delete("rq:queue:rolls")
    clock.forward(hours=-5)
    assert sweep(2) == [roll]


def test_a_lost_roll_is_queued_before_those_that_wait(table, queue, sweep, valkey):
    lost = table.accept().record["id"]
    valkey.delete("rq:queue:rolls")
    waiting = table.accept().record["id"]
    assert sweep(2) == [lost]
    assert queue.job_ids == [lost, waiting]


def test_a_challenge_that_waits_for_its_other_side_is_not_lost(table, sweep, clock, valkey):
    table.accept(against="bert")
    work(valkey)
    clock.forward(hours=1)
    assert sweep(3) == []


def test_an_answer_that_got_lost_is_queued_again(table, sweep, valkey):
    challenge = table.accept(against="bert").record["id"]
    work(valkey)
    answer = table.answer(challenge).record["id"]
    valkey.delete("rq:queue:rolls")
    assert sweep(2) == [answer]
    work(valkey)
    assert table.store.rolls.get(table.campaign, challenge)["status"] == "resolved"


def test_two_workers_do_not_sweep_at_once(table, store, queue, valkey):
    roll = table.accept().record["id"]
    valkey.delete("rq:queue:rolls")
    assert Sweeper(store, queue).sweep() == Sweeper(store, queue).sweep() == []
    assert valkey.smembers(keys.SUSPECTS) == {roll.encode()}


def test_idle_sessions_are_ended_in_passing(table, sweep, clock, store):
    session = table.accept().record["session"]
    clock.forward(hours=7)
    sweep()
    assert store.sessions.get(table.campaign, session).ended_at is not None


@pytest.fixture
def poison(table, valkey) -> str:
    """A roll that no worker can resolve: its record names no rule set."""
    roll = table.accept().record["id"]
    record = valkey.get(keys.roll(roll))
    valkey.set(keys.roll(roll), record.replace(b'"heroes-2d6"', b'"no-such-rules"'))
    return roll


def test_a_roll_that_fails_each_time_ends_among_the_failed_jobs(table, poison, queue, sweep, valkey, caplog):
    for _ in range(MOST_TRIES):
        work(valkey)
        assert sweep(2) == [poison]
    work(valkey)
    caplog.clear()
    with caplog.at_level(logging.ERROR, "worker.sweep"):
        assert sweep(2) == []
    assert [poison in message for message in caplog.messages] == [True]
    assert queue.failed_job_registry.get_job_ids() == [poison]
    assert "UnknownRuleSet" in queue.fetch_job(poison).latest_result().exc_string
    assert valkey.zcard("tb:pending") == 0
    assert sweep(5) == []
    assert table.store.rolls.get(table.campaign, poison)["status"] == "pending"


def test_a_roll_that_kills_each_worker_ends_among_the_failed_jobs(table, queue, sweep, valkey):
    roll = table.accept().record["id"]
    for attempt in range(MOST_TRIES):
        start(queue, roll, f"victim-{attempt}")
        assert sweep(2) == [roll]
    start(queue, roll, "last victim")
    assert sweep(2) == []
    assert queue.failed_job_registry.get_job_ids() == [roll]
    assert "no worker survived" in queue.fetch_job(roll).latest_result().exc_string


@pytest.fixture
def given_up(poison, sweep, valkey) -> str:
    """That roll, after it was tried in vain for as often as a roll is."""
    for _ in range(MOST_TRIES + 1):
        work(valkey)
        sweep(2)
    assert valkey.zcard("tb:stuck") == 1
    return poison


def test_a_roll_that_was_given_up_gets_one_more_chance_when_a_worker_starts(
    table, given_up, queue, sweep, valkey, store, clock
):
    record = valkey.get(keys.roll(given_up))
    clock.forward(ms=LEFT_ALONE_MS)
    assert Sweeper(store, queue).sweep() == [given_up]
    work(valkey)
    assert sweep(3) == []  # in vain
    valkey.set(keys.roll(given_up), record.replace(b'"no-such-rules"', b'"heroes-2d6"'))
    clock.forward(ms=LEFT_ALONE_MS)
    assert Sweeper(store, queue).sweep() == [given_up]
    work(valkey)
    assert table.store.rolls.get(table.campaign, given_up)["status"] == "resolved"
    assert valkey.zcard("tb:stuck") == 0
    assert queue.failed_job_registry.get_job_ids() == []


def test_a_roll_that_kills_its_worker_is_not_tried_by_the_worker_that_follows(given_up, queue, store, clock):
    def start_and_die() -> list[str]:
        tried = Sweeper(store, queue).sweep()
        queue.connection.delete(queue.key)  # popped, and that was the end
        return tried

    clock.forward(ms=LEFT_ALONE_MS)
    assert [start_and_die() for _ in range(5)] == [[given_up], [], [], [], []]
    clock.forward(ms=LEFT_ALONE_MS - 1)
    assert start_and_die() == []
    clock.forward(ms=1)
    assert start_and_die() == [given_up]


def test_a_roll_that_was_given_up_is_tried_after_those_that_wait(table, given_up, queue, store, clock):
    waiting = [table.accept().record["id"] for _ in range(3)]
    clock.forward(ms=LEFT_ALONE_MS)
    assert Sweeper(store, queue).sweep() == [given_up]
    assert queue.job_ids == [*waiting, given_up]


def test_a_last_try_by_a_clock_far_ahead_does_not_put_off_the_next(given_up, queue, store, clock):
    clock.forward(hours=-5)
    assert Sweeper(store, queue).sweep() == [given_up]
