"""Many open streams on one web process: memory of each, and how long a card takes to reach its table."""

import selectors
import time
from collections.abc import Sequence

from redis import Redis

from tests.load.clicks import service
from tests.load.ground import Table, memory_of, percentile
from tests.load.http import Caller
from worker.resolve import resolve_in

SEATS = 5
"""Streams at one table, and of one player."""


class Room:
    """Tables with open streams, all on one web process."""

    def __init__(self, redis: Redis, port: int, streams: int, seats: int) -> None:
        self.tables: list[tuple[Table, list[int]]] = []
        self._waiting = selectors.DefaultSelector()
        for _ in range(streams // seats):
            table = Table(redis)
            for seat in range(seats):
                if seat % SEATS == 0:  # a token may not have many streams once half of them all are taken
                    _, token = table.store.players.mint(table.campaign, f"player{seat}", f"Player {seat}")
                    caller = Caller(port, table.campaign, token)
                    caller.socket.close()
                self._open(caller)
            self.tables.append((table, [seats]))

    def _open(self, caller: Caller) -> None:
        connection = caller.connect()
        connection.sendall(caller.get("/stream"))
        received = b""
        while b": connected" not in received:
            more = connection.recv(65536)
            if not more:
                raise ConnectionError(f"no stream, but {received!r}")
            received += more
        self._waiting.register(connection, selectors.EVENT_READ)

    def fan_out(self, rolls: int) -> list[float]:
        """Return for each card on each stream the seconds from before its commit until it is there."""
        delays = []
        for number in range(rolls):
            table, [seats] = self.tables[number % len(self.tables)]
            [roll] = table.accept()
            sign, arrived = roll.encode(), 0
            began = time.perf_counter()
            resolve_in(table.store, roll)
            while arrived < seats:
                for key, _ in self._waiting.select(10):
                    received = key.fileobj.recv(262144)  # type: ignore[union-attr]
                    if b"event: roll" in received and sign in received:
                        delays.append(time.perf_counter() - began)
                        arrived += 1
        return delays

    def close(self) -> None:
        """Leave."""
        for key in list(self._waiting.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
        self._waiting.close()


def measure(few: int, many: int, rolls: int) -> dict[str, float]:
    """Return memory a stream, and p50 and p99 of the fan-out for few and for many streams."""
    found: dict[str, float] = {"few": few, "many": many}
    with service("web alone", 1) as (port, table, master):
        redis = table.redis
        before = 0
        for name, streams, seats in (("few", few, SEATS), ("many", many, SEATS), ("one table", many, many)):
            room = Room(redis, port, streams, seats)
            if name == "many":
                found["bytes a stream"] = (memory_of(master) - before) / (streams - few)
            room.fan_out(10)
            if name == "few":
                before = memory_of(master)
            delays = room.fan_out(rolls if name != "one table" else max(5, rolls // 50))
            found[f"{name}: p50"], found[f"{name}: p99"] = percentile(delays, 0.5), percentile(delays, 0.99)
            room.close()
            time.sleep(0.5)
    return found


def medians(rounds: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return each figure's median over rounds."""
    return {name: percentile([each[name] for each in rounds], 0.5) for name in rounds[0]}
