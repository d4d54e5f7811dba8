"""Sessions: started by the GM or by the first roll, ended by the GM or after 6 hours without
a public roll."""

from typing import Any

from flask import Response

from service.auth import Who, caller
from service.bodies import json_answer
from service.calls import Calls
from service.problems import SESSION_NOT_ENDED, SESSION_OPEN, Problem, invalid, not_found
from service.schemas import tables
from service.services import services
from service.session_view import present_session
from service.store import (
    Numbers,
    Session,
    SessionAlreadyOpen,
    SessionStillOpen,
    UnknownCampaign,
    UnknownSession,
)

calls = Calls("sessions", __name__, url_prefix="/v1/campaigns/<id:campaign>/sessions")


@calls.call("POST", "", who=Who.GM, body=tables.NewSession, answers={201: tables.Session}, problems=(409,))
def start_session(asked: dict[str, Any], campaign: str) -> Response:
    """Start a session.

    The answer holds the commitment to its dice, before any is thrown.
    """
    try:
        session = services().store.sessions.start(campaign, asked["title"])
    except SessionAlreadyOpen as error:
        sentence = f"Session {error.session} is open; end it before you start another."
        raise Problem(SESSION_OPEN, sentence, session=error.session) from error
    except UnknownCampaign as error:
        raise not_found("campaign") from error
    headers = {"Location": f"/v1/campaigns/{campaign}/sessions/{session.id}"}
    return json_answer(present_session(session, caller(), 0, Numbers()), 201, headers)


@calls.call("GET", "", who=Who.MEMBER, query=tables.SessionsQuery, answers={200: tables.Sessions})
def list_sessions(query: dict[str, Any], campaign: str) -> Response:
    """List sessions, newest first."""
    sessions, limit = services().store.sessions, query["limit"]
    try:
        found = sessions.list(campaign, query.get("cursor"), limit + 1)
    except UnknownSession as error:
        raise invalid({"cursor": ["Must be a next_cursor of this list."]}) from error
    page = found[:limit]
    ids = [session.id for session in page]
    rolls = sessions.rolls_seen_in(ids, caller())
    unresolved = services().store.unresolved.numbers(ids)
    listed = [
        present_session(session, caller(), rolls[session.id], unresolved[session.id]) for session in page
    ]
    return json_answer({"sessions": listed, "next_cursor": page[-1].id if len(found) > limit else None})


@calls.call("GET", "/<id:session>", who=Who.MEMBER, answers={200: tables.Session})
def read_session(campaign: str, session: str) -> Response:
    """Read a session."""
    found = services().store.sessions.get(campaign, session)
    if found is None:
        raise not_found("session")
    return _answer(found)


@calls.call("POST", "/<id:session>/end", who=Who.GM, answers={200: tables.Session})
def end_session(campaign: str, session: str) -> Response:
    """End a session, which reveals its seed.

    Ending it again changes nothing.
    """
    try:
        return _answer(services().store.sessions.end(campaign, session))
    except UnknownSession as error:
        raise not_found("session") from error


@calls.call("DELETE", "/<id:session>", who=Who.GM, answers={204: None}, problems=(409,))
def delete_session(campaign: str, session: str) -> Response:
    """Delete an ended session for good, with all its rolls: everybody's, those that the GM never saw too."""
    try:
        if not services().store.erasing.session(campaign, session):
            raise not_found("session")
    except SessionStillOpen as error:
        raise Problem(SESSION_NOT_ENDED, session=error.session) from error
    return Response(status=204)


def _answer(session: Session) -> Response:
    store = services().store
    rolls = store.sessions.rolls_seen_by(session.id, caller())
    unresolved = store.unresolved.numbers([session.id])[session.id]
    return json_answer(present_session(session, caller(), rolls, unresolved))
