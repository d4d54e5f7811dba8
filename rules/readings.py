"""How a hand of dice is read, and how often each reading comes up.

A reading folds the dice one by one into a state. Throwing folds the faces that fell; the exact
distribution folds all six faces of every die and counts the ways. One definition makes both, so that a
roll and its odds cannot disagree.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any


class Reading(ABC):
    """A way to read a hand of dice as one integer."""

    start: Any = 0

    @abstractmethod
    def add(self, state: Any, face: int) -> Any:
        """Return the state after one more die showed `face`."""

    def finish(self, state: Any) -> int:
        """Return what the dice come to."""
        return int(state)

    @abstractmethod
    def counted(self, faces: Sequence[int]) -> list[tuple[bool, int]]:
        """Return for each die whether it was kept and what it contributed."""

    def read(self, faces: Sequence[int]) -> int:
        """Return what these faces come to."""
        state = self.start
        for face in faces:
            state = self.add(state, face)
        return self.finish(state)


@dataclass(frozen=True)
class Successes(Reading):
    """Each die that shows `at_least` or more counts one."""

    at_least: int

    def add(self, state: int, face: int) -> int:
        return state + (face >= self.at_least)

    def counted(self, faces: Sequence[int]) -> list[tuple[bool, int]]:
        return [(True, int(face >= self.at_least)) for face in faces]


@dataclass(frozen=True)
class Total(Reading):
    """The sum of all dice."""

    def add(self, state: int, face: int) -> int:
        return state + face

    def counted(self, faces: Sequence[int]) -> list[tuple[bool, int]]:
        return [(True, face) for face in faces]


@dataclass(frozen=True)
class BestTwo(Reading):
    """The sum of the two highest dice, or of the two lowest."""

    highest: bool
    start = ()

    def add(self, state: tuple[int, ...], face: int) -> tuple[int, ...]:
        return tuple(sorted((*state, face), reverse=self.highest)[:2])

    def finish(self, state: tuple[int, ...]) -> int:
        return sum(state)

    def counted(self, faces: Sequence[int]) -> list[tuple[bool, int]]:
        places = sorted(range(len(faces)), key=lambda place: faces[place], reverse=self.highest)[:2]
        return [(place in places, face if place in places else 0) for place, face in enumerate(faces)]


@lru_cache(maxsize=2048)
def _states(reading: Reading, dice: int, faces: int) -> dict[Any, int]:
    if dice == 0:
        return {reading.start: 1}
    ways: dict[Any, int] = {}
    for state, count in _states(reading, dice - 1, faces).items():
        for face in range(1, faces + 1):
            after = reading.add(state, face)
            ways[after] = ways.get(after, 0) + count
    return ways


@lru_cache(maxsize=2048)
def distribution(reading: Reading, dice: int, faces: int = 6) -> tuple[tuple[int, int], ...]:
    """Return (value, ways) for each value that `dice` dice can come to; the ways add up to faces**dice."""
    ways: dict[int, int] = {}
    for state, count in _states(reading, dice, faces).items():
        value = reading.finish(state)
        ways[value] = ways.get(value, 0) + count
    return tuple(sorted(ways.items()))
