"""Every rule set that this installation knows: our own and those of other packages."""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import entry_points

from rules.ruleset import RuleSet

ENTRY_POINTS = "tallybones.rulesets"
"""The entry point group: a name, and where its RuleSet is found, as in `my-rules = "my_package:RULE_SET"`."""


class UnknownRuleSet(LookupError):
    """No rule set of that name is installed."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no rule set {name!r} is installed; there are: {', '.join(_installed())}")
        self.name = name


class RuleSetClash(Exception):
    """Two packages bring a rule set of the same id."""

    def __init__(self, id: str) -> None:
        super().__init__(f"two installed packages bring a rule set {id!r}; uninstall one of them")
        self.id = id


@lru_cache(maxsize=1)
def _installed() -> dict[str, RuleSet]:
    from rules import d6_comparison, fort_ref_will, heroes_2d6, moon_hangs_low

    own = (moon_hangs_low, heroes_2d6, d6_comparison, fort_ref_will)
    found = {module.RULE_SET.id: module.RULE_SET for module in own}
    for entry in entry_points(group=ENTRY_POINTS):
        ruleset: RuleSet = entry.load()
        if ruleset.id in found:
            raise RuleSetClash(ruleset.id)
        found[ruleset.id] = ruleset
    return found


def get(id: str) -> RuleSet:
    """Return the rule set of that id; raise UnknownRuleSet."""
    try:
        return _installed()[id]
    except KeyError:
        raise UnknownRuleSet(id) from None


def all() -> tuple[RuleSet, ...]:
    """Return every installed rule set, our own first."""
    return tuple(_installed().values())
