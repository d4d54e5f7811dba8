"""`tallybones import`: bring a campaign back from a file."""  # noqa: N999  as the command is called

import shutil
import sys
import tempfile
from pathlib import Path

import click
from redis.exceptions import RedisError

from service.cli import stop
from service.cli._params import as_json
from service.cli._table import rows, store_or_stop
from service.importing import ImportRefused, import_campaign
from service.ndjson import BadLine


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--replace",
    is_flag=True,
    help="Delete a campaign of that id which is here, and put this one in its place.",
)
@click.option("--json", "machine", is_flag=True, help="For another program.")
def command(file: Path, replace: bool, machine: bool) -> None:
    """Bring a campaign back from FILE ("-" reads the input), which `tallybones export` wrote.

    All of it or nothing: every line is checked before anything is changed.
    """
    _, store = store_or_stop()
    try:
        with tempfile.TemporaryFile() if str(file) == "-" else file.open("rb") as opened:
            if str(file) == "-":
                shutil.copyfileobj(sys.stdin.buffer, opened)
                opened.seek(0)
            imported = import_campaign(store, opened, replace=replace)
    except BadLine as error:
        raise stop(f"{file}, line {error.line}: {error.sentence} Nothing was imported.") from error
    except ImportRefused as error:
        raise stop(f"{error.sentence} Nothing was imported.") from error
    except RedisError as error:
        raise stop(f"The server failed ({error}). Nothing was imported: try again.") from error
    except OSError as error:
        raise stop(f"{file} cannot be read: {error.strerror}.") from error
    campaign = imported.campaign
    if machine:
        told = {
            "id": campaign.id,
            "name": campaign.name,
            "sessions": imported.sessions,
            "rolls": imported.rolls,
        }
        click.echo(as_json(told | ({"gm_key": imported.gm_key} if imported.gm_key else {})))
        return
    click.echo(f"{campaign.name} ({campaign.id}): {imported.sessions} sessions, {imported.rolls} rolls.")
    if imported.webhooks:
        click.echo(f"Webhooks to add anew, as no file holds their addresses: {imported.webhooks}.")
    if imported.gm_key:
        click.echo("The file has no keys. The new GM key is shown this once:")
        click.echo(rows([("  GM key", imported.gm_key)]))
