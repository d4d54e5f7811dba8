"""`tallybones doctor`: is everything there that a roll needs?"""

import json
import os
from dataclasses import asdict

import click

from service import checkup
from service.checkup import Finding, Level
from service.embedded import url_of
from service.reach import Unreachable, place, reach

MARKS = {
    Level.OK: click.style("✓", fg="green"),
    Level.WARNING: click.style("!", fg="yellow"),
    Level.ERROR: click.style("✗", fg="red"),
}


@click.command()
@click.option("--json", "machine", is_flag=True, help="For another program.")
@click.option("--release", is_flag=True, help="Before the first start: workers need not run yet.")
def command(machine: bool, release: bool) -> None:
    """Look at the environment, the Redis or Valkey server and the workers.

    Exits with code 1 where something does not work; a warning (!) is no error.
    """
    findings = examine(release)
    if machine:
        click.echo(json.dumps({"ok": not _errors(findings), "findings": [asdict(one) for one in findings]}))
    else:
        width = max(len(finding.subject) for finding in findings)
        for finding in findings:
            click.echo(f"{MARKS[finding.level]} {finding.subject:<{width}}  {finding.says}")
    if _errors(findings):
        raise click.exceptions.Exit(1)


def examine(release: bool) -> list[Finding]:
    """Run every check that can be run."""
    settings, findings = checkup.environment(os.environ)
    if settings is None:
        return findings
    try:
        redis = reach(settings)
    except Unreachable as error:
        return [*findings, Finding("server", Level.ERROR, error.sentence)]
    findings.append(Finding("server", Level.OK, place(settings.redis_url or url_of(settings.data) or "")))
    return [
        *findings,
        *checkup.server(redis),
        *checkup.workers(redis, released=not release),
        *checkup.backlog(redis),
    ]


def _errors(findings: list[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.level is Level.ERROR]
