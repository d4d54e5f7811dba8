"""The live table: what is going on now, and the cards as they come."""

from flask import Response, make_response, request, send_file, url_for
from werkzeug.wrappers import Response as WerkzeugResponse

from service.cards import STYLESHEET
from service.console import guard
from service.console.ask import ask
from service.console.challenges import waiting
from service.console.pages import page, pages, rule_set, sign_in_page
from service.console.stream import follow
from service.services import services
from service.sse import newest_shown

LATEST = 8
"""Cards that the live table begins with."""


@pages.get("/")
def live_table() -> Response | WerkzeugResponse:
    """Show the table; ask for the GM key where nobody is signed in."""
    if guard.find_signed_in() is None:
        return sign_in_page()
    return page(
        "table.html",
        stream=stream_address(),
        session=open_session(),
        waiting=open_challenges(),
        latest=latest(LATEST),
        actions=rule_set().describe()["actions"],
    )


@pages.get("/console/stream")
def stream() -> Response:
    """Follow the table: the API's own stream, for the GM who is signed in and as long as they are."""
    return follow(request.headers.get("Last-Event-ID") or request.args.get("after", ""))


@pages.get("/console/card.css")
def card_styles() -> Response:
    """Serve the cards' style sheet from its one home."""
    answer = make_response(send_file(STYLESHEET, mimetype="text/css", conditional=True))
    answer.headers["Cache-Control"] = "no-cache"
    return answer


def stream_address() -> str:
    """Return where all that the page does not show is told: asked for before the page reads anything else."""
    return url_for("console.stream", after=newest_shown(services().store, guard.signed_in()))


def open_session() -> dict[str, object] | None:
    """Return the session that is open."""
    open_now = guard.table().open_session
    session: dict[str, object] | None = ask("GET", f"/sessions/{open_now}") if open_now else None
    return session


def open_challenges() -> list[dict[str, object]]:
    """Return the challenges that wait for an answer."""
    open_now = guard.table().open_session
    return waiting(open_now) if open_now else []


def latest(number: int) -> list[dict[str, object]]:
    """Return the latest rolls and the challenges that wait, newest first."""
    rolls: list[dict[str, object]] = ask("GET", "/rolls", query={"limit": number})["rolls"]
    both = (*open_challenges(), *rolls)
    return sorted(both, key=lambda roll: str(roll["resolved_at"] or roll["created_at"]), reverse=True)[
        :number
    ]
