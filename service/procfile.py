"""The Procfile: the one place that says how each process is started."""

import re
from pathlib import Path

from service.settings import CHECKOUT

PROCFILE = CHECKOUT / "Procfile"
LINE = re.compile(r"([A-Za-z0-9_-]+):\s*(\S.*)")


def read(path: Path = PROCFILE) -> dict[str, str]:
    """Return the command line of each process type. Raises FileNotFoundError."""
    lines = path.read_text().splitlines()
    return {match[1]: match[2] for match in map(LINE.fullmatch, lines) if match}


def command(line: str) -> tuple[str, ...]:
    """Return the argument list that runs one line as a PaaS does: by a shell, which the process replaces."""
    return ("/bin/sh", "-c", f"exec {line}")
