"""The tables of odds on the rule pages, computed by the rules; `python -m tests.docs.tables` prints them."""

from fractions import Fraction

from rules import registry
from rules.odds import Odds, odds
from service.cards.odds_words import percent


def exact(ruleset, action, params, **house_rules) -> Odds:
    """Return the exact odds of a roll."""
    return odds(registry.get(ruleset).load(action, params, house_rules))


def cell(chance: Fraction) -> str:
    """Write a chance as its fraction and in percent."""
    return (
        f"{chance.numerator}/{chance.denominator} ({percent(chance)})" if 0 < chance < 1 else percent(chance)
    )


def table(heads, rows) -> str:
    """Write a Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(str(each) for each in line)} |" for line in lines)


def moon_by_pool() -> str:
    """Skill and DV, for pools of two to six dice without penalty."""

    def row(pool, skill):
        params = {"stat": min(pool, 5), "bonus": pool - min(pool, 5), "skill": skill}
        return [
            cell(exact("moon-hangs-low", "skill-check", {**params, "dv": dv}).success) for dv in (1, 2, 3)
        ]

    rows = [
        [pool, skill, *row(pool, skill)]
        for pool in (2, 4, 6)
        for skill in ("untrained", "trained", "mastered")
    ]
    return table(["Pool", "Skill", "DV 1", "DV 2", "DV 3"], rows)


def moon_by_penalty() -> str:
    """What penalty dice do to four trained dice."""

    def row(penalty):
        params = {"stat": 4, "skill": "trained", "penalty": penalty}
        return [
            cell(exact("moon-hangs-low", "skill-check", {**params, "dv": dv}).success) for dv in (1, 2, 3)
        ]

    return table(["Penalty dice", "DV 1", "DV 2", "DV 3"], [[penalty, *row(penalty)] for penalty in range(4)])


def heroes_by_gap() -> str:
    """Unopposed tests, by what the dice have to show, with and without criticals."""

    def row(gap):
        params = {"skill": 2 if gap < 13 else 0, "tn": gap + 2 if gap < 13 else gap}
        return [
            cell(exact("heroes-2d6", "unopposed-test", params, criticals=criticals).success)
            for criticals in ("override", "off")
        ]

    rows = [[gap, *row(gap)] for gap in range(2, 14)]
    return table(["TN less skill", "`override`", "`flavour` or `off`"], rows)


def heroes_by_lead() -> str:
    """Opposed tests against a creature that throws, by how far the skills are apart."""

    def row(lead):
        creature = {"kind": "creature", "skill": 5}
        chances = exact("heroes-2d6", "opposed-test", {"skill": 5 + lead, "opponent": creature})
        tie = chances.outcomes["tie"]
        return [cell(chances.success), cell(tie), cell(1 - chances.success - tie)]

    rows = [[f"{lead:+d}".replace("-", "−").replace("+0", "0"), *row(lead)] for lead in range(-4, 5, 2)]
    return table(["Lead in skill", "Hero succeeds", "Tie", "Creature succeeds"], rows)


def d6_bands() -> str:
    """The five bands, each with a hero and a monster that fall into it."""
    pairs = {
        "Most likely": (7, 3),
        "Likely": (6, 3),
        "Even": (3, 3),
        "Unlikely": (3, 5),
        "Very unlikely": (2, 5),
    }
    needs = dict(zip(pairs, (2, 3, 4, 5, 6), strict=True))
    rows = [
        [band, f"{hero} against {monster}", f"{needs[band]}+", cell(d6_success(hero, monster))]
        for band, (hero, monster) in pairs.items()
    ]
    return table(["Band", "For example", "Needs", "Success"], rows)


def d6_success(hero: int, monster: int) -> Fraction:
    """Return the chance of an opposed check."""
    return exact("d6-comparison", "opposed-check", {"skill": hero, "opponent_skill": monster}).success


def d6_by_difficulty() -> str:
    """Unopposed checks of a few skills."""
    ladder = ("easy", "moderate", "difficult", "very-difficult", "heroic", "near-impossible")
    rows = [
        [
            skill,
            *(
                cell(exact("d6-comparison", "unopposed-check", {"skill": skill, "difficulty": rung}).success)
                for rung in ladder
            ),
        ]
        for skill in (1, 3, 5, 7)
    ]
    return table(["Skill", *(f"`{rung}`" for rung in ladder)], rows)


NETS = (-2, -1, 0, 1, 2)


def by_net(action: str, targets, fixed=None, **house_rules) -> str:
    """Tests or saves in combat, by target and net sources of advantage."""

    def row(target):
        return [
            cell(
                exact(
                    "fort-ref-will",
                    action,
                    {
                        **(fixed or {}),
                        "target": target,
                        "advantage": max(net, 0),
                        "disadvantage": max(-net, 0),
                        "combat": True,
                    },
                    **house_rules,
                ).success
            )
            for net in NETS
        ]

    heads = ["Target", *(f"net {net:+d}".replace("-", "−").replace("+0", "0") for net in NETS)]
    return table(heads, [[target, *row(target)] for target in targets])


def fort_tests() -> str:
    """Tests with the corrected table."""
    return by_net("test", (5, 7, 9, 11))


def fort_saves() -> str:
    """Saves with the corrected table."""
    return by_net("save", (5, 7, 9, 11), {"attribute": "FOR"})


def fort_tests_as_printed() -> str:
    """Tests with the table as it is printed."""
    return by_net("test", (7,), advantage_table="as-printed")


TABLES = {
    "moon-hangs-low": (moon_by_pool, moon_by_penalty),
    "heroes-2d6": (heroes_by_gap, heroes_by_lead),
    "d6-comparison": (d6_bands, d6_by_difficulty),
    "fort-ref-will": (fort_tests, fort_saves, fort_tests_as_printed),
}

if __name__ == "__main__":
    for ruleset, makers in TABLES.items():
        for maker in makers:
            print(f"\n{ruleset}: {maker.__doc__}\n\n{maker()}")
