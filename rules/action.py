"""What can be asked of a rule set: one definition is an action's form, throw, judgement and odds."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

from marshmallow import ValidationError

from rules.fields import Params, sentence, user
from rules.throw import Hand
from rules.verdict import Verdict

GM = "gm"
"""The user id of the GM, in every campaign."""


class NotAnswered(Exception):
    """An opposed action was thrown, or turned round, before the other side had answered."""

    def __init__(self, action: str) -> None:
        super().__init__(f"the other side of this {action} has not answered")
        self.action = action


class TakesNoAnswer(Exception):
    """An action that nobody can answer was treated as one that somebody does."""

    def __init__(self, action: str) -> None:
        super().__init__(f"nobody answers a {action}")
        self.action = action


@dataclass(frozen=True, kw_only=True)
class HouseRules(Params):
    """A rule set's house rules; each field's default is the rule as written."""

    def as_json(self) -> dict[str, Any]:
        """Return every house rule with its value."""
        return self.params()


@dataclass(frozen=True, kw_only=True)
class Player(Params):
    """An opponent who answers with a throw of their own."""

    kind = "player"
    label = "A player, or the GM"

    user: str = user("Who answers", help='A player of the campaign, or "gm".')

    @property
    def is_player(self) -> bool:
        """False for the GM."""
        return self.user != GM


@dataclass(frozen=True, kw_only=True)
class Action(Params):
    """A kind of roll. Its dataclass fields are its parameters, in the order in which a form asks for them."""

    name: ClassVar[str]
    title: ClassVar[str]
    help: ClassVar[str] = ""
    score: ClassVar[Literal["total", "successes"]] = "total"
    target_label: ClassVar[str] = "Target"
    exactly_one_of: ClassVar[tuple[str, ...]] = ()
    answer_type: ClassVar[type[Params] | None] = None

    house: Any = dataclasses.field(default_factory=HouseRules)
    roller_is_player: bool = True
    answer: Params | None = None

    def check(self) -> None:
        """Refuse a field whose house rule is off, and more or less than one of `exactly_one_of`."""
        errors: dict[str, list[str]] = {}
        for name, field in self.field_map().items():
            rule = field.metadata["only_with"]
            if rule and getattr(self, name) != field.load_default and not getattr(self.house, rule):
                default = str(field.load_default).lower()  # as JSON has it
                errors[name] = [f"Must be {default}: only the house rule {rule} allows it."]
        given = [name for name in self.exactly_one_of if getattr(self, name) is not None]
        if self.exactly_one_of and len(given) != 1:
            names = ", ".join(self.exactly_one_of)
            for name in self.exactly_one_of:
                errors[name] = [f"Give exactly one of: {names}. {sentence(self.field_map()[name])}"]
        if errors:
            raise ValidationError(errors)

    @abstractmethod
    def hands(self) -> tuple[Hand, ...]:
        """Return the dice to throw, in the order in which a record lists them."""

    @abstractmethod
    def judge(self, *readings: int) -> Verdict:
        """Return what these readings, one a hand, come to."""

    @abstractmethod
    def formula(self) -> str | None:
        """Return the formula that throws the roller's dice in Foundry, or None where nothing is thrown."""

    def heading(self) -> str:
        """Return what this roll is called on its card: the action's title, or something closer."""
        return self.title

    def numbers(self) -> tuple[tuple[str, int], ...]:
        """Return the numbers that enter the roll besides its dice, each with its label."""
        return ()

    def house_rules_in_play(self) -> dict[str, Any]:
        """Return the house rules that bear on this roll."""
        return {}

    def house_rules_that_mattered(self, verdict: Verdict) -> dict[str, Any]:
        """Return those in play that this throw turned on, to be shown on its card; all of them by default."""
        return self.house_rules_in_play()

    @property
    def challenged(self) -> str | None:
        """The user who has to answer, None when nobody has to."""
        opponent = getattr(self, "opponent", None)
        return opponent.user if isinstance(opponent, Player) else None

    @classmethod
    def answer_schema(cls) -> Any:
        """Return the marshmallow schema class of an answer, None where nobody answers."""
        return cls.answer_type.schema() if cls.answer_type else None

    def answered(self, given: Mapping[str, Any]) -> Self:
        """Return the action with the other side's validated parameters.

        Raises:
            TakesNoAnswer: nobody is challenged.
            marshmallow.ValidationError: with the messages by field.
        """
        if self.answer_type is None or self.challenged is None:
            raise TakesNoAnswer(self.name)
        return dataclasses.replace(self, answer=self.answer_type.load(given))

    def against_an_equal(self) -> Self:
        """Return the action as if the other side answered with the very same throw; raise TakesNoAnswer."""
        raise TakesNoAnswer(self.name)

    def other_side(self, roller: str) -> Self:
        """Return an answered action as the one who answered sees it; `roller` is the challenger's user id.

        Raises:
            NotAnswered: nobody has answered yet.
            TakesNoAnswer: the action has no other side.
        """
        raise TakesNoAnswer(self.name)
