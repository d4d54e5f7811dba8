"""Leases: which, for whom, and whether it is held."""

from marshmallow import fields

from service.schemas.fields import Strict, identifier

_NAME = r"[A-Za-z0-9._:-]{1,100}"
_SENTENCE = "Must be 1 to 100 letters, digits, dots, colons, dashes or underscores."


class LeaseWish(Strict):
    """A lease that a client would like to hold."""

    name = identifier(_NAME, _SENTENCE, required=True, metadata={"description": "What is to be done once."})
    holder = identifier(
        _NAME, _SENTENCE, required=True, metadata={"description": "The client, a tab for instance."}
    )


class Lease(Strict):
    """Whether the holder has the lease."""

    held = fields.Boolean(required=True)
