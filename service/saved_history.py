"""Sessions and rolls in a file that somebody saved, to be checked: an export, or answers of the API.

It may hold one JSON value (a page of history, a session, or an object of both) or one a line (a history asked
for as NDJSON, an export); whatever is a session or a roll is taken.
"""

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from rules.findings import Checked, Fault
from rules.judging import judge
from rules.published import Evening, NotAsPublished, Thrown, read_roll, read_session
from rules.verifying import check
from service.ndjson import BadLine, parse_line, read_lines

LARGEST = 256 * 1024 * 1024
"""Bytes of a file that is one JSON value."""


class SavedHistory:
    """What was found so far in one file or several."""

    def __init__(self) -> None:
        self._evenings: dict[str, Evening] = {}
        self._rolls: dict[str, list[Thrown]] = {}
        self._two_commitments: set[str] = set()
        self._ruleset: str | None = None

    def read(self, file: BinaryIO) -> str | None:
        """Take what is in a file that can be read twice; raise BadLine.

        Return None, or a sentence where the file is an export that is not whole.
        """
        export = WholeExport()
        try:
            for number, value in read_lines(file):
                export.look_at(value)
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
        return export.trouble()

    def check(self) -> list[Checked]:
        """Check each session with its rolls; rolls whose session is not there are of another one."""
        strays = [
            roll for session, rolls in self._rolls.items() if session not in self._evenings for roll in rolls
        ]
        return [
            self._checked(evening, [*self._rolls.get(session, ()), *strays])
            for session, evening in self._evenings.items()
        ]

    def _checked(self, evening: Evening, rolls: list[Thrown]) -> Checked:
        checked = check(evening, rolls)
        if evening.id in self._two_commitments:
            says = f"Session {evening.id} is there more than once, with different commitments."
            checked.find(Fault.OTHER_COMMITMENT, None, says)
        judge(checked, evening, rolls, self._ruleset)
        return checked

    def _take(self, number: int, value: Any) -> None:
        try:
            for found in _sessions_and_rolls(value):
                if "started_at" in found:
                    self._take_session(read_session(found))
                else:
                    roll = read_roll(found)
                    self._rolls.setdefault(roll.session, []).append(roll)
        except NotAsPublished as error:
            raise BadLine(number, f"{error}.") from error
        campaign = value.get("campaign") if isinstance(value, dict) else None
        if isinstance(campaign, dict) and isinstance(campaign.get("ruleset"), str):
            self._ruleset = campaign["ruleset"]

    def _take_session(self, evening: Evening) -> None:
        """Keep a session; of several answers, as from before and after its end, the one that says most."""
        known = self._evenings.get(evening.id, evening)
        if known.commitment != evening.commitment:
            self._two_commitments.add(evening.id)
        self._evenings[evening.id] = max((evening, known), key=_says)


class WholeExport:
    """Whether an export is there to its end, with as many sessions and rolls as that counts."""

    def __init__(self) -> None:
        self._begun = False
        self._end: dict[str, Any] | None = None
        self._sessions = self._rolls = 0

    def look_at(self, value: Any) -> None:
        """Take notice of a line."""
        if not isinstance(value, dict):
            return
        self._begun = self._begun or "tallybones" in value
        self._sessions += isinstance(value.get("session"), dict)
        self._rolls += isinstance(value.get("roll"), dict)
        if isinstance(value.get("end"), dict):
            self._end = value["end"]

    def trouble(self) -> str | None:
        """Return a sentence where the file begins as an export and is not whole."""
        if not self._begun:
            return None
        if self._end is None:
            return "It is not whole: its end is missing. Export again."
        sessions, rolls = self._end.get("sessions"), self._end.get("rolls")
        if (sessions, rolls) == (self._sessions, self._rolls):
            return None
        return (
            f"Sessions or rolls were taken out or put in: its end counts {sessions} and {rolls}, "
            f"here are {self._sessions} and {self._rolls}."
        )


def _says(evening: Evening) -> tuple[bool, ...]:
    return evening.seed is not None, evening.hidden_commitment is not None, evening.hidden_seed is not None


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
