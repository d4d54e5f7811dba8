"""Many evenings of play, packed: what a roll takes at rest, and what reading them takes."""

import time
from collections.abc import Callable

import psutil
from redis import Redis

from service.api.history import history_page
from service.exporting import export
from service.store import ReportWish, Store
from service.store.packing import REST_MS
from tests.load import whole_report
from tests.load.ground import server
from tests.service.store.year_of_play import Play, bytes_at_rest
from tests.tables import Clock
from worker.reports.gather import gather

RULES = "moon-hangs-low"


def measure(evenings: int, rolls: int) -> dict[str, float]:
    """Return bytes a roll at rest, seconds of each way of reading, and what an export grew the process by."""
    with server() as url, Redis.from_url(url) as redis:
        clock = Clock()
        store = Store(redis, clock)
        play = Play(store, clock, RULES)
        sessions = [play.evening(rolls) for _ in range(evenings)]
        clock.forward(ms=REST_MS)
        for session in sessions:
            store.packing.pack(session)
        found: dict[str, float] = {"evenings": evenings, "rolls": evenings * rolls}
        found["bytes a roll"] = sum(size for _, size in bytes_at_rest(store)) / found["rolls"]
        gm = play.people[0]
        found["page"] = _seconds(lambda: history_page(store, gm, {"limit": 50}))
        found["no match"] = _seconds(lambda: history_page(store, gm, {"limit": 50, "actor": "nobody"}))
        found["report"] = _seconds(lambda: gather(store, play.campaign, gm, ReportWish()))
        found |= whole_report.measure(url, play.campaign)
        campaign = store.campaigns.get(play.campaign)
        assert campaign is not None
        before = _memory()
        began, lines = time.perf_counter(), 0
        for _ in export(store, campaign):
            lines += 1
        found["export"] = time.perf_counter() - began
        found["export grew by"] = max(_memory() - before, 0)
        found["export lines"] = lines
    return found


def _seconds(do: Callable[[], object]) -> float:
    began = time.perf_counter()
    do()
    return time.perf_counter() - began


def _memory() -> int:
    return int(psutil.Process().memory_info().rss)
