"""`tallybones export`: write a whole campaign to a file."""

import sys

import click

from service import exporting
from service.cli import stop
from service.cli._table import campaign_or_stop, store_or_stop


@click.command()
@click.argument("campaign")
def command(campaign: str) -> None:
    """Write CAMPAIGN as lines of JSON: `tallybones export CAMPAIGN > file.ndjson`.

    Everything is in it: hidden rolls, the seeds of an open session, the hashes of keys and tokens. Keep it as
    you keep a backup. `tallybones import` brings it back.
    """
    _, store = store_or_stop()
    try:
        for line in exporting.export(store, campaign_or_stop(store, campaign)):
            sys.stdout.buffer.write(line)
    except exporting.Broken as error:
        raise stop(error.sentence) from error
    sys.stdout.buffer.flush()
