"""Descriptions for forms, read off the fields themselves."""

from __future__ import annotations

from typing import Any

from marshmallow import fields, missing

from rules.action import Action
from rules.fields import ListOf, Name, OneOfChoices, Params, UserId, Variant, WholeNumber, YesNo


def describe_fields(params: type[Params]) -> list[dict[str, Any]]:
    """Return each field of a set: name, label, help, type, default, range or choices."""
    return [_describe(name, field) for name, field in params.field_map().items()]


def describe_action(action: type[Action]) -> dict[str, Any]:
    """Return what a form for the action has to show."""
    answer = action.answer_type
    return {
        "name": action.name,
        "title": action.title,
        "help": action.help,
        "score": action.score,
        "target_label": action.target_label,
        "fields": describe_fields(action),
        "exactly_one_of": list(action.exactly_one_of),
        "answer_fields": describe_fields(answer) if answer else None,
    }


def starting_list(params: type[Params], name: str) -> list[dict[str, Any]]:
    """Return what a fresh list holds, such as a new sheet's skills; nothing where there is no such list."""
    field = params.field_map().get(name)
    return _plain(field.load_default) if isinstance(field, ListOf) else []


def _describe(name: str, field: fields.Field[Any]) -> dict[str, Any]:
    described: dict[str, Any] = {
        "name": name,
        "label": field.metadata["label"],
        "help": field.metadata["help"],
        "required": field.required,
    }
    if field.load_default is not missing:
        described["default"] = _plain(field.load_default)
    if field.metadata["only_with"]:
        described["only_with"] = field.metadata["only_with"]
    return described | _type(field)


def _type(field: fields.Field[Any]) -> dict[str, Any]:
    match field:
        case WholeNumber():
            return {"type": "integer", "minimum": field.low, "maximum": field.high}
        case OneOfChoices():
            choices = [{"value": value, "label": label} for value, label in field.choices.items()]
            return {"type": "choice", "choices": choices}
        case YesNo():
            return {"type": "flag"}
        case UserId():
            return {"type": "user"}
        case Name():
            return {"type": "text", "maximum_length": field.longest}
        case Variant():
            kinds = [
                {"kind": kind.kind, "label": kind.label, "fields": describe_fields(kind)}
                for kind in field.kinds.values()
            ]
            return {"type": "variant", "kinds": kinds}
        case ListOf():
            return {
                "type": "list",
                "least": field.least,
                "most": field.most,
                "fields": describe_fields(field.item),
            }
    raise TypeError(f"no description is known for {type(field).__name__}")


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value.params() if isinstance(value, Params) else value
