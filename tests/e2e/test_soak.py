"""A short storm over a whole service; `script/soak` is the long one."""

from pathlib import Path

import pytest

from tests.load.soak import soak, table

ROLLS = 300


@pytest.mark.timeout(400)
def test_a_storm_loses_doubles_and_changes_nothing(tmp_path: Path) -> None:
    result = soak(tmp_path, ROLLS, clients=12, seconds=20, seed=6)
    print(table(result))
    assert result.faults == {}
    assert result.accepted + result.unknown == ROLLS
    assert result.accepted <= result.in_ledger <= ROLLS
    assert result.deliveries > 0 and result.cards > result.accepted
    assert sum(result.deaths.values()) >= 4
