"""A report counted again, roll by roll, from the lines of `tallybones export` read as JSON.

Nothing of the product is used here: what a figure means is written down once more, as docs/reports.md has it.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from fractions import Fraction
from itertools import groupby
from math import sqrt
from statistics import fmean, pstdev
from typing import Any

from scipy.stats import chi2, norm

Roll = dict[str, Any]

REACH = norm.ppf(0.975)
LEAST_SAMPLE, LEAST_SPREAD, LEAST_PER_FACE, MOST_FACES, MOMENTS = 30, 2, 5, 100, 5

KEYS: dict[str, Callable[[Roll], str]] = {
    "players": lambda roll: roll["user"],
    "characters": lambda roll: f"id:{roll['actor']['id']}" if roll["actor"] else "none",
    "skills": lambda roll: skill_of(roll),
    "actions": lambda roll: roll["action"],
    "sessions": lambda roll: roll["session"],
}
"""By what each table tells rolls apart."""


class Exported:
    """A campaign as its export tells it: sessions and rolls, oldest first."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        read = [json.loads(line) for line in lines]
        assert "end" in read[-1], "the export is not whole"
        self.sessions: list[dict[str, Any]] = [line["session"] for line in read if "session" in line]
        self.rolls: list[Roll] = [line["roll"] for line in read if line.get("roll")]

    def shown_to(self, reader: str) -> list[Roll]:
        """The rolls that a report for `reader` may be about: "gm", "table" (published), or a player's own."""
        return [roll for roll in self.rolls if roll.get("outcome") and _counts_for(roll, reader)]

    def name_of(self, session: str, among: set[str]) -> str:
        """What a session is called among others: with its time where they share its day."""
        titles_and_days = {
            each["id"]: (each["title"], datetime.fromtimestamp(each["started_at"] / 1000, UTC))
            for each in self.sessions
            if each["id"] in among
        }
        title, day = titles_and_days[session]
        alike = sum((title, day.date()) == (other, on.date()) for other, on in titles_and_days.values())
        time = f", {day:%H:%M} UTC" if alike > 1 else ""
        return f"{title}, {day:%-d %b}{time}" if title else f"{day:%-d %b %Y}{time}"


def _counts_for(roll: Roll, reader: str) -> bool:
    if reader == "table":
        return bool(roll["visibility"] == "public")
    if reader == "gm":
        return bool(roll["visibility"] != "self" or roll["user"] == "gm")
    return bool(roll["user"] == reader and roll["visibility"] != "blind")


def skill_of(roll: Roll) -> str:
    return " ".join((roll["label"] or roll["title"]).casefold().split())


def chance(roll: Roll) -> Fraction:
    return Fraction(roll["odds"]["success"])


def result(roll: Roll) -> str | None:
    """Success or failure or tie, None where it was certain."""
    if not 0 < chance(roll) < 1:
        return None
    if roll["outcome"] == "tie":
        return "tie"
    return "success" if roll["success"] else "failure"


def luck(rolls: list[Roll]) -> dict[str, Any] | None:
    chances = [chance(roll) for roll in rolls]
    expected, variance = sum(chances), sum(p * (1 - p) for p in chances)
    if not variance:
        return None
    spread = sqrt(variance)
    z = float(_won(rolls) - expected) / spread
    in_doubt = sum(0 < p < 1 for p in chances)
    low, high = expected - REACH * spread, expected + REACH * spread
    verdict = "within" if abs(z) < REACH else "above" if z > 0 else "below"
    return {
        "z": z,
        "interval": [z - REACH, z + REACH],
        "rests_on": in_doubt,
        "usual_rate": [max(0, low) / len(rolls), min(len(rolls), high) / len(rolls)],
        "verdict": verdict if in_doubt >= LEAST_SAMPLE and spread >= LEAST_SPREAD else None,
    }


def _won(rolls: list[Roll]) -> int:
    return sum(roll["success"] is True for roll in rolls)


def row(rolls: list[Roll]) -> dict[str, Any]:
    """What a row says of these rolls, runs aside."""
    chances = [chance(roll) for roll in rolls]
    outcomes = Counter(roll["outcome"] for roll in rolls)

    def expected_of(outcome: str) -> float:
        return float(sum(Fraction(roll["odds"]["outcomes"].get(outcome, 0)) for roll in rolls))

    return {
        "rolls": len(rolls),
        "successes": _won(rolls),
        "rate": _won(rolls) / len(rolls),
        "expected_rate": float(sum(chances) / len(rolls)),
        "expected": sum(chances),
        "variance": sum(p * (1 - p) for p in chances),
        "luck": luck(rolls),
        "criticals": {
            "successes": outcomes["critical-success"],
            "failures": outcomes["critical-failure"],
            "expected_successes": expected_of("critical-success"),
            "expected_failures": expected_of("critical-failure"),
        },
        "margins": margins(rolls),
    }


def margins(rolls: list[Roll]) -> dict[str, Any] | None:
    known = [roll for roll in rolls if roll["margin"] is not None]
    if not known:
        return None
    decided = [roll for roll in known if roll["outcome"] != "tie"]
    won = [roll["margin"] for roll in decided if roll["success"]]
    lost = [roll["margin"] for roll in decided if not roll["success"]]
    every = [roll["margin"] for roll in known]
    return {
        "rolls": len(known),
        "mean": fmean(every),
        "spread": pstdev(every),
        "on_success": fmean(won) if won else None,
        "on_failure": fmean(lost) if lost else None,
    }


def streaks(rolls: list[Roll]) -> dict[str, int]:
    """The most successes and failures in a row of one user's rolls in doubt; the longest of several users."""
    longest = {"success": 0, "failure": 0, "tie": 0}
    for user in {roll["user"] for roll in rolls}:
        results = [result(roll) for roll in rolls if roll["user"] == user]
        for each, run in groupby(found for found in results if found):
            longest[each] = max(longest[each], len(list(run)))
    return {"successes": longest["success"], "failures": longest["failure"]}


def table(name: str, rolls: list[Roll]) -> dict[str, dict[str, Any]]:
    """The rows of a table by their keys."""
    groups: dict[str, list[Roll]] = {}
    for roll in rolls:
        groups.setdefault(KEYS[name](roll), []).append(roll)
    has_runs = name in ("players", "characters")
    return {
        key: row(group) | {"streaks": streaks(group) if has_runs else None} for key, group in groups.items()
    }


def so_far(rolls: list[Roll]) -> list[dict[str, Any]]:
    """After each session, what all rolls up to then had come to."""
    told = []
    for session in dict.fromkeys(roll["session"] for roll in rolls):
        last = max(place for place, roll in enumerate(rolls) if roll["session"] == session)
        every = row(rolls[: last + 1])
        told.append({"key": session} | {n: every[n] for n in ("rolls", "rate", "expected_rate", "luck")})
    return told


def dice(rolls: list[Roll]) -> list[dict[str, Any]]:
    """How the faces of each size of die fell, with Pearson's test."""
    fallen: dict[int, dict[str, Counter[int]]] = {}
    for roll in rolls:
        for die in roll["dice"]:
            if die["faces"] <= MOST_FACES:
                fallen.setdefault(die["faces"], {}).setdefault(die["role"], Counter())[die["value"]] += 1
    told = []
    for faces, roles in sorted(fallen.items()):
        counts = [sum(fell[face] for fell in roles.values()) for face in range(1, faces + 1)]
        fair = sum(counts) / faces
        tested = faces > 1 and fair >= LEAST_PER_FACE
        chi_square = sum((count - fair) ** 2 / fair for count in counts) if tested else None
        told.append(
            {
                "faces": faces,
                "thrown": sum(counts),
                "counts": counts,
                "roles": {role: [fell[face] for face in range(1, faces + 1)] for role, fell in roles.items()},
                "chi_square": chi_square,
                "degrees": faces - 1,
                "p": float(chi2.sf(chi_square, faces - 1)) if tested else None,
            }
        )
    return told


def moments(rolls: list[Roll], wanted: str) -> list[Fraction]:
    """The chances of the five least likely successes, or of the failures that were least likely."""
    fell = [roll for roll in rolls if result(roll) == wanted]
    return sorted(chance(roll) if wanted == "success" else 1 - chance(roll) for roll in fell)[:MOMENTS]
