"""Reading files of JSON that somebody else wrote: a value a line, with limits; a line that fails is named."""

from collections.abc import Iterator
from typing import Any, BinaryIO

from service.bodies import parse_json
from service.problems import Problem

LONGEST_LINE = 1024 * 1024
"""Bytes of a line; a roll takes about 2,000."""
DEEPEST = 24
"""Levels of nesting; a roll has about 5."""
_COMPRESSED = (b"\x1f\x8b", b"PK\x03\x04", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")


class BadLine(Exception):
    """A line cannot be taken: its number from 1, and a sentence that says why."""

    def __init__(self, line: int, sentence: str) -> None:
        super().__init__(f"line {line}: {sentence}")
        self.line, self.sentence = line, sentence


def read_lines(file: BinaryIO, longest: int = LONGEST_LINE) -> Iterator[tuple[int, Any]]:
    """Yield (number, value) of each line that is not empty, of at most `longest` bytes; raise BadLine."""
    number = 0
    while line := file.readline(longest + 1):
        number += 1
        if number == 1 and line.startswith(_COMPRESSED):
            raise BadLine(1, "This file is compressed; unpack it first.")
        if len(line) > longest:
            raise BadLine(number, f"A line has at most {longest} bytes.")
        if line.strip():
            yield number, parse_line(number, line)


def parse_line(number: int, line: bytes) -> Any:
    """Return the value of a line; raise BadLine."""
    try:
        value = parse_json(line)
    except Problem as problem:
        raise BadLine(number, problem.detail) from problem
    if not shallow(value):
        raise BadLine(number, f"It is nested more than {DEEPEST} levels deep.")
    return value


def shallow(value: Any) -> bool:
    """Say whether a value is nested no more than DEEPEST levels deep."""
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return True
    return False
