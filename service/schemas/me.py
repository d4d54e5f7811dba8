"""Who calls."""

from marshmallow import fields, validate

from service.schemas.fields import Strict


class Me(Strict):
    """Who holds the token; the GM's user is "gm"."""

    role = fields.String(required=True, validate=validate.OneOf(("gm", "player")))
    user = fields.String(required=True)
    name = fields.String(required=True)
