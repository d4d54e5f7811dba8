"""What all processes take at rest: web (a master and two workers), one worker a queue, the server."""

import time

import psutil
from redis import Redis

from tests.load.ground import listens, process, server, wait_for
from tests.processes import any_port

QUEUES = ("rolls", "deliveries", "reports")


def measure() -> dict[str, float]:
    """Return the bytes of each kind of process; pages that they share count once."""
    port = any_port()
    web = ["-m", "gunicorn", "--config", "python:service.gunicorn_conf", "service.wsgi:app"]
    with server() as url, Redis.from_url(url) as redis:
        pid = int(redis.info("server")["process_id"])
        settings = {"REDIS_URL": url, "PORT": str(port), "WEB_CONCURRENCY": "2"}
        with (
            process(web, **settings) as master,
            process(["-m", "service.cli", "worker"], **settings) as workers,
        ):
            wait_for(lambda: listens(port) and redis.scard("rq:workers") == len(QUEUES))
            time.sleep(3)
            found: dict[str, float] = {"server": psutil.Process(pid).memory_full_info().pss}
            for root in (psutil.Process(master.pid), psutil.Process(workers.pid)):
                for each in (root, *root.children(recursive=True)):
                    kind = _kind(each.cmdline())
                    found[kind] = found.get(kind, 0) + each.memory_full_info().pss
    found["all"] = sum(found.values())
    return found


def _kind(command: list[str]) -> str:
    if "gunicorn" in " ".join(command):
        return "web"
    return command[-1] if command[-1] in QUEUES else "supervisor"
