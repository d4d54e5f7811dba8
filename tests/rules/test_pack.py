"""What is carried, and what follows from it, as the sheet answers it (rules 4.5 to 4.8)."""

from typing import Any

import pytest
from marshmallow import ValidationError

from rules import registry
from tests.rules.asking import FORT, VECTORS

ENCUMBRANCE = VECTORS["fort_ref_will"]["encumbrance"]


def sheet(**fields: Any) -> dict[str, Any]:
    return registry.get(FORT).work_out_sheet(fields)


def refused(**fields: Any) -> Any:
    with pytest.raises(ValidationError) as refusal:
        sheet(**fields)
    return refusal.value.messages


def item(place: str, name: str = "Thing") -> dict[str, str]:
    return {"name": name, "place": place}


@pytest.mark.parametrize(
    "vector", ENCUMBRANCE, ids=lambda v: f"{v['bulky']} bulky {v['worn_trinkets']} worn {v['stress']} stress"
)
def test_every_published_encumbrance(vector: dict[str, Any]) -> None:
    answer = sheet(bulky=vector["bulky"], worn=vector["worn_trinkets"], stress=vector["stress"])
    for name in ("slots_used", "over", "encumbered", "speed_factor", "dead"):
        assert answer[name] == vector[name], name


def test_rule_4_5_there_are_ten_slots() -> None:
    assert sheet()["slots"] == 10
    places = ["left-hand", "right-hand", "body", "head", *["pack"] * 6]
    answer = sheet(items=[item(place) for place in places])
    assert (answer["slots_used"], answer["encumbered"]) == (10, False)


@pytest.mark.parametrize(
    ("place", "room"), [("left-hand", 1), ("right-hand", 1), ("body", 1), ("head", 1), ("pack", 6)]
)
def test_rule_4_5_a_place_holds_no_more_than_its_slots(place: str, room: int) -> None:
    assert sheet(items=[item(place)] * room)["slots_used"] == room
    sentence = f"There is room for {room} in the place {place}."
    assert refused(items=[item(place)] * (room + 1)) == {"items": [sentence]}


def test_rule_4_5_what_is_over_the_limit_has_a_place_too() -> None:
    answer = sheet(items=[item("pack")] * 6 + [item("over")] * 6)
    assert (answer["slots_used"], answer["over"]) == (12, 2)


def test_rule_4_5_bulky_counts_what_has_no_place_of_its_own() -> None:
    assert sheet(bulky=3, items=[item("body"), item("pack")])["slots_used"] == 5


def test_rule_4_5_each_worn_trinket_beyond_the_fifth_takes_a_slot() -> None:
    assert [sheet(worn=worn)["slots_used"] for worn in (0, 5, 6, 8)] == [0, 0, 1, 3]


def test_rule_4_6_each_stress_takes_a_slot() -> None:
    assert sheet(bulky=10, stress=1)["over"] == 1


@pytest.mark.parametrize(
    ("over", "factor", "speed"),
    [(0, "1/1", 40), (1, "3/4", 30), (2, "1/2", 20), (3, "1/4", 10), (4, "0/1", 0), (9, "0/1", 0)],
)
def test_rule_4_6_each_slot_over_costs_a_quarter_of_the_speed(over: int, factor: str, speed: int) -> None:
    answer = sheet(bulky=10 + over, speed=40)
    assert (answer["over"], answer["speed_factor"], answer["speed"]) == (over, factor, speed)


def test_rule_4_6_a_speed_that_does_not_divide_is_answered_exactly() -> None:
    assert sheet(bulky=11, speed=35)["speed"] == 26.25


def test_rule_4_6_ten_stress_are_death() -> None:
    assert [sheet(stress=stress)["dead"] for stress in (0, 9, 10)] == [False, False, True]


def test_rule_4_7_one_hand_swap_a_round_leaves_the_action() -> None:
    assert [sheet(swaps=swaps)["action_left"] for swaps in (0, 1, 2, 3)] == [True, True, False, False]


def test_rule_4_7_a_body_item_takes_a_full_turn_to_put_on_or_off() -> None:
    worn = [item("body", "Mail"), item("head", "Helmet"), item("left-hand", "Shield"), item("pack", "Rope")]
    assert sheet(items=worn)["donning"] == [{"item": "Mail", "seconds": 600}]


def test_rule_4_8_stamina_and_wounds_are_tracks() -> None:
    answer = sheet(stamina=3, stamina_maximum=8, wounds=0, wounds_maximum=4)
    assert answer["stamina"] == {"current": 3, "maximum": 8}
    assert answer["wounds"] == {"current": 0, "maximum": 4}


@pytest.mark.parametrize("track", ["stamina", "wounds"])
def test_rule_4_8_a_track_never_stands_above_its_maximum(track: str) -> None:
    sentence = "Must be at most the maximum, 4."
    assert refused(**{track: 5, f"{track}_maximum": 4}) == {track: [sentence]}


def test_rule_4_8_nothing_is_automated() -> None:
    tracks = {"stamina": 1, "stamina_maximum": 8, "wounds": 2, "wounds_maximum": 4}
    answer = sheet(**tracks, passing=7, unit="day", stress=9)
    assert {name: answer["sheet"][name] for name in tracks} == tracks


def test_the_sheet_offers_a_save_for_each_attribute_and_a_test_and_a_contest() -> None:
    answer = sheet(fortitude=8, reflex=6, will=9)
    saves = [roll["params"] for roll in answer["rolls"] if roll["action"] == "save"]
    assert saves == [
        {"attribute": "FOR", "target": 8},
        {"attribute": "REF", "target": 6},
        {"attribute": "WIL", "target": 9},
    ]
    assert [roll["action"] for roll in answer["rolls"]] == ["save", "save", "save", "test", "contest"]


def test_the_answer_holds_the_sheet_as_it_was_understood() -> None:
    assert sheet(items=[{"name": "  Rope "}])["sheet"]["items"] == [{"name": "Rope", "place": "pack"}]


@pytest.mark.parametrize(
    ("field", "high"),
    {"bulky": 99, "worn": 99, "stress": 10, "speed": 999, "swaps": 9, "passing": 999}.items(),
)
def test_a_number_out_of_range_is_refused_with_its_range(field: str, high: int) -> None:
    for value in (-1, high + 1, 1.0, True, "1", None, 10**40):
        assert refused(**{field: value}) == {field: [f"Must be a whole number from 0 to {high}."]}
