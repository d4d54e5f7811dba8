"""The Lua scripts in scripts/, sent by their hash; redis-py sends the text where the server lacks it."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import orjson
from redis import Redis

SHARED = {
    "accept": ("ledger", "session", "pending", "job"),
    "answer": ("ledger", "pending", "job"),
    "await": ("ledger", "session"),
    "commit": ("ledger",),
    "start": ("ledger", "session"),
    "end": ("ledger", "session"),
    "roll": ("ledger",),
    "requeue": ("job",),
    "tidy": ("job",),
    "lease": (),
    "token": (),
}
"""Each script, and the files of functions that stand before it."""


@cache
def text_of(name: str) -> str:
    """Return a script with the functions that it uses before it."""
    folder = files("service.store") / "scripts"
    return "\n".join((folder / f"{part}.lua").read_text() for part in (*SHARED[name], name))


class Scripts:
    """The scripts on one server; each runs in one round trip and as one transaction."""

    def __init__(self, redis: Redis) -> None:
        self._scripts = {name: redis.register_script(text_of(name)) for name in SHARED}

    def run(self, name: str, keys: Sequence[str] = (), args: Sequence[Any] = ()) -> Any:
        """Run a script; a mapping or list among the arguments goes as JSON."""
        sent = [orjson.dumps(arg) if isinstance(arg, dict | list) else arg for arg in args]
        return self._scripts[name](keys=list(keys), args=sent)
