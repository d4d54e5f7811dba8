"""Sessions: started, ended after a question, and listed with what they committed to."""

from itertools import chain

import orjson
from flask import Response, request
from werkzeug.wrappers import Response as WerkzeugResponse

from service.console.ask import Refused, ask, passed_on
from service.console.challenges import waiting
from service.console.pages import go, page, pages
from service.history_files import NDJSON

PAGE = 25


@pages.get("/console/sessions")
def sessions() -> Response:
    """List the sessions, newest first."""
    query = {"limit": PAGE} | ({"cursor": request.args["cursor"]} if request.args.get("cursor") else {})
    listed = ask("GET", "/sessions", query=query)
    return page("sessions.html", sessions=listed["sessions"], next_cursor=listed["next_cursor"])


@pages.post("/console/sessions")
def start_session() -> Response | WerkzeugResponse:
    """Start a session."""
    title = request.form.get("title", "").strip()
    try:
        ask("POST", "/sessions", {"title": title} if title else {})
    except Refused as refused:
        if refused.status == 409:
            return go("live_table", "session-open")
        if refused.status != 422:
            raise
        return page("start_session.html", 422, title=title, errors=refused.errors.get("title", ()))
    return go("live_table", "session-started")


@pages.get("/console/sessions/<id:session>/dice.ndjson")
def session_file(session: str) -> Response:
    """Send what checking the dice needs, as a file: the session, and its rolls as the GM sees them."""
    first = orjson.dumps(ask("GET", f"/sessions/{session}")) + b"\n"
    rolls = passed_on("/rolls", NDJSON, {"session": session})
    answer = Response(chain([first], rolls.iter_encoded()), content_type=rolls.content_type)
    answer.call_on_close(rolls.close)
    answer.headers["Content-Disposition"] = f'attachment; filename="session-{session}.ndjson"'
    return answer


@pages.get("/console/sessions/<id:session>/end")
def confirm_end(session: str) -> Response:
    """Ask whether a session shall end."""
    return page("end_session.html", session=ask("GET", f"/sessions/{session}"), waiting=waiting(session))


@pages.post("/console/sessions/<id:session>/end")
def end_session(session: str) -> WerkzeugResponse:
    """End a session."""
    ask("POST", f"/sessions/{session}/end")
    return go("sessions", "session-ended", _anchor=f"session-{session}")
