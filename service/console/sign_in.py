"""Signing in with the GM key, and out.

The link that `tallybones up` prints carries the key behind a `#`: browsers keep that part to themselves, so
it stands in no log and no Referer. A script takes it out of the address bar and sends it as the form would,
after a click unless the link was opened from outside any page by a browser that is signed in nowhere.
"""

from flask import Response, request
from werkzeug.wrappers import Response as WerkzeugResponse

from service.auth import LONGEST_TOKEN
from service.connect_code import PREFIX, ConnectCodeError, decode
from service.console import guard
from service.console.pages import go, pages, sign_in_page
from service.services import services
from service.store import Caller
from service.visibility import THE_GM

LONGEST_KEY = 4000
"""Characters that are looked at of what was pasted: a connect code is longer than a key."""


@pages.post("/console/sign-in")
def sign_in() -> Response | WerkzeugResponse:
    """Sign in with a GM key or a connect code."""
    guard.require_own_origin()
    pasted = "".join(request.form.get("key", "")[:LONGEST_KEY].split())
    caller, wrong = _whose(pasted)
    if caller is None:
        return sign_in_page(422, wrong)
    _end_this()
    answer = go("live_table")
    guard.hand_out(services().store.sign_ins.open(caller), answer)
    return answer


@pages.post("/console/sign-out")
def sign_out() -> WerkzeugResponse:
    """Sign out: the cookie is worth nothing from now on, in any tab."""
    _end_this()
    answer = go("live_table", "signed-out")
    guard.take_back(answer)
    return answer


def _end_this() -> None:
    cookie = guard.cookie_sent()
    if cookie:
        services().store.sign_ins.end(cookie)


def key_of(pasted: str) -> str | None:
    """Return the GM key that was pasted, alone or in a connect code; None where it is neither."""
    if not pasted.startswith(PREFIX):
        return pasted if 0 < len(pasted) <= LONGEST_TOKEN else None
    try:
        return decode(pasted).key
    except ConnectCodeError:
        return None


def _whose(pasted: str) -> tuple[Caller | None, str]:
    """Return the GM whose key was pasted, or None and a sentence that says what is wrong with it."""
    if not pasted:
        return None, "Paste the GM key of your campaign."
    key = key_of(pasted)
    caller = services().store.tokens.caller(key) if key else None
    if caller is None:
        return (
            None,
            "This key is not known here. Copy the whole of it; a key that was renewed is worth nothing.",
        )
    if caller.role != THE_GM:
        return None, "This is a player's token. The console is for the GM: it takes the GM key."
    return caller, ""
