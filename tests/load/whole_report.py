"""A report as the worker makes it, whole, in a process of its own: what it takes, as a line of JSON."""

import json
import re
import subprocess
import sys
import time
from pathlib import Path

from redis import Redis

from service.store import ReportWish, Store
from tests.load.ground import CHECKOUT
from worker.report import make_in


def measure(url: str, campaign: str) -> dict[str, float]:
    """Return the seconds that a report of everything takes, and the bytes of its process at most."""
    command = [sys.executable, "-m", "tests.load.whole_report", url, campaign]
    told = subprocess.check_output(command, cwd=CHECKOUT, text=True)
    found: dict[str, float] = json.loads(told.splitlines()[-1])
    return found


def main(url: str, campaign: str) -> None:
    """Make a report: tallies, tables, plots, page. The seconds begin once all is loaded that it needs."""
    store = Store(Redis.from_url(url))
    asked = store.reports.ask(campaign, "gm", ReportWish())
    began = time.perf_counter()
    assert make_in(store, asked.id)
    seconds = time.perf_counter() - began
    page = store.reports.part(asked.id, "html")
    assert page is not None and b"<svg" in page
    print(json.dumps({"whole report": seconds, "whole report at most": _most_memory()}))


def _most_memory() -> int:
    """Return the most bytes that this process has taken; getrusage may tell those of its parent."""
    [kilobytes] = re.findall(r"^VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(kilobytes) * 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
