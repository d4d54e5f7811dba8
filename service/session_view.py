"""A session as the API answers it."""

from collections.abc import Iterable, Mapping
from typing import Any

from service.presenting import iso_time
from service.store import Caller, Numbers, Session, Store
from service.visibility import OUTSIDER, THE_GM


def present_session(session: Session, caller: Caller, rolls: int, unresolved: Numbers) -> dict[str, Any]:
    """Return a session; `rolls` is how many rolls the caller may see. Hidden rolls' seed is for the GM."""
    shown = _present(
        id=session.id,
        title=session.title,
        started_at=session.started_at,
        ended_at=session.ended_at,
        commitment=session.commitment,
        seed=session.seed,
        rolls=rolls,
        last_seq=session.last_seq,
        deleted=session.deleted,
        unresolved=unresolved.open,
    )
    if caller.role == THE_GM:
        shown |= _hidden(session, unresolved, ended=True)
    return shown


def session_event(store: Store, record: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
    """Return the session of a `session` event, as it was when the event was written."""
    ended = record["ended_at"] is not None
    rolls = store.sessions.rolls_seen_by(record["id"], caller) if ended else 0
    session = store.sessions.get(caller.campaign, record["id"]) if ended or caller.role == THE_GM else None
    if session is None:
        return _present(**record, rolls=rolls)
    if not ended:
        return _present(**record, rolls=rolls) | _hidden(session, Numbers(), ended=False)
    unresolved = store.unresolved.numbers([session.id])[session.id]
    shown = _present(
        **record,
        rolls=rolls,
        last_seq=session.last_seq,
        deleted=session.deleted,
        unresolved=unresolved.open,
    )
    return shown | (_hidden(session, unresolved, ended=True) if caller.role == THE_GM else {})


def _hidden(session: Session, unresolved: Numbers, *, ended: bool) -> dict[str, Any]:
    """Return what the GM alone is shown of a session."""
    return {
        "hidden_commitment": session.hidden_commitment,
        "hidden_seed": session.hidden_seed if ended else None,
        "hidden_last_seq": session.hidden_last_seq if ended else 0,
        "hidden_deleted": list(session.hidden_deleted) if ended else [],
        "hidden_unresolved": unresolved.hidden,
    }


def session_told(store: Store, session: Session, *, ended: bool) -> dict[str, Any]:
    """Return a session as a webhook is told of its start or end: `rolls` counts the public ones."""
    return _present(
        id=session.id,
        title=session.title,
        started_at=session.started_at,
        ended_at=session.ended_at if ended else None,
        commitment=session.commitment,
        seed=session.seed if ended else None,
        rolls=store.sessions.rolls_seen_by(session.id, OUTSIDER) if ended else 0,
        last_seq=session.last_seq if ended else 0,
        deleted=session.deleted if ended else (),
        unresolved=store.unresolved.numbers([session.id])[session.id].open if ended else (),
    )


def _present(
    *,
    id: str,
    title: str | None,
    started_at: int,
    ended_at: int | None,
    commitment: str,
    seed: str | None,
    rolls: int,
    last_seq: int = 0,
    deleted: Iterable[int] = (),
    unresolved: Iterable[int] = (),
) -> dict[str, Any]:
    return {
        "id": id,
        "title": title or None,
        "started_at": iso_time(started_at),
        "ended_at": iso_time(ended_at),
        "commitment": commitment,
        "seed": seed,
        "rolls": rolls,
        "last_seq": last_seq,
        "deleted": list(deleted),
        "unresolved": list(unresolved),
    }
