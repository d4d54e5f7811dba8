"""Adding up what a report is about: whole tallies where they can answer it, else the records themselves.

Tallies hold no times, and runs and moments by user and actor only: a filter by action or skill, or a time in
the middle of a session, is answered from the records of the sessions that it cuts.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

import orjson

from service.records import RollRecord
from service.store import ReportWish, Session, Store
from service.store.tallies import Tally
from service.tallying import (
    MOST_FACES,
    OTHERS,
    Chances,
    Onlooker,
    Run,
    chance_of_what_happened,
    chances,
    figures_seen,
    result_in_doubt,
    scope_for,
    skill_of,
    was_thrown,
)
from service.visibility import THE_GM, View, Viewer, view_of
from worker.reports.figures import (
    EVERY,
    Figures,
    Kind,
    Measured,
    Moment,
    measured,
    moments,
    skill_key,
    whole_numbers,
)

SKEW_MS = 60_000
"""By how much the clocks of two web processes may differ."""

Tell = Callable[[float], None]


def gather(
    store: Store, campaign: str, viewer: Viewer, wish: ReportWish, tell: Tell = lambda share: None
) -> Figures:
    """Return the figures of the rolls that `wish` asks for and whose results `viewer` sees.

    A player's are their own rolls, whatever was asked. `tell` hears what share of the sessions is done.
    """
    if viewer.role != THE_GM and not isinstance(viewer, Onlooker):
        wish = replace(wish, user=viewer.user)
    figures = Figures(sessions=sessions_of(store, campaign, wish))
    for place, session in enumerate(figures.sessions):
        if not _tallies_answer(session, wish) or not _add_tallies(
            figures, store.tallies.read(campaign, session.id), place, viewer, wish
        ):
            _add_records(figures, store, place, viewer, wish)
        tell((place + 1) / len(figures.sessions))
    figures.users |= {player.user: player.name for player in store.players.list(campaign)}
    return figures


def sessions_of(store: Store, campaign: str, wish: ReportWish) -> list[Session]:
    """Return the sessions that may hold such rolls, oldest first."""
    found = store.sessions.all(campaign)
    chosen = [session for session in found if wish.sessions is None or session.id in wish.sessions]
    return [session for session in chosen if not _outside(session, wish)]


def _outside(session: Session, wish: ReportWish) -> bool:
    ended = session.ended_at
    too_old = wish.since is not None and ended is not None and ended + SKEW_MS <= wish.since
    return too_old or (wish.until is not None and session.started_at - SKEW_MS >= wish.until)


def _tallies_answer(session: Session, wish: ReportWish) -> bool:
    if wish.action is not None or wish.skill is not None:
        return False
    if wish.since is not None and session.started_at - SKEW_MS < wish.since:
        return False
    return wish.until is None or (session.ended_at is not None and session.ended_at + SKEW_MS <= wish.until)


def _add_tallies(
    figures: Figures, tallies: Iterable[Tally], place: int, viewer: Viewer, wish: ReportWish
) -> bool:
    """Add a session's tallies; False, and nothing added, where they do not know the actor asked for."""
    tallies, session = list(tallies), figures.sessions[place].id
    if wish.actor is not None and any(f[0] == "c" and f[3] == OTHERS for f, _ in tallies):
        return False
    scope = scope_for(viewer)
    for field, value in tallies:
        match field:
            case ("r", where, user):
                if where == scope and wish.user in (None, user) and wish.actor is None:
                    figures.follow(user, EVERY, Run.read(value))
            case ("r" | "b" | "w", where, user, actor):
                if where != scope or not _wanted(wish, user, actor):
                    continue
                if field[0] == "r":
                    figures.follow(user, actor, Run.read(value))
                    if wish.actor is not None:
                        figures.follow(user, EVERY, Run.read(value))
                elif field[0] == "b":
                    figures.keep_best(moments(value, place, session))
                else:
                    figures.keep_worst(moments(value, place, session))
            case (kind, visibility, user, actor, *rest):
                if not _wanted(wish, user, actor) or not figures_seen(visibility, user, viewer):
                    continue
                if kind == "n":
                    _name(figures, user, actor, value)
                elif kind == "d":
                    figures.fell(rest[0], rest[1], whole_numbers(value))
                elif kind == "c":
                    action, skill, outcome, won, *odds = rest
                    found = Kind(session, user, actor, action, skill, outcome, won, Chances(*odds))
                    figures.count(found, measured(value))
    return True


def _wanted(wish: ReportWish, user: str, actor: object) -> bool:
    return wish.user in (None, user) and wish.actor in (None, actor)


def _name(figures: Figures, user: str, actor: object, names: str) -> None:
    user_name, actor_name = orjson.loads(names)
    figures.users[user] = user_name
    if isinstance(actor, str) and actor_name is not None:
        figures.actors[actor] = actor_name


def _add_records(figures: Figures, store: Store, place: int, viewer: Viewer, wish: ReportWish) -> None:
    """Add those of a session's records that match."""
    session = figures.sessions[place]
    found = [record for _, record in store.rolls.history(session.campaign, sessions=[session.id])]
    results: dict[tuple[str, str | None], list[str]] = {}
    for record in reversed(found):
        if not (_matches(record, wish) and view_of(record, viewer) in (View.FULL, View.OWN)):
            continue
        user, actor = record["user"], record["actor"]
        actor_id = actor["id"] if actor else None
        figures.users[user] = record["user_name"]
        if actor:
            figures.actors[actor["id"]] = actor["name"]
        _count_record(figures, record, actor_id)
        result = result_in_doubt(record)
        for whose in (EVERY, actor_id):
            results.setdefault((user, whose), []).append(result)
        if result in ("s", "f"):
            own = record["id"].partition("-")[2]
            moment = Moment(chance_of_what_happened(record), place, own, session.id)
            (figures.keep_best if result == "s" else figures.keep_worst)([moment])
    for (user, whose), in_turn in results.items():
        if any(in_turn):
            figures.follow(user, whose, Run.of(in_turn))


def _matches(record: RollRecord, wish: ReportWish) -> bool:
    made, actor = record["created_at"], record["actor"]
    return (
        was_thrown(record)
        and _wanted(wish, record["user"], actor["id"] if actor else None)
        and wish.action in (None, record["action"])
        and (wish.skill is None or skill_key(wish.skill) == skill_key(skill_of(record)))
        and (wish.since is None or made >= wish.since)
        and (wish.until is None or made < wish.until)
    )


def _count_record(figures: Figures, record: RollRecord, actor: str | None) -> None:
    kind = Kind(
        record["session"],
        record["user"],
        actor,
        record["action"],
        skill_of(record),
        str(record["outcome"]),
        record["success"],
        chances(record),
    )
    margin = record["margin"]
    figures.count(kind, Measured(1) if margin is None else Measured(1, 1, margin, margin * margin))
    for die in record["dice"]:
        if die["faces"] <= MOST_FACES:
            figures.fell(die["faces"], die["role"], [int(n + 1 == die["value"]) for n in range(die["faces"])])
