"""What the commands about campaigns share: the store, a campaign by its id, and rows for people."""

from collections.abc import Iterable
from datetime import UTC, datetime

from marshmallow import ValidationError

from rules.fields import Name
from service.cli import settings_or_stop, stop
from service.reach import Unreachable, reach
from service.settings import Settings
from service.store import Campaign, Store


def store_or_stop() -> tuple[Settings, Store]:
    """Return the settings and the store they lead to, or say why there is none and exit with code 1."""
    settings = settings_or_stop()
    try:
        return settings, Store(reach(settings))
    except Unreachable as error:
        raise stop(error.sentence) from error


def campaign_or_stop(store: Store, campaign: str) -> Campaign:
    """Return the campaign, or say that there is none and exit with code 1."""
    found = store.campaigns.get(campaign)
    if found is None:
        raise stop(f"There is no campaign {campaign!r}: `tallybones campaign list` shows them.")
    return found


def name_or_stop(name: str) -> str:
    """Return a name as the API would take it, or say what is wrong with it and exit with code 1."""
    try:
        return str(Name().deserialize(name))
    except ValidationError as error:
        raise stop(f"The name {error.messages[0][0].lower()}{error.messages[0][1:]}") from error


def rows(table: Iterable[Iterable[str]]) -> str:
    """Align rows of text in columns, two spaces apart."""
    lines = [list(row) for row in table]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def day(milliseconds: int) -> str:
    """Write a time in ms as a date, for people."""
    return f"{datetime.fromtimestamp(milliseconds / 1000, UTC):%Y-%m-%d}"
