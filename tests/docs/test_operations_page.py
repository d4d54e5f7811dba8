"""docs/operations.md: the figures, commands, settings and events that it names are there."""

import re
from pathlib import Path

import click
from prometheus_client.parser import text_string_to_metric_families

from service.cli import main
from service.metrics import write
from service.store.figures import Figures

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "operations.md").read_text()


def test_the_figures_are_those_of_metrics() -> None:
    found = Figures({}, {}, 0, 0, 0, {}, 0, 0, 0)
    families = text_string_to_metric_families(write(found, {}, whole=True).decode())
    told = {family.name.removesuffix("_total") for family in families}
    described = {
        name.removesuffix("_total")
        for line in PAGE.splitlines()
        if line.startswith("| `tallybones_")
        for name in re.findall(r"`(tallybones_\w+)`", line.split("|")[1])
    }
    assert described == told


def test_the_figures_of_the_operator_are_marked() -> None:
    found = Figures({}, {}, 0, 0, 0, {}, 0, 0, 0)
    whole, open_ = (
        {family.name for family in text_string_to_metric_families(write(found, {}, whole=each).decode())}
        for each in (True, False)
    )
    marked = {name.removesuffix("_total") for name in re.findall(r"`(tallybones_\w+)` ○", PAGE)}
    assert marked == whole - open_


def test_the_commands_are_there() -> None:
    named = re.findall(r"(?:`|^ {4}|run )tallybones ([a-z-]+)(?: ([a-z-]+))?", PAGE, re.MULTILINE)
    assert len(named) > 8
    context = click.Context(main)
    for name, below in named:
        command = main.get_command(context, name)
        assert command is not None, name
        if below and isinstance(command, click.Group):
            assert below in command.commands, (name, below)


def test_the_settings_are_there() -> None:
    settings = (ROOT / "service" / "settings.py").read_text()
    for name in set(re.findall(r"\b(TALLYBONES_\w+|LOG_\w+|REDIS_URL)\b", PAGE)):
        assert f'"{name}"' in settings, name


def test_the_events_are_those_that_are_logged() -> None:
    code = "".join(
        file.read_text() for folder in ("service", "worker") for file in (ROOT / folder).rglob("*.py")
    )
    events = re.findall(r"^\| `([a-z ]+)` \| (?:web|worker) \|", PAGE, re.MULTILINE)
    assert len(events) == 4
    for event in events:
        assert f'"{event}"' in code, event
