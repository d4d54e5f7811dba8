"""What happens at the same moment happens once; what is deleted stays deleted; clocks may jump."""

import json
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
import requests
from redis import Redis

from service.store import Store
from tests import fair_dice
from tests.e2e.test_outages import Evening as OverHttp
from tests.e2e.test_survival import SOON, Evening, Process, _worker, wait_for
from tests.load.household import ADMIN_TOKEN, Household, eventually, household
from tests.service.table import SKILL_CHECK, bearer, fresh_key
from tests.tables import Clock, Table
from worker.resolve import resolve_in

pytestmark = pytest.mark.timeout(300)

HOUR = 3_600_000
YEAR = 365 * 24 * HOUR


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Household]:
    with household(Household(tmp_path_factory.mktemp("races"), ("rolls", "deliveries"))) as made:
        yield made


@pytest.fixture
def evening(running: Household) -> Iterator[OverHttp]:
    made = OverHttp(running)
    yield made
    made.stream.close()


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """Make all calls at the same moment; return what they return."""
    ready, returned = threading.Barrier(len(calls)), dict[int, Any]()

    def make(place: int, call: Callable[[], Any]) -> None:
        ready.wait(30)
        returned[place] = call()

    threads = [threading.Thread(target=make, args=each) for each in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [returned[place] for place in range(len(calls))]


def post(evening: OverHttp, address: str, path: str, body: object, **headers: str) -> requests.Response:
    return requests.post(
        f"{address}{evening.seat.path}{path}",
        json=body,
        headers=bearer(evening.seat.token) | headers,
        timeout=60,
    )


def on_both(
    evening: OverHttp, path: str, bodies: Sequence[object], **headers: str
) -> list[requests.Response]:
    """Send each body to both web processes, all at the same moment."""
    return at_once(
        *(
            lambda address=address, body=body: post(evening, address, path, body, **headers)
            for address in evening.running.addresses
            for body in bodies
        )
    )


@pytest.mark.parametrize("prefer", ["", "wait=10"])
def test_the_same_key_on_two_web_processes_is_one_roll(evening: OverHttp, prefer: str) -> None:
    for number in range(15):
        key = fresh_key()
        answers = on_both(evening, "/rolls", [SKILL_CHECK] * 2, **{"Idempotency-Key": key, "Prefer": prefer})
        assert {answer.status_code for answer in answers} <= {200, 202}
        assert len({answer.json()["id"] for answer in answers}) == 1
        assert sum("Idempotent-Replayed" in answer.headers for answer in answers) == len(answers) - 1
        if prefer:
            assert {answer.status_code for answer in answers} == {200}
            dice = {json.dumps(answer.json()["dice"]) for answer in answers}
            assert len(dice) == 1
        eventually(lambda count=number + 1: len(evening.stream.cards) >= count, 60)
    assert len(evening.kept()) == 15 and set(evening.stream.cards.values()) == {1}


def test_the_same_key_with_two_bodies_is_the_one_that_came_first(evening: OverHttp) -> None:
    other = {**SKILL_CHECK, "label": "another"}
    for _ in range(10):
        answers = on_both(evening, "/rolls", [SKILL_CHECK, other], **{"Idempotency-Key": fresh_key()})
        statuses = Counter("ok" if answer.ok else answer.status_code for answer in answers)
        assert statuses == {"ok": 2, 422: 2}
        accepted = {answer.json()["id"] for answer in answers if answer.ok}
        assert len(accepted) == 1
    eventually(lambda: len(evening.kept()) == 10, 60)


def test_the_first_rolls_of_an_evening_open_one_session(evening: OverHttp) -> None:
    answers = at_once(
        *(
            lambda address=address: post(
                evening, address, "/rolls", SKILL_CHECK, **{"Idempotency-Key": fresh_key()}
            )
            for address in evening.running.addresses * 4
        )
    )
    assert all(answer.ok for answer in answers)
    assert len({answer.json()["session"] for answer in answers}) == 1
    assert sorted(answer.json()["seq"] for answer in answers) == list(range(1, 9))


def test_a_session_ended_twice_at_once_ends_once(evening: OverHttp) -> None:
    for _ in range(5):
        session = evening.click().json()["session"]
        answers = on_both(evening, f"/sessions/{session}/end", [None, None])
        assert {answer.status_code for answer in answers} == {200}
        [seed] = {answer.json()["seed"] for answer in answers}
        [ended] = {answer.json()["ended_at"] for answer in answers}
        assert seed and ended
        assert fair_dice.commitment(session, seed) == answers[0].json()["commitment"]
    eventually(lambda: evening.kept() >= evening.accepted.items(), 60)
    with evening.running.redis() as redis:
        events = Store(redis).rolls.events_after(evening.seat.campaign, "0-0")
        sessions = (record for _, event, record in events if event == "session")
        told = Counter((record["id"], bool(record["ended_at"])) for record in sessions)
    assert len(told) == 10 and set(told.values()) == {1}


def test_two_sessions_ended_at_once_while_both_tables_roll(evening: OverHttp) -> None:
    other = OverHttp(evening.running)
    sessions = [each.click().json()["session"] for each in (evening, other)]
    clicks = [
        lambda each=each, address=address: post(
            each, address, "/rolls", SKILL_CHECK, **{"Idempotency-Key": fresh_key()}
        )
        for each in (evening, other)
        for address in evening.running.addresses * 3
    ]
    ends = [
        lambda each=each, session=session: post(
            each, each.running.addresses[0], f"/sessions/{session}/end", None
        )
        for each, session in zip((evening, other), sessions, strict=True)
    ]
    answers = at_once(*clicks, *ends)
    assert {answer.status_code for answer in answers} <= {200, 202}
    accepted = {answer.json()["id"] for answer in answers[: len(clicks)]}
    assert len(accepted) == len(clicks)
    eventually(lambda: {roll for roll, _ in evening.kept() | other.kept()} >= accepted, 60)
    for answer in answers[-2:]:
        assert answer.json()["seed"]
    other.stream.close()


def test_a_campaign_deleted_while_its_rolls_are_queued(evening: OverHttp) -> None:
    """Its rolls are gone, nothing of it comes back, and the tables beside it notice nothing."""
    gone = OverHttp(evening.running)
    made = post(gone, gone.address, "/webhooks", {"kind": "standard", "url": "http://127.0.0.1:9/hook"})
    assert made.status_code == 201
    with evening.running.redis() as redis:
        redis.set("rq:suspended", 1)
        time.sleep(2)
        for _ in range(60):
            assert gone.click().ok and evening.click().ok
        redis.delete("rq:suspended")
        eventually(lambda: redis.zcard("tb:pending") < 110, 60)
        deleted = requests.delete(f"{gone.address}{gone.seat.path}", headers=bearer(ADMIN_TOKEN), timeout=60)
        assert deleted.status_code == 204, deleted.text
        eventually(lambda: evening.kept() >= evening.accepted.items(), 60)
        eventually(lambda: redis.zcard("tb:pending") == redis.zcard("rq:wip:rolls") == 0, 60)
        eventually(lambda: redis.llen("rq:queue:rolls") == 0, 60)
        time.sleep(3)
        sessions = {roll.split("-")[0] for roll in gone.accepted}
        left = {key.decode() for key in redis.scan_iter(count=1000)}
        traces = (gone.seat.campaign, made.json()["id"], *sessions)
        assert {
            key
            for key in left
            if any(trace in key for trace in traces) and not key.startswith(("tb:key:", "rq:job:"))
        } == set()
        assert not {key for key in left if key.startswith("rq:job:") and key[7:17] in sessions}
        assert redis.zcard("tb:stuck") == 0
    assert gone.click().status_code in (401, 404)
    assert set(evening.stream.cards.values()) == {1}
    gone.stream.close()


JUMPING = """
import itertools, random, time
from worker.worker import run
real, jumps = time.time_ns, random.Random(5)
time.time_ns = lambda: real() + jumps.choice((-1, 0, 0, 1)) * 3_600_000_000_000
time.time = lambda: time.time_ns() / 1e9
run("rolls")
"""


def test_a_worker_whose_clock_jumps_by_hours(valkey: Redis, redis_url: str) -> None:
    evening = Evening(valkey)
    token = "tba_" + "x" * 32
    worker = Process(sys.executable, "-c", JUMPING, REDIS_URL=redis_url, TALLYBONES_ADMIN_TOKEN=token)
    worker.start()
    try:
        for _ in range(4):
            evening.roll(80)
            time.sleep(1)
        evening.wait_until_resolved()
        evening.assert_nothing_lost_doubled_or_changed()
        ids = [id for id, _ in evening.table.store.rolls.history(evening.table.campaign)]
        assert len(set(ids)) == 320
    finally:
        worker.end()


def test_a_server_clock_that_jumps_leaves_history_and_streams_in_order(valkey: Redis) -> None:
    clock = Clock()
    store = Store(valkey, clock)
    table = Table(store)
    jumps = random.Random(11)
    accepted, followed, cursor = [], [], "0-0"
    for number in range(200):
        clock.forward(ms=jumps.choice((0, 1, -1, 500, -500, HOUR, -HOUR, YEAR, -YEAR, -7 * HOUR, 7 * HOUR)))
        clock.now = max(clock.now, 2 * YEAR)
        roll = table.accept(key=f"click-{number}").record["id"]
        accepted.append(roll)
        clock.forward(ms=jumps.choice((0, 0, -HOUR, HOUR)))
        assert resolve_in(store, roll)
        for id, event, record in list(store.rolls.events_after(table.campaign, cursor)):
            cursor = id
            if event == "roll":
                followed.append(record["id"])
    assert followed == accepted
    assert [record["id"] for _, record in store.rolls.history(table.campaign)] == accepted[::-1]
    sessions = store.sessions.list(table.campaign, limit=1000)
    assert sum(store.sessions.rolls_seen_by(session.id, table.gm) for session in sessions) == 200


def test_a_roll_waits_for_no_clock(valkey: Redis, redis_url: str) -> None:
    """Accepted by a web process a day ahead, resolved by a worker in its own time."""
    ahead = Table(Store(valkey, lambda: time.time_ns() // 1_000_000 + 24 * HOUR))
    behind = Table(Store(valkey, lambda: time.time_ns() // 1_000_000 - 24 * HOUR))
    for table in (ahead, behind):
        table.accept()
    worker = _worker(redis_url)
    worker.start()
    try:
        wait_for(lambda: valkey.zcard("tb:pending") == 0, SOON)
    finally:
        worker.end()
    for table in (ahead, behind):
        assert len(list(table.store.rolls.history(table.campaign))) == 1
