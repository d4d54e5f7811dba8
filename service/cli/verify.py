"""`tallybones verify`: check the dice of sessions, offline, from a file."""

import io
import sys
from dataclasses import asdict
from pathlib import Path

import click

from rules.findings import Checked
from service.cli import stop
from service.cli._params import as_json
from service.ndjson import BadLine
from service.saved_history import SavedHistory


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option("--json", "machine", is_flag=True, help="For another program.")
def command(files: tuple[Path, ...], machine: bool) -> None:
    """Check every die, number and commitment of the sessions in FILE ("-" reads the input).

    FILE is an export, or what the API answered: a session and its history, in one file or in several. Where
    a roll's rules are installed, what its dice come to is judged again. Exits with code 1 where anything is
    wrong, or where there is nothing to check: a session without its seed, as before its end, counts as such.
    """
    history, whole = SavedHistory(), True
    for file in files:
        try:
            with io.BytesIO(sys.stdin.buffer.read()) if str(file) == "-" else file.open("rb") as opened:
                troubles = history.read(opened)
        except BadLine as error:
            raise stop(f"{file}, line {error.line}: {error.sentence}") from error
        except OSError as error:
            raise stop(f"{file} cannot be read: {error.strerror}.") from error
        for trouble in troubles:
            whole = False
            click.echo(f"{click.style('✗', fg='red')} {file}: {trouble}", err=True)
    checked = history.check()
    if not checked:
        raise stop("There is no session in it: save the session's JSON beside its rolls, or use an export.")
    if machine:
        click.echo(as_json([_as_json(one) for one in checked]))
    else:
        for one in checked:
            _tell(one)
    if not whole or any(one.findings or not one.seed_known for one in checked):
        raise click.exceptions.Exit(1)


def _tell(checked: Checked) -> None:
    mark = click.style("✓", fg="green")
    if checked.findings:
        mark = click.style("✗", fg="red")
    elif not checked.seed_known:
        mark = click.style("…", fg="yellow")
    click.echo(f"{mark} Session {checked.session}: {checked.rolls} rolls, {checked.dice} dice checked.")
    if not checked.seed_known:
        click.echo(
            "  Not ended, or no seed in the file: dice can be checked when the session has ended. "
            "Save its JSON, or export, again then."
        )
    elif checked.unchecked:
        click.echo(f"  Not checked, as their seed or number is not in the file: {checked.unchecked}.")
    if checked.unjudged:
        why = "their rules are not installed here, or their other side is not in the file"
        click.echo(f"  Not judged again, as {why}: {checked.unjudged}.")
    for what, numbers in (
        ("Deleted by the GM", checked.deleted),
        ("Deleted by the GM, of the hidden rolls", checked.hidden_deleted),
        ("Not resolved yet", checked.unresolved),
        ("Not resolved yet, of the hidden rolls", checked.hidden_unresolved),
    ):
        if numbers:
            click.echo(f"  {what}: number {', '.join(map(str, numbers))}.")
    if checked.unanswered:
        click.echo(f"  Challenges without dice, as nobody answered them: {', '.join(checked.unanswered)}.")
    for finding in checked.findings:
        click.echo(f"  {finding.fault.value}: {finding.says}")


def _as_json(checked: Checked) -> dict[str, object]:
    findings = [{**asdict(finding), "fault": finding.fault.value} for finding in checked.findings]
    return {**asdict(checked), "ok": checked.seed_known and not findings, "findings": findings}
