"""The words, marks and colours of a card."""

from typing import Any

OUTCOMES = {
    "critical-success": "Critical success",
    "success": "Success",
    "failure": "Failure",
    "critical-failure": "Critical failure",
    "tie": "Tie",
    "automatic-success": "Automatic success",
    "automatic-failure": "Automatic failure",
}

MARKS = {
    "critical-success": "★",
    "success": "✓",
    "failure": "✗",
    "critical-failure": "✖",
    "tie": "=",
    "automatic-success": "✓",
    "automatic-failure": "✗",
}
STATE_MARKS = {"pending": "…", "awaiting": "…"}
NO_MARK = "–"

# Told apart with any kind of colour vision: blue against orange, and the lightness of each.
COLOURS = {
    "critical-success": "#00385c",
    "success": "#0077b6",
    "automatic-success": "#6cbdea",
    "tie": "#7f7f7f",
    "automatic-failure": "#f2b272",
    "failure": "#cc5500",
    "critical-failure": "#6b1a00",
}
NO_OUTCOME_COLOUR = "#c9c9c9"

ROLES = ("skill", "bonus", "penalty", "extra", "opponent")
OTHER_ROLE = "other"

NOTES = {
    "player-wins-ties": "Equal totals: the player wins a tie.",
    "double-six": "A double six was thrown.",
    "double-one": "A double one was thrown.",
    "opponent-double-six": "The other side threw a double six.",
    "opponent-double-one": "The other side threw a double one.",
    "took-seven": "The creature took 7 instead of throwing.",
    "most-likely": "Most likely: more than twice the other side.",
    "likely": "Likely: more than the other side.",
    "even": "Even: both sides are equal.",
    "unlikely": "Unlikely: less than the other side.",
    "very-unlikely": "Very unlikely: less than half of the other side.",
    "unanswered": "Nobody answered.",
}

SHOWN_TO = {
    "gm": "Shown to the GM and to those who rolled.",
    "blind": "Shown to the GM alone.",
    "self": "Shown to the roller alone: nobody can check its dice.",
}

SIGNED = ("Circumstance", "Modifier")

WITHOUT_A_ROLL = "without-a-roll"
OPPONENT_TOTAL = "Opponent's total"
NEEDS = "Needs"


def plain(name: str) -> str:
    """Turn a name of the rules, such as "both-fail", into words."""
    return name.replace("-", " ").replace("_", " ")


def sentence(name: str) -> str:
    """Turn a name of the rules into words that begin with a capital."""
    words = plain(name)
    return words[:1].upper() + words[1:]


def lower_first(label: str) -> str:
    """Write a label in the middle of a sentence; an abbreviation such as TN stays as it is."""
    return label if label[:2].isupper() else label[:1].lower() + label[1:]


def house_rule(name: str, value: Any) -> str:
    """Say one house rule and its value."""
    if isinstance(value, bool):
        value = "on" if value else "off"
    return f"{sentence(name)}: {plain(str(value))}"


def note(name: str) -> str:
    """Say one note of a verdict."""
    return NOTES.get(name) or f"{sentence(name)}."


def number(value: int) -> str:
    """Write a number with a true minus sign."""
    return f"−{-value}" if value < 0 else str(value)


def signed(value: int) -> str:
    """Write a number with its sign; zero has none."""
    return f"+{value}" if value > 0 else number(value)


def entered(label: str, value: int) -> str:
    """Say one number that entered a roll; what can lower it as well as raise it carries its sign."""
    if label == "Disadvantage":
        return f"{label} {abs(value)}"
    return f"{label} {signed(value) if label in SIGNED else number(value)}"


def points(value: int, score: str | None) -> str:
    """Say what was reached: a total, or so many successes."""
    if score != "successes":
        return number(value)
    return f"{value} success" if value == 1 else f"{value} successes"


def against(value: int, target: int, label: str, margin: int | None) -> str:
    """Say what `value` was measured against, as the rest of a sentence."""
    if label == OPPONENT_TOTAL:
        return f" against {number(target)}"
    if label == NEEDS:
        return f", needing {number(target)}"
    relation = "against"
    if value != target and margin == target - value:  # a roll that has to stay at or under its target
        relation = "over" if value > target else "under"
    return f" {relation} {lower_first(label)} {number(target)}"


def die_mark(counts: int, score: str | None) -> str:
    """Return ✗ for a die that cancelled a success, ✓ for one that was a success, nothing for all others."""
    if counts < 0:
        return "✗"
    return "✓" if counts and score == "successes" else ""


def die(role: str, kept: bool, counts: int, score: str | None) -> str:
    """Say what a die was, and what became of it."""
    if not kept:
        return f"{role} die, dropped"
    if counts < 0:
        return f"{role} die, cancels a success"
    if score == "successes":
        return f"{role} die, a success" if counts else f"{role} die, no success"
    return f"{role} die"
