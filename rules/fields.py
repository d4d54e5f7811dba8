"""The fields of an action, a house rule set or a sheet.

Each maker returns a dataclass field that carries one marshmallow field. That one field is the
validation, the description for forms and the OpenAPI schema: nothing about a parameter is said twice.
Numbers are taken as integers only: a float, a boolean or a numeric string is refused.
"""

from __future__ import annotations

import dataclasses
import unicodedata
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from marshmallow import RAISE, Schema, ValidationError, fields, missing, validate

REQUIRED: Any = missing
"""The default of a field that has none: it must be given."""

USER_ID = r"[A-Za-z0-9._-]{1,64}"
"""What a user id looks like (Foundry's are 16 letters and digits)."""


class WholeNumber(fields.Integer):
    """An integer within a range, both ends included."""

    def __init__(self, low: int, high: int, **kwargs: Any) -> None:
        super().__init__(strict=True, validate=validate.Range(low, high), **kwargs)
        self.low, self.high = low, high
        self.sentence = f"Must be a whole number from {low} to {high}."

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if type(value) is not int or not self.low <= value <= self.high:
            raise ValidationError(self.sentence)
        return value


class OneOfChoices(fields.Raw):
    """One of a few values, each with a label for people; the values are strings or integers."""

    def __init__(self, choices: Mapping[Any, str], **kwargs: Any) -> None:
        super().__init__(validate=validate.OneOf(list(choices)), **kwargs)
        self.choices = dict(choices)
        self.sentence = f"Must be one of: {', '.join(map(str, choices))}."

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        # By type too: False == 0 and 2.0 == 2 would pass a bare membership test.
        if not any(type(value) is type(choice) and value == choice for choice in self.choices):
            raise ValidationError(self.sentence)
        return value


class YesNo(fields.Boolean):
    """True or false, and nothing that merely looks like it."""

    sentence = "Must be true or false."

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if value is not True and value is not False:
            raise ValidationError(self.sentence)
        return value


class UserId(fields.String):
    """The id of a player, or "gm"."""

    sentence = "Must be a user id: 1 to 64 letters, digits, dots, dashes or underscores."

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validate=validate.Regexp(rf"^{USER_ID}\Z", error=self.sentence), **kwargs)
        self.error_messages["invalid"] = self.sentence


class Variant(fields.Field[Any]):
    """An object whose `kind` says which of several sets of fields it has."""

    def __init__(self, kinds: tuple[type[Params], ...], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.kinds: dict[str, type[Params]] = {kind.kind: kind for kind in kinds}
        self.sentence = f"Must be an object whose kind is one of: {', '.join(self.kinds)}."

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Params:
        if not isinstance(value, Mapping):
            raise ValidationError(self.sentence)
        kind = value.get("kind")
        if not isinstance(kind, str) or kind not in self.kinds:
            raise ValidationError({"kind": [f"Must be one of: {', '.join(self.kinds)}."]})
        return self.kinds[kind].load({name: given for name, given in value.items() if name != "kind"})


class ListOf(fields.List[Any]):
    """A list of objects of one kind, with a bound on its length."""

    def __init__(self, item: type[Params], most: int, least: int = 0, **kwargs: Any) -> None:
        super().__init__(fields.Nested(item.schema()), validate=validate.Length(least, most), **kwargs)
        self.item, self.least, self.most = item, least, most
        self.sentence = f"Must be a list of {least} to {most}."

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, list) or not self.least <= len(value) <= self.most:
            raise ValidationError(self.sentence)
        errors: dict[int, Any] = {}
        items: list[Params] = []
        for place, given in enumerate(value):
            try:
                items.append(self.item.load(given))
            except ValidationError as error:
                errors[place] = error.messages
        if errors:
            raise ValidationError(errors)
        return tuple(items)


class Name(fields.String):
    """A name that people gave: 1 to 80 printable characters; outer spaces are dropped."""

    longest = 80
    sentence = f"Must be 1 to {longest} characters of text, without control characters."

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validate=validate.Length(1, self.longest), **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str):
            raise ValidationError(self.sentence)
        text = value.strip()
        # Cc: controls, Cs: lone surrogates (not writable as UTF-8), Zl and Zp: line breaks in disguise.
        if not 1 <= len(text) <= self.longest or any(_unprintable(letter) for letter in text):
            raise ValidationError(self.sentence)
        return text


def _unprintable(letter: str) -> bool:
    return unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp")


def sentence(field: fields.Field[Any]) -> str:
    """Return what a field's value must be, as its errors say it."""
    said: str = getattr(field, "sentence", "Must be given.")
    return said


def _field(
    kind: type[fields.Field[Any]],
    *args: Any,
    label: str,
    default: Any,
    help: str,
    only_with: str | None = None,
) -> Any:
    metadata = {"label": label, "description": help or label, "help": help, "only_with": only_with}
    needed = {"required": True} if default is REQUIRED else {"load_default": default}
    field = kind(*args, allow_none=False, metadata=metadata, **needed)
    field.error_messages |= {"required": f"Is missing. {sentence(field)}", "null": sentence(field)}
    if default is REQUIRED:
        return dataclasses.field(metadata={"field": field})
    return dataclasses.field(default=default, metadata={"field": field})


def whole(
    label: str, low: int, high: int, *, default: Any = REQUIRED, help: str = "", only_with: str | None = None
) -> Any:
    """Make an integer field of `low` to `high`; `only_with` names the house rule that allows it."""
    return _field(WholeNumber, low, high, label=label, default=default, help=help, only_with=only_with)


def choice(
    label: str,
    choices: Mapping[Any, str],
    *,
    default: Any = REQUIRED,
    help: str = "",
    only_with: str | None = None,
) -> Any:
    """Make a field that takes one of the keys of `choices`, whose values are their labels."""
    return _field(OneOfChoices, choices, label=label, default=default, help=help, only_with=only_with)


def flag(label: str, *, default: Any = False, help: str = "", only_with: str | None = None) -> Any:
    """Make a true-or-false field."""
    return _field(YesNo, label=label, default=default, help=help, only_with=only_with)


def user(label: str, *, help: str = "") -> Any:
    """Make a field that names a player of the campaign, or "gm"."""
    return _field(UserId, label=label, default=REQUIRED, help=help)


def either(label: str, *kinds: type[Params], help: str = "") -> Any:
    """Make a field that is one of several objects, told apart by their `kind`."""
    return _field(Variant, kinds, label=label, default=REQUIRED, help=help)


def name(label: str, *, default: Any = REQUIRED, help: str = "") -> Any:
    """Make a text field of 1 to 80 characters without control characters."""
    return _field(Name, label=label, default=default, help=help)


def list_of(
    label: str, item: type[Params], *, most: int, default: tuple[Any, ...] = (), help: str = ""
) -> Any:
    """Make a list field of at most `most` objects."""
    return _field(ListOf, item, most, label=label, default=default, help=help)


_VALIDATORS: dict[type[Params], Schema] = {}
"""Made at first use, once for each set of fields."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Params:
    """A set of validated fields. Subclasses are frozen, keyword-only dataclasses of the fields above."""

    kind: ClassVar[str] = ""
    label: ClassVar[str] = ""

    @classmethod
    def field_map(cls) -> dict[str, fields.Field[Any]]:
        """Return the marshmallow field of each parameter, in the order of definition."""
        return {
            field.name: field.metadata["field"]
            for field in dataclasses.fields(cls)
            if "field" in field.metadata
        }

    @classmethod
    def schema(cls) -> type[Schema]:
        """Return the marshmallow schema class, made once; unknown fields are refused."""
        return type(cls._validator())

    @classmethod
    def _validator(cls) -> Schema:
        if cls not in _VALIDATORS:
            body = {**cls.field_map(), "Meta": type("Meta", (), {"unknown": RAISE})}
            _VALIDATORS[cls] = type(f"{cls.__name__}Schema", (Schema,), body)()
        return _VALIDATORS[cls]

    @classmethod
    def load(cls, given: Any, **context: Any) -> Self:
        """Validate a mapping of parameters and return the object.

        Raises:
            marshmallow.ValidationError: with the messages by field.
        """
        loaded = cls(**cls._validator().load(given), **context)
        loaded.check()
        return loaded

    def check(self) -> None:
        """Refuse what no single field can see; raise ValidationError by field."""

    def params(self) -> dict[str, Any]:
        """Return the parameters as JSON, defaults filled in; what was left out for another stays out."""
        given = {name: _as_json(getattr(self, name)) for name in self.field_map()}
        return {name: value for name, value in given.items() if value is not None}


def _as_json(value: Any) -> Any:
    if isinstance(value, Params):
        return {"kind": value.kind, **value.params()} if value.kind else value.params()
    if isinstance(value, tuple):
        return [_as_json(item) for item in value]
    return value
