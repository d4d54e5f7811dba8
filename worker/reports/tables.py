"""The tables of a report: rows by player, character, action, skill and session."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rules import registry
from service.cards.names import shown
from service.cards.wording import sentence
from service.tallying import OTHERS, Run
from worker.reports.figures import EVERY, Actor, Figures, Kind, Measured, skill_key
from worker.reports.session_names import names_of
from worker.reports.statistics import Dice, Row, SoFar, dice, row, so_far

MOST_ROWS = 100
"""Rows of a table; those with the most rolls are kept."""

Counted = tuple[Kind, Measured]


@dataclass(frozen=True)
class Table:
    """One table: its title, what its first column is called, its rows, and how many were left out."""

    name: str
    title: str
    column: str
    rows: tuple[Row, ...]
    left_out: int = 0


@dataclass(frozen=True)
class Tables:
    """All tables of a report. `total` is None where there is no roll; `so_far` adds up the sessions."""

    total: Row | None
    players: Table
    characters: Table
    actions: Table
    skills: Table
    sessions: Table
    so_far: tuple[SoFar, ...]
    dice: tuple[Dice, ...]

    @property
    def all(self) -> tuple[Table, ...]:
        """The tables in the order in which they are shown."""
        return (self.players, self.characters, self.skills, self.actions, self.sessions)


def tables(figures: Figures, ruleset: str) -> Tables:
    """Work out every table; `ruleset` is the campaign's, for what its actions are called."""
    kinds = list(figures.kinds.items())
    titles = _titles(ruleset)
    players = _grouped(
        kinds,
        lambda kind: kind.user,
        lambda user: figures.users.get(user, user),
        lambda user: figures.runs.get((user, EVERY)),
    )
    characters = _grouped(
        kinds,
        lambda kind: _actor_key(kind.actor),
        lambda key: figures.name_of_actor(_actor(key)),
        lambda key: _longest(figures, _actor(key)),
    )
    skills = _grouped(kinds, lambda kind: _skill(kind.skill), figures.name_of_skill)
    actions = _grouped(kinds, lambda kind: kind.action, lambda name: titles.get(name, sentence(name)))
    by_session = {session.id: session for session in figures.sessions}
    names = names_of(figures.sessions)
    sessions = _grouped(kinds, lambda kind: kind.session, names.__getitem__)
    in_turn = sorted(sessions, key=lambda row: by_session[row.key].started_at)
    return Tables(
        total=row("", "All rolls", kinds) if kinds else None,
        players=_table("players", "By player", "Player", players),
        characters=_table("characters", "By character", "Character", characters),
        actions=_table("actions", "By action", "Action", actions),
        skills=_table("skills", "By skill", "Skill", skills),
        sessions=_table("sessions", "By session", "Session", in_turn, most=10_000),
        so_far=tuple(so_far(in_turn)),
        dice=tuple(dice(figures)),
    )


def _grouped(
    kinds: Iterable[Counted],
    key: Callable[[Kind], str],
    name: Callable[[str], str],
    run: Callable[[str], Run | None] = lambda key: None,
) -> list[Row]:
    """Return a row for each key, those with the most rolls first."""
    groups: dict[str, list[Counted]] = {}
    for kind, measured in kinds:
        groups.setdefault(key(kind), []).append((kind, measured))
    rows = [row(found, shown(name(found)), group, run(found)) for found, group in groups.items()]
    return sorted(rows, key=lambda row: (-row.rolls, row.name.casefold(), row.key))


def _table(name: str, title: str, column: str, rows: list[Row], most: int = MOST_ROWS) -> Table:
    return Table(name, title, column, tuple(rows[:most]), max(0, len(rows) - most))


# A row's key is text: an actor's id behind a letter, so that "none" and "further" have keys of their own.
def _actor_key(actor: Actor) -> str:
    return f"id:{actor}" if isinstance(actor, str) else ("further" if actor == OTHERS else "none")


def _actor(key: str) -> Actor:
    return key[3:] if key.startswith("id:") else (OTHERS if key == "further" else None)


def _skill(skill: str | int) -> str:
    return skill_key(skill) if isinstance(skill, str) else ""


def _longest(figures: Figures, actor: Actor) -> Run:
    """Return the longest runs of a character, each within one user's rolls."""
    runs = [run for (_, whose), run in figures.runs.items() if whose == actor and type(whose) is type(actor)]
    return Run(
        successes=max((run.successes for run in runs), default=0),
        failures=max((run.failures for run in runs), default=0),
    )


def _titles(ruleset: str) -> dict[str, str]:
    try:
        return {action.name: action.title for action in registry.get(ruleset).actions}
    except registry.UnknownRuleSet:
        return {}
