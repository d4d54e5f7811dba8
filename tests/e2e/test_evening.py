"""Some tables for a short while; `script/soak --load` seats two hundred."""

from pathlib import Path

import pytest

from tests.load.evening import PHASES, measure


@pytest.mark.timeout(300)
def test_a_flood_and_a_report_take_no_card_from_other_tables(tmp_path: Path) -> None:
    figures = measure(tmp_path, tables=8, seconds=32, pause=1, largest=20_000, seed=3)
    assert figures.failed == []
    assert all(figures.delays[phase] for phase in PHASES)
    # A busy machine may not get as far as the limit of 1,200 in a minute; two minutes may have a part in it.
    assert figures.flood.keys() <= {"accepted", "limited"} and 0 < figures.flood["accepted"] <= 2 * 1200
    assert figures.report["status"] in ("working", "done")
