"""The worker is RQ's, with its books kept by time, and does not leave because Redis did."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from redis import Redis
from rq import Queue, Retry
from rq.command import send_shutdown_command, send_stop_job_command
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer
from rq.suspension import resume, suspend
from rq.worker import Worker

from service.store import Store
from service.store.jobs import FAILURE_TTL, delivery_job
from service.workers import living
from tests.tables import Table
from worker.worker import TallybonesWorker, make_worker


def wait_for(condition: Callable[[], object], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


@pytest.fixture
def start_worker(redis_url: str) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    started = []
    environment = os.environ | {"REDIS_URL": redis_url, "TALLYBONES_ADMIN_TOKEN": "tba_" + "x" * 32}

    def start(queue: str = "rolls") -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", f"from worker.worker import run; run({queue!r})"]
        started.append(subprocess.Popen(command, env=environment))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture
def real_table(valkey: Redis) -> Table:
    """A table whose clock goes."""
    return Table(Store(valkey))


def workers(valkey: Redis) -> list[Worker]:
    return Worker.all(connection=valkey)


def test_rq_info_shows_the_worker_with_its_queue(start_worker, valkey, redis_url):
    start_worker("reports")
    wait_for(lambda: [worker.get_state() for worker in workers(valkey)] == ["idle"])
    info = [sys.executable, "-m", "rq.cli", "info", "--url", redis_url, "--only-workers"]
    shown = subprocess.run(info, capture_output=True, text=True, check=True).stdout
    assert "idle reports" in shown and "1 workers" in shown


def test_a_worker_says_that_it_is_busy_and_idle_again(valkey, start_worker):
    start_worker("reports")
    queue = Queue("reports", connection=valkey, serializer=JSONSerializer)
    wait_for(lambda: workers(valkey))
    queue.enqueue("time.sleep", 1.5)
    wait_for(lambda: workers(valkey)[0].get_state() == "busy")
    assert workers(valkey)[0].get_current_job_id() is not None
    wait_for(lambda: workers(valkey)[0].get_state() == "idle")
    wait_for(lambda: workers(valkey)[0].successful_job_count == 1)


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_an_idle_worker_leaves_at_once_when_told_to(valkey, start_worker, sign):
    process = start_worker()
    wait_for(lambda: workers(valkey))
    process.send_signal(sign)
    assert process.wait(3) == 0
    assert workers(valkey) == []


def test_a_busy_worker_finishes_the_job_at_hand_first(valkey, start_worker):
    process = start_worker("reports")
    queue = Queue("reports", connection=valkey, serializer=JSONSerializer)
    first, second = (queue.enqueue("time.sleep", 1.5) for _ in range(2))
    wait_for(lambda: first.get_status() == "started")
    process.send_signal(signal.SIGTERM)
    assert process.wait(5) == 0
    assert (first.get_status(), second.get_status()) == ("finished", "queued")


def test_rqs_shutdown_command_is_obeyed(valkey, start_worker):
    process = start_worker()
    wait_for(lambda: workers(valkey))
    send_shutdown_command(valkey, workers(valkey)[0].name)
    assert process.wait(3) == 0


def test_rqs_stop_command_stops_the_job_and_not_the_worker(valkey, start_worker):
    process = start_worker("reports")
    queue = Queue("reports", connection=valkey, serializer=JSONSerializer)
    endless, next_job = queue.enqueue("time.sleep", 60), queue.enqueue("time.sleep", 0)
    wait_for(lambda: endless.get_status() == "started")
    send_stop_job_command(valkey, endless.id, JSONSerializer)
    wait_for(lambda: endless.get_status() == "stopped", 5)
    wait_for(lambda: next_job.get_status() == "finished", 5)
    assert process.poll() is None


def test_a_suspended_worker_rests_until_it_is_resumed(valkey, start_worker, real_table):
    start_worker()
    wait_for(lambda: workers(valkey))
    suspend(valkey)
    wait_for(lambda: workers(valkey)[0].get_state() == "suspended", 5)
    roll = real_table.accept().record["id"]
    time.sleep(1.5)
    assert real_table.store.rolls.get(real_table.campaign, roll)["status"] == "pending"
    resume(valkey)
    wait_for(lambda: real_table.store.rolls.get(real_table.campaign, roll)["status"] == "resolved", 5)


def test_a_job_that_takes_too_long_is_failed_and_the_worker_goes_on(valkey, start_worker):
    start_worker("reports")
    queue = Queue("reports", connection=valkey, serializer=JSONSerializer)
    endless, next_job = queue.enqueue("time.sleep", 60, job_timeout=1), queue.enqueue("time.sleep", 0)
    wait_for(lambda: next_job.get_status() == "finished")
    assert endless.get_status() == "failed"


def test_a_worker_that_the_server_forgot_registers_again(valkey, start_worker):
    start_worker()
    wait_for(lambda: workers(valkey))
    valkey.flushall()
    wait_for(lambda: workers(valkey), 5)
    assert [worker.queue_names() for worker in workers(valkey)] == [["rolls"]]


def test_a_worker_that_was_forgotten_before_a_job_registers_again(valkey):
    worker = TallybonesWorker(["reports"], connection=valkey)
    worker.register_birth()
    valkey.flushall()
    with valkey.pipeline() as together:
        worker.heartbeat(660, together)  # as RQ does at a job's start
        together.execute()
    worker._heartbeat_due = 0.0  # a tick later
    worker.heartbeat()
    assert [each.queue_names() for each in workers(valkey)] == [["reports"]]
    assert living(valkey)["reports"] == 1


@pytest.mark.parametrize("step", ["subscribe", "set_state"])
def test_a_worker_that_redis_left_while_it_started_starts_again(valkey, monkeypatch, step):
    worker = TallybonesWorker(["reports"], connection=valkey)

    def fail(*_: object) -> None:
        monkeypatch.undo()
        raise ConnectionError

    monkeypatch.setattr(worker, step, fail)
    with pytest.raises(ConnectionError):
        worker.bootstrap()
    worker.bootstrap()
    assert [each.name for each in workers(valkey)] == [worker.name]
    wait_for(lambda: dict(valkey.pubsub_numsub(worker.pubsub_channel_name)) == {channel_of(worker): 1})
    worker.teardown()
    wait_for(lambda: dict(valkey.pubsub_numsub(worker.pubsub_channel_name)) == {channel_of(worker): 0})


def channel_of(worker: TallybonesWorker) -> bytes:
    return worker.pubsub_channel_name.encode()


def test_a_second_worker_of_the_same_name_is_refused(valkey):
    TallybonesWorker(["reports"], name="twin", connection=valkey).register_birth()
    with pytest.raises(ValueError, match="twin"):
        TallybonesWorker(["reports"], name="twin", connection=valkey).register_birth()


def test_books_are_kept_by_time_and_not_by_job(valkey, real_table):
    for _ in range(50):
        real_table.accept()
    worker = make_worker("rolls", valkey)
    valkey.config_resetstat()
    worker.work(burst=True)
    calls = {name: stat["calls"] for name, stat in valkey.info("commandstats").items()}
    assert len(list(real_table.store.rolls.history(real_table.campaign))) == 50
    assert calls["cmdstat_exists"] < 50 + 10  # one in each commit
    beats = valkey.hget(worker.key, "last_heartbeat")
    assert beats is not None and calls["cmdstat_expire"] < 50 * 5


def test_a_job_that_redis_left_in_the_middle_of_is_given_back(valkey, real_table, monkeypatch):
    roll = real_table.accept().record["id"]
    worker = make_worker("reports", valkey)
    worker.queues = worker._ordered_queues = [Queue("rolls", connection=valkey, serializer=JSONSerializer)]

    def fail(*_: object) -> bool:
        monkeypatch.undo()
        assert valkey.zcard("rq:wip:rolls") == 1
        raise ConnectionError

    monkeypatch.setattr(worker, "perform_job", fail)
    worker.work(burst=True)
    assert valkey.zcard("rq:wip:rolls") == 0
    assert valkey.lrange("rq:queue:rolls:intermediate", 0, -1) == [roll.encode()]
    assert valkey.exists(f"tb:roll:{roll}")


@pytest.fixture
def leave(monkeypatch, valkey) -> Callable[[Queue], None]:
    """Let a worker work off a queue, and Redis leave in the middle of its first job."""

    def leave(queue: Queue) -> None:
        worker = TallybonesWorker([queue], connection=valkey)

        def fail(job: Job, *_: object) -> bool:
            monkeypatch.undo()
            worker.prepare_job_execution(job, True)
            raise ConnectionError

        monkeypatch.setattr(worker, "perform_job", fail)
        worker.work(burst=True)

    return leave


def test_what_rq_keeps_of_a_delivery_that_was_given_back_is_forgotten_in_time(valkey, leave):
    queue = Queue("deliveries", connection=valkey, serializer=JSONSerializer)
    job = queue.enqueue_job(delivery_job("some-delivery", valkey))
    leave(queue)
    assert valkey.zcard("rq:wip:deliveries") == 0
    assert 0 < valkey.ttl(job.key) <= FAILURE_TTL


def test_a_job_of_somebody_elses_that_redis_left_in_the_middle_of_is_tried_again_by_rq(valkey, leave):
    queue = Queue("deliveries", connection=valkey, serializer=JSONSerializer)
    job = queue.enqueue("operator.add", 1, 2, retry=Retry(max=1))
    leave(queue)
    assert job.get_status() == JobStatus.STARTED and valkey.ttl(job.key) == -1
    queue.started_job_registry.cleanup(time.time() + 1000)
    assert queue.job_ids == [job.id]


def test_a_chore_is_done_at_the_start_while_idle_and_while_busy(valkey):
    worker = TallybonesWorker(["reports"], connection=valkey)
    done: list[float] = []
    worker.every(0.2, lambda: done.append(time.monotonic()))
    worker.every(0.2, lambda: 1 / 0)  # which does not stop the worker
    queue = Queue("reports", connection=valkey, serializer=JSONSerializer)
    for _ in range(10):
        queue.enqueue("time.sleep", 0.1)
    threading.Timer(2.5, os.kill, (os.getpid(), signal.SIGTERM)).start()
    handlers = {sign: signal.getsignal(sign) for sign in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1)}
    began = time.monotonic()
    worker.work()
    for sign, handler in handlers.items():
        signal.signal(sign, handler)
    assert done[0] - began < 0.2
    assert len([when for when in done if when - began < 1]) >= 3
    assert len([when for when in done if when - began > 1.2]) >= 1
