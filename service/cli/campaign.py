"""`tallybones campaign`: make campaigns, change them, and get their keys."""

from typing import Any

import click
from marshmallow import ValidationError

from rules import registry
from rules.registry import UnknownRuleSet
from service import first_campaign
from service.cli import stop
from service.cli._params import Typed, as_json, nested, problems
from service.cli._table import campaign_or_stop, day, name_or_stop, rows, store_or_stop
from service.connect_code import ConnectCode, encode
from service.settings import Settings
from service.store import Campaign

HOUSE = click.option("--house", multiple=True, type=Typed(), metavar="RULE=VALUE", help="A house rule.")
MACHINE = click.option("--json", "machine", is_flag=True, help="For another program.")


@click.group()
def command() -> None:
    """Make campaigns, change them, and get their keys."""


@command.command("list")
@MACHINE
def list_campaigns(machine: bool) -> None:
    """List every campaign of this server."""
    _, store = store_or_stop()
    campaigns = store.campaigns.all()
    if machine:
        click.echo(as_json([_shown(campaign) for campaign in campaigns]))
    elif campaigns:
        table = ((c.id, c.name, c.ruleset, day(c.created_at)) for c in campaigns)
        click.echo(rows([("ID", "NAME", "RULE SET", "MADE"), *table]))
    else:
        click.echo("No campaign yet: `tallybones campaign create NAME` makes one.")


@command.command()
@click.argument("name")
@click.option("--ruleset", default="moon-hangs-low", show_default=True, metavar="ID", help="Its rule set.")
@HOUSE
@MACHINE
def create(name: str, ruleset: str, house: Any, machine: bool) -> None:
    """Make a campaign, and show its GM key this once."""
    house_rules = _house_rules_or_stop(ruleset, nested(house))
    settings, store = store_or_stop()
    campaign, key = store.campaigns.create(name_or_stop(name), ruleset, house_rules)
    _show_key(settings, campaign, key, machine)


@command.command()
@click.argument("campaign")
@MACHINE
def show(campaign: str, machine: bool) -> None:
    """Show a campaign, its house rules and its players."""
    _, store = store_or_stop()
    found = campaign_or_stop(store, campaign)
    players = store.players.list(found.id)
    if machine:
        named = [{"user": player.user, "name": player.name} for player in players]
        click.echo(as_json({**_shown(found), "players": named}))
        return
    click.echo(f"{found.name} ({found.id}), {found.ruleset}, made {day(found.created_at)}")
    click.echo(f"Session: {found.open_session or 'none open; the first roll opens one'}")
    for rule, value in found.house_rules.items():
        click.echo(f"House rule {rule}: {value}")
    click.echo(f"Players: {', '.join(f'{player.name} ({player.user})' for player in players) or 'none yet'}")


@command.command("set")
@click.argument("campaign")
@click.option("--name", help="A new name.")
@HOUSE
@MACHINE
def change(campaign: str, name: str | None, house: Any, machine: bool) -> None:
    """Change a campaign's name or house rules; rules that are not given stay as they are."""
    _, store = store_or_stop()
    found = campaign_or_stop(store, campaign)
    given = nested(house)
    house_rules = _house_rules_or_stop(found.ruleset, {**found.house_rules, **given}) if given else None
    changed = store.campaigns.update(found.id, name_or_stop(name) if name else None, house_rules)
    click.echo(as_json(_shown(changed)) if machine else f"Changed {changed.name} ({changed.id}).")


@command.command("renew-key")
@click.argument("campaign")
@MACHINE
def renew_key(campaign: str, machine: bool) -> None:
    """Give a campaign a new GM key; the old one stops working at once."""
    settings, store = store_or_stop()
    found = campaign_or_stop(store, campaign)
    _show_key(settings, found, store.campaigns.renew_gm_key(found.id), machine)


def _house_rules_or_stop(ruleset: str, given: dict[str, Any]) -> dict[str, Any]:
    try:
        return registry.get(ruleset).load_house_rules(given).as_json()
    except UnknownRuleSet as error:
        raise stop(f"{error}.") from error
    except ValidationError as error:
        raise stop("\n".join(problems(error.messages))) from error


def _show_key(settings: Settings, campaign: Campaign, key: str, machine: bool) -> None:
    code = encode(ConnectCode(first_campaign.address(settings), campaign.id, key))
    if machine:
        click.echo(as_json({**_shown(campaign), "gm_key": key, "connect_code": code}))
        return
    click.echo(f"{campaign.name} ({campaign.id}), {campaign.ruleset}. The key is shown this once:")
    click.echo(rows([("  GM key", key), ("  Connect code", code)]))


def _shown(campaign: Campaign) -> dict[str, Any]:
    return {
        "id": campaign.id,
        "name": campaign.name,
        "ruleset": campaign.ruleset,
        "house_rules": campaign.house_rules,
    }
