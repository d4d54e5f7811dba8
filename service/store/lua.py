"""The Lua scripts in scripts/, sent by their hash; redis-py sends the text where the server lacks it."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import orjson
from redis import Redis

from service.store.jobs import delivery_template, roll_template

DELIVERIES = ("job", "deliveries")
LEDGER = (*DELIVERIES, "ledger", "tallies")
SHARED = {
    "accept": (*LEDGER, "session", "pending"),
    "answer": (*LEDGER, "pending"),
    "await": (*LEDGER, "session"),
    "commit": (*LEDGER, "committing"),
    "turn": (*LEDGER, "committing"),
    "start": (*LEDGER, "session"),
    "end": (*LEDGER, "session"),
    "roll": LEDGER,
    "send": DELIVERIES,
    "take": (),
    "leave": DELIVERIES,
    "attempted": (*LEDGER, "forgetting"),
    "forget": (),
    "retally": ("tallies", "deleted"),
    "tallied": (),
    "report": LEDGER,
    "pack": ("deleted",),
    "erase_roll": ("forgetting",),
    "restore": (*LEDGER, "session", "erasing"),
    "erase_session": ("erasing", "forgetting"),
    "erase_campaign": ("erasing",),
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
    parts = [(folder / f"{part}.lua").read_text() for part in (*SHARED[name], name)]
    if "deliveries" in SHARED[name]:
        parts.insert(0, f"local DELIVERY_JOB = [==[{orjson.dumps(delivery_template()).decode()}]==]")
    if name == "turn":
        parts.insert(0, f"local ROLL_JOB = [==[{orjson.dumps(roll_template()).decode()}]==]")
    return "\n".join(parts)


class Scripts:
    """The scripts on one server; each runs in one round trip and as one transaction."""

    def __init__(self, redis: Redis) -> None:
        self._scripts = {name: redis.register_script(text_of(name)) for name in SHARED}

    def run(self, name: str, keys: Sequence[str] = (), args: Sequence[Any] = ()) -> Any:
        """Run a script; a mapping or list among the arguments goes as JSON."""
        sent = [orjson.dumps(arg) if isinstance(arg, dict | list) else arg for arg in args]
        return self._scripts[name](keys=list(keys), args=sent)
