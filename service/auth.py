"""Who calls: tokens, roles, and who may make which call."""

import hmac
from enum import Enum

from flask import g, request

from service.problems import FORBIDDEN, Problem, not_found, unauthorized
from service.services import services
from service.store import Caller, Campaign
from service.store.tokens import digest
from service.visibility import THE_GM

LONGEST_TOKEN = 200

ON_BEHALF = "tallybones.caller"
"""The key in a WSGI environment where the console, which asks the API within the process, says for whom it
asks. No header of a request can set it."""


class Who(Enum):
    """Who may make a call."""

    ANYBODY = "anybody"
    ADMIN = "the admin token"
    GM = "the GM key of the campaign"
    OWNER = "the GM key of the campaign, or the admin token"
    MEMBER = "the GM key, or a player token, of the campaign"


def bearer_token() -> str | None:
    """Return the token that came with the request, None when there is none."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    token = token.strip()
    return token if scheme.lower() == "bearer" and 0 < len(token) <= LONGEST_TOKEN else None


def caller() -> Caller:
    """Return who calls; for calls that `admit` has let in."""
    known: Caller = g.caller
    return known


def campaign() -> Campaign:
    """Return the campaign of the call; for calls that ask for it."""
    known: Campaign = g.campaign
    return known


def admit(who: Who, campaign: str | None, *, with_campaign: bool = False) -> None:
    """Let the caller of the request in, or raise the problem that says why not.

    Keeps who calls, and the campaign when asked to, in one round trip. A token of another campaign learns no
    more than that there is nothing here.
    """
    if who is Who.ANYBODY:
        return
    signed_in: Caller | None = request.environ.get(ON_BEHALF)
    token = bearer_token()
    if signed_in is None and token is None:
        raise unauthorized("Send your token in the header Authorization: Bearer TOKEN.")
    if signed_in is None and is_admin():
        if who not in (Who.ADMIN, Who.OWNER):
            raise Problem(FORBIDDEN, f"The admin token makes campaigns; this call needs {who.value}.")
        return
    table, known = None, signed_in
    if with_campaign and campaign is not None:
        table, held = services().store.campaigns.with_caller(campaign, token or "")
        known = signed_in or held
    elif known is None:
        known = services().store.tokens.caller(token or "")
    if known is None:
        raise unauthorized("This token is unknown or was revoked; ask your GM for a new one.")
    if who is Who.ADMIN:
        raise Problem(FORBIDDEN, f"This call needs {who.value} of this service.")
    if known.campaign != campaign or (with_campaign and table is None):
        raise not_found("campaign")
    if who in (Who.GM, Who.OWNER) and known.role != THE_GM:
        raise Problem(FORBIDDEN, f"This call needs {who.value}.")
    g.caller, g.campaign = known, table


def is_admin() -> bool:
    """Say whether the admin token came with the request (the old one too, while it is being replaced)."""
    token = bearer_token()
    if token is None:
        return False
    sent, known = digest(token), [digest(good) for good in services().settings.admin_tokens]
    # Of the digests, and all of them, so that the time taken tells nothing of the tokens.
    return sum(hmac.compare_digest(sent, good) for good in known) > 0
