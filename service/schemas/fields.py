"""Fields that several requests share."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from marshmallow import RAISE, Schema, ValidationError, fields, validate

from rules.fields import USER_ID, Name

ID_LENGTH = 10
ID = rf"[a-z2-7]{{{ID_LENGTH}}}"
"""A campaign's or a session's id."""
ROLL_ID = rf"{ID}-{ID}"
"""A roll's id: its session's, and its own."""
DELIVERY_ID = rf"{ID}-[0-9a-f]{{24}}"
"""A delivery's id: its webhook's, and its own."""
RULE_SET = r"[A-Za-z0-9._-]{1,64}"
STREAM_ID = r"[0-9]{1,15}-[0-9]{1,10}"
"""A place in the ledger, as clients keep it: the id of an event."""
ACTOR_ID = r"[A-Za-z0-9._:-]{1,128}"
"""Foundry's ids, and its longer paths to an unlinked token's actor."""
GM = "gm"

_EPOCH, _YEAR_10000 = datetime(1970, 1, 1, tzinfo=UTC), 253_402_300_800_000
"""The first moment that is taken, and the ms from there to the first that Python has no date for."""

_TAG = re.compile(r"<[A-Za-z/!?]")


class Strict(Schema):
    """A schema that refuses fields it does not know."""

    class Meta:
        unknown = RAISE


class GivenName(Name):
    """A name, title or label: 1 to 80 characters of plain text, without control characters or HTML tags."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        if _TAG.search(text):
            raise ValidationError("Must be plain text, without HTML tags.")
        return text


class Whole(validate.Regexp):
    """Matches a text as a whole: Python's `$` lets a line break slip through, and OpenAPI knows no `\\Z`."""

    def __call__(self, value: Any) -> Any:
        if self.regex.fullmatch(value) is None:
            raise ValidationError(self.error)
        return value


def identifier(pattern: str, sentence: str, **kwargs: Any) -> fields.String:
    """Return a string field that matches `pattern` as a whole."""
    return fields.String(validate=Whole(f"^{pattern}$", error=sentence), **kwargs)


def user_id(**kwargs: Any) -> fields.String:
    """Return a field for the id of a player, or "gm"."""
    sentence = "Must be a user id: 1 to 64 letters, digits, dots, dashes or underscores."
    return identifier(USER_ID, sentence, **kwargs)


class PlayerId(fields.String):
    """The id of a player: a Foundry user's; "gm" is the GM's own."""

    def __init__(self, **kwargs: Any) -> None:
        sentence = "Must be a user id: 1 to 64 letters, digits, dots, dashes or underscores."
        checks = [
            Whole(f"^{USER_ID}$", error=sentence),
            validate.NoneOf([GM], error='"gm" is the GM; choose another id.'),
        ]
        super().__init__(validate=checks, **kwargs)


class Moment(fields.Field[int]):
    """A moment as ISO 8601 (`2026-11-30T20:15:00Z`), or a date (its start, UTC); loaded as ms since 1970.

    It lies in the years 1970 to 9999, in UTC.
    """

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        sentence = "Must be a moment as ISO 8601, like 2026-11-30T20:15:00Z."
        if not isinstance(value, str) or not re.match(r"\d{4}-\d\d-\d\d", value, re.ASCII):
            raise ValidationError(sentence)
        try:
            # In a query a "+" arrives as a space.
            moment = datetime.fromisoformat(value.replace(" ", "+") if _spaced_offset(value) else value)
        except ValueError as error:
            raise ValidationError(sentence) from error
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        # Whole numbers all the way: as a float the last microsecond of 9999 would lie in the year 10000.
        ms = (moment - _EPOCH) // timedelta(milliseconds=1)
        if not 0 <= ms < _YEAR_10000:
            raise ValidationError("Must lie from 1970-01-01 to 9999-12-31, in UTC.")
        return ms


def _spaced_offset(value: str) -> bool:
    return re.search(r"T.* \d\d:?\d\d\Z", value, re.ASCII) is not None


class Limit(fields.Integer):
    """How many entries a page holds, as a query parameter: 1 to 200."""

    MOST = 200

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validate=validate.Range(1, self.MOST), load_default=50, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        digits = isinstance(value, str) and re.fullmatch(r"[0-9]{1,3}", value)
        if not digits or not 1 <= int(value) <= self.MOST:
            raise ValidationError(f"Must be a whole number from 1 to {self.MOST}.")
        return int(value)
