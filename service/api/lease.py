"""Leases between the clients of a GM."""

from flask import Response

from service.auth import Who
from service.bodies import json_answer
from service.calls import Calls
from service.schemas.leases import Lease, LeaseWish
from service.services import services

calls = Calls("leases", __name__, url_prefix="/v1/campaigns/<id:campaign>/lease")


@calls.call("POST", "", who=Who.GM, body=LeaseWish, answers={200: Lease})
def take_lease(asked: dict[str, str], campaign: str) -> Response:
    """Take a lease for 30 seconds, or renew it.

    A GM may be there more than once, in two tabs for instance, and each sees every roll: the one that holds
    the lease posts what only a GM's client can post.
    """
    return json_answer({"held": services().store.leases.take(campaign, asked["name"], asked["holder"])})
