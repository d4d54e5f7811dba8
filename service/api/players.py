"""Players: the GM gives each Foundry user a token, and takes it back."""

from flask import Response

from service.auth import Who
from service.bodies import json_answer
from service.calls import Calls
from service.problems import not_found
from service.schemas import tables
from service.services import services
from service.store import UnknownCampaign

calls = Calls("players", __name__, url_prefix="/v1/campaigns/<id:campaign>/players")


@calls.call("POST", "", who=Who.GM, body=tables.NewPlayer, answers={201: tables.MintedPlayer})
def mint_token(asked: dict[str, str], campaign: str) -> Response:
    """Give a player a token, which is shown this once.

    A second one replaces the first, and ends the streams that were opened with it.
    """
    try:
        player, token = services().store.players.mint(campaign, asked["user"], asked["name"])
    except UnknownCampaign as error:
        raise not_found("campaign") from error
    made = {"user": player.user, "name": player.name, "token": token}
    return json_answer(made, 201, {"Location": f"/v1/campaigns/{campaign}/players/{player.user}"})


@calls.call("GET", "", who=Who.GM, answers={200: tables.Players})
def list_players(campaign: str) -> Response:
    """List the players that hold a token."""
    players = services().store.players.list(campaign)
    listed = [{"user": player.user, "name": player.name} for player in players]
    return json_answer({"players": listed, "next_cursor": None})


@calls.call("DELETE", "", who=Who.GM, query=tables.PlayerQuery, answers={204: None})
def revoke_token_of(query: dict[str, str], campaign: str) -> Response:
    """Revoke the token of the player `user`, and end the streams opened with it."""
    return _revoke(campaign, query["user"])


@calls.call("GET", "/<user:user>", who=Who.GM, answers={200: tables.Player})
def read_player(campaign: str, user: str) -> Response:
    """Read a player."""
    player = services().store.players.get(campaign, user)
    if player is None:
        raise not_found("player")
    return json_answer({"user": player.user, "name": player.name})


@calls.call("DELETE", "/<user:user>", who=Who.GM, answers={204: None})
def revoke_token(campaign: str, user: str) -> Response:
    """Revoke a player's token, and end the streams opened with it."""
    return _revoke(campaign, user)


def _revoke(campaign: str, user: str) -> Response:
    if not services().store.players.revoke(campaign, user):
        raise not_found("player")
    return Response(status=204)
