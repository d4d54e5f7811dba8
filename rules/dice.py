"""Where dice come from: always an argument, never a global."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from typing import Protocol

WORDS = 2**32
"""How many 32-bit words there are."""


class DiceSource(Protocol):
    """Anything that can throw a die."""

    def throw(self, faces: int) -> int:
        """Return a value from 1 to `faces`."""


class OutOfDice(Exception):
    """A fixed source was asked for more dice than it holds."""

    def __init__(self, held: int) -> None:
        super().__init__(f"all {held} fixed dice are used up")
        self.held = held


class FixedDice:
    """Dice that show the given values in order; for tests and for judging dice thrown elsewhere."""

    def __init__(self, values: Iterable[int]) -> None:
        self._values = list(values)
        self._next = 0

    def throw(self, faces: int) -> int:
        """Return the next value; raise OutOfDice after the last, ValueError for one that the die has not."""
        if self._next == len(self._values):
            raise OutOfDice(len(self._values))
        value = self._values[self._next]
        if not 1 <= value <= faces:
            raise ValueError(f"a die of {faces} faces cannot show {value}")
        self._next += 1
        return value


class SeededDice:
    """The verifiable dice of one roll: a function of the session's seed, the roll's number and its nonce.

    The digests HMAC-SHA256(seed, "v1|SESSION|SEQ|NONCE|COUNTER"), COUNTER from 0, are read as eight
    big-endian 32-bit words each. A word counts when it is below the largest multiple of `faces` that fits
    into 32 bits (so that no face is favoured), and shows word mod faces + 1.
    """

    def __init__(self, seed: bytes, session: str, seq: int, nonce: str) -> None:
        self._key = hmac.new(seed, digestmod=hashlib.sha256)
        self._prefix = f"v1|{session}|{seq}|{nonce}|"
        self._counter = 0
        self._words: list[int] = []

    def throw(self, faces: int) -> int:
        """Return the next die, 1 to `faces`; raise ValueError unless faces are 1 to 2**32."""
        if not 1 <= faces <= WORDS:
            raise ValueError(f"a die has 1 to {WORDS} faces, not {faces}")
        limit = WORDS // faces * faces
        while True:
            word = self._word()
            if word < limit:
                return word % faces + 1

    def _word(self) -> int:
        if not self._words:
            digest = self._key.copy()
            digest.update(f"{self._prefix}{self._counter}".encode())
            block = digest.digest()
            self._words = [int.from_bytes(block[place : place + 4], "big") for place in range(28, -4, -4)]
            self._counter += 1
        return self._words.pop()
