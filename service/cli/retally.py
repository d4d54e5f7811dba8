"""`tallybones retally`: make tallies anew from the ledger."""

import click

from service.cli import stop
from service.cli._table import campaign_or_stop, store_or_stop
from service.store import UnknownSession
from service.store.tallies import RebuildFailed


@click.command()
@click.argument("campaign")
def command(campaign: str) -> None:
    """Make a campaign's tallies anew from its rolls; the table can go on rolling meanwhile.

    Reports do this by themselves for sessions whose tallies are incomplete.
    """
    _, store = store_or_stop()
    found = campaign_or_stop(store, campaign)
    rolls = sessions = 0
    for session in store.sessions.ids(found.id):
        try:
            rolls += store.tallies.rebuild(found.id, session)
        except UnknownSession:  # deleted meanwhile
            continue
        except RebuildFailed as error:
            says = f"Session {session} kept changing meanwhile: do it again when nobody rolls."
            raise stop(says) from error
        sessions += 1
    click.echo(f"Tallied {rolls:,} rolls of {sessions:,} sessions anew.")
