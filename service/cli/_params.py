"""Parameters of an action as they are typed: `skill=5 opponent.kind=creature opponent.take7=yes`."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import click
from marshmallow import ValidationError

from rules import registry
from rules.action import Action
from rules.registry import UnknownRuleSet
from rules.ruleset import UnknownAction
from service.cli import stop

WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


class Typed(click.ParamType[tuple[tuple[str, ...], Any]]):
    """NAME=VALUE; a dot in NAME reaches into an object, VALUE is a whole number, yes or no, or a word."""

    name = "name=value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return (path, value); fail where there is no equals sign."""
        name, equals, text = str(value).partition("=")
        if not equals or not name:
            self.fail(f"{value!r} is not NAME=VALUE, as in skill=5.", param, ctx)
        return tuple(name.split(".")), _value(text)


def _value(text: str) -> Any:
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    digits = text.removeprefix("-").removeprefix("+")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 10 else text


def nested(typed: Iterable[tuple[tuple[str, ...], Any]]) -> dict[str, Any]:
    """Return the typed parameters as the object that the API takes."""
    made: dict[str, Any] = {}
    for path, value in typed:
        place = made
        for name in path[:-1]:
            inner = place.setdefault(name, {})
            if not isinstance(inner, dict):
                raise stop(f"{'.'.join(path)}: {name} has a value already.")
            place = inner
        place[path[-1]] = value
    return made


def action_or_stop(
    ruleset: str, action: str, params: Mapping[str, Any], house_rules: Mapping[str, Any]
) -> Action:
    """Return the validated action, or print what is wrong, field by field, and exit with code 1."""
    try:
        return registry.get(ruleset).load(action, params, house_rules)
    except (UnknownRuleSet, UnknownAction) as error:
        raise stop(f"{error}.") from error
    except ValidationError as error:
        raise stop("\n".join(problems(error.messages))) from error


def problems(messages: Any, path: str = "") -> list[str]:
    """Return one line a problem: the field, and what it must be."""
    if isinstance(messages, dict):
        inner = ((f"{path}.{name}" if path else str(name), found) for name, found in messages.items())
        return [line for place, found in inner for line in problems(found, place)]
    return [f"{path}: {sentence}" for sentence in messages]


def as_json(document: Any) -> str:
    """Write a document for another program."""
    return json.dumps(document, indent=2, ensure_ascii=False)
