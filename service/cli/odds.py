"""`tallybones odds`: the exact odds of a roll, without throwing it."""

from typing import Any

import click

from rules.odds import fraction_text, odds
from service.cards.odds_words import odds_in_words, percent
from service.cli._params import Typed, action_or_stop, as_json, nested


@click.command()
@click.argument("ruleset")
@click.argument("action")
@click.argument("params", nargs=-1, type=Typed())
@click.option("--house", multiple=True, type=Typed(), metavar="RULE=VALUE", help="A house rule of the table.")
@click.option("--json", "machine", is_flag=True, help="For another program.")
def command(ruleset: str, action: str, params: Any, house: Any, machine: bool) -> None:
    """Work out the exact odds of a roll.

    For example: tallybones odds moon-hangs-low skill-check stat=4 skill=trained dv=2
    """
    asked = action_or_stop(ruleset, action, nested(params), nested(house))
    answer = odds(asked)
    if machine:
        click.echo(as_json(answer.as_json()))
        return
    click.echo(f"{asked.title}. Success: {odds_in_words(answer.success)} ({percent(answer.success)})")
    for outcome, chance in answer.outcomes.items():
        click.echo(f"  {outcome.value:<18} {fraction_text(chance):>12}  {percent(chance):>10}")
