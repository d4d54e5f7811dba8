"""`tallybones player`: give players their tokens, and take them back."""

import re

import click

from rules.fields import USER_ID
from service.cli import stop
from service.cli._params import as_json
from service.cli._table import campaign_or_stop, day, name_or_stop, rows, store_or_stop
from service.visibility import GM

MACHINE = click.option("--json", "machine", is_flag=True, help="For another program.")


@click.group()
def command() -> None:
    """Give players their tokens, and take them back."""


@command.command("list")
@click.argument("campaign")
@MACHINE
def list_players(campaign: str, machine: bool) -> None:
    """List the players of a campaign that hold a token."""
    _, store = store_or_stop()
    players = store.players.list(campaign_or_stop(store, campaign).id)
    if machine:
        click.echo(as_json([{"user": player.user, "name": player.name} for player in players]))
    elif players:
        table = ((player.user, player.name, day(player.created_at)) for player in players)
        click.echo(rows([("USER", "NAME", "TOKEN MADE"), *table]))
    else:
        click.echo("No player yet: Foundry pairs them, or `tallybones player mint` gives one a token.")


@command.command()
@click.argument("campaign")
@click.argument("user")
@click.argument("name")
@MACHINE
def mint(campaign: str, user: str, name: str, machine: bool) -> None:
    """Give USER (a Foundry user's id) a token, in place of any older one, and show it this once."""
    if not re.fullmatch(USER_ID, user) or user == GM:
        raise stop(f"USER must be 1 to 64 letters, digits, dots, dashes or underscores, and not {GM!r}.")
    _, store = store_or_stop()
    player, token = store.players.mint(campaign_or_stop(store, campaign).id, user, name_or_stop(name))
    if machine:
        click.echo(as_json({"user": player.user, "name": player.name, "token": token}))
    else:
        click.echo(f"{player.name} ({player.user}). The token is shown this once:\n  {token}")


@command.command()
@click.argument("campaign")
@click.argument("user")
def revoke(campaign: str, user: str) -> None:
    """Take USER's token back; it stops working at once."""
    _, store = store_or_stop()
    if not store.players.revoke(campaign_or_stop(store, campaign).id, user):
        raise stop(f"{user!r} holds no token in this campaign: `tallybones player list` shows who does.")
    click.echo(f"{user} has no token any more.")
