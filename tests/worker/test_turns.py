"""A turn of several rolls: each job is as safe as on its own; what is no plain roll goes RQ's way."""

import os
import signal
import time

import pytest
from redis import Redis
from rq import Callback, Queue, Retry
from rq.job import Job, JobStatus
from rq.registry import StartedJobRegistry
from rq.serializers import JSONSerializer
from rq.worker import Worker

import worker.turns
from service.store import Store, keys
from service.store.jobs import FUNCTION
from service.store.turns import Ended, Turns
from tests.tables import Table
from worker.resolve import resolve_pending
from worker.sweep import Sweeper
from worker.turns import RollsWorker
from worker.worker import make_worker


@pytest.fixture
def table(valkey: Redis) -> Table:
    return Table(Store(valkey))


@pytest.fixture
def queue(valkey: Redis) -> Queue:
    return Queue("rolls", connection=valkey, serializer=JSONSerializer)


@pytest.fixture
def rolls_worker(valkey: Redis) -> RollsWorker:
    return RollsWorker(["rolls"], connection=valkey)


def accept(table: Table, count: int) -> list[str]:
    return [table.accept().record["id"] for _ in range(count)]


def resolved(table: Table) -> list[str]:
    """The rolls in the ledger, oldest first."""
    return [record["id"] for _, record in table.store.rolls.history(table.campaign)][::-1]


def assert_nothing_is_left(valkey: Redis) -> None:
    left = [
        key for pattern in ("rq:job:*", "rq:exec*", "rq:wip:*", "tb:roll:*") for key in valkey.keys(pattern)
    ]
    assert left == []
    assert valkey.llen("rq:queue:rolls") == valkey.llen("rq:queue:rolls:intermediate") == 0


def fail_for(monkeypatch: pytest.MonkeyPatch, roll: str, fail) -> None:
    """Let `fail` be done in place of resolving one roll."""

    def instead(pending, now):
        return fail() if pending.record["id"] == roll else resolve_pending(pending, now)

    monkeypatch.setattr(worker.turns, "resolve_pending", instead)


def test_rolls_are_resolved_in_the_order_of_their_acceptance(valkey, table, rolls_worker):
    rolls = accept(table, 100)
    rolls_worker.work(burst=True)
    assert resolved(table) == rolls
    assert_nothing_is_left(valkey)


def test_the_worker_counts_its_jobs_and_its_time(valkey, table, rolls_worker):
    accept(table, 40)
    rolls_worker.register_birth()
    rolls_worker._look_and_work(burst=True, most=None)
    [seen] = Worker.all(connection=valkey)
    assert seen.successful_job_count == 40 and seen.failed_job_count == 0
    assert 0 < seen.total_working_time < 60


def test_a_worker_told_how_many_jobs_to_do_does_no_more(valkey, table, rolls_worker, queue):
    rolls = accept(table, 50)
    rolls_worker.work(max_jobs=40)
    assert resolved(table) == rolls[:40]
    assert queue.job_ids == rolls[40:]
    assert valkey.zcard("rq:wip:rolls") == 0


def test_one_roll_that_fails_takes_no_other_with_it(valkey, table, rolls_worker, queue, monkeypatch):
    rolls = accept(table, 20)
    fail_for(monkeypatch, rolls[7], lambda: 1 / 0)
    rolls_worker.work(burst=True)
    assert resolved(table) == rolls[:7] + rolls[8:]
    assert queue.failed_job_registry.get_job_ids() == [rolls[7]]
    failed = queue.fetch_job(rolls[7])
    assert failed.get_status() == JobStatus.FAILED
    assert "ZeroDivisionError" in failed.latest_result().exc_string
    assert valkey.zcard("rq:wip:rolls") == 0 and valkey.keys("rq:execution:*") == []


def test_one_roll_that_takes_too_long_takes_no_other_with_it(table, rolls_worker, queue, monkeypatch):
    rolls = accept(table, 10)
    monkeypatch.setattr(worker.turns, "TIMEOUT", 1)
    fail_for(monkeypatch, rolls[4], lambda: time.sleep(30))
    rolls_worker.work(burst=True)
    assert sorted(resolved(table)) == sorted(rolls[:4] + rolls[5:])
    assert "JobTimeoutException" in queue.fetch_job(rolls[4]).latest_result().exc_string


def test_one_roll_can_be_stopped(table, rolls_worker, queue, monkeypatch):
    rolls = accept(table, 10)

    def stop_command() -> None:
        assert rolls_worker.get_current_job_id() == rolls[4]
        rolls_worker._stopped_job_id = rolls[4]
        rolls_worker.kill_horse()
        time.sleep(5)

    fail_for(monkeypatch, rolls[4], stop_command)
    rolls_worker.work(burst=True)
    assert sorted(resolved(table)) == sorted(rolls[:4] + rolls[5:])
    assert queue.fetch_job(rolls[4]).get_status() == JobStatus.STOPPED


def test_rq_sees_the_jobs_of_a_turn_as_started(valkey, table, rolls_worker, queue, monkeypatch):
    rolls = accept(table, 10)

    def look() -> None:
        # The first was popped and done on its own.
        assert sorted(queue.started_job_registry.get_job_ids()) == sorted(rolls[1:])
        job = Job.fetch(rolls[6], connection=valkey, serializer=JSONSerializer)
        assert (job.get_status(), job.worker_name) == (JobStatus.STARTED, rolls_worker.name)
        assert [execution.worker_name for execution in job.get_executions()] == [rolls_worker.name]
        [seen] = Worker.all(connection=valkey)
        assert {each.job_id for each in seen.get_current_executions()} == set(rolls[1:])
        raise RuntimeError("seen")

    fail_for(monkeypatch, rolls[5], look)
    rolls_worker.work(burst=True)
    assert "RuntimeError: seen" in queue.fetch_job(rolls[5]).latest_result().exc_string


def test_a_turn_whose_answer_got_lost_is_told_again(valkey, table, monkeypatch):
    rolls = accept(table, 5)
    store = table.store
    turns = Turns(valkey, store.scripts, store.clock, "a-worker")
    monkeypatch.setattr(turns, "_new_turn", iter(["start", "same", "same"]).__next__)
    valkey.lmove("rq:queue:rolls", "rq:queue:rolls:intermediate", "LEFT", "RIGHT")
    first = turns.start(rolls[0])
    [job] = first.started
    done = Ended([job], [(table.campaign, resolve_pending(job.pending, store.clock()))], 0.5)
    once, again = turns.end(done, 3), turns.end(done, 3)
    assert [job.job for job in once.started] == rolls[1:4]
    assert {(job.job, job.execution) for job in again.started} == {
        (job.job, job.execution) for job in once.started
    }
    assert resolved(table) == rolls[:1]
    assert valkey.hget("rq:worker:a-worker", "successful_job_count") == b"1"
    started = StartedJobRegistry("rolls", connection=valkey).get_job_ids(cleanup=False)
    assert sorted(started) == sorted(rolls[1:4])


def test_jobs_in_hand_are_given_back_where_redis_leaves(valkey, table, rolls_worker, monkeypatch):
    rolls = accept(table, 10)
    end, calls = rolls_worker._turns.end, []

    def leave(*args):
        calls.append(args)
        if len(calls) == 2:
            end(*args)  # and the answer is lost, with the jobs that it started
            raise ConnectionError
        return end(*args)

    monkeypatch.setattr(rolls_worker._turns, "end", leave)
    monkeypatch.setattr("worker.turns.MOST_JOBS", 4)
    rolls_worker.work(burst=True)
    assert resolved(table)[:5] == rolls[:5]
    assert valkey.zcard("rq:wip:rolls") == 0 and valkey.keys("rq:execution:*") == []
    sweeper = Sweeper(table.store, rolls_worker.queues[0])
    for _ in range(2):
        valkey.delete(keys.SWEEPING)
        sweeper.sweep()
    rolls_worker = RollsWorker(["rolls"], connection=valkey)
    rolls_worker.work(burst=True)
    assert sorted(resolved(table)) == sorted(rolls)
    assert_nothing_is_left(valkey)


def test_jobs_of_a_turn_that_came_after_it_was_given_up_are_given_back(valkey, table, monkeypatch):
    """A network may keep a request for longer than the worker waits, and deliver it in the end."""
    monkeypatch.setattr("worker.worker.SWEEP_EVERY", 0.0)
    living_worker = make_worker("rolls", valkey)
    living_worker.register_birth()
    living_worker.heartbeat()
    rolls = accept(table, 3)
    living_worker._turns.end(Ended(), 3)  # the answer goes nowhere
    assert valkey.llen("rq:queue:rolls") == 0 and valkey.zcard("rq:wip:rolls") == 3
    for _ in range(2 + len(rolls)):
        valkey.delete(keys.SWEEPING)
        living_worker._look_and_work(burst=True, most=None)
    assert sorted(resolved(table)) == sorted(rolls)
    assert_nothing_is_left(valkey)


def test_a_roll_that_was_lost_before_runs_alone(valkey, table, rolls_worker, queue, monkeypatch):
    """One that kills its worker time and again must not take others with it time and again."""
    rolls = accept(table, 3)
    valkey.lrem("rq:queue:rolls", 0, rolls[1])
    sweeper = Sweeper(table.store, queue)
    for _ in range(2):
        valkey.delete(keys.SWEEPING)
        sweeper.sweep()
    alone = []
    monkeypatch.setattr(rolls_worker, "_do_other", lambda other: alone.append(other.id))
    rolls_worker._look_and_work(burst=True, most=None)
    assert alone == [rolls[1]]


def test_a_job_that_is_gone_is_passed_over(valkey, table, rolls_worker):
    rolls = accept(table, 6)
    valkey.delete(f"rq:job:{rolls[0]}", f"rq:job:{rolls[3]}")
    rolls_worker.work(burst=True)
    assert resolved(table) == [rolls[place] for place in (1, 2, 4, 5)]
    assert valkey.llen("rq:queue:rolls:intermediate") == 0


def test_a_roll_that_was_committed_before_is_not_committed_again(valkey, table, rolls_worker):
    rolls = accept(table, 4)
    for roll in rolls[:2]:
        valkey.delete(f"tb:roll:{roll}")
    rolls_worker.work(burst=True)
    assert resolved(table) == rolls[2:]
    assert valkey.keys("rq:job:*") == []


def test_challenges_and_answers_go_in_turns_too(valkey, table, rolls_worker):
    challenges = [table.accept(against="bert").record["id"] for _ in range(5)]
    rolls_worker.work(burst=True)
    assert valkey.keys("rq:job:*") == []
    answers = [table.answer(challenge).record["id"] for challenge in challenges]
    RollsWorker(["rolls"], connection=valkey).work(burst=True)
    assert sorted(resolved(table)) == sorted(challenges + answers)
    assert_nothing_is_left(valkey)


def test_other_jobs_between_rolls_go_rqs_own_way(valkey, table, rolls_worker, queue):
    before = accept(table, 3)
    told = queue.enqueue("operator.add", 1, 2, on_success=Callback("operator.is_"))
    between = accept(table, 3)
    retried = queue.enqueue("operator.truediv", 1, 0, retry=Retry(max=2))
    after = accept(table, 3)
    rolls_worker.work(burst=True)
    assert resolved(table) == before + between + after
    assert told.get_status() in (JobStatus.FINISHED, JobStatus.FAILED)
    retried.refresh()
    assert (retried.get_status(), retried.retries_left) == (JobStatus.FAILED, 0)


def test_a_rolls_job_that_rq_queued_itself_goes_rqs_own_way(valkey, table, rolls_worker, queue):
    roll = accept(table, 1)[0]
    valkey.delete("rq:queue:rolls", f"rq:job:{roll}")
    job = queue.enqueue(FUNCTION, roll, job_id=roll, result_ttl=60, meta={"by": "hand"})
    rolls_worker.work(burst=True)
    assert resolved(table) == [roll]
    assert job.get_status() == JobStatus.FINISHED


def test_jobs_that_depend_on_a_roll_come_after_it(valkey, table, rolls_worker, queue):
    rolls = accept(table, 3)
    first = queue.fetch_job(rolls[1])
    dependent = Queue("reports", connection=valkey, serializer=JSONSerializer).enqueue(
        "operator.add", 1, 2, depends_on=first
    )
    assert dependent.get_status() == JobStatus.DEFERRED
    rolls_worker.work(burst=True)
    assert resolved(table) == rolls
    assert dependent.get_status() == JobStatus.QUEUED
    assert valkey.zcard("rq:wip:rolls") == 0 and valkey.keys("rq:execution:*") == []


def test_told_to_stop_it_finishes_the_turn_at_hand_and_starts_no_other(
    valkey, table, rolls_worker, queue, monkeypatch
):
    rolls = accept(table, 100)

    def sign() -> list[object]:
        os.kill(os.getpid(), signal.SIGTERM)
        raise ValueError

    fail_for(monkeypatch, rolls[10], sign)
    handlers = {which: signal.getsignal(which) for which in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1)}
    rolls_worker.work()
    for which, handler in handlers.items():
        signal.signal(which, handler)
    assert sorted(resolved(table)) == sorted(rolls[:10] + rolls[11:33])
    assert queue.job_ids == rolls[33:]
    assert valkey.zcard("rq:wip:rolls") == 0


def test_a_long_turn_commits_what_it_has(valkey, table, rolls_worker, monkeypatch):
    rolls = accept(table, 10)
    monkeypatch.setattr("worker.turns.LONGEST_TURN", 0.0)
    seen = []
    fail_for(monkeypatch, rolls[9], lambda: seen.extend(resolved(table)) or 1 / 0)
    rolls_worker.work(burst=True)
    assert seen == rolls[:9]
    assert valkey.keys("rq:execution:*") == []
