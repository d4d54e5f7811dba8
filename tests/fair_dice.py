"""The dice of a roll worked out anew, from what is published about them and the standard library alone."""

import hashlib
import hmac
from collections.abc import Iterable


def dice(seed: str, session: str, seq: int, nonce: str, faces: Iterable[int]) -> list[int]:
    """Return what dice of these faces show in roll number `seq`; `seed` is hex."""
    shown, words, counter = [], [], 0
    for sides in faces:
        while True:
            if not words:
                message = f"v1|{session}|{seq}|{nonce}|{counter}".encode()
                digest = hmac.new(bytes.fromhex(seed), message, hashlib.sha256).digest()
                words = [int.from_bytes(digest[start : start + 4], "big") for start in range(0, 32, 4)]
                counter += 1
            word = words.pop(0)
            if word < (2**32 // sides) * sides:
                shown.append(word % sides + 1)
                break
    return shown


def commitment(session: str, seed: str) -> str:
    """Return what the session should have published at its start."""
    return hashlib.sha256(f"v1|{session}|".encode() + bytes.fromhex(seed)).hexdigest()
