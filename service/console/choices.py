"""What filters let one choose from: sessions, people, kinds of roll."""

from rules.action import GM
from service.cards.names import shown
from service.console.ask import ask
from service.console.pages import moment, rule_set

SESSIONS = 200
"""The latest sessions, so many, stand in a list to choose from."""

Options = list[tuple[str, str]]


def session_options() -> Options:
    """Return the latest sessions with what they are called."""
    latest = ask("GET", "/sessions", query={"limit": SESSIONS})["sessions"]
    return [
        (each["id"], shown(each["title"]) if each["title"] else f"Session of {moment(each['started_at'])}")
        for each in latest
    ]


def user_options() -> Options:
    """Return the GM and the players with their names."""
    players = ask("GET", "/players")["players"]
    return [(GM, "GM"), *((player["user"], shown(player["name"])) for player in players)]


def action_options() -> Options:
    """Return the rule set's actions with their titles."""
    return [(action.name, action.title) for action in rule_set().actions]
