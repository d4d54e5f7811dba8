"""A call of each script, on a table that has played: each function prepares one, and returns it."""

import io
from collections.abc import Callable
from typing import Any

from rq.queue import Queue

from service.exporting import export
from service.importing import import_campaign
from service.store import Attempt, ReportWish, deliveries, keys
from service.store.packing import REST_MS
from service.store.turns import Ended, Turns
from tests.tables import Clock, Table
from worker.resolve import resolve_in, resolve_pending
from worker.sweep import Sweeper

Call = Callable[[], Any]


class Evening:
    """A table that has played, and what can be made of it."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self.table, self.store, self.clock, self.campaign = table, table.store, clock, table.campaign
        self.redis = table.store.redis

    def rolled(self, rolls: int = 1, **asked: Any) -> str:
        for _ in range(rolls):
            roll = self.table.accept(**asked).record["id"]
            assert resolve_in(self.store, roll)
        return roll

    def ended(self, rolls: int = 5) -> str:
        session = keys.session_of(self.rolled(rolls))
        self.store.sessions.end(self.campaign, session)
        return session

    def packed(self) -> str:
        session = self.ended()
        self.clock.forward(ms=REST_MS + 1000)
        assert self.store.packing.pack(session)
        return session

    def hook(self) -> str:
        hook = self.store.webhooks.create(self.campaign, "standard", "https://example.org/", EVENTS)
        return hook.id

    def sending(self) -> tuple[str, str]:
        hook = self.hook()
        self.rolled()
        assert self.store.deliveries.enter_lane(hook, "me")
        taken = self.store.deliveries.take(hook, "me")
        assert taken is not None
        return hook, taken[0].id

    def file(self) -> bytes:
        campaign = self.store.campaigns.get(self.campaign)
        assert campaign is not None
        return b"".join(export(self.store, campaign))

    def turns(self) -> Turns:
        return Turns(self.redis, self.store.scripts, self.clock, "a-worker")

    def popped(self) -> str:
        return self.redis.lmove("rq:queue:rolls", "rq:queue:rolls:intermediate", "LEFT", "RIGHT").decode()

    def erase(self, roll: str) -> Call:
        record = self.store.rolls.get(self.campaign, roll)
        assert record is not None
        return lambda: self.store.erasing.roll(self.campaign, record)


EVENTS = ["roll.resolved", "session.started", "session.ended", "report.ready"]
CALLS: list[tuple[str, str, Callable[[Evening], Call]]] = []


def call_of(script: str) -> Callable[[Callable[[Evening], Call]], Callable[[Evening], Call]]:
    def note(prepare: Callable[[Evening], Call]) -> Callable[[Evening], Call]:
        CALLS.append((script, prepare.__name__, prepare))
        return prepare

    return note


@call_of("accept")
def a_roll(evening: Evening) -> Call:
    evening.hook()
    return lambda: evening.table.accept(key="once")


@call_of("accept")
def a_roll_that_was_asked_for_before(evening: Evening) -> Call:
    evening.table.accept(key="once")
    return lambda: evening.table.accept(key="once")


@call_of("answer")
def an_answer(evening: Evening) -> Call:
    challenge = evening.rolled(against="bert")
    return lambda: evening.table.answer(challenge, key="once")


@call_of("await")
def a_challenge(evening: Evening) -> Call:
    challenge = evening.table.accept(against="bert").record["id"]
    return lambda: resolve_in(evening.store, challenge)


@call_of("await")
def a_challenge_too_late(evening: Evening) -> Call:
    challenge = evening.table.accept(against="bert").record
    evening.store.sessions.end(evening.campaign, challenge["session"])
    return lambda: resolve_in(evening.store, challenge["id"])


@call_of("commit")
def a_result(evening: Evening) -> Call:
    evening.hook()
    roll = evening.table.accept().record["id"]
    return lambda: resolve_in(evening.store, roll)


@call_of("turn")
def the_start_of_a_turn(evening: Evening) -> Call:
    for _ in range(3):
        evening.table.accept()
    first, turns = evening.popped(), evening.turns()
    return lambda: turns.start(first)


@call_of("turn")
def the_end_of_a_turn(evening: Evening) -> Call:
    return _end_of_a_turn(evening)


@call_of("turn")
def the_end_of_a_turn_on_which_others_depend(evening: Evening) -> Call:
    first = evening.table.accept().record["id"]
    evening.redis.sadd(f"rq:job:{first}:dependents", "another")
    return _end_of_a_turn(evening)


@call_of("turn")
def the_end_of_a_turn_before_another_job(evening: Evening) -> Call:
    ending = _end_of_a_turn(evening)
    evening.redis.hset(f"rq:job:{evening.table.accept().record['id']}", "retries_left", 1)
    return ending


def _end_of_a_turn(evening: Evening) -> Call:
    for _ in range(4):
        evening.table.accept()
    first, turns = evening.popped(), evening.turns()
    [job] = turns.start(first).started
    assert job.pending is not None
    records = resolve_pending(job.pending, evening.clock())
    assert records is not None
    done = Ended([job], [(evening.campaign, records)], 0.5)
    return lambda: turns.end(done, 10)


@call_of("start")
def a_session(evening: Evening) -> Call:
    evening.hook()
    return lambda: evening.store.sessions.start(evening.campaign, "Thursday")


@call_of("end")
def the_end_of_a_session(evening: Evening) -> Call:
    evening.hook()
    evening.rolled(against="bert")
    session = keys.session_of(evening.rolled())
    return lambda: evening.store.sessions.end(evening.campaign, session)


@call_of("end")
def the_end_of_an_idle_session(evening: Evening) -> Call:
    evening.rolled()
    evening.clock.forward(hours=7)
    return evening.store.sessions.end_idle


@call_of("roll")
def looking_at_a_roll(evening: Evening) -> Call:
    roll = evening.rolled()
    return lambda: evening.store.rolls.get(evening.campaign, roll)


@call_of("send")
def a_test(evening: Evening) -> Call:
    hook = evening.hook()
    return lambda: evening.store.webhooks.test(evening.campaign, hook)


@call_of("send")
def a_redelivery(evening: Evening) -> Call:
    _, delivery = evening.sending()
    _noted(evening, delivery, outcome="delivered")()
    return lambda: evening.store.webhooks.redeliver(evening.campaign, delivery)


@call_of("take")
def what_is_due(evening: Evening) -> Call:
    hook, _ = evening.sending()
    return lambda: evening.store.deliveries.take(hook, "me")


@call_of("leave")
def leaving_a_lane(evening: Evening) -> Call:
    hook, _ = evening.sending()
    return lambda: evening.store.deliveries.leave_lane(hook, "me")


@call_of("attempted")
def a_delivery(evening: Evening) -> Call:
    _, delivery = evening.sending()
    return _noted(evening, delivery, outcome="delivered", request={"body": "a card"})


@call_of("attempted")
def a_failure(evening: Evening) -> Call:
    _, delivery = evening.sending()
    return _noted(evening, delivery, outcome="pending", due=evening.clock() + 5000, step=1)


@call_of("attempted")
def a_failure_that_switches_the_webhook_off(evening: Evening) -> Call:
    _, delivery = evening.sending()
    return _noted(evening, delivery, outcome="failed", off="gone")


@call_of("attempted")
def the_last_failure_of_too_many(evening: Evening) -> Call:
    _, delivery = evening.sending()
    _noted(evening, delivery, outcome="pending", due=evening.clock())()
    evening.clock.forward(ms=deliveries.MOST_FAILING_MS)
    return _noted(evening, delivery, outcome="pending", due=evening.clock() + 5000, step=1)


def _noted(evening: Evening, delivery: str, **attempt: Any) -> Call:
    made = Attempt(delivery=delivery, asked=0, log={"at": evening.clock()}, **attempt)
    return lambda: evening.store.deliveries.attempted(made)


@call_of("forget")
def a_webhook_deleted(evening: Evening) -> Call:
    hook, _ = evening.sending()
    return lambda: evening.store.webhooks.delete(evening.campaign, hook)


@call_of("retally")
def tallies_made_anew(evening: Evening) -> Call:
    session = evening.ended()
    evening.redis.delete(keys.tallies(session))
    return lambda: evening.store.tallies.read(evening.campaign, session)


@call_of("retally")
def tallies_of_an_import(evening: Evening) -> Call:
    return an_import_in_place_of_another(evening)


@call_of("tallied")
def looking_at_tallies(evening: Evening) -> Call:
    session = evening.ended()
    return lambda: evening.store.tallies.read(evening.campaign, session)


@call_of("report")
def a_report_under_way(evening: Evening) -> Call:
    report = evening.store.reports.ask(evening.campaign, "gm", ReportWish())
    return lambda: evening.store.reports.tell(report, 40, "counting")


@call_of("report")
def a_published_report(evening: Evening) -> Call:
    evening.hook()
    evening.rolled()
    report = evening.store.reports.ask(evening.campaign, "gm", ReportWish(), publish=True)
    return lambda: evening.store.reports.finish(report, {"result": b"{}"}, {"rolls": 1})


@call_of("pack")
def packing(evening: Evening) -> Call:
    session = evening.ended()
    evening.clock.forward(ms=REST_MS + 1000)
    return lambda: evening.store.packing.pack(session)


@call_of("erase_roll")
def a_roll_deleted(evening: Evening) -> Call:
    evening.sending()
    return evening.erase(evening.rolled())


@call_of("erase_roll")
def a_packed_roll_deleted(evening: Evening) -> Call:
    session = evening.packed()
    _, record = next(evening.store.rolls.history(evening.campaign, sessions=[session]))
    return evening.erase(record["id"])


@call_of("restore")
def an_import(evening: Evening) -> Call:
    evening.ended()
    evening.rolled(3)
    file = evening.file()
    evening.store.erasing.campaign(evening.campaign)
    return lambda: vars(import_campaign(evening.store, io.BytesIO(file)))


@call_of("restore")
def an_import_in_place_of_another(evening: Evening) -> Call:
    evening.packed()
    evening.rolled(3)
    file = evening.file()
    evening.rolled()
    return lambda: vars(import_campaign(evening.store, io.BytesIO(file), replace=True))


@call_of("erase_session")
def a_session_deleted(evening: Evening) -> Call:
    evening.hook()
    session = evening.ended()
    return lambda: evening.store.erasing.session(evening.campaign, session)


@call_of("erase_campaign")
def a_campaign_deleted(evening: Evening) -> Call:
    evening.sending()
    return lambda: evening.store.erasing.campaign(evening.campaign)


@call_of("requeue")
def a_lost_job_queued_again(evening: Evening) -> Call:
    evening.table.accept()
    evening.redis.delete("rq:queue:rolls")
    sweeper = Sweeper(evening.store, Queue("rolls", connection=evening.redis))
    assert sweeper.sweep() == []  # it may have been popped just now
    evening.redis.delete(keys.SWEEPING)
    return sweeper.sweep


@call_of("tidy")
def a_dead_workers_job_tidied(evening: Evening) -> Call:
    _end_of_a_turn(evening)
    evening.redis.delete(keys.PENDING)
    return Sweeper(evening.store, Queue("rolls", connection=evening.redis)).sweep


@call_of("lease")
def a_lease(evening: Evening) -> Call:
    return lambda: evening.store.leases.take(evening.campaign, "table", "me")


@call_of("token")
def a_token(evening: Evening) -> Call:
    return lambda: evening.store.players.mint(evening.campaign, "anna", "Anna")


@call_of("token")
def a_token_taken_back(evening: Evening) -> Call:
    return lambda: evening.store.players.revoke(evening.campaign, "anna")


@call_of("token")
def another_gm_key(evening: Evening) -> Call:
    return lambda: evening.store.campaigns.renew_gm_key(evening.campaign)
