"""The headers of a click: its Idempotency-Key, and how long it would like to wait for the roll."""

import re

from flask import Request

from service.problems import IDEMPOTENCY_KEY, Problem

LONGEST_WAIT = 10
"""Seconds."""

_KEY = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_WAIT = re.compile(r"""wait\s*=\s*("?)(\d{1,9})\1""", re.ASCII | re.IGNORECASE)

KEY_HEADER = {
    "in": "header",
    "name": "Idempotency-Key",
    "required": True,
    "description": "New for each click, the same when the same click is sent again. It fixes the dice.",
    "schema": {"type": "string", "pattern": f"^{_KEY.pattern}$"},
}
PREFER_HEADER = {
    "in": "header",
    "name": "Prefer",
    "description": f"`wait=N`: wait up to N seconds, at most {LONGEST_WAIT}, for the roll to be resolved.",
    "schema": {"type": "string"},
}


def idempotency_key(request: Request) -> str:
    """Return the key of the request, else raise the 400."""
    key = request.headers.get("Idempotency-Key", "").strip()
    if not _KEY.fullmatch(key):
        raise Problem(IDEMPOTENCY_KEY)
    return key


def preferred_wait(request: Request) -> int | None:
    """Return for how many seconds the request would wait, at most 10; None where it does not say."""
    for preference in ",".join(request.headers.getlist("Prefer")).split(","):
        asked = _WAIT.fullmatch(preference.partition(";")[0].strip())
        if asked:
            return min(int(asked[2]), LONGEST_WAIT)
    return None
