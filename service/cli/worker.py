"""`tallybones worker`: the RQ side, one process a queue."""

import importlib
import logging
import os
import sys

import click

from service import logs
from service.cli import settings_or_stop, stop
from service.embedded import url_of
from service.supervise import Program, Supervisor
from service.workers import QUEUES

log = logging.getLogger(__name__)


@click.command()
@click.argument("queue", type=click.Choice([*QUEUES, "all"]), default="all")
def command(queue: str) -> None:
    """Work off one queue, or (the default) all of them in one process each."""
    settings = settings_or_stop()
    if settings.redis_url is None:
        url = url_of(settings.data)
        if url is None:
            raise stop("No Redis is set up: set REDIS_URL, or start everything with `tallybones up`.")
        os.environ["REDIS_URL"] = url
    if queue != "all":
        # By dotted path, as for jobs: the service does not import the worker.
        importlib.import_module("worker.worker").run(queue)
        return
    logs.set_up(settings)
    with Supervisor(say=lambda line: log.warning("%s", line), patience=25) as supervisor:
        for name in QUEUES:
            supervisor.start(Program(name, (sys.executable, "-m", "service.cli", "worker", name)))
        supervisor.run()
