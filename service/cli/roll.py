"""`tallybones roll`: throw from a terminal, here or at a table."""

import os
import secrets
from typing import Any, cast

import click

from rules.action import Action
from rules.dice import SeededDice
from rules.fairness import commitment, new_seed
from rules.throw import resolve
from service import first_campaign
from service.cards import card
from service.cards.text import painted
from service.cli import stop
from service.cli._params import Typed, action_or_stop, as_json, nested
from service.cli._remote import roll as roll_at
from service.cli._remote import ruleset as ruleset_at
from service.connect_code import ConnectCode, ConnectCodeError, decode
from service.presenting import present_view
from service.recording import asked, resolved
from service.records import RollRecord
from service.settings import data_folder
from service.store.ids import new_id, now_ms
from service.visibility import VISIBILITIES, View


@click.command()
@click.argument("ruleset")
@click.argument("action")
@click.argument("params", nargs=-1, type=Typed())
@click.option(
    "--house", multiple=True, type=Typed(), metavar="RULE=VALUE", help="A house rule, for a throw here."
)
@click.option("--label", help="What the roll is for.")
@click.option("--table", is_flag=True, help="Roll at the first campaign of the service that runs here.")
@click.option("--connect", metavar="CODE", help="Roll at the campaign of this connect code.")
@click.option("--visibility", type=click.Choice(VISIBILITIES), default="public", help="Who sees it there.")
@click.option("--json", "machine", is_flag=True, help="For another program.")
def command(
    ruleset: str,
    action: str,
    params: Any,
    house: Any,
    label: str | None,
    table: bool,
    connect: str | None,
    visibility: str,
    machine: bool,
) -> None:
    """Throw a roll and show its card.

    The throw is made here and kept nowhere, unless --table or --connect says where. For example:

    \b
      tallybones roll fort-ref-will save attribute=REF target=8 advantage=1
      tallybones roll heroes-2d6 opposed-test skill=5 opponent.kind=creature opponent.skill=4
      tallybones roll moon-hangs-low skill-check stat=4 skill=trained dv=2 --table
    """
    given = nested(params)
    if table or connect:
        body = {"action": action, "params": given, "visibility": visibility}
        at = _table(connect)
        if (played := ruleset_at(at)) != ruleset:
            raise stop(f"That table plays {played}, not {ruleset}.")
        shown = roll_at(at, body | ({"label": label} if label else {}))
        click.echo(as_json(shown) if machine else painted(shown["card"]["text"], shown["outcome"]))
        return
    loaded = action_or_stop(ruleset, action, given, nested(house))
    if loaded.challenged:
        raise stop("A player answers at a table only: add --table, or make the opponent a creature or npc.")
    record = throw_here(ruleset, loaded, label)
    if machine:
        click.echo(as_json(present_view(record, View.FULL)))
    else:
        click.echo(painted(card(record).text, record["outcome"]))


def throw_here(ruleset: str, action: Action, label: str | None) -> RollRecord:
    """Throw with a fresh seed, in a session of one roll that is kept nowhere; return its record."""
    session, seed, nonce, now = new_id(), new_seed(), secrets.token_hex(8), now_ms()
    record = asked(
        action,
        ruleset=ruleset,
        params=action.params(),
        user="terminal",
        user_name="Terminal",
        nonce=nonce,
        now=now,
        label=label,
    ) | {
        "id": f"{session}-{new_id()}",
        "session": session,
        "seq": 1,
        "commitment": commitment(session, seed),
    }
    resolution = resolve(action, SeededDice(seed, session, 1, nonce))
    return resolved(cast(RollRecord, record), action, resolution, resolution.dice, now)


def _table(connect: str | None) -> ConnectCode:
    code = connect or first_campaign.connect_code(data_folder(os.environ))
    if code is None:
        raise stop("There is no first campaign here: start `tallybones up`, or give a code with --connect.")
    try:
        return decode(code)
    except ConnectCodeError as error:
        raise stop(error.reason) from error
