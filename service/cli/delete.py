"""`tallybones delete`: delete a roll, a session or a campaign for good."""

import click

from service.cli import stop
from service.cli._table import campaign_or_stop, store_or_stop
from service.store import NotResolved, SessionStillOpen

YES = click.option("--yes", is_flag=True, help="Do not ask.")


@click.group()
def command() -> None:
    """Delete a roll, a session or a campaign for good."""


@command.command()
@click.argument("campaign")
@click.argument("roll")
@YES
def roll(campaign: str, roll: str, yes: bool) -> None:
    """Delete ROLL; both sides of an opposed one. Its number stays noted as deleted."""
    _, store = store_or_stop()
    record = store.rolls.get(campaign_or_stop(store, campaign).id, roll)
    if record is None:
        raise stop(f"There is no roll {roll!r} in this campaign.")
    _sure(f"Delete {record['title']} by {record['user_name']} for good?", yes)
    try:
        store.erasing.roll(campaign, record)
    except NotResolved as error:
        raise stop("It is not resolved yet: wait for its dice, or end the session.") from error
    click.echo(f"Deleted roll {roll}.")


@command.command()
@click.argument("campaign")
@click.argument("session")
@YES
def session(campaign: str, session: str, yes: bool) -> None:
    """Delete the ended SESSION with all its rolls."""
    _, store = store_or_stop()
    if store.sessions.get(campaign_or_stop(store, campaign).id, session) is None:
        raise stop(f"There is no session {session!r} in this campaign.")
    _sure(f"Delete session {session} with all its rolls for good?", yes)
    try:
        store.erasing.session(campaign, session)
    except SessionStillOpen as error:
        raise stop("It has not ended: end it first.") from error
    click.echo(f"Deleted session {session}.")


@command.command()
@click.argument("campaign")
@YES
def campaign(campaign: str, yes: bool) -> None:
    """Delete CAMPAIGN with all that belongs to it; its tokens stop working."""
    _, store = store_or_stop()
    found = campaign_or_stop(store, campaign)
    _sure(f"Delete {found.name} ({found.id}) with all its sessions, rolls and tokens for good?", yes)
    store.erasing.campaign(found.id)
    click.echo(f"Deleted {found.name}. Only an export can bring it back.")


def _sure(question: str, yes: bool) -> None:
    if not yes and not click.confirm(question):
        raise stop("Nothing was deleted.")
