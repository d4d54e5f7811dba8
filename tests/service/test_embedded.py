import os
import signal
import socket
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from redis import Redis
from redis.exceptions import AuthenticationError

from service.embedded import Embedded, url_of
from service.supervise import Supervisor


@contextmanager
def running(data: Path) -> Iterator[tuple[Embedded, Supervisor]]:
    (data / "logs").mkdir(parents=True, exist_ok=True)
    embedded = Embedded(data)
    with Supervisor(lambda line: None) as supervisor:
        supervisor.start(embedded.program)
        embedded.wait_until_ready(lambda: supervisor.deaths("valkey") == 0)
        yield embedded, supervisor
    embedded.close()


def test_what_was_written_is_there_after_a_restart_at_the_same_address(tmp_path: Path) -> None:
    with running(tmp_path) as (embedded, _), Redis.from_url(embedded.url) as redis:
        redis.set("history", "kept")
        first = embedded.url
    with running(tmp_path) as (embedded, _), Redis.from_url(embedded.url) as redis:
        assert embedded.url == url_of(tmp_path) == first
        assert redis.get("history") == b"kept"


def test_it_appends_evicts_nothing_and_wants_its_password(tmp_path: Path) -> None:
    with running(tmp_path) as (embedded, _):
        with Redis.from_url(embedded.url, decode_responses=True) as redis:
            assert redis.config_get("appendonly")["appendonly"] == "yes"
            assert redis.config_get("appendfsync")["appendfsync"] == "always"
            assert redis.config_get("maxmemory-policy")["maxmemory-policy"] == "noeviction"
            assert redis.config_get("bind")["bind"] == "127.0.0.1"
        with Redis(port=urlsplit(embedded.url).port or 0) as stranger, pytest.raises(AuthenticationError):
            stranger.get("history")
    for name in ("url", "valkey.conf"):
        assert stat.S_IMODE((tmp_path / "valkey" / name).stat().st_mode) == 0o600


def test_after_a_kill_it_comes_back_with_its_history(tmp_path: Path) -> None:
    with running(tmp_path) as (embedded, supervisor), Redis.from_url(embedded.url) as redis:
        redis.set("history", "kept")
        os.kill(redis.info("server")["process_id"], signal.SIGKILL)
        embedded.wait_until_ready(lambda: supervisor.deaths("valkey") < 3)
        assert redis.get("history") == b"kept"


def test_a_server_left_by_a_killed_run_is_ended_first(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    abandoned = Embedded(tmp_path)
    server = subprocess.Popen(
        abandoned.program.command, pass_fds=abandoned.program.keep, stdout=subprocess.DEVNULL
    )
    abandoned.wait_until_ready(lambda: server.poll() is None)
    with Redis.from_url(abandoned.url) as redis:
        redis.set("history", "kept")
    abandoned.close()
    with running(tmp_path) as (embedded, _), Redis.from_url(embedded.url) as redis:
        assert server.wait(5) == 0
        assert redis.get("history") == b"kept"


def test_a_port_that_another_program_took_meanwhile_is_left_to_it(tmp_path: Path) -> None:
    with running(tmp_path) as (embedded, _):
        port = urlsplit(embedded.url).port or 0
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
        other.listen()
        with running(tmp_path) as (embedded, _):
            assert urlsplit(embedded.url).port != port


def test_a_long_path_with_spaces_works(tmp_path: Path) -> None:
    data = tmp_path / ('a long folder\'s "name" ' * 6)
    with running(data) as (embedded, _), Redis.from_url(embedded.url) as redis:
        assert redis.ping()
        assert (data / "valkey" / "appendonlydir").is_dir()
