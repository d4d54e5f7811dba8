"""Every rule set that this installation knows: our own and those of other packages."""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import entry_points

from rules import d6_comparison, fort_ref_will, heroes_2d6, moon_hangs_low
from rules.ruleset import RuleSet

ENTRY_POINTS = "tallybones.rulesets"
"""The entry point group: a name, and where its RuleSet is found, as in `my-rules = "my_package:RULE_SET"`."""

OWN = (moon_hangs_low.RULE_SET, heroes_2d6.RULE_SET, d6_comparison.RULE_SET, fort_ref_will.RULE_SET)


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


class NotARuleSet(TypeError):
    """An entry point of the group leads to something else."""

    def __init__(self, entry_point: str) -> None:
        super().__init__(f"the entry point {entry_point!r} of {ENTRY_POINTS} is not a RuleSet")
        self.entry_point = entry_point


@lru_cache(maxsize=1)
def _installed() -> dict[str, RuleSet]:
    found = {ruleset.id: ruleset for ruleset in OWN}
    for entry in entry_points(group=ENTRY_POINTS):
        ruleset = entry.load()
        if not isinstance(ruleset, RuleSet):
            raise NotARuleSet(entry.name)
        if ruleset.id in found:
            raise RuleSetClash(ruleset.id)
        found[ruleset.id] = ruleset
    return found


def look_again() -> None:
    """Forget what was found, so that a package that was installed meanwhile is found too."""
    _installed.cache_clear()


def get(id: str) -> RuleSet:
    """Return the rule set of that id; raise UnknownRuleSet."""
    try:
        return _installed()[id]
    except KeyError:
        raise UnknownRuleSet(id) from None


def all() -> tuple[RuleSet, ...]:
    """Return every installed rule set, our own first."""
    return tuple(_installed().values())
