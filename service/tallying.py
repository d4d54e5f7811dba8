"""What a roll adds to its session's tallies: worked out here, moved by the commit script.

A session's tallies are one hash. Its field names are JSON arrays, so that no name can be taken for another's;
the first member says what is kept there, and each owner (visibility and user) has fields of their own:

| field                                               | value                                           |
|-----------------------------------------------------|-------------------------------------------------|
| `t`                                                 | rolls that were settled, for completeness       |
| `["n",V,USER,ACTOR]`                                | `[USER'S NAME, ACTOR'S NAME]` as last used      |
| `["c",V,USER,ACTOR,ACTION,SKILL,OUTCOME,WON,ODDS…]` | `n m s q`: rolls; margins, their sum, of squares |
| `["d",V,USER,ACTOR,FACES,ROLE]`                     | how often each face fell: `c1 c2 … cN`          |
| `["r",SCOPE,USER]`, `["r",SCOPE,USER,ACTOR]`        | runs of successes and failures, see `Run`       |
| `["b",SCOPE,USER,ACTOR]`, `["w",…]`                 | best and worst moments: `chance id;…`           |
| `["a",V,USER]`, `["s",V,USER]`                      | actors and skills met so far, a line each       |

WON is true, false or null (nobody did); ODDS are the exact chances of success, of a critical success and of
a critical failure. V is the roll's
visibility. Runs and moments cannot be added up from parts, so they are kept once for each SCOPE: `everyone`
(public rolls), `gm` (what the GM sees) and `own` (what the roller sees). After `MOST_NAMES` actors or skills
of one owner further ones are counted together, as `OTHERS`: nobody's names take room from anybody else's.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import orjson

from rules.verdict import Outcome
from service.records import RollRecord
from service.visibility import EVERYONE, GM, THE_GM, View, Viewer, view_of

OWN = "own"
OTHERS = 0
"""Stands in a field's name for actors or skills beyond the first so many."""
MOST_NAMES = 100
MOMENTS = 5
"""How many best and worst moments are kept of each user and actor."""
MOST_FACES = 100
"""Dice with more faces are not counted face by face."""


@dataclass(frozen=True, slots=True)
class Onlooker:
    """Somebody at the table in general: sees public rolls and nothing else."""

    role: str = "player"
    user: str = ""


@dataclass(frozen=True, slots=True)
class Roller:
    """A user, for the question what they see of their own rolls."""

    user: str

    @property
    def role(self) -> str:
        """Of the two roles, the one that goes with the user."""
        return THE_GM if self.user == GM else "player"


class Chances(NamedTuple):
    """The exact chances of a roll, as fractions are written ("7/12")."""

    success: str
    critical_success: str
    critical_failure: str


def figures_seen(visibility: str, user: str, viewer: Viewer) -> bool:
    """Say whether `viewer` sees how the rolls of that user and visibility fell out."""
    view = view_of({"visibility": visibility, "user": user}, viewer)
    return view in (View.FULL, View.OWN)


def skill_of(record: Mapping[str, Any]) -> str:
    """Return what is tested: the label that the roll was given, else what its action calls it."""
    return str(record["label"] or record["title"])


def chances(record: Mapping[str, Any]) -> Chances:
    """Return the exact chances of a roll that was thrown."""
    odds = record["odds"]
    outcomes = odds["outcomes"]
    return Chances(
        odds["success"], outcomes.get("critical-success", "0/1"), outcomes.get("critical-failure", "0/1")
    )


def was_thrown(record: Mapping[str, Any]) -> bool:
    """Say whether there is anything to count: not so for a challenge that nobody answered."""
    return record.get("outcome") is not None and record.get("odds") is not None


def in_doubt(success: str) -> bool:
    """Say whether a roll with that chance of success could have gone either way."""
    return 0 < Fraction(success) < 1


def result_in_doubt(record: Mapping[str, Any]) -> str:
    """Return "s" or "f" for a success or failure of a roll that could have gone either way.

    "t" for a tie, be it that the rules leave it open or call both sides unsuccessful; "" where the result was
    certain: that belongs to no run, and is no moment.
    """
    if not in_doubt(record["odds"]["success"]):
        return ""
    if record["outcome"] == Outcome.TIE:
        return "t"
    return "s" if record["success"] else "f"


def chance_of_what_happened(record: Mapping[str, Any]) -> float:
    """Return how likely the roll's success, or its failure, was."""
    success = Fraction(record["odds"]["success"])
    return float(success if record["success"] else 1 - success)


def scopes_of(visibility: str, user: str) -> list[str]:
    """Name the scopes in which a roll counts for runs and moments."""
    scopes = [EVERYONE] if figures_seen(visibility, user, Onlooker()) else []
    if figures_seen(visibility, user, Roller(GM)):
        scopes.append(THE_GM)
    if user != GM and figures_seen(visibility, user, Roller(user)):
        scopes.append(OWN)
    return scopes


def scope_for(viewer: Viewer) -> str:
    """Name the scope that holds what `viewer` sees of their own rolls, or everybody's."""
    if isinstance(viewer, Onlooker):
        return EVERYONE
    return THE_GM if viewer.role == THE_GM else OWN


def move_of(record: RollRecord) -> dict[str, Any] | None:
    """Return what the commit of `record` adds to the tallies, in the terms of tallies.lua.

    None where there is nothing to count. Members that end up in a field's name come as JSON already.
    """
    if not was_thrown(record):
        return None
    actor = record["actor"]
    result = result_in_doubt(record)
    move: dict[str, Any] = {
        "owner": _members(record["visibility"], record["user"]),
        "user": _members(record["user"]),
        "actor": _members(actor["id"] if actor else None),
        "user_name": _members(record["user_name"]),
        "actor_name": _members(actor["name"] if actor else None),
        "action": _members(record["action"]),
        "skill": _members(skill_of(record)),
        "result": _members(record["outcome"], record["success"], *chances(record)),
        "dice": _dice(record),
        "scopes": scopes_of(record["visibility"], record["user"]),
        "run": result,
        "roll": record["id"].partition("-")[2],
        "most_names": MOST_NAMES,
        "moments": MOMENTS,
    }
    if record["margin"] is not None:
        move["margin"] = record["margin"]
    if result in ("s", "f"):
        # As text: what is compared there is what is written here.
        move["chance"] = repr(chance_of_what_happened(record))
    return move


def _dice(record: RollRecord) -> list[dict[str, Any]]:
    fallen: dict[tuple[int, str], list[int]] = {}
    for die in record["dice"]:
        if die["faces"] <= MOST_FACES:
            fallen.setdefault((die["faces"], die["role"]), []).append(die["value"])
    return [
        {"die": _members(faces, role), "faces": faces, "values": values}
        for (faces, role), values in fallen.items()
    ]


def _members(*members: Any) -> str:
    """Return members of a JSON array, without its brackets."""
    return _text(list(members))[1:-1]


def _text(value: Any) -> str:
    return orjson.dumps(value).decode()


@dataclass(slots=True)
class Run:
    """Successes and failures in a row, of rolls that follow one another; two runs can be joined.

    `first` and `last` are how it begins and ends ("s", "f" or "t"), for `prefix` and `suffix` rolls.
    """

    length: int = 0
    first: str = ""
    prefix: int = 0
    last: str = ""
    suffix: int = 0
    successes: int = 0
    failures: int = 0

    @classmethod
    def read(cls, text: str) -> "Run":
        """Read a run as the tallies keep it."""
        length, first, prefix, last, suffix, successes, failures = text.split()
        return cls(int(length), first, int(prefix), last, int(suffix), int(successes), int(failures))

    @classmethod
    def of(cls, results: Iterable[str]) -> "Run":
        """Return the run of results ("s", "f", "t", and "" for one that does not count)."""
        run = cls()
        for result in results:
            if result:
                run = run.then(cls(1, result, 1, result, 1, int(result == "s"), int(result == "f")))
        return run

    def then(self, later: "Run") -> "Run":
        """Return the run of both, the other after this one."""
        if not self.length or not later.length:
            return self if self.length else later
        meets = self.last == later.first
        across = self.suffix + later.prefix if meets else 0
        return Run(
            self.length + later.length,
            self.first,
            across if meets and self.prefix == self.length else self.prefix,
            later.last,
            across if meets and later.suffix == later.length else later.suffix,
            max(self.successes, later.successes, across if self.last == "s" else 0),
            max(self.failures, later.failures, across if self.last == "f" else 0),
        )
