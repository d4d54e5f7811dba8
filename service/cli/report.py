"""`tallybones report`: ask for a report and wait for it."""

import time
from pathlib import Path

import click

from service.cli import stop
from service.cli._params import as_json
from service.cli._table import campaign_or_stop, store_or_stop
from service.report_view import present_whole
from service.store import Report, ReportWish, Store
from service.visibility import GM

LOOK_EVERY = 0.2
PATIENCE = 120
"""Seconds without any progress after which it is said that no worker seems to be there."""


@click.command()
@click.argument("campaign")
@click.option(
    "--session", "sessions", multiple=True, metavar="ID", help="Only this session; may be repeated."
)
@click.option("--user", metavar="ID", help="Only this player's rolls.")
@click.option(
    "--html", type=click.Path(dir_okay=False, writable=True, path_type=Path), help="Write the page there."
)
@click.option(
    "--csv", type=click.Path(dir_okay=False, writable=True, path_type=Path), help="Write the table there."
)
@click.option("--json", "machine", is_flag=True, help="For another program.")
def command(
    campaign: str,
    sessions: tuple[str, ...],
    user: str | None,
    html: Path | None,
    csv: Path | None,
    machine: bool,
) -> None:
    """Report on a campaign's rolls, hidden ones too, beside what their odds let one expect.

    Made by the report worker, so the service has to be running.
    """
    _, store = store_or_stop()
    found = campaign_or_stop(store, campaign)
    unknown = store.sessions.unknown_among(found.id, sessions) if sessions else ()
    if unknown:
        raise stop(f"This campaign has no session {unknown[0]!r}.")
    asked = store.reports.ask(found.id, GM, ReportWish(sessions=sessions or None, user=user))
    report = _wait_for(store, asked)
    if report.status == "failed":
        raise stop(report.error or "The report failed.")
    for path, part in ((html, "html"), (csv, "csv")):
        if path is not None:
            path.write_bytes(store.reports.part(report.id, part) or b"")
            click.echo(f"Written: {path}", err=True)
    if machine:
        click.echo(as_json(present_whole(store, report)))
    elif report.card is not None:
        click.echo(report.card["text"])


def _wait_for(store: Store, report: Report) -> Report:
    changed, seen = time.monotonic(), report
    while True:
        now = store.reports.find(report.id)
        if now is None:
            raise stop("The report was deleted while it was made.")
        if now.finished_at is not None:
            return now
        if (now.step, now.percent) != (seen.step, seen.percent):
            changed, seen = time.monotonic(), now
        if time.monotonic() - changed > PATIENCE:
            raise stop("The report makes no progress: is a report worker running? `tallybones doctor` knows.")
        time.sleep(LOOK_EVERY)
