"""Deleting for good: a roll, or a session with its rolls; each is asked about first."""

from flask import Response
from werkzeug.wrappers import Response as WerkzeugResponse

from service.console.ask import ask
from service.console.pages import go, page, pages


@pages.get("/console/sessions/<id:session>/delete")
def confirm_delete_session(session: str) -> Response:
    """Ask whether a session shall be deleted."""
    return page("delete_session.html", session=ask("GET", f"/sessions/{session}"))


@pages.post("/console/sessions/<id:session>/delete")
def delete_session(session: str) -> WerkzeugResponse:
    """Delete a session."""
    ask("DELETE", f"/sessions/{session}")
    return go("sessions", "session-deleted")


@pages.get("/console/rolls/<roll:roll>/delete")
def confirm_delete_roll(roll: str) -> Response:
    """Ask whether a roll shall be deleted."""
    return page("delete_roll.html", roll=ask("GET", f"/rolls/{roll}"))


@pages.post("/console/rolls/<roll:roll>/delete")
def delete_roll(roll: str) -> WerkzeugResponse:
    """Delete a roll."""
    ask("DELETE", f"/rolls/{roll}")
    return go("history", "roll-deleted")
