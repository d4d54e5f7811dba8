"""What a roll costs the server, by its own counts: these do not vary with the machine."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from redis import Redis

from service.store import Store
from tests.tables import Table
from worker import books
from worker.turns import MOST_JOBS, RollsWorker

HOURS = 3600.0


@dataclass
class Spent:
    """Requests that the server read, and commands that it ran, those inside scripts too."""

    trips: int
    commands: int


@pytest.fixture
def spent(valkey: Redis) -> Callable[[Callable[[], object]], Spent]:
    """Count what something costs on a connection of its own."""

    def spend(do: Callable[[], object]) -> Spent:
        before = valkey.info("stats")
        do()
        after = valkey.info("stats")
        trips = after["total_reads_processed"] - before["total_reads_processed"] - 1  # that of `after`
        return Spent(trips, after["total_commands_processed"] - before["total_commands_processed"] - 1)

    return spend


@pytest.fixture
def table(valkey: Redis) -> Table:
    return Table(Store(valkey))


@pytest.fixture
def worker(valkey: Redis, table: Table, monkeypatch: pytest.MonkeyPatch) -> RollsWorker:
    """A rolls worker at work: its scripts are known, a first roll is behind it, its books are not due."""
    monkeypatch.setattr(books, "TICK", HOURS)
    worker = RollsWorker(["rolls"], connection=valkey)
    worker.register_birth()
    for visibility in ("public", "gm"):
        table.accept(visibility=visibility)
    assert worker._look_and_work(burst=True, most=None) == 2
    return worker


def work(worker: RollsWorker) -> int:
    return worker._look_and_work(burst=True, most=None)


def test_a_roll_alone_takes_three_round_trips_and_31_commands(spent, worker, table):
    table.accept()
    assert spent(lambda: work(worker)) == Spent(3, 31)
    assert len(list(table.store.rolls.history(table.campaign))) == 3


def test_a_hidden_roll_alone_takes_one_command_more(spent, worker, table):
    table.accept(visibility="gm")
    assert spent(lambda: work(worker)) == Spent(3, 32)


@pytest.mark.parametrize("rolls", [2, MOST_JOBS, 1 + MOST_JOBS, 500])
def test_under_load_a_round_trip_serves_a_turn(valkey, worker, table, rolls):
    for _ in range(rolls):
        table.accept()
    valkey.config_resetstat()
    assert work(worker) == rolls
    calls = {name: stat["calls"] for name, stat in valkey.info("commandstats").items()}
    turns = 1 + -(-(rolls - 1) // MOST_JOBS)  # the first roll is popped and done on its own
    assert (calls["cmdstat_lmove"], calls["cmdstat_evalsha"]) == (1, 1 + turns)


def test_500_rolls_take_less_than_a_tenth_of_a_trip_and_18_commands_each(spent, worker, table):
    for _ in range(500):
        table.accept()
    cost = spent(lambda: work(worker))  # here a trip is a read by the server: a large request takes several
    assert cost.trips / 500 < 0.1 and cost.commands / 500 < 18


def test_accepting_a_roll_is_one_round_trip(spent, table):
    table.accept()
    request = table.request()
    assert spent(lambda: table.store.rolls.accept(request)).trips == 1


def test_a_clock_tick_is_all_that_an_idle_worker_costs(spent, worker):
    assert spent(lambda: work(worker)).trips == 1  # the pop
