"""`tallybones webhook`: say where cards go, try it, and see what became of it."""

import click

from service.cli import stop
from service.cli._params import as_json
from service.cli._table import campaign_or_stop, name_or_stop, rows, store_or_stop
from service.presenting import iso_time
from service.store import Delivery, Store, TooManyWebhooks, UnknownWebhook, Webhook
from service.webhook_address import AddressRules, what_is_wrong
from service.webhook_events import EVENTS, KINDS
from service.webhook_view import present_delivery, present_webhook

MACHINE = click.option("--json", "machine", is_flag=True, help="For another program.")
LINES = 20


@click.group()
def command() -> None:
    """Say where cards go, try it, and see what became of it."""


@command.command("list")
@click.argument("campaign")
@MACHINE
def list_webhooks(campaign: str, machine: bool) -> None:
    """List the webhooks of a campaign."""
    _, store = store_or_stop()
    webhooks = [present_webhook(each) for each in store.webhooks.list(campaign_or_stop(store, campaign).id)]
    if machine:
        click.echo(as_json(webhooks))
    elif webhooks:
        table = (
            (each["id"], each["kind"], each["name"] or "", _state(each), each["url"]) for each in webhooks
        )
        click.echo(rows([("ID", "KIND", "NAME", "STATE", "ADDRESS"), *table]))
    else:
        click.echo("No webhook yet: `tallybones webhook add` makes one.")


@command.command()
@click.argument("campaign")
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("url")
@click.option("--name", help="For your own eyes.")
@click.option("--event", "events", multiple=True, type=click.Choice(EVENTS), help="Only this; repeatable.")
@click.option("--hidden", is_flag=True, help="Show it gm and blind rolls too.")
@MACHINE
def add(
    campaign: str, kind: str, url: str, name: str | None, events: tuple[str, ...], hidden: bool, machine: bool
) -> None:
    """Send a campaign's cards to URL; the secret of kind `standard` is shown this once."""
    settings, store = store_or_stop()
    rules = AddressRules(http=settings.webhook_http, private=settings.webhook_private)
    if wrong := what_is_wrong(url, rules):
        raise stop(f"The address {wrong[0].lower()}{wrong[1:]}")
    found = campaign_or_stop(store, campaign)
    try:
        made = store.webhooks.create(
            found.id, kind, url, events or EVENTS, name_or_stop(name) if name else None, hidden
        )
    except TooManyWebhooks as error:
        raise stop(f"A campaign has at most {error.most} webhooks.") from error
    if machine:
        click.echo(as_json(present_webhook(made) | ({"secret": made.secret} if made.secret else {})))
        return
    click.echo(f"Made {made.id}: `tallybones webhook test {found.id} {made.id}` tries it.")
    if made.secret:
        click.echo(f"What it is sent is signed with this secret, shown this once:\n  {made.secret}")


@command.command()
@click.argument("campaign")
@click.argument("webhook")
def test(campaign: str, webhook: str) -> None:
    """Send a webhook a test; `tallybones webhook log` shows what came of it."""
    _, store = store_or_stop()
    try:
        store.webhooks.test(campaign_or_stop(store, campaign).id, webhook)
    except UnknownWebhook as error:
        raise _unknown(error.webhook) from error
    click.echo("A test is on its way: `tallybones webhook log` shows what comes of it.")


@command.command()
@click.argument("campaign")
@click.argument("webhook")
@MACHINE
def log(campaign: str, webhook: str, machine: bool) -> None:
    """Show what was last sent to a webhook, and what came back."""
    _, store = store_or_stop()
    known = _known(store, campaign_or_stop(store, campaign).id, webhook)
    deliveries = store.deliveries.list(known.id, limit=LINES)
    if machine:
        click.echo(as_json([present_delivery(delivery) for delivery in deliveries]))
    elif deliveries:
        click.echo(rows([("MADE", "EVENT", "STATUS", "TRIES", "LAST"), *map(_line, deliveries)]))
    else:
        click.echo("Nothing was sent yet.")


def _known(store: Store, campaign: str, webhook: str) -> Webhook:
    known = store.webhooks.get(campaign, webhook)
    if known is None:
        raise _unknown(webhook)
    return known


def _unknown(webhook: str) -> click.exceptions.Exit:
    return stop(f"There is no webhook {webhook!r} in this campaign: `tallybones webhook list` shows them.")


def _state(webhook: dict[str, object]) -> str:
    if webhook["enabled"]:
        return "failing" if webhook["failing_since"] else "on"
    return f"off ({webhook['off_because']})" if webhook["off_because"] else "off"


def _line(delivery: Delivery) -> tuple[str, ...]:
    last = delivery.attempts[-1] if delivery.attempts else {}
    answer = last.get("answer")
    came = str(answer["status"]) if answer else last.get("error") or ""
    tries = str(len(delivery.attempts))
    return (iso_time(delivery.created_at) or "", delivery.event, delivery.status, tries, came)
