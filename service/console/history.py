"""History: every roll that the GM may see, filtered, a page at a time."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from flask import Response, request, url_for

from service.cards.wording import MARKS, OUTCOMES
from service.console.ask import Refused, ask, passed_on
from service.console.choices import action_options, session_options, user_options
from service.console.days import days_of, with_moments
from service.console.pages import page, pages
from service.history_files import CSV, NDJSON

PAGE = 25
FILES = {"csv": CSV, "ndjson": NDJSON}
FILTERS = ("session", "user", "actor", "action", "outcome", "since", "until")


@pages.get("/console/history")
def history() -> Response:
    """Show a page of the history."""
    asked = _asked()
    wanted = with_moments(asked)
    cursor = {"cursor": request.args["cursor"]} if request.args.get("cursor") else {}
    errors: Any = {}
    listed: dict[str, Any] = {"rolls": [], "next_cursor": None}
    try:
        listed = ask("GET", "/rolls", query={**wanted, **cursor, "limit": PAGE})
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
        files=[(kind, _address(asked, "console.history_file", kind=kind)) for kind in FILES],
        newest_url=_address(asked),
        older_url=_address({**asked, "cursor": older}) if older else None,
        session_options=session_options(),
        user_options=user_options(),
        action_options=action_options(),
        outcomes=OUTCOMES,
        marks=MARKS,
    )


def _asked() -> dict[str, str]:
    asked = {name: request.args[name].strip() for name in FILTERS if request.args.get(name, "").strip()}
    return asked | days_of(request.args)


def _address(query: Mapping[str, str], endpoint: str = "console.history", **parts: str) -> str:
    address = url_for(endpoint, **parts)  # type: ignore[arg-type]
    return f"{address}?{urlencode(query)}" if query else address


@pages.get("/console/history.<any(csv, ndjson):kind>")
def history_file(kind: str) -> Response:
    """Send all rolls that match the filters, as a file."""
    return passed_on("/rolls", FILES[kind], with_moments(_asked()))


@pages.get("/console/rolls/<roll:roll>")
def one_roll(roll: str) -> Response:
    """Show one roll."""
    return page("roll.html", roll=ask("GET", f"/rolls/{roll}"))
