"""Commitments: what a session publishes at its start, so that its dice can be checked after its end."""

from __future__ import annotations

import hashlib
import secrets

SEED_BYTES = 32


def new_seed() -> bytes:
    """Return a fresh random seed of 32 bytes."""
    return secrets.token_bytes(SEED_BYTES)


def commitment(session: str, seed: bytes) -> str:
    """Return the hex SHA-256 of "v1|SESSION|" and the seed; it binds the seed without showing it."""
    return hashlib.sha256(f"v1|{session}|".encode() + seed).hexdigest()


def keeps(session: str, seed: bytes, published: str) -> bool:
    """Tell whether a revealed seed is the one that the session committed to."""
    return commitment(session, seed) == published
