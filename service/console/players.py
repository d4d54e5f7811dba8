"""Players and their tokens: given, shown once, taken back."""

from typing import Any

from flask import Response, request, url_for
from werkzeug.wrappers import Response as WerkzeugResponse

from service.console.ask import Refused, ask
from service.console.pages import go, page, pages


@pages.get("/console/players")
def players() -> Response:
    """List the players, with a form for another."""
    return _players()


@pages.post("/console/players")
def mint_token() -> Response:
    """Give a player a token, and show it this once."""
    asked = {"user": request.form.get("user", "").strip(), "name": request.form.get("name", "").strip()}
    try:
        minted = ask("POST", "/players", asked)
    except Refused as refused:
        if refused.status != 422:
            raise
        return _players(422, asked=asked, errors=refused.errors)
    return page("token.html", 201, player=minted, address=url_for("console.live_table", _external=True))


@pages.get("/console/players/<user:user>/revoke")
def confirm_revoke(user: str) -> Response:
    """Ask whether a token shall be revoked."""
    return page("revoke.html", player=ask("GET", f"/players/{user}"))


@pages.post("/console/players/<user:user>/revoke")
def revoke_token(user: str) -> WerkzeugResponse:
    """Revoke a player's token."""
    ask("DELETE", f"/players/{user}")
    return go("players", "token-revoked")


def _players(status: int = 200, asked: Any = None, errors: Any = None) -> Response:
    listed = ask("GET", "/players")["players"]
    return page("players.html", status, players=listed, asked=asked or {}, errors=errors or {})
