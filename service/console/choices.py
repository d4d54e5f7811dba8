"""What filters let one choose from: sessions, people, kinds of roll."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from rules.action import GM
from service.cards.names import shown
from service.console.ask import Refused, ask
from service.console.pages import moment, rule_set

SESSIONS = 200
"""The latest sessions, so many, stand in a list to choose from."""

ROLLS = 200
"""The characters of the latest rolls, so many, stand in a list to choose from."""

Options = list[tuple[str, str]]


def session_options() -> Options:
    """Return the latest sessions with what they are called; of those of one title, their start too."""
    latest = ask("GET", "/sessions", query={"limit": SESSIONS})["sessions"]
    times = Counter(each["title"] for each in latest)
    return [(each["id"], _called(each, alone=times[each["title"]] == 1)) for each in latest]


def _called(session: Mapping[str, Any], *, alone: bool) -> str:
    started = moment(session["started_at"])
    if not session["title"]:
        return f"Session of {started}"
    return shown(session["title"]) if alone else f"{shown(session['title'])}, {started}"


def user_options() -> Options:
    """Return the GM and the players with their names."""
    players = ask("GET", "/players")["players"]
    return [(GM, "GM"), *((player["user"], shown(player["name"])) for player in players)]


def action_options() -> Options:
    """Return the rule set's actions with their titles."""
    return [(action.name, action.title) for action in rule_set().actions]


def actor_options(chosen: str | None = None) -> Options:
    """Return the characters of the latest rolls by name, and the one that is chosen."""
    latest = _actors({"limit": ROLLS})
    if chosen and chosen not in latest:
        latest |= _actors({"actor": chosen, "limit": 1})
    return sorted(latest.items(), key=lambda option: (option[1].casefold(), option[0]))


def _actors(query: Mapping[str, Any]) -> dict[str, str]:
    try:
        rolls = ask("GET", "/rolls", query=query)["rolls"]
    except Refused as refused:
        if refused.status != 422:
            raise
        return {}  # what is wrong with the id is said where the report is asked for
    newest_last = (roll["actor"] for roll in reversed(rolls) if roll["actor"])
    return {actor["id"]: shown(actor["name"]) for actor in newest_last}
