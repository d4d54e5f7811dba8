"""Which version this is."""

import tomllib
from functools import cache
from importlib.metadata import version as installed_version
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


@cache
def version() -> str:
    """Return the version: the checkout's own where this is one, else the installed package's."""
    if PROJECT.exists():
        return str(tomllib.loads(PROJECT.read_text())["project"]["version"])
    return installed_version("tallybones")
