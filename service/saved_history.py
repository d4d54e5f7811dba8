"""Sessions and rolls in a file that somebody saved, to be checked: an export, or answers of the API.

It may hold one JSON value (a page of history, a session, or an object of both) or one a line (a history asked
for as NDJSON, an export); whatever is a session or a roll is taken.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, BinaryIO

from rules.findings import Checked, Fault
from rules.judging import judge
from rules.published import Chain, Evening, NotAsPublished, Thrown, read_roll, read_session
from rules.verifying import check
from service.ndjson import BadLine, parse_line, read_lines

LARGEST = 256 * 1024 * 1024
"""Bytes of a file that is one JSON value."""
LONGEST_LINE = 32 * 1024 * 1024
"""Bytes of a line; a page of history is one, with 200 cards."""
BLANK = 4096
"""Bytes in which the first value has to start."""


class SavedHistory:
    """What was found so far in one file or several."""

    def __init__(self) -> None:
        self._evenings: dict[str, Evening] = {}
        self._rolls: dict[str, dict[str, list[Thrown]]] = {}
        self._two_commitments: set[str] = set()
        self._rulesets: dict[str, str] = {}

    def read(self, file: BinaryIO) -> list[str]:
        """Take what is in a file that can be read twice; raise BadLine.

        Return a sentence for each export in it that is not whole.
        """
        exports, ruleset = WholeExports(), None
        start, before = _first_byte(file)
        file.seek(start)
        try:
            for number, value in read_lines(file, LONGEST_LINE):
                exports.look_at(value)
                ruleset = _ruleset(value) or ruleset
                self._take(before + number, value, ruleset)
        except BadLine as error:
            # One value over several lines begins with a line that is none.
            file.seek(start)
            whole = file.read(LARGEST + 1)
            one_value = whole.startswith((b"{", b"[")) and b"\n" in whole.strip() and len(whole) <= LARGEST
            if error.line != 1 or isinstance(error.__cause__, NotAsPublished) or not one_value:
                raise
            self._take(1, parse_line(1, whole), None)
        return exports.troubles()

    def check(self) -> list[Checked]:
        """Check each session with its rolls; rolls whose session is not there are of another one."""
        strays = [roll for session in self._rolls.keys() - self._evenings for roll in self._rolls_of(session)]
        return [
            self._checked(evening, [*self._rolls_of(session), *strays])
            for session, evening in self._evenings.items()
        ]

    def _checked(self, evening: Evening, rolls: list[Thrown]) -> Checked:
        checked = check(evening, rolls)
        if evening.id in self._two_commitments:
            says = f"Session {evening.id} is there more than once, with different commitments."
            checked.find(Fault.OTHER_COMMITMENT, None, says)
        judge(checked, evening, rolls, self._rulesets.get(evening.id))
        return checked

    def _rolls_of(self, session: str) -> Iterator[Thrown]:
        for several in self._rolls.get(session, {}).values():
            yield from several

    def _take(self, number: int, value: Any, ruleset: str | None) -> None:
        try:
            for found in _sessions_and_rolls(value):
                if "started_at" in found:
                    evening = read_session(found)
                    self._take_session(evening)
                    if ruleset is not None:
                        self._rulesets[evening.id] = ruleset
                else:
                    self._take_roll(read_roll(found))
        except NotAsPublished as error:
            raise BadLine(number, f"{error}.") from error

    def _take_session(self, evening: Evening) -> None:
        """Keep a session; of several answers, as from before and after its end, the one that says most."""
        known = self._evenings.get(evening.id, evening)
        if known.commitment != evening.commitment:
            self._two_commitments.add(evening.id)
        self._evenings[evening.id] = max((evening, known), key=_says)

    def _take_roll(self, roll: Thrown) -> None:
        """Keep a roll; a copy that says the same, or less, is none more: others are shown less of it."""
        several = self._rolls.setdefault(roll.session, {}).setdefault(roll.id, [])
        for place, known in enumerate(several):
            if _copies(known, roll):
                several[place] = max(
                    (known, roll), key=lambda each: (each.nonce is not None, each.seq is not None)
                )
                return
        several.append(roll)


class WholeExports:
    """Whether each export in a file is there to its end, with as many sessions and rolls as that counts."""

    def __init__(self) -> None:
        self._troubles: list[str] = []
        self._begun = False
        self._sessions = self._rolls = 0

    def look_at(self, value: Any) -> None:
        """Take notice of a line."""
        if not isinstance(value, dict):
            return
        if "tallybones" in value:
            self._end(None)
            self._begun, self._sessions, self._rolls = True, 0, 0
        self._sessions += isinstance(value.get("session"), dict)
        self._rolls += isinstance(value.get("roll"), dict)
        if isinstance(value.get("end"), dict):
            self._end(value["end"])

    def troubles(self) -> list[str]:
        """Return a sentence for each that is not whole."""
        self._end(None)
        return self._troubles

    def _end(self, end: Mapping[str, Any] | None) -> None:
        if not self._begun:
            return
        self._begun = False
        if end is None:
            self._troubles.append("It is not whole: its end is missing. Export again.")
        elif (end.get("sessions"), end.get("rolls")) != (self._sessions, self._rolls):
            self._troubles.append(
                f"Sessions or rolls were taken out or put in: its end counts {end.get('sessions')} and "
                f"{end.get('rolls')}, here are {self._sessions} and {self._rolls}."
            )


def _first_byte(file: BinaryIO) -> tuple[int, int]:
    """Return where the first value starts, after a byte order mark and blank lines, and how many lines."""
    head = file.read(BLANK)
    start = len(head) - len(head.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n"))
    return start, head[:start].count(b"\n")


def _ruleset(value: Any) -> str | None:
    """Return the rule set that an export's line of a campaign names."""
    campaign = value.get("campaign") if isinstance(value, dict) else None
    ruleset = campaign.get("ruleset") if isinstance(campaign, dict) else None
    return ruleset if isinstance(ruleset, str) else None


def _copies(one: Thrown, other: Thrown) -> bool:
    """Say whether two are one roll as different people are shown it: without its number, or its dice."""
    if one.nonce is None or other.nonce is None:
        return one.chain is other.chain is Chain.HIDDEN
    withheld = one.seq is None or other.seq is None
    return one == other or (withheld and replace(one, seq=None) == replace(other, seq=None))


def _says(evening: Evening) -> tuple[int, ...]:
    return (
        evening.seed is not None,
        evening.hidden_commitment is not None,
        evening.hidden_seed is not None,
        evening.last_seq or 0,
        -len(evening.unresolved) - len(evening.hidden_unresolved),
    )


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
