"""History: every roll that the GM may see, filtered, a page at a time."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from flask import Response, request, url_for

from service.cards.wording import MARKS, OUTCOMES
from service.console.ask import Refused, ask
from service.console.choices import action_options, session_options, user_options
from service.console.pages import page, pages

PAGE = 25
FILTERS = ("session", "user", "actor", "action", "outcome", "since", "until")


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
        session_options=session_options(),
        user_options=user_options(),
        action_options=action_options(),
        outcomes=OUTCOMES,
        marks=MARKS,
    )


def _address(query: Mapping[str, str]) -> str:
    return f"{url_for('console.history')}?{urlencode(query)}" if query else url_for("console.history")


@pages.get("/console/rolls/<roll:roll>")
def one_roll(roll: str) -> Response:
    """Show one roll."""
    return page("roll.html", roll=ask("GET", f"/rolls/{roll}"))
