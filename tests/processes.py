"""Watching real processes. One that has ended counts as ended, also while nobody has reaped it."""

import socket
import time
from collections.abc import Callable, Iterable

import psutil


def any_port() -> int:
    """Return a port of this machine that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def eventually(true: Callable[[], bool], seconds: float = 10) -> bool:
    """Wait until it is true; say whether it became so in time."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def alive(process: psutil.Process) -> bool:
    """Say whether the process still runs."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def family(pid: int) -> list[psutil.Process]:
    """Return the process and all that descends from it."""
    parent = psutil.Process(pid)
    return [parent, *parent.children(recursive=True)]


def left_running(processes: Iterable[psutil.Process], seconds: float = 25) -> list[str]:
    """Give the processes time to end; return what still runs then."""
    watched = list(processes)
    eventually(lambda: not any(alive(one) for one in watched), seconds)
    return [" ".join(one.cmdline()) for one in watched if alive(one)]
