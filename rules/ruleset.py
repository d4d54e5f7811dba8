"""A rule set: its actions, its house rules and its sheet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any, ClassVar

from marshmallow import ValidationError

from rules.action import Action, HouseRules
from rules.describe import describe_action, describe_fields, starting_list
from rules.fields import OneOfChoices, Params, YesNo

LONGEST_REMEMBERED = 500
"""Characters of a request for an action beyond which it is validated each time it comes."""
MOST_SETTINGS = 256
"""Ways to set house rules beyond which they are not listed."""


class UnknownAction(LookupError):
    """The rule set has no action of that name."""

    def __init__(self, ruleset: str, name: str, known: tuple[str, ...]) -> None:
        super().__init__(f"{ruleset} has no action {name!r}; it has: {', '.join(known)}")
        self.ruleset, self.name, self.known = ruleset, name, known


@dataclass(frozen=True, kw_only=True)
class Sheet(Params):
    """A character's sheet; its fields are what a player writes down, `stats` names those that are stats."""

    stats: ClassVar[tuple[str, ...]] = ()

    def work_out(self) -> dict[str, Any]:
        """Return what follows from the sheet."""
        return {}

    def rolls(self) -> list[dict[str, Any]]:
        """Return the rolls that the sheet offers, ready to be clicked."""
        return []

    @staticmethod
    def button(label: str, group: str, action: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return one roll of the sheet: what it is called, where it stands, and what it fills in."""
        return {"label": label, "group": group, "action": action, "params": dict(params)}


def unique_names(skills: tuple[Any, ...]) -> None:
    """Refuse a sheet that names a skill twice."""
    names = [skill.name.casefold() for skill in skills]
    if len(set(names)) < len(names):
        raise ValidationError({"skills": ["Each skill may stand on the sheet once."]})


class _Asked:
    """A request for an action; two are equal when they are written the same, types included."""

    __slots__ = ("action", "house_rules", "params", "roller_is_player", "text")

    def __init__(
        self, action: str, params: Mapping[str, Any], house_rules: Mapping[str, Any], roller_is_player: bool
    ) -> None:
        self.action, self.params = action, params
        self.house_rules, self.roller_is_player = house_rules, roller_is_player
        try:
            text = repr((action, params, house_rules, roller_is_player))
        except RecursionError:  # nested beyond reason: validation says so
            text = ""
        self.text = text if len(text) <= LONGEST_REMEMBERED else ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def load(self, ruleset: RuleSet) -> Action:
        """Return the validated action."""
        house = ruleset.load_house_rules(self.house_rules)
        asked = ruleset.action(self.action)
        return asked.load(self.params, house=house, roller_is_player=self.roller_is_player)


@lru_cache(maxsize=1024)
def _loaded(ruleset: RuleSet, asked: _Asked) -> Action:
    """Return what was validated before: a table asks for the same few rolls all evening."""
    return asked.load(ruleset)


@dataclass(frozen=True)
class RuleSet:
    """A set of rules that a table plays by."""

    id: str
    title: str
    blurb: str
    actions: tuple[type[Action], ...]
    house_rules: type[HouseRules] = HouseRules
    sheet: type[Sheet] = Sheet

    def action(self, name: str) -> type[Action]:
        """Return the action of that name; raise UnknownAction."""
        for action in self.actions:
            if action.name == name:
                return action
        raise UnknownAction(self.id, name, tuple(action.name for action in self.actions))

    def load(
        self,
        action: str,
        params: Mapping[str, Any],
        house_rules: Mapping[str, Any] | None = None,
        roller_is_player: bool = True,
    ) -> Action:
        """Return a validated action.

        Raises:
            UnknownAction: the rule set has no such action.
            marshmallow.ValidationError: with the messages by field.
        """
        asked = _Asked(action, params, house_rules or {}, roller_is_player)
        return _loaded(self, asked) if asked.text else asked.load(self)

    def load_house_rules(self, given: Mapping[str, Any]) -> HouseRules:
        """Return validated house rules, defaults filled in; raise ValidationError by field."""
        return self.house_rules.load(given)

    def every_setting(self, named: Mapping[str, Any]) -> list[dict[str, Any]] | None:
        """Return every way to set the house rules that `named` leaves open, as written first.

        None where they cannot be listed: one takes any number, or there are too many.
        """
        choices: dict[str, list[Any]] = {}
        for name, field in self.house_rules.field_map().items():
            if name in named:
                continue
            if isinstance(field, OneOfChoices):
                values = list(field.choices)
            elif isinstance(field, YesNo):
                values = [False, True]
            else:
                return None
            usual = field.load_default
            choices[name] = [usual, *(value for value in values if value != usual)]
        if prod(map(len, choices.values())) > MOST_SETTINGS:
            return None
        return [{**named, **dict(zip(choices, ways, strict=True))} for ways in product(*choices.values())]

    def work_out_sheet(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return what follows from a sheet, with the sheet as validated and the rolls it offers."""
        sheet = self.sheet.load(given)
        return {"sheet": sheet.params(), **sheet.work_out(), "rolls": sheet.rolls()}

    def describe(self) -> dict[str, Any]:
        """Return the description that forms, buttons and labels are drawn from."""
        sheet = describe_fields(self.sheet)
        return {
            "id": self.id,
            "title": self.title,
            "blurb": self.blurb,
            "stats": [field for field in sheet if field["name"] in self.sheet.stats],
            "skills": starting_list(self.sheet, "skills"),
            "actions": [describe_action(action) for action in self.actions],
            "house_rules": describe_fields(self.house_rules),
            "sheet": sheet,
        }
