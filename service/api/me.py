"""Whose token it is."""

from flask import Response

from service.auth import Who, caller
from service.bodies import json_answer
from service.calls import Calls
from service.schemas.me import Me

calls = Calls("me", __name__, url_prefix="/v1/campaigns/<id:campaign>/me")


@calls.call("GET", "", who=Who.MEMBER, answers={200: Me})
def say_who(campaign: str) -> Response:
    """Say whose token this is: a client that was handed one checks that it is its own user's."""
    me = caller()
    return json_answer({"role": me.role, "user": me.user, "name": me.name})
