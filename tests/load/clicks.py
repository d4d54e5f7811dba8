"""From the click to the card, and rolls a second, over HTTP."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from redis import Redis

from service.store import keys
from tests.load.contenders import CONTENDERS
from tests.load.ground import Table, listens, median, percentile, process, server, wait_for
from tests.load.http import Caller, Stream, flood
from tests.processes import any_port

WARM_UP = 50
"""Clicks before the clock starts."""
WAYS = ("tallybones", "RQ SimpleWorker", "in-process")
"""The service with its own worker, with the stock one, and the roll resolved inside the web process."""


@contextmanager
def service(way: str, web: int) -> Iterator[tuple[int, Table, int]]:
    """Run the service in one of the ways; its port, a table, and the web server's process id."""
    with server() as url, Redis.from_url(url) as redis, ExitStack() as running:
        port = any_port()
        app = "tests.load.in_process:app" if way == "in-process" else "service.wsgi:app"
        gunicorn = ["-m", "gunicorn", "--config", "python:service.gunicorn_conf", app]
        master = running.enter_context(
            process(gunicorn, REDIS_URL=url, PORT=str(port), WEB_CONCURRENCY=str(web))
        )
        if way in CONTENDERS:
            running.enter_context(process(["-m", "tests.load.work", way], REDIS_URL=url))
            wait_for(lambda: redis.scard("rq:workers") == 1)
        wait_for(lambda: listens(port))
        yield port, Table(redis), master.pid


def click_to_card(port: int, table: Table, clicks: int) -> dict[str, float]:
    """Return p50 and p99 of the seconds from sending a click to its card on an open stream; one client."""
    caller = Caller(port, table.campaign, table.token)
    stream, delays = Stream(caller), []
    for _ in range(WARM_UP + clicks):
        request = caller.click("click")
        began = time.perf_counter()
        body = caller.ask(request)
        roll = body.partition(b'"id":"')[2].partition(b'"')[0]
        delays.append(stream.when(roll) - began)
    stream.close()
    return {"p50": median(delays[WARM_UP:]), "p99": percentile(delays[WARM_UP:], 0.99)}


def rolls_a_second(port: int, table: Table, clicks: int) -> dict[str, float]:
    """Return how many rolls a second are accepted and resolved, for 10 clients."""
    callers = [Caller(port, table.campaign, table.token) for _ in range(10)]
    began = time.perf_counter()
    flood(callers, clicks)
    wait_for(lambda: table.redis.zcard(keys.PENDING) == 0, pause=0.002)
    return {"rolls a second": clicks / (time.perf_counter() - began)}


def measure(rounds: int, clicks: int, flooded: int) -> dict[str, dict[str, float]]:
    """Return the medians of every way, with two web processes, their rounds interleaved."""
    found: dict[str, dict[str, list[float]]] = {way: {} for way in WAYS}
    for _ in range(rounds):
        for way, figures in found.items():
            with service(way, 2) as (port, table, _):
                taken = click_to_card(port, table, clicks) | rolls_a_second(port, table, flooded)
            for figure, value in taken.items():
                figures.setdefault(figure, []).append(value)
    return {way: {figure: median(each) for figure, each in figures.items()} for way, figures in found.items()}
