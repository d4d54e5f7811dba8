"""A page of history, and a report, over a long campaign against a short one."""

import time

import orjson
from redis import Redis

from service.store import ReportWish, Store, keys
from service.store.sessions import fresh_session
from service.tallying import Onlooker
from tests.load.clicks import service
from tests.load.ground import Table, percentile
from tests.load.http import Caller
from worker.reports.gather import gather
from worker.resolve import resolve_in

SESSIONS = 20
BATCH = 5000
"""Rolls that are written by one script."""
PATTERN = 50
"""Real rolls whose records and tallies are the pattern of all others."""

# The pattern's record, again and again, under other ids: as the ledger keeps it.
FILL = """
local began, done, count = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
for number = done + 1, done + count do
  local own, ms = string.format('%010d', number), string.format('%.0f', began + number)
  local record = string.gsub(ARGV[4], ARGV[5], own, 1)
  redis.call('XADD', KEYS[1], ms .. '-0', 'e', 'roll', 'r', record)
  redis.call('HSET', KEYS[2], own, ms)
end
redis.call('HINCRBY', KEYS[3], 'everyone', count)
"""


def fill(redis: Redis, rolls: int) -> Table:
    """Return a table with so many rolls in twenty ended sessions, made as fast as the server can."""
    table = Table(redis)
    for roll in table.accept(PATTERN):
        resolve_in(table.store, roll)
    pattern = table.store.sessions.open(table.campaign)
    assert pattern is not None
    [newest] = redis.xrevrange(keys.stream(pattern.id), count=1)
    record = newest[1][b"r"]
    own = orjson.loads(record)["id"].partition("-")[2]
    table.store.sessions.end(table.campaign, pattern.id)
    tallies = redis.dump(keys.tallies(pattern.id))
    run, each = redis.register_script(FILL), rolls // SESSIONS
    first = pattern.started_at - SESSIONS * (each + 2)
    for number in range(SESSIONS):
        fresh, began = fresh_session(), first + number * (each + 2)
        kept = {
            **redis.hgetall(keys.session(pattern.id)),
            b"started_at": began,
            b"ended_at": began + each + 1,
        }
        redis.hset(keys.session(fresh["id"]), mapping=kept)
        redis.zadd(keys.sessions(table.campaign), {fresh["id"]: began})
        redis.restore(keys.tallies(fresh["id"]), 0, tallies)
        redis.hset(keys.tallies(fresh["id"]), "t", each)
        renamed = record.replace(pattern.id.encode(), fresh["id"].encode())
        names = [name(fresh["id"]) for name in (keys.stream, keys.index, keys.counts)]
        for done in range(0, each, BATCH):
            run(names, [began, done, min(BATCH, each - done), renamed, own])
        assert table.store.tallies.complete(fresh["id"])
    redis.zrem(keys.sessions(table.campaign), pattern.id)
    return table


def measure(short: int, long: int, pages: int) -> dict[str, float]:
    """Return p50 of a first page, of a page far back, and of a report's figures, for both campaigns."""
    found: dict[str, float] = {"short": short, "long": long}
    with service("web alone", 1) as (port, any_table, _):
        for name, rolls in (("short", short), ("long", long)):
            table = fill(any_table.redis, rolls)
            caller = Caller(port, table.campaign, table.token)
            middle = _cursor_in_the_middle(table)
            for page, path in (
                ("first page", "/rolls?limit=50"),
                ("page far back", f"/rolls?limit=50&cursor={middle}"),
            ):
                delays = []
                for _ in range(pages):
                    began = time.perf_counter()
                    body = caller.ask(caller.get(path))
                    delays.append(time.perf_counter() - began)
                    assert len(orjson.loads(body)["rolls"]) >= min(50, rolls // 2 - 50)
                found[f"{name}: {page}"] = percentile(delays, 0.5)
            found[f"{name}: report"] = _report(Store(any_table.redis), table.campaign, pages // 4)
    return found


def _cursor_in_the_middle(table: Table) -> str:
    """Return the cursor after a roll of the middle of the campaign's history."""
    sessions = table.redis.zrange(keys.sessions(table.campaign), 0, -1)
    middle = sessions[len(sessions) // 2].decode()
    [entry] = table.redis.xrevrange(keys.stream(middle), count=1)
    return str(entry[0].decode())


def _report(store: Store, campaign: str, times: int) -> float:
    delays = []
    for _ in range(max(3, times)):
        began = time.perf_counter()
        gather(store, campaign, Onlooker(), ReportWish())
        delays.append(time.perf_counter() - began)
    return percentile(delays, 0.5)
