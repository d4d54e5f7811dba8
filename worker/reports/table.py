"""A report as CSV: every row of every table in one, for a spreadsheet."""

import csv
import io
from typing import Any

from service.spreadsheets import inert

COLUMNS = (
    *("table", "name", "rolls", "successes", "rate", "expected_rate", "usual_low", "usual_high"),
    *("z", "z_low", "z_high", "rests_on", "says"),
    *("critical_successes", "expected_critical_successes", "critical_failures", "expected_critical_failures"),
    *("margin_mean", "margin_spread", "margin_on_success", "margin_on_failure"),
    *("longest_run_of_successes", "longest_run_of_failures"),
)


def as_csv(result: dict[str, Any]) -> bytes:
    """Return the tables of a report as CSV, in UTF-8 with a byte order mark, as spreadsheets like it."""
    out = io.StringIO(newline="")
    written = csv.writer(out)
    written.writerow(COLUMNS)
    if result["total"]:
        written.writerow(_cells("total", result["total"]))
    for table in result["tables"]:
        written.writerows(_cells(table["name"], row) for row in table["rows"])
    return out.getvalue().encode("utf-8-sig")


def _cells(table: str, row: dict[str, Any]) -> list[Any]:
    luck, margins, streaks = row["luck"], row["margins"], row["streaks"]
    criticals = row["criticals"]
    return [
        table,
        inert(row["name"]),
        *(row[name] for name in ("rolls", "successes", "rate", "expected_rate")),
        *(luck["usual_rate"] if luck else ("", "")),
        *((luck["z"], *luck["interval"], luck["rests_on"]) if luck else ("", "", "", 0)),
        row["says"],
        criticals["successes"],
        criticals["expected_successes"],
        criticals["failures"],
        criticals["expected_failures"],
        *(
            (margins[name] for name in ("mean", "spread", "on_success", "on_failure"))
            if margins
            else ("",) * 4
        ),
        *((streaks["successes"], streaks["failures"]) if streaks else ("", "")),
    ]
