"""The Lua scripts in scripts/, sent by their hash; redis-py sends the text where the server lacks it."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import orjson
from redis import Redis

from service.store.ids import new_id
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
ONCE = frozenset(
    {
        "await",
        "end",
        "erase_campaign",
        "erase_roll",
        "erase_session",
        "forget",
        "pack",
        "report",
        "requeue",
        "restore",
        "send",
        "token",
    }
)
"""Scripts that would do or answer something else when they are run again after a lost answer: see once.lua.

The others see to it themselves, or only read.
"""


@cache
def text_of(name: str) -> str:
    """Return a script with the functions that it uses before it."""
    folder = files("service.store") / "scripts"
    names = (*SHARED[name], "once", name) if name in ONCE else (*SHARED[name], name)
    parts = [(folder / f"{part}.lua").read_text() for part in names]
    if name in ONCE:
        parts[-1] = f"return once(function()\n{parts[-1]}\nend)"
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
        """Run a script; a mapping or list among the arguments goes as JSON.

        Where the connection breaks, redis-py runs it again: each does its work once, and answers the same.
        """
        sent = [orjson.dumps(arg) if isinstance(arg, dict | list) else arg for arg in args]
        if name in ONCE:
            sent.append(new_id())
        return self._scripts[name](keys=list(keys), args=sent)
