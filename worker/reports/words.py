"""A report in sentences: plain, and no surer of anything than the figures are."""

from collections.abc import Iterable
from datetime import UTC, datetime

from service.store import ReportWish
from worker.reports import drawn
from worker.reports.statistics import LEAST_PER_FACE, LEAST_SAMPLE, LEAST_SPREAD, Dice, Luck, Row
from worker.reports.tables import Table, Tables

CHANCE_ALONE = "Of 20 such figures about one lies outside its usual range by chance alone."
REACH = "Luck’s usual reach is where chance alone leaves a figure in 19 of 20 cases."
SAMPLE = (
    f"A verdict is given from {LEAST_SAMPLE} rolls on whose result was in doubt, and where luck alone moves "
    f"the successes by {LEAST_SPREAD:.0f} or more; below that there is none, whatever the figure."
)
BOTH_SIDES = (
    "Where a row holds both sides of an opposed roll, one wins what the other loses: such a row varies less "
    "than is reckoned with here, so its verdict errs towards the usual."
)

VERDICTS = {
    "within": "within luck’s reach",
    "above": "above luck’s usual reach",
    "below": "below luck’s usual reach",
}
TOO_FEW = "too few rolls to say"
NO_DOUBT = "no roll was in doubt"


def percent(share: float) -> str:
    """Write a share of 1 as whole percent; those near the ends keep a decimal."""
    return f"{share:.1%}" if 0 < share < 0.1 or 0.995 < share < 1 else f"{share:.0%}"


def signed(value: float, decimals: int = 1) -> str:
    """Write a number with its sign, the minus a real one."""
    text = f"{value:+.{decimals}f}"
    return "0" if not float(text) else text.replace("-", "−")


def number(value: float, decimals: int = 1) -> str:
    """Write a number, the minus a real one, whole ones without decimals."""
    return f"{value:,.{decimals}f}".removesuffix("." + "0" * decimals).replace("-", "−")


def rolls(count: int) -> str:
    """Write how many rolls."""
    return f"{count:,} roll" if count == 1 else f"{count:,} rolls"


def verdict(luck: Luck | None) -> str:
    """Say what a z-score tells, which for a small sample is nothing."""
    if luck is None:
        return NO_DOUBT
    return VERDICTS[luck.verdict] if luck.verdict else TOO_FEW


def of_row(row: Row) -> str:
    """Say how a row went, in a sentence."""
    went = (
        f"{row.name}: {rolls(row.rolls)}, {percent(row.rate)} succeeded where the odds gave "
        f"{percent(row.expected_rate)}"
    )
    if row.luck is None:
        return f"{went}; {NO_DOUBT}."
    low, high = row.luck.usual
    reach = f"luck alone: {percent(low)} to {percent(high)}"
    return f"{went} ({reach}); z {signed(row.luck.z)}, {verdict(row.luck)}."


def of_total(total: Row | None) -> str:
    """Say how all rolls went."""
    if total is None:
        return "There is no roll to report on."
    return of_row(total).replace(f"{total.name}: ", "", 1).capitalize()


def of_luck(tables: Tables) -> str:
    """Say what the plot of luck shows."""
    groups = [drawn.luck(table) for table in (tables.players, tables.characters)]
    rows = [row for group in groups for row in group.rows]
    limits = only(*(group.limit for group in groups))
    outside = [row for row in rows if row.luck and row.luck.verdict in ("above", "below")]
    judged = [row for row in rows if row.luck and row.luck.verdict]
    if not judged:
        return (
            f"{limits}{'None of them' if limits else 'Nobody'} has enough rolls for a verdict yet. {SAMPLE}"
        )
    if not outside:
        who = "Each of them" if limits else "Everybody"
        said = f"{who} with enough rolls lies within it. {REACH}"
    else:
        said = " ".join(
            f"{row.name} lies {row.luck.verdict} it (z {signed(row.luck.z)})." for row in outside if row.luck
        )
        said = f"{said} {REACH} {CHANCE_ALONE}"
    few = len(rows) - len(judged)
    said = f"{limits}The grey band is luck’s usual reach. {said}"
    return f"{said} Hollow marks: too few rolls to say." if few else said


def only(*limits: str | None) -> str:
    """Say which rows a plot shows, where not all; a sentence with the space that follows it, or nothing."""
    told = drawn.told(*limits)
    return f"Shown here: {told}. " if told else ""


def of_rates(tables: Tables) -> str:
    """Say what the plot of rates shows."""
    found = drawn.bars(tables.skills)
    rows = [row for row in found.rows if row.luck and row.luck.verdict]
    limit = only(found.limit)
    if not rows:
        none = "None of them" if limit else "No skill"
        return f"{limit}{none} has enough rolls for a verdict yet. The bars are luck’s usual reach."
    widest = max(rows, key=lambda row: abs(row.rate - row.expected_rate))
    return (
        f"{limit}Furthest from its odds is {widest.name}: {percent(widest.rate)} of {rolls(widest.rolls)} "
        f"succeeded, {percent(widest.expected_rate)} were expected, {verdict(widest.luck)}. "
        "The bars are luck’s usual reach."
    )


def of_trends(tables: Tables) -> str:
    """Say what the plot of sessions shows; a session of few rolls is never named, however it went."""
    sessions, limit = drawn.sessions(tables)
    if len(sessions) < 2:
        return "One session makes no trend yet."
    judged = [row.luck.verdict for row in sessions if row.luck and row.luck.verdict]
    if not judged:
        none = "None of them" if limit else "No session"
        return f"{only(limit)}{none} has enough rolls for a verdict yet. The bars are luck’s usual reach."
    outside = sum(verdict != "within" for verdict in judged)
    high, low = drawn.furthest(sessions)
    named = [
        f"Furthest {side} its odds was {_beside_odds(row)}."
        for side, row in (("above", high), ("below", low))
        if row
    ]
    of = "the one session" if len(judged) == 1 else f"the {len(judged)} sessions"
    lie = "lies" if outside < 2 else "lie"
    said = f"Of {of} with enough rolls for a verdict {outside or 'none'} {lie} outside luck’s usual reach."
    return only(limit) + " ".join([*named, said])


def _beside_odds(row: Row) -> str:
    return f"{row.name} ({percent(row.rate)}, expected {percent(row.expected_rate)})"


def of_dice(dice: Dice) -> str:
    """Say what the chi-square test of one size of dice means."""
    thrown = f"{dice.thrown:,} dice of {dice.faces} faces"
    if dice.p is None or dice.chi_square is None:
        least = LEAST_PER_FACE * dice.faces
        return f"{thrown}: too few for a test, which takes {least}."
    often = "less than 0.1%" if dice.p < 0.001 else percent(dice.p)
    p = "p < 0.001" if dice.p < 0.001 else f"p = {dice.p:.3f}"
    said = (
        f"{thrown}: chi-square {number(dice.chi_square)} with {dice.degrees} degrees of freedom, "
        f"{p}. That means: fair dice fall at least this unevenly in {often} of all such samples"
    )
    if dice.p < 0.05:
        return f"{said}. One fair table in twenty shows a p below 0.05; it is a reason to look, not a proof."
    return f"{said}, so there is nothing unusual here."


def of_all_dice(dice: Iterable[Dice]) -> str:
    """Say what the plot of dice shows."""
    return " ".join(of_dice(each) for each in dice) or "No dice were thrown."


def of_table(table: Table) -> str | None:
    """Say what was left out of a table, None where nothing was."""
    return f"{table.left_out} with fewer rolls are left out." if table.left_out else None


def of_wish(wish: ReportWish, names: dict[str, str], sessions: int) -> list[str]:
    """Say which rolls a report is about."""
    told = ["1 session" if sessions == 1 else f"{sessions} sessions"]
    if wish.user is not None:
        told.append(f"player {names.get(wish.user, wish.user)}")
    if wish.actor is not None:
        told.append(f"character {names.get(f'actor:{wish.actor}', wish.actor)}")
    if wish.action is not None:
        told.append(f"action {wish.action}")
    if wish.skill is not None:
        told.append(f"skill {wish.skill}")
    if wish.since is not None:
        told.append(f"since {moment(wish.since)}")
    if wish.until is not None:
        told.append(f"before {moment(wish.until)}")
    return told


def moment(milliseconds: int) -> str:
    """Write a time for people."""
    return f"{datetime.fromtimestamp(milliseconds / 1000, UTC):%-d %b %Y, %H:%M} UTC"
