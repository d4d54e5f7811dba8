"""`tallybones up`: all of Tallybones on one machine, until Ctrl-C."""

import contextlib
import fcntl
import http.client
import json
import os
import re
import socket
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click

from rules import registry
from rules.ruleset import RuleSet
from service import first_campaign, procfile
from service.cli import settings_or_stop, stop
from service.cli._welcome import welcome
from service.embedded import Embedded, EmbeddedError
from service.first_campaign import Credentials
from service.logs import messages
from service.reach import Unreachable, reach
from service.settings import Settings, data_folder
from service.store import Store
from service.supervise import Program, Supervisor

HOST = "127.0.0.1"
KINDS = ("web", "worker")
LONGEST_START = 60.0  # seconds
ERROR = re.compile(r"[\w.]*(Error|Exception): ")
LARGEST_LOG = 5_000_000  # bytes


@click.command()
@click.option("--port", type=click.IntRange(1, 65535), help="The web port (PORT, else 8000).")
@click.option("--data", type=click.Path(path_type=Path), help="The data folder (TALLYBONES_DATA, else var).")
@click.option("--demo/--no-demo", default=True, help="Make a first campaign (the default) or none.")
@click.option("--ruleset", default="moon-hangs-low", metavar="ID", help="The rule set of the first campaign.")
def command(port: int | None, data: Path | None, demo: bool, ruleset: str) -> None:
    """Run web, workers and (unless REDIS_URL is set) a Valkey server on this machine, until Ctrl-C."""
    if port is not None:
        os.environ["PORT"] = str(port)
    if data is not None:
        os.environ["TALLYBONES_DATA"] = str(data)
    rules = _ruleset(ruleset)
    _require_writable(data_folder(os.environ))
    settings = settings_or_stop()
    programs = _programs(settings)
    with _alone_in(settings.data):
        _require_free(settings.port)
        if settings.redis_url:
            _require_redis(settings)
        with Supervisor(say=lambda line: None) as supervisor:
            try:
                _run(supervisor, settings, programs, rules if demo else None)
            except (EmbeddedError, Unreachable) as error:
                raise stop(error.sentence) from error
    kept = _shown(settings.data) if settings.redis_url is None else "the Redis of REDIS_URL"
    click.echo(f"\nEnded. The history is kept in {kept}.")


def _run(supervisor: Supervisor, settings: Settings, programs: list[Program], rules: RuleSet | None) -> None:
    if settings.redis_url is None:
        embedded = Embedded(settings.data)
        supervisor.start(embedded.program)
        embedded.wait_until_ready(lambda: not (supervisor.stopping or supervisor.deaths("valkey")))
        settings = replace(settings, redis_url=embedded.url)
    for program in programs:
        supervisor.start(replace(program, environ=_environ(settings)))
    url = f"http://{HOST}:{settings.port}"
    store = Store(reach(settings))
    campaign, credentials = None, Credentials(settings.admin_token)
    if rules:
        public = settings.public_url or url
        campaign, credentials = first_campaign.find_or_make(store, settings, rules, public)
    elif not first_campaign.path(settings.data).exists():
        first_campaign.write(settings.data, credentials)
    _wait_until_ready(supervisor, settings)
    if not supervisor.stopping:
        click.echo(welcome(settings, url, campaign, credentials, _shown(settings.data)))
        click.echo(f"ready {url}")
        supervisor.say = lambda line: click.echo(f"{time.strftime('%H:%M:%S')} {line}")
    supervisor.run()


def _programs(settings: Settings) -> list[Program]:
    try:
        lines = procfile.read()
    except FileNotFoundError as error:
        raise stop("There is no Procfile: run `tallybones up` from a clone of Tallybones.") from error
    logs = settings.data / "logs"
    logs.mkdir(exist_ok=True)
    for log in logs.glob("*.log"):
        if log.stat().st_size > LARGEST_LOG:
            log.replace(log.with_suffix(".log.1"))
    return [Program(kind, procfile.command(lines[kind]), log=logs / f"{kind}.log") for kind in KINDS]


def _environ(settings: Settings) -> dict[str, str]:
    """Return what a PaaS puts into the environment, and this Python's commands first on the path."""
    return {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "PORT": str(settings.port),
        "REDIS_URL": settings.redis_url or "",
        "WEB_CONCURRENCY": str(settings.web_concurrency),
        "TALLYBONES_DATA": str(settings.data),
        "TALLYBONES_ADMIN_TOKEN": settings.admin_token,
    }


def _wait_until_ready(supervisor: Supervisor, settings: Settings) -> None:
    deadline = time.monotonic() + LONGEST_START
    while not supervisor.stopping and (missing := _what_is_missing(settings.port)):
        for kind in KINDS:
            if supervisor.deaths(kind):
                last = _last_words(settings.data / "logs" / f"{kind}.log")
                raise stop(f"The {kind} process does not start: {last}")
        if time.monotonic() > deadline:
            raise stop(f"Not ready after a minute. {missing} Look into {_shown(settings.data / 'logs')}.")
        supervisor.wait(0.1)


def _what_is_missing(port: int) -> str:
    """Return a sentence that says what is not ready yet, an empty one when all is."""
    connection = http.client.HTTPConnection(HOST, port, timeout=2)
    with contextlib.closing(connection), contextlib.suppress(OSError, ValueError, http.client.HTTPException):
        connection.request("GET", "/readyz")
        answer = connection.getresponse()
        return "" if answer.status == 200 else str(json.load(answer).get("detail"))
    return "The web process does not answer."


def _last_words(log: Path) -> str:
    """Return the last error in a log, else its last line; gunicorn goes on talking after the reason."""
    lines = [said for line in log.read_text(errors="replace").splitlines() for said in messages(line)]
    lines = [line for line in lines if ERROR.match(line)] or lines
    return f"{lines[-1] if lines else 'it said nothing'} (all of it is in {_shown(log)})"


def _ruleset(id: str) -> RuleSet:
    try:
        return registry.get(id)
    except registry.UnknownRuleSet as error:
        known = ", ".join(rules.id for rules in registry.all())
        raise stop(f"There is no rule set {id}; there are {known}.") from error


def _require_writable(data: Path) -> None:
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        (data / ".probe").touch()
        (data / ".probe").unlink()
    except OSError as error:
        raise stop(
            f"The data folder {data} cannot be written ({error.strerror}): choose another with --data DIR."
        ) from error


def _require_free(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("0.0.0.0", port))  # noqa: S104  as the web process will
        except PermissionError as error:
            raise stop(
                f"Port {port} is for the administrator: choose one from 1024 up with --port N."
            ) from error
        except OSError as error:
            raise stop(
                f"Port {port} is taken by another program: end that, or choose another port with --port N."
            ) from error


def _require_redis(settings: Settings) -> None:
    try:
        reach(settings).close()
    except Unreachable as error:
        raise stop(error.sentence) from error


@contextlib.contextmanager
def _alone_in(data: Path) -> Iterator[None]:
    with (data / "lock").open("ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise stop(
                f"Tallybones already runs on {_shown(data)}: end that one, or choose another with --data DIR."
            ) from error
        yield


def _shown(path: Path) -> str:
    """Write a path as briefly as it can be typed here."""
    with contextlib.suppress(ValueError):
        return str(path.relative_to(Path.cwd()))
    return str(path)
