"""Identifiers: random, short, and safe in an address, a key and an RQ job id."""

import base64
import secrets
import time

ID_LENGTH = 10


def new_id() -> str:
    """Return 10 random characters of lowercase base32 (50 bits)."""
    return base64.b32encode(secrets.token_bytes(7))[:ID_LENGTH].decode().lower()


def now_ms() -> int:
    """Return the time in ms since the epoch."""
    return time.time_ns() // 1_000_000


def event_id(ms: int | str) -> str:
    """Return the stream id of the event that was written at that ms."""
    return f"{ms}-0"


def event_ms(event: str) -> int:
    """Return the ms of a stream id; raise ValueError for what is none."""
    return int(event.partition("-")[0])
