"""Tests, saves and contests, rule by rule (rules 4.1 to 4.4)."""

from fractions import Fraction
from typing import Any

import pytest

from rules import registry
from rules.odds import odds
from rules.readings import BestTwo, distribution
from tests.rules.asking import FORT, VECTORS, ask, chance, chances, refused, thrown

PUBLISHED = VECTORS["fort_ref_will"]
AS_PRINTED = {"advantage_table": "as-printed"}
ALONE = {"stacking": False}


def sources(net: int) -> dict[str, int]:
    return {"advantage": max(0, net), "disadvantage": max(0, -net)}


def attempt(house: dict[str, Any] | None = None, /, net: int = 0, **params: Any) -> Any:
    return ask(FORT, "test", house, **sources(net), **params)


def save(house: dict[str, Any] | None = None, /, net: int = 0, target: int = 7, **params: Any) -> Any:
    return ask(FORT, "save", house, **sources(net), **{"attribute": "REF", "target": target, **params})


def contest(
    house: dict[str, Any] | None = None, /, net: int = 0, theirs: int = 0, combat: bool = False
) -> Any:
    opponent = {"kind": "npc", **sources(theirs)}
    return ask(FORT, "contest", house, **sources(net), combat=combat, opponent=opponent)


def dice(resolution: Any) -> list[tuple[int, str, bool]]:
    return [(die.value, str(die.role), die.kept) for die in resolution.dice]


# The published odds


def by_target_and_net(vector: dict[str, Any]) -> str:
    return f"{vector['target']} at {vector['net']:+}"


@pytest.mark.parametrize("vector", PUBLISHED["tests"], ids=by_target_and_net)
def test_every_published_test(vector: dict[str, Any]) -> None:
    action = attempt(target=vector["target"], net=vector["net"], combat=True)
    assert chance(action) == Fraction(vector["p_success"])


@pytest.mark.parametrize("vector", PUBLISHED["saves"], ids=by_target_and_net)
def test_every_published_save(vector: dict[str, Any]) -> None:
    action = save(target=vector["target"], net=vector["net"], combat=True)
    assert chance(action) == Fraction(vector["p_success"])


@pytest.mark.parametrize("vector", PUBLISHED["as_printed"]["tests"], ids=by_target_and_net)
def test_every_published_test_as_printed(vector: dict[str, Any]) -> None:
    action = attempt(AS_PRINTED, target=vector["target"], net=vector["net"], combat=True)
    assert chance(action) == Fraction(vector["p_success"])


@pytest.mark.parametrize("vector", PUBLISHED["as_printed"]["saves_best_means_lowest"], ids=by_target_and_net)
def test_every_published_save_as_printed_where_best_means_lowest(vector: dict[str, Any]) -> None:
    action = save(AS_PRINTED, target=vector["target"], net=vector["net"], combat=True)
    assert chance(action) == Fraction(vector["p_success"])


@pytest.mark.parametrize("vector", PUBLISHED["as_printed"]["saves_best_means_highest"], ids=by_target_and_net)
def test_every_published_save_as_printed_where_best_means_highest_is_its_mirror(
    vector: dict[str, Any],
) -> None:
    # We do not play this reading: to a save, low is good. It is what the opposite net comes to.
    action = save(AS_PRINTED, target=vector["target"], net=-vector["net"], combat=True)
    assert chance(action) == Fraction(vector["p_success"])


def a_against_b(vector: dict[str, Any]) -> str:
    return f"{vector['a_net']:+} against {vector['b_net']:+}"


@pytest.mark.parametrize("vector", PUBLISHED["contests"], ids=a_against_b)
def test_every_published_contest_of_a_player_and_a_non_player(vector: dict[str, Any]) -> None:
    player = contest(net=vector["a_net"], theirs=vector["b_net"], combat=True)
    assert chance(player) == Fraction(vector["player_a_beats_npc_b"])


@pytest.mark.parametrize("vector", PUBLISHED["contests"], ids=a_against_b)
@pytest.mark.parametrize(
    ("roller_is_player", "other", "wins"),
    [
        (False, "mira", "npc_a_beats_player_b"),
        (True, "gm", "player_a_beats_npc_b"),
        (True, "mira", "a_higher"),
    ],
)
def test_every_published_contest_that_somebody_answers(
    vector: dict[str, Any], roller_is_player: bool, other: str, wins: str
) -> None:
    params = {**sources(vector["a_net"]), "combat": True, "opponent": {"kind": "player", "user": other}}
    asked = registry.get(FORT).load("contest", params, {}, roller_is_player)
    answered = asked.answered(sources(vector["b_net"]))
    assert chance(answered) == Fraction(vector[wins])
    ties = Fraction(vector["equal"]) if wins == "a_higher" else 0
    assert chances(answered).get("tie", 0) == ties


@pytest.mark.parametrize("net", PUBLISHED["distribution_keep2"])
def test_every_published_distribution_of_two_kept_dice(net: str) -> None:
    extra, highest = abs(int(net)), int(net) >= 0
    found = distribution(BestTwo(highest), 2 + extra)
    published = {int(total): Fraction(share) for total, share in PUBLISHED["distribution_keep2"][net].items()}
    assert {total: Fraction(ways, 6 ** (2 + extra)) for total, ways in found} == published


# Rules 4.1 and 4.2


def test_rule_4_1_a_save_is_made_against_one_of_three_attributes() -> None:
    for attribute in ("FOR", "REF", "WIL"):
        assert save(attribute=attribute).params()["attribute"] == attribute
    messages = refused(FORT, "save", attribute="STR", target=7)
    assert messages == {"attribute": ["Must be one of: FOR, REF, WIL."]}


def test_rule_4_2_a_test_reaches_its_target_which_is_7() -> None:
    assert attempt().params()["target"] == 7
    assert thrown(attempt(), 3, 4).verdict.outcome == "success"
    missed = thrown(attempt(), 3, 3).verdict
    assert (missed.outcome, missed.score, missed.target, missed.margin) == ("failure", 6, 7, -1)


def test_rule_4_2_a_save_stays_at_or_under_its_target() -> None:
    kept = thrown(save(target=7), 3, 4).verdict
    assert (kept.outcome, kept.margin) == ("success", 0)
    missed = thrown(save(target=7), 4, 4).verdict
    assert (missed.outcome, missed.margin) == ("failure", -1)


def test_rule_4_2_the_higher_total_wins_a_contest() -> None:
    won = thrown(contest(), 5, 4, 3, 3).verdict
    assert (won.outcome, won.score, won.target, won.margin) == ("success", 9, 6, 3)
    assert thrown(contest(), 1, 1, 3, 3).verdict.outcome == "failure"


def test_rule_4_2_a_player_wins_a_tie_against_a_non_player() -> None:
    verdict = thrown(contest(), 3, 4, 5, 2).verdict
    assert (verdict.outcome, verdict.success, verdict.margin) == ("success", True, 0)
    assert verdict.notes == ("player-wins-ties",)


@pytest.mark.parametrize(("by_player", "other"), [(True, "mira"), (False, "gm")])
def test_rule_4_2_a_tie_between_two_of_a_kind_is_a_tie(by_player: bool, other: str) -> None:
    params = {"opponent": {"kind": "player", "user": other}}
    answered = registry.get(FORT).load("contest", params, {}, by_player).answered({})
    verdict = thrown(answered, 3, 4, 5, 2).verdict
    assert (verdict.outcome, verdict.success, verdict.margin) == ("tie", None, 0)


def test_rule_4_2_whoever_rolls_against_a_non_player_counts_as_the_player_the_gm_too() -> None:
    by_the_gm = registry.get(FORT).load("contest", {"opponent": {"kind": "npc"}}, {}, False)
    assert thrown(by_the_gm, 3, 4, 5, 2).verdict.outcome == "success"


# Rule 4.3


def test_rule_4_3_net_advantage_is_advantage_less_disadvantage() -> None:
    action = ask(FORT, "test", advantage=3, disadvantage=4)
    assert action.net == -1
    assert action.numbers() == (("Advantage", 3), ("Disadvantage", -4))
    assert odds(action) == odds(ask(FORT, "test", disadvantage=1))


def test_rule_4_3_corrected_a_test_with_advantage_keeps_the_best_two_of_three() -> None:
    resolution = thrown(attempt(net=1), 1, 4, 5)
    assert dice(resolution) == [(1, "skill", False), (4, "skill", True), (5, "extra", True)]
    assert (resolution.verdict.score, resolution.verdict.target) == (9, 7)


def test_rule_4_3_corrected_a_test_with_disadvantage_keeps_the_worst_two_of_three() -> None:
    resolution = thrown(attempt(net=-1), 1, 4, 5)
    assert dice(resolution) == [(1, "skill", True), (4, "skill", True), (5, "extra", False)]
    assert resolution.verdict.score == 5


def test_rule_4_3_corrected_a_save_moves_its_target_and_throws_two_dice() -> None:
    assert thrown(save(net=1), 4, 4).verdict.target == 8
    assert thrown(save(net=1), 4, 4).verdict.outcome == "success"
    assert thrown(save(net=-1), 3, 4).verdict.target == 6
    assert thrown(save(net=-1), 3, 4).verdict.outcome == "failure"


def test_rule_4_3_corrected_advantage_never_makes_a_test_harder() -> None:
    assert chance(attempt(net=-1)) < chance(attempt()) == Fraction(7, 12) < chance(attempt(net=1))
    assert chance(save(net=-1)) < chance(save()) < chance(save(net=1))


def test_rule_4_3_as_printed_advantage_raises_a_tests_target() -> None:
    assert thrown(attempt(AS_PRINTED, net=1), 3, 4).verdict.target == 8
    assert chance(attempt(AS_PRINTED, net=1)) == Fraction(5, 12)
    assert thrown(attempt(AS_PRINTED, net=-1), 3, 3).verdict.outcome == "success"


def test_rule_4_3_as_printed_a_save_keeps_the_two_lowest_with_advantage() -> None:
    resolution = thrown(save(AS_PRINTED, net=1), 6, 1, 5)
    assert dice(resolution) == [(6, "skill", False), (1, "skill", True), (5, "extra", True)]
    assert (resolution.verdict.score, resolution.verdict.target) == (6, 7)


def test_rule_4_3_as_printed_a_save_keeps_the_two_highest_with_disadvantage() -> None:
    resolution = thrown(save(AS_PRINTED, net=-1), 6, 1, 5)
    assert dice(resolution) == [(6, "skill", True), (1, "skill", False), (5, "extra", True)]


@pytest.mark.parametrize("house", [{}, AS_PRINTED])
def test_rule_4_3_a_contest_throws_extra_dice_by_either_table(house: dict[str, Any]) -> None:
    resolution = thrown(contest(house, net=1, theirs=-1), 2, 3, 4, 6, 1, 2)
    assert dice(resolution) == [
        (2, "skill", False),
        (3, "skill", True),
        (4, "extra", True),
        (6, "opponent", False),
        (1, "opponent", True),
        (2, "opponent", True),
    ]
    assert (resolution.verdict.score, resolution.verdict.target) == (7, 3)


def test_rule_4_3_the_card_names_the_table_where_it_mattered() -> None:
    assert attempt(AS_PRINTED, net=1).house_rules_in_play() == {"advantage_table": "as-printed"}
    assert save(net=-1).house_rules_in_play() == {"advantage_table": "corrected"}
    assert attempt(AS_PRINTED).house_rules_in_play() == {}
    assert attempt(AS_PRINTED, net=3).house_rules_in_play() == {}
    assert contest(AS_PRINTED, net=1).house_rules_in_play() == {}


# Rule 4.4


@pytest.mark.parametrize("make", [attempt, save])
@pytest.mark.parametrize("house", [{}, AS_PRINTED, ALONE])
@pytest.mark.parametrize(
    ("net", "outcome"), [(2, "automatic-success"), (-2, "automatic-failure"), (5, "automatic-success")]
)
def test_rule_4_4_outside_combat_two_net_sources_settle_it_without_a_roll(
    make: Any, house: dict[str, Any], net: int, outcome: str
) -> None:
    action = make(house, net=net)
    verdict = thrown(action).verdict
    assert (verdict.outcome, verdict.success) == (outcome, net > 0)
    assert (verdict.score, verdict.margin) == (None, None)
    assert verdict.notes == ("without-a-roll",)
    assert chances(action) == {outcome: 1}


@pytest.mark.parametrize("net", [-1, 0, 1])
def test_rule_4_4_outside_combat_up_to_one_net_source_is_rolled(net: int) -> None:
    assert [hand.size for hand in attempt(net=net).hands()] == [2 + abs(net)]


def test_rule_4_4_many_sources_on_both_sides_still_net_to_a_roll() -> None:
    assert ask(FORT, "test", advantage=5, disadvantage=4).hands()[0].size == 3


@pytest.mark.parametrize("net", range(-5, 6))
def test_rule_4_4_in_combat_net_sources_stack(net: int) -> None:
    assert [hand.size for hand in attempt(net=net, combat=True).hands()] == [2 + abs(net)]
    assert save(net=net, combat=True).shifted_target == 7 + net
    assert attempt(AS_PRINTED, net=net, combat=True).shifted_target == 7 + net
    assert [hand.size for hand in save(AS_PRINTED, net=net, combat=True).hands()] == [2 + abs(net)]


@pytest.mark.parametrize(("net", "counts"), [(5, 1), (-3, -1), (1, 1), (0, 0)])
def test_rule_4_4_where_they_do_not_stack_never_more_than_one_counts(net: int, counts: int) -> None:
    assert odds(attempt(ALONE, net=net, combat=True)) == odds(attempt(net=counts, combat=True))
    assert odds(save(ALONE, net=net, combat=True)) == odds(save(net=counts, combat=True))
    assert chance(contest(ALONE, net=net, theirs=-net, combat=True)) == chance(
        contest(net=counts, theirs=-counts, combat=True)
    )


def test_rule_4_4_the_card_says_whether_they_stack_where_that_mattered() -> None:
    assert attempt(net=2, combat=True).house_rules_in_play()["stacking"] is True
    assert contest(ALONE, theirs=-2, combat=True).house_rules_in_play() == {"stacking": False}
    assert "stacking" not in attempt(net=1, combat=True).house_rules_in_play()


@pytest.mark.parametrize(
    ("net", "theirs", "outcome"),
    [
        (2, 0, "automatic-success"),
        (3, -2, "automatic-success"),
        (1, 2, "automatic-failure"),
        (0, -2, "automatic-success"),
        (-4, 1, "automatic-failure"),
    ],
)
def test_rule_4_4_in_a_contest_each_side_has_its_own_net_and_the_settled_better_one_wins(
    net: int, theirs: int, outcome: str
) -> None:
    action = contest(net=net, theirs=theirs)
    verdict = thrown(action).verdict
    assert (verdict.outcome, verdict.success) == (outcome, outcome == "automatic-success")
    assert (verdict.score, verdict.target, verdict.notes) == (None, None, ("without-a-roll",))
    assert chances(action) == {outcome: 1}


@pytest.mark.parametrize(("net", "theirs"), [(2, 2), (3, 2), (-2, -4), (1, -1), (0, 0)])
def test_rule_4_4_equal_sides_of_a_contest_throw(net: int, theirs: int) -> None:
    action = contest(net=net, theirs=theirs)
    assert [hand.size for hand in action.hands()] == [2 + abs(net), 2 + abs(theirs)]


def test_rule_4_4_in_combat_a_contest_is_always_thrown() -> None:
    assert [hand.size for hand in contest(net=5, theirs=-5, combat=True).hands()] == [7, 7]


@pytest.mark.parametrize("field", ["advantage", "disadvantage"])
@pytest.mark.parametrize("value", [-1, 6])
def test_sources_are_0_to_5_on_either_side(field: str, value: int) -> None:
    sentence = "Must be a whole number from 0 to 5."
    assert refused(FORT, "test", **{field: value}) == {field: [sentence]}
    messages = refused(FORT, "contest", opponent={"kind": "npc", field: value})
    assert messages == {"opponent": {field: [sentence]}}
