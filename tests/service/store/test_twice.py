"""A script whose answer gets lost is run again: all is kept, told and answered as after a single run."""

from collections.abc import Callable
from typing import Any

import pytest
from redis import Redis

from service.settings import Settings
from service.store import Store, keys, restoring, tallies
from service.store.connection import connect
from service.store.lua import SHARED
from tests.service.store.lost_answers import Kept, LostAnswers, kept_now, same_chances
from tests.service.store.script_calls import CALLS, Call, Evening
from tests.tables import Clock, Table


@pytest.fixture
def store(settings: Settings, valkey: Redis, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A store as the service has it, which reads and tallies few rolls at a time."""
    monkeypatch.setattr(tallies, "BATCH", 2)
    monkeypatch.setattr(restoring, "BATCH", 2)
    return Store(connect(settings), clock)


def test_no_script_is_left_out():
    assert {script for script, *_ in CALLS} == SHARED.keys()


@pytest.mark.parametrize(("script", "prepare"), [(s, f) for s, _, f in CALLS], ids=[n for _, n, _ in CALLS])
def test_an_answer_that_is_lost_changes_nothing(
    table: Table, store: Store, clock: Clock, valkey: Redis, script: str, prepare: Callable[[Evening], Call]
) -> None:
    call = prepare(Evening(table, clock))
    before, now = Kept(valkey), clock.now

    def outcome(nth: int) -> tuple[LostAnswers, Any, Any, list[bytes]]:
        before.put_back()
        clock.now = now
        with valkey.pubsub() as listener, pytest.MonkeyPatch.context() as patch:
            listener.subscribe(keys.LIVE)
            assert listener.get_message(timeout=1)
            same_chances(patch)
            answers = LostAnswers(patch, store, script, nth)
            answer = call()
            told = list(iter(lambda: (listener.get_message(timeout=0.05) or {}).get("data"), None))
        return answers, answer, kept_now(valkey), told

    outcome(0)  # after which the server knows the scripts
    once, *expected = outcome(0)
    assert once.sent > 0
    for nth in range(1, once.sent + 1):
        twice, *found = outcome(nth)
        assert twice.lost and found == expected, nth
