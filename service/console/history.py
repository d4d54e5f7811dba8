"""History: every roll that the GM may see, filtered, a page at a time."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from flask import Response, request, url_for

from rules.action import GM
from service.cards.names import shown
from service.cards.wording import MARKS, OUTCOMES
from service.console.ask import Refused, ask
from service.console.pages import moment, page, pages, rule_set

PAGE = 25
FILTERS = ("session", "user", "actor", "action", "outcome", "since", "until")
SESSIONS = 200


@pages.get("/console/history")
def history() -> Response:
    """Show a page of the history."""
    asked = {name: request.args[name].strip() for name in FILTERS if request.args.get(name, "").strip()}
    cursor = {"cursor": request.args["cursor"]} if request.args.get("cursor") else {}
    errors: Any = {}
    listed: dict[str, Any] = {"rolls": [], "next_cursor": None}
    try:
        listed = ask("GET", "/rolls", query={**asked, **cursor, "limit": PAGE})
    except Refused as refused:
        if refused.status != 422:
            raise
        errors = refused.errors
    older = listed["next_cursor"]
    return page(
        "history.html",
        422 if errors else 200,
        rolls=listed["rolls"],
        asked=asked,
        errors=errors,
        later=bool(cursor),
        newest_url=_address(asked),
        older_url=_address({**asked, "cursor": older}) if older else None,
        session_options=_sessions(),
        user_options=_users(),
        actions=[(action.name, action.title) for action in rule_set().actions],
        outcomes=OUTCOMES,
        marks=MARKS,
    )


def _address(query: Mapping[str, str]) -> str:
    return f"{url_for('console.history')}?{urlencode(query)}" if query else url_for("console.history")


def _sessions() -> list[tuple[str, str]]:
    """Return the latest sessions with what they are called."""
    latest = ask("GET", "/sessions", query={"limit": SESSIONS})["sessions"]
    return [
        (each["id"], shown(each["title"]) if each["title"] else moment(each["started_at"])) for each in latest
    ]


def _users() -> list[tuple[str, str]]:
    players = ask("GET", "/players")["players"]
    return [(GM, "GM"), *((player["user"], shown(player["name"])) for player in players)]


@pages.get("/console/rolls/<roll:roll>")
def one_roll(roll: str) -> Response:
    """Show one roll."""
    return page("roll.html", roll=ask("GET", f"/rolls/{roll}"))
