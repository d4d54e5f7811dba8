"""Sessions and rolls in a file that somebody saved, to be checked: an export, or answers of the API.

It may hold one JSON value (a page of history, a session, or an object of both) or one a line (a history asked
for as NDJSON, an export); whatever is a session or a roll is taken.
"""

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from rules.judging import judge
from rules.published import Evening, NotAsPublished, Thrown, read_roll, read_session
from rules.verifying import Checked, check
from service.ndjson import BadLine, parse_line, read_lines

LARGEST = 256 * 1024 * 1024
"""Bytes of a file that is one JSON value."""


class SavedHistory:
    """What was found so far in one file or several."""

    def __init__(self) -> None:
        self._evenings: dict[str, Evening] = {}
        self._rolls: dict[str, list[Thrown]] = {}

    def read(self, file: BinaryIO) -> None:
        """Take what is in a file that can be read twice; raise BadLine."""
        try:
            for number, value in read_lines(file):
                self._take(number, value)
        except BadLine as error:
            # One value over several lines begins with a line that is none.
            file.seek(0)
            start = file.read(1)
            if error.line != 1 or start not in (b"{", b"["):
                raise
            whole = start + file.read(LARGEST)
            if b"\n" not in whole.strip() or len(whole) > LARGEST:
                raise
            self._take(1, parse_line(1, whole))

    def check(self) -> list[Checked]:
        """Check each session with its rolls; rolls whose session is not there are of another one."""
        strays = [
            roll for session, rolls in self._rolls.items() if session not in self._evenings for roll in rolls
        ]
        return [
            _checked(evening, [*self._rolls.get(session, ()), *strays])
            for session, evening in self._evenings.items()
        ]

    def _take(self, number: int, value: Any) -> None:
        try:
            for found in _sessions_and_rolls(value):
                if "started_at" in found:
                    evening = read_session(found)
                    self._evenings[evening.id] = evening
                else:
                    roll = read_roll(found)
                    self._rolls.setdefault(roll.session, []).append(roll)
        except NotAsPublished as error:
            raise BadLine(number, f"{error}.") from error


def _checked(evening: Evening, rolls: list[Thrown]) -> Checked:
    checked = check(evening, rolls)
    judge(checked, evening, rolls)
    return checked


def _sessions_and_rolls(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the sessions and resolved rolls in a value, whatever they are wrapped in."""
    if isinstance(value, list):
        for each in value:
            yield from _sessions_and_rolls(each)
    elif isinstance(value, dict):
        if "commitment" in value and "started_at" in value:
            yield value
        elif "session" in value and "visibility" in value:
            if value.get("status") == "resolved":
                yield value
        else:
            for wrapped in ("session", "sessions", "roll", "rolls"):
                yield from _sessions_and_rolls(value.get(wrapped))
