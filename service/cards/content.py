"""What a card says, before it is written out as text or HTML. All of it is read off the record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from service.cards import wording
from service.cards.names import shown
from service.cards.odds_words import odds_in_words, percent

Record = Mapping[str, Any]


@dataclass(frozen=True)
class DieShown:
    """One die: its face, its colour (`role`), whether it was kept, what it added, and its mark."""

    faces: int
    value: int
    role: str
    kept: bool
    counts: int
    mark: str
    words: str


@dataclass(frozen=True)
class SideShown:
    """One side's throw; a roll against a number has one side, an opposed one two."""

    name: str
    points: int | None
    dice: tuple[DieShown, ...]
    numbers: tuple[str, ...]


@dataclass(frozen=True)
class Chance:
    """An exact chance, in words and in percent."""

    label: str
    words: str
    percent: str


@dataclass(frozen=True)
class Content:
    """Everything that a card shows, in words."""

    title: str
    action: str
    by: str
    state: str
    outcome: str | None
    headline: str
    explanation: str
    sides: tuple[SideShown, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    odds: Chance | None = None
    outcomes: tuple[Chance, ...] = ()
    house_rules: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    shown_to: str | None = None
    fairness: Mapping[str, str] = field(default_factory=dict)

    @property
    def result(self) -> str:
        """The one-line result."""
        return f"{self.headline}: {self.explanation}" if self.explanation else self.headline

    @property
    def mark(self) -> str:
        """A sign for the outcome, so that colour is never needed to read it."""
        return wording.MARKS.get(self.outcome or "") or wording.STATE_MARKS.get(self.state, wording.NO_MARK)

    @property
    def colour(self) -> str:
        """The outcome's colour as "#rrggbb"."""
        return wording.COLOURS.get(self.outcome or "", wording.NO_OUTCOME_COLOUR)


def content_of(record: Record) -> Content:
    """Return what the card of `record` says, whatever state the roll is in."""
    state = state_of(record)
    if state != "resolved":
        undecided = _undecided(record, state, *_while_there_is_no_result(state, record))
        return replace(
            undecided, shown_to=wording.SHOWN_TO.get(record["visibility"]), fairness=_fairness(record)
        )
    outcome = record["outcome"]
    sides = _sides(record)
    return Content(
        title=_title(record),
        action=_action(record),
        by=_by(record),
        state=state,
        outcome=outcome,
        headline=wording.OUTCOMES.get(outcome) or wording.sentence(outcome),
        explanation=_explanation(record),
        sides=sides,
        facts=_facts(record, opposed=len(sides) > 1),
        odds=_odds(record),
        outcomes=_outcomes(record),
        house_rules=_house_rules(record),
        notes=tuple(wording.note(note) for note in record["notes"] if note != wording.WITHOUT_A_ROLL),
        shown_to=wording.SHOWN_TO.get(record["visibility"]),
        fairness=_fairness(record),
    )


def thrown_content_of(record: Record) -> Content:
    """Return what a blind roll's card says to those who threw it: nothing that depends on the dice."""
    state = state_of(record)
    words = {
        "pending": ("Being thrown", "only the GM will see the result"),
        "awaiting": (
            "Waiting for an answer",
            f"{_challenged(record)} is asked; only the GM will see the result",
        ),
        "unanswered": ("Never thrown", "nobody answered before the session ended"),
        "resolved": ("Thrown", "the GM has the result"),
    }
    return _undecided(record, "thrown" if state == "resolved" else state, *words[state])


def _undecided(record: Record, state: str, headline: str, explanation: str) -> Content:
    return Content(_title(record), _action(record), _by(record), state, None, headline, explanation)


def state_of(record: Record) -> str:
    """Return pending, awaiting, resolved, or unanswered: a challenge that its session's end closed."""
    if record["status"] != "resolved":
        return str(record["status"])
    if record.get("challenged") is not None and record.get("answered_by") is None:
        return "unanswered"
    return "resolved"


def _title(record: Record) -> str:
    label = record.get("label")
    return shown(label) if label else _action(record)


def _action(record: Record) -> str:
    return shown(record.get("title") or wording.sentence(record["action"]))


def _by(record: Record) -> str:
    user = shown(record.get("user_name") or record["user"])
    who = _name_of(record)
    return who if who == user else f"{who} ({user})"


def _name_of(side: Record) -> str:
    actor = side.get("actor")
    return shown((actor and actor["name"]) or side.get("user_name") or side["user"])


def _challenged(record: Record) -> str:
    challenged = record["challenged"]
    if challenged is None:
        return "the other side"
    return "the GM" if challenged == "gm" else shown(record.get("challenged_name") or challenged)


def _while_there_is_no_result(state: str, record: Record) -> tuple[str, str]:
    if state == "awaiting":
        return "Waiting for an answer", f"{_challenged(record)} is asked to roll against this"
    if state == "unanswered":
        return "Never thrown", f"{_challenged(record)} did not answer before the session ended"
    return "Being thrown", ""


def _explanation(record: Record) -> str:
    points, target = record["points"], record["target"]
    if wording.WITHOUT_A_ROLL in record["notes"]:
        return "resolved without a roll"
    if points is None:
        return ""
    said = wording.points(points, record["score"])
    if target is None:
        return said
    return said + wording.against(points, target, record["target_label"], record["margin"])


def _facts(record: Record, opposed: bool) -> tuple[tuple[str, str], ...]:
    label = "Successes" if record["score"] == "successes" else "Total"
    measured = ((label, record["points"]), (record["target_label"], record["target"]))
    facts = [(name, wording.number(value)) for name, value in measured if value is not None and not opposed]
    if record["margin"] is not None:
        facts.append(("Margin", wording.signed(record["margin"])))
    return tuple(facts)


def _sides(record: Record) -> tuple[SideShown, ...]:
    score = record["score"]
    own = [die for die in record["dice"] if record.get("opponent") or die["role"] != "opponent"]
    roller = SideShown(_name_of(record), record["points"], _dice(own, score), _numbers(record["numbers"]))
    other = _other_side(record)
    return (roller, other) if other else (roller,)


def _other_side(record: Record) -> SideShown | None:
    """Return the other side of an opposed roll: a player's, as recorded, or a creature's, as asked for."""
    opponent = record.get("opponent")
    if opponent:
        dice = _dice([{**die, "role": "opponent"} for die in opponent["dice"]], record["score"])
        return SideShown(_name_of(opponent), opponent["points"], dice, _numbers(opponent["numbers"]))
    asked = record["params"].get("opponent")
    if not isinstance(asked, Mapping) or "kind" not in asked:
        return None
    theirs = [die for die in record["dice"] if die["role"] == "opponent"]
    numbers = [
        (wording.sentence(name), value)
        for name, value in asked.items()
        if isinstance(value, int) and not isinstance(value, bool) and value
    ]
    name = {"npc": "The non-player"}.get(asked["kind"], f"The {wording.plain(asked['kind'])}")
    return SideShown(name, record["target"], _dice(theirs, record["score"]), _numbers(numbers))


def _dice(dice: Sequence[Record], score: str | None) -> tuple[DieShown, ...]:
    return tuple(_die(die, score) for die in dice)


def _die(die: Record, score: str | None) -> DieShown:
    role = die["role"] if die["role"] in wording.ROLES else wording.OTHER_ROLE
    kept, counts = die["kept"], die["counts"]
    mark, words = wording.die_mark(counts, score), wording.die(role, kept, counts, score)
    return DieShown(die["faces"], die["value"], role, kept, counts, mark, words)


def _numbers(numbers: Sequence[Sequence[Any]]) -> tuple[str, ...]:
    return tuple(wording.entered(label, value) for label, value in numbers)


def _odds(record: Record) -> Chance | None:
    odds = record.get("odds")
    return _chance("Success", odds["success"]) if odds else None


def _outcomes(record: Record) -> tuple[Chance, ...]:
    odds = record.get("odds") or {"outcomes": {}}
    return tuple(
        _chance(wording.OUTCOMES.get(name) or wording.sentence(name), fraction)
        for name, fraction in odds["outcomes"].items()
    )


@lru_cache(maxsize=4096)
def _chance(label: str, fraction: str) -> Chance:
    chance = Fraction(fraction)
    return Chance(label, odds_in_words(chance), percent(chance))


def _house_rules(record: Record) -> tuple[str, ...]:
    return tuple(wording.house_rule(name, value) for name, value in record["house_rules"].items())


def _fairness(record: Record) -> dict[str, str]:
    seq = record.get("seq")
    number = {"Roll": f"number {seq} of its session"} if seq is not None else {}
    return {**number, "Nonce": str(record["nonce"]), "Commitment": str(record["commitment"])}
