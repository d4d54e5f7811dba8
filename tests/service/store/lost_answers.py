"""A connection that loses an answer: the script has run, the client sees it break, and redis-py retries."""

import os
import random
import re
import secrets
from random import Random
from typing import Any

import pytest
from redis import Redis
from redis.connection import AbstractConnection
from redis.exceptions import ConnectionError

from service.store import Store, keys

TIMES = re.compile(rb"\d{4}-\d\d-\d\dT[\d:.]+Z")
"""Of RQ's books, which tell the time by a clock of their own."""


class LostAnswers:
    """Counts how often a script is sent, and loses the answer to the n-th time."""

    def __init__(self, patch: pytest.MonkeyPatch, store: Store, script: str, nth: int) -> None:
        sha = store.scripts._scripts[script].sha.encode()
        send, read = AbstractConnection.send_packed_command, AbstractConnection.read_response
        self.sent, self.lost = 0, False
        waiting = set[int]()

        def sent(connection: AbstractConnection, command: Any, *args: Any, **more: Any) -> None:
            send(connection, command, *args, **more)
            if sha in (b"".join(command) if isinstance(command, list) else command):
                self.sent += 1
                if self.sent == nth:
                    waiting.add(id(connection))

        def answered(connection: AbstractConnection, *args: Any, **more: Any) -> Any:
            answer = read(connection, *args, **more)
            if id(connection) in waiting:
                waiting.clear()
                self.lost = True
                connection.disconnect()
                raise ConnectionError("the answer is lost")
            return answer

        patch.setattr(AbstractConnection, "send_packed_command", sent)
        patch.setattr(AbstractConnection, "read_response", answered)


class Kept:
    """All that Redis keeps, to begin again from."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._dumps = [(key, redis.dump(key), max(redis.pttl(key), 0)) for key in redis.keys("*")]

    def put_back(self) -> None:
        self._redis.flushdb()
        for key, dump, expires in self._dumps:
            self._redis.restore(key, expires, dump)


def kept_now(redis: Redis) -> dict[bytes, Any]:
    """Return all that is kept, but for what is noted of requests, and whether it expires."""
    read: dict[bytes, Any] = {
        b"string": redis.get,
        b"hash": redis.hgetall,
        b"list": lambda key: redis.lrange(key, 0, -1),
        b"set": redis.smembers,
        b"zset": lambda key: redis.zrange(key, 0, -1, withscores=True),
        b"stream": lambda key: redis.xrange(key),
    }
    return {
        key: (without_times(read[redis.type(key)](key)), redis.ttl(key) >= 0)
        for key in redis.keys("*")
        if not key.startswith(keys.ASKED.encode())
    }


def without_times(value: Any) -> Any:
    """Return what is kept without the times of RQ's books."""
    if isinstance(value, dict):
        return {name: without_times(each) for name, each in value.items()}
    return TIMES.sub(b"", value) if isinstance(value, bytes) else value


def same_chances(patch: pytest.MonkeyPatch) -> None:
    """Let all that is random come out the same each time."""
    chance = Random(7)
    patch.setattr(os, "urandom", chance.randbytes)
    patch.setattr(random, "_urandom", chance.randbytes)
    patch.setattr(secrets, "token_bytes", chance.randbytes)
    patch.setattr(secrets, "token_urlsafe", lambda size: chance.randbytes(size).hex())
    patch.setattr(secrets, "token_hex", lambda size: chance.randbytes(size).hex())
