"""The rolls worker killed inside a turn, wherever that hurts: each roll is resolved once, with its dice."""

import sys

import pytest
from redis import Redis

from tests.e2e.test_survival import SOON, Evening, Process, _worker, wait_for

PLACES = {
    "as a turn has been started": ("service.store.turns.Turns", "start", "after", 1),
    "before the first roll of a turn": ("worker.turns.RollsWorker", "_resolve", "before", 2),
    "in the middle of a turn": ("worker.turns.RollsWorker", "_resolve", "before", 20),
    "before the end of a turn": ("service.store.turns.Turns", "end", "before", 2),
    "after the end of a turn": ("service.store.turns.Turns", "end", "after", 2),
    "after the end of a later turn": ("service.store.turns.Turns", "end", "after", 4),
}


def doomed_worker(redis_url: str, place: str) -> Process:
    """A rolls worker that kills itself before or after the n-th call of a method."""
    owner, method, when, nth = PLACES[place]
    module, _, name = owner.rpartition(".")
    command = f"""
import itertools, os, signal
from {module} import {name} as owner
from worker.worker import run
calls, real = itertools.count(1), owner.{method}
def doomed(*args):
    last = next(calls) == {nth}
    if last and {when!r} == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    answer = real(*args)
    if last:
        os.kill(os.getpid(), signal.SIGKILL)
    return answer
owner.{method} = doomed
run("rolls")
"""
    token = "tba_" + "x" * 32
    return Process(sys.executable, "-c", command, REDIS_URL=redis_url, TALLYBONES_ADMIN_TOKEN=token)


@pytest.mark.parametrize("place", PLACES)
def test_killed_in_a_turn(valkey: Redis, redis_url: str, place: str) -> None:
    evening = Evening(valkey)
    evening.roll(150)
    doomed = doomed_worker(redis_url, place)
    doomed.start()
    wait_for(lambda: doomed.pid is None, SOON)
    assert evening.in_flight > 0
    started = valkey.zcard("rq:wip:rolls")
    assert 0 < started <= 32 and valkey.llen("rq:queue:rolls") + started >= evening.in_flight
    worker = _worker(redis_url)
    worker.start()
    try:
        evening.wait_until_resolved()
        evening.assert_nothing_lost_doubled_or_changed()
        wait_for(lambda: valkey.zcard("rq:wip:rolls") == 0, SOON)
        assert valkey.keys("rq:job:*") == valkey.keys("rq:exec*") == []
    finally:
        worker.end()
