"""The campaign: its name, its house rules, the connect code for Foundry, and a new GM key.

The service keeps a hash of the GM key only, so it cannot show a connect code by itself: who wants it enters
the key again, which also keeps it from whoever finds the console open.
"""

import hmac
from typing import Any

from flask import Response, request
from werkzeug.wrappers import Response as WerkzeugResponse

from service import connect_code
from service.console import guard
from service.console.ask import Refused, ask
from service.console.fields import draw, read
from service.console.pages import go, page, pages, rule_set
from service.console.sign_in import LONGEST_KEY, key_of
from service.foundry import MANIFEST
from service.services import services
from service.store import UnknownCampaign
from service.store.tokens import digest

RENEW = "renew"
"""What is typed to confirm a new GM key."""
PREFIX = "house"
MOST_DIGITS = 9


@pages.get("/console/campaign")
def campaign() -> Response:
    """Show what can be changed of the campaign."""
    return _campaign()


@pages.post("/console/campaign/name")
def change_name() -> Response | WerkzeugResponse:
    """Change the campaign's name."""
    name = request.form.get("name", "").strip()
    try:
        ask("PATCH", "", {"name": name})
    except Refused as refused:
        if refused.status != 422:
            raise
        return _campaign(422, name=name, name_errors=refused.errors.get("name", ()))
    return go("campaign", "name-changed")


@pages.post("/console/campaign/house-rules")
def change_house_rules() -> Response | WerkzeugResponse:
    """Change the house rules."""
    asked = read(rule_set().describe()["house_rules"], PREFIX, request.form)
    try:
        ask("PATCH", "", {"house_rules": asked})
    except Refused as refused:
        if refused.status != 422:
            raise
        return _campaign(422, house_rules=asked, house_errors=refused.errors.get("house_rules"))
    return go("campaign", "rules-changed")


@pages.post("/console/campaign/retention")
def change_retention() -> Response | WerkzeugResponse:
    """Change how long sessions are kept."""
    typed = request.form.get("days", "").strip()
    days = int(typed) if typed.isascii() and typed.isdigit() and len(typed) <= MOST_DIGITS else typed or None
    try:
        ask("PATCH", "", {"retention_days": days})
    except Refused as refused:
        if refused.status != 422:
            raise
        return _campaign(422, days=typed, days_errors=refused.errors.get("retention_days", ()))
    return go("campaign", "retention-changed")


@pages.post("/console/campaign/connect-code")
def show_connect_code() -> Response:
    """Show the connect code to whoever has the GM key."""
    key = key_of("".join(request.form.get("key", "")[:LONGEST_KEY].split())) or ""
    if not hmac.compare_digest(digest(key), guard.signed_in().token):
        return _campaign(422, key_errors=("This is not the GM key of this campaign.",))
    return page("connect_code.html", code=_code(key), renewed=None)


@pages.post("/console/campaign/renew-key")
def renew_key() -> Response:
    """Make a new GM key, show it this once, and sign this browser in with it; all others are out at once."""
    if request.form.get("confirm", "").strip().lower() != RENEW:
        return _campaign(422, renew_errors=(f"Type {RENEW} to make a new key.",))
    store, caller = services().store, guard.signed_in()
    try:
        key = store.campaigns.renew_gm_key(caller.campaign)
    except UnknownCampaign as error:
        raise guard.SignInNeeded from error
    known = store.tokens.caller(key)
    if known is None:
        raise guard.SignInNeeded
    cookie = store.sign_ins.open(known)
    # The page below is the first of the new sign-in, but its request came with the old one.
    guard.change_to(cookie)
    answer = page("connect_code.html", code=_code(key), renewed=key)
    guard.hand_out(cookie, answer)
    return answer


def _code(key: str) -> str:
    return connect_code.encode(connect_code.ConnectCode(_address(), guard.signed_in().campaign, key))


def _address() -> str:
    return services().settings.public_url or request.host_url.rstrip("/")


def _campaign(
    status: int = 200,
    *,
    name: str | None = None,
    name_errors: Any = (),
    house_rules: Any = None,
    house_errors: Any = None,
    days: str | None = None,
    days_errors: Any = (),
    key_errors: Any = (),
    renew_errors: Any = (),
) -> Response:
    rules, table = rule_set(), guard.table()
    described = rules.describe()["house_rules"]
    values = table.house_rules if house_rules is None else house_rules
    return page(
        "campaign.html",
        status,
        name=table.name if name is None else name,
        name_errors=name_errors,
        rules=rules,
        house_fields=draw(described, PREFIX, values, house_errors),
        days=(table.retention_days or "") if days is None else days,
        days_errors=days_errors,
        key_errors=key_errors,
        renew_errors=renew_errors,
        renew_word=RENEW,
        manifest=_address() + MANIFEST,
    )
