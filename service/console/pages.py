"""The console's blueprint: its pages, what stands around each of them, and what is said when one fails."""

import logging
from datetime import UTC, datetime
from typing import Any

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for
from redis.exceptions import RedisError
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as WerkzeugResponse

from rules import registry
from rules.ruleset import RuleSet
from service.cards.names import shown
from service.console import guard
from service.console.ask import Refused
from service.console.said import SAID
from service.problems import RETRY_SECONDS, Problem, is_outage

log = logging.getLogger(__name__)

pages = Blueprint(
    "console",
    __name__,
    template_folder="templates",
    static_folder="static",
    static_url_path="/console/static",
)

NAVIGATION = (
    ("console.live_table", "Table"),
    ("console.roll_first", "Roll"),
    ("console.history", "History"),
    ("console.sessions", "Sessions"),
    ("console.players", "Players"),
    ("console.reports", "Reports"),
    ("console.webhooks", "Webhooks"),
    ("console.campaign", "Campaign"),
)
OPEN_TO_ALL = frozenset({"console.static", "console.card_styles", "console.live_table", "console.sign_in"})
"""Where nobody has to be signed in; `live_table` asks for the key itself."""


@pages.before_request
def _let_in() -> None:
    if request.endpoint not in OPEN_TO_ALL:
        guard.signed_in()
        guard.require_own_form()


pages.after_request(guard.harden)


@pages.get("/console/<path:anything>")
def no_such_page(anything: str) -> Response:
    """Say so, on a page of the console."""
    return page("failed.html", 404, title="There is nothing here", sentence="There is no such page.")


def page(template: str, status: int = 200, **content: Any) -> Response:
    """Return a page of the console; those who are signed in see the navigation."""
    caller = guard.find_signed_in()
    content.setdefault("said", SAID.get(request.args.get("said", "")))
    html = render_template(
        f"console/{template}",
        campaign=guard.table() if caller else None,
        form_token=guard.form_token(),
        navigation=NAVIGATION if caller else (),
        link_at_once=caller is None and guard.came_by_itself(),
        **content,
    )
    return make_response(html, status)


def go(endpoint: str, said: str | None = None, **parts: Any) -> WerkzeugResponse:
    """Send the browser to another page after a form, so that a reload sends nothing twice."""
    return redirect(url_for(f"console.{endpoint}", said=said, **parts), 303)


def sign_in_page(status: int = 200, wrong: str | None = None) -> Response:
    """Return the page that asks for the key.

    A browser keeps our cookie to itself when the way here led over another site's link: the page then comes
    back by itself, and is shown to those who are not signed in.
    """
    foreign = request.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site") and status != 422
    return page("sign_in.html", status, wrong=wrong, foreign=foreign)


def rule_set() -> RuleSet:
    """Return the rule set of the campaign."""
    return registry.get(guard.table().ruleset)


def moment(iso: str) -> str:
    """Write an ISO moment for people, in UTC; a script shows it in their own time."""
    moment = datetime.fromisoformat(iso).astimezone(UTC)
    return f"{moment.day} {moment:%b %Y, %H:%M} UTC"


pages.add_app_template_filter(moment, "moment")
pages.add_app_template_filter(shown, "shown")


@pages.errorhandler(guard.SignInNeeded)
def _sign_in_needed(_: guard.SignInNeeded) -> Response:
    return sign_in_page(401)


@pages.errorhandler(guard.ForeignForm)
def _foreign_form(_: guard.ForeignForm) -> Response:
    sentence = "This form was not sent from the console as it is now. Go back, reload the page and try again."
    return page("failed.html", 403, title="Not sent from here", sentence=sentence)


@pages.errorhandler(Refused)
def _refused(refused: Refused) -> Response:
    title = "There is nothing here" if refused.status == 404 else "That did not work"
    answer = page("failed.html", refused.status, title=title, sentence=refused.sentence)
    if refused.retry_after:
        answer.headers["Retry-After"] = refused.retry_after
    return answer


@pages.errorhandler(HTTPException)
def _http_failed(error: HTTPException) -> Response:
    sentence = "There is no such page." if error.code == 404 else error.description or error.name
    return page("failed.html", error.code or 500, title=error.name, sentence=sentence)


@pages.errorhandler(429)
def _too_many(error: HTTPException) -> Response:
    return _away(429, "Slower, please", "More requests came from you than a person makes. Wait a minute.")


@pages.errorhandler(RedisError)
def _redis_failed(error: RedisError) -> Response:
    if not is_outage(error):
        return _failed(error)
    return _away(
        503, "The store is away", "The service cannot reach its store just now. This page tries again."
    )


@pages.errorhandler(Exception)
def _failed(error: Exception) -> Response:
    log.error("unexpected error in %s %s", request.method, request.path, exc_info=error)
    return _away(500, "Something went wrong", "It is a fault of the service; its log says what.")


def _away(status: int, title: str, sentence: str) -> Response:
    """Return a page that needs nothing from the store."""
    answer = make_response(render_template("console/away.html", title=title, sentence=sentence), status)
    answer.headers["Retry-After"] = str(RETRY_SECONDS)
    return answer


@pages.errorhandler(Problem)
def _problem(problem: Problem) -> Response:
    return page("failed.html", problem.kind.status, title=problem.kind.title, sentence=problem.detail)
