"""Who is let into the console, and what keeps others out: the cookie, the checks of each form, the headers.

A form counts when the browser sends it from one of our own pages: it carries the sign-in's form token, and no
`Origin` or `Sec-Fetch-Site` that says otherwise. `SameSite=Strict` alone would not do: a Foundry on the same
machine is the same site, for ports do not count.
"""

import hmac
from urllib.parse import urlsplit

from flask import Response, g, request
from redis.exceptions import RedisError
from werkzeug.wrappers import Response as WerkzeugResponse

from service.services import services
from service.store import Caller, Campaign
from service.store.sign_ins import KEPT

COOKIE = "tallybones"
FORM_TOKEN = "form_token"  # noqa: S105  the name of a field
LONGEST_COOKIE = 100
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    # Not no-referrer: with that, browsers hide from our own forms' requests where they come from.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class SignInNeeded(Exception):
    """A page that only a GM who is signed in may see."""


class ForeignForm(Exception):
    """A form that was not sent from a page of the console as it is now."""


def find_signed_in() -> Caller | None:
    """Return who is signed in, None when nobody is; looked up once a request, also where that fails."""
    if "store_failed" in g:
        raise g.store_failed
    if "signed_in" not in g:
        try:
            _look_up()
        except RedisError as error:
            g.store_failed = error
            raise
    found: Caller | None = g.signed_in
    return found


def _look_up() -> None:
    cookie, campaigns = cookie_sent(), services().store.campaigns
    caller = services().store.sign_ins.caller(cookie) if cookie else None
    g.table = campaigns.get(caller.campaign) if caller else None
    g.signed_in = caller if g.table else None


def signed_in() -> Caller:
    """Return the GM who is signed in, else raise SignInNeeded."""
    found = find_signed_in()
    if found is None:
        raise SignInNeeded
    return found


def table() -> Campaign:
    """Return the campaign of the GM who is signed in, else raise SignInNeeded."""
    signed_in()
    known: Campaign = g.table
    return known


def require_own_form() -> None:
    """Refuse what changes something unless it was sent from a page of ours, by the GM it was made for."""
    if request.method in SAFE_METHODS:
        return
    require_own_origin()
    expected = form_token()
    if not expected:
        raise SignInNeeded
    if not hmac.compare_digest(request.form.get(FORM_TOKEN, "").encode(), expected.encode()):
        raise ForeignForm


def require_own_origin() -> None:
    """Refuse a request that a browser says comes from another site's page."""
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        raise ForeignForm
    origin = request.headers.get("Origin")
    if origin is None:
        return
    ours = {request.host.lower()}
    if public := services().settings.public_url:
        ours.add(urlsplit(public).netloc.lower())
    if urlsplit(origin).netloc.lower() not in ours:
        raise ForeignForm


def came_by_itself() -> bool:
    """Say whether the browser vouches that no other site led it here: a link from a terminal, a page of ours.

    One that says nothing vouches for nothing, as over plain http on a network of one's own.
    """
    return request.headers.get("Sec-Fetch-Site") in ("same-origin", "none")


def form_token() -> str:
    """Return what each form of the sign-in carries; a page of another site cannot know it."""
    cookie = cookie_sent()
    if not cookie or find_signed_in() is None:
        return ""
    return hmac.new(cookie.encode(), b"tallybones console form", "sha256").hexdigest()


def cookie_sent() -> str | None:
    """Return the cookie that came with the request, or that it was changed to."""
    if "cookie" in g:
        changed: str = g.cookie
        return changed
    value = request.cookies.get(_cookie_name(), "")
    return value if 0 < len(value) <= LONGEST_COOKIE else None


def hand_out(cookie: str, answer: WerkzeugResponse) -> None:
    """Send a sign-in's cookie along with an answer."""
    https = _over_https()
    answer.set_cookie(_cookie_name(), cookie, max_age=KEPT, secure=https, httponly=True, samesite="Strict")


def take_back(answer: WerkzeugResponse) -> None:
    """Have the browser forget the cookie."""
    answer.delete_cookie(_cookie_name(), secure=_over_https(), httponly=True, samesite="Strict")


def harden(answer: Response) -> Response:
    """Say to the browser what a page of the console never does, and that nobody else is to keep it."""
    answer.headers.update(HEADERS)
    answer.headers.setdefault("Cache-Control", "no-store")
    return answer


def _cookie_name() -> str:
    # Browsers take a __Host- cookie from its own host over https only: no neighbour can plant one.
    return f"__Host-{COOKIE}" if _over_https() else COOKIE


def _over_https() -> bool:
    """Say whether the browser speaks https, be it to a proxy; a wrong claim harms only who makes it."""
    said = request.headers.get("X-Forwarded-Proto", "").split(",")[0].strip().lower()
    public = services().settings.public_url or ""
    return request.is_secure or said == "https" or public.lower() == f"https://{request.host.lower()}"


def change_to(cookie: str) -> None:
    """Go on with this request as one that came with `cookie`."""
    g.cookie = cookie
    for known in ("signed_in", "table"):
        g.pop(known, None)
