"""Forms from descriptions: what is drawn, and what a sent form says."""

import pytest
from werkzeug.datastructures import MultiDict

from rules import registry
from service.console.fields import Users, by_input, draw, read

TEXT = {"name": "name", "label": "Name", "help": "", "required": True, "type": "text", "maximum_length": 80}
LEVEL = {
    "name": "level",
    "label": "Level",
    "help": "",
    "required": False,
    "default": "low",
    "type": "choice",
    "choices": [{"value": "low", "label": "Low"}, {"value": "high", "label": "High"}],
}
LIST = {
    "name": "skills",
    "label": "Skills",
    "help": "",
    "required": False,
    "default": [],
    "type": "list",
    "least": 0,
    "most": 3,
    "fields": [TEXT, LEVEL],
}


def whole(name, low, high, **more):
    return {
        "name": name,
        "label": name,
        "help": "",
        "required": True,
        "type": "integer",
        "minimum": low,
        "maximum": high,
        **more,
    }


def test_each_type_has_a_look():
    looks = {}
    for rules in registry.all():
        for action in rules.describe()["actions"]:
            for field in draw(action["fields"], "p", {}, exactly_one_of=action["exactly_one_of"]):
                looks[field.name, action["name"]] = field.look
    assert looks["p.stat", "skill-check"] == looks["p.skill", "skill-check"] == "segments"
    assert looks["p.dv", "skill-check"] == "integer" and looks["p.knack", "skill-check"] == "flag"
    assert looks["p.one-of", "unopposed-test"] == "one_of" and looks["p.purpose", "opposed-test"] == "select"
    assert looks["p.opponent", "contest"] == "variant"


def test_a_small_range_is_chosen_from_and_a_large_one_typed():
    small, large = draw([whole("a", 1, 6), whole("b", 0, 6)], "p", {})
    assert [value for value, _ in small.choices] == list("123456") and small.look == "segments"
    assert (large.look, large.minimum, large.maximum) == ("integer", 0, 6)


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("3", 3),
        (" 3 ", 3),
        ("-2", -2),
        ("+2", 2),
        ("3.5", "3.5"),
        ("three", "three"),
        ("9" * 30, "9" * 30),
        ("²", "²"),
    ],
)
def test_numbers_are_read_and_what_is_none_is_passed_on(typed, value):
    assert read([whole("a", 1, 6)], "p", {"p.a": typed}) == {"a": value}


def test_what_is_empty_is_left_out():
    assert read([whole("a", 1, 6), TEXT], "p", {"p.a": "", "p.name": "  "}) == {}


def test_choices_keep_their_type():
    choice = LEVEL | {"choices": [{"value": -2, "label": "Bad"}, {"value": "x", "label": "X"}]}
    assert read([choice], "p", {"p.level": "-2"}) == {"level": -2}
    assert read([choice], "p", {"p.level": "x"}) == {"level": "x"}
    assert read([choice], "p", {"p.level": "made up"}) == {"level": "made up"}


def test_a_box_that_is_not_ticked_says_no():
    flag = {"name": "f", "label": "F", "help": "", "required": False, "default": True, "type": "flag"}
    assert read([flag], "p", {}) == {"f": False} and read([flag], "p", {"p.f": "yes"}) == {"f": True}
    assert draw([flag], "p", {})[0].value == "yes" and draw([flag], "p", {"f": False})[0].value == ""


def test_of_a_variant_the_chosen_kind_alone_is_read():
    fields = {action["name"]: action["fields"] for action in registry.get("heroes-2d6").describe()["actions"]}
    sent = {
        "p.skill": "4",
        "p.opponent.kind": "player",
        "p.opponent.creature.skill": "9",
        "p.opponent.player.user": "anna",
        "p.modifier": "0",
        "p.purpose": "other",
    }
    asked = read(fields["opposed-test"], "p", sent)
    assert asked["opponent"] == {"kind": "player", "user": "anna"}
    (drawn,) = [f for f in draw(fields["opposed-test"], "p", asked) if f.look == "variant"]
    assert drawn.value == "player" and [part.value for part in drawn.parts] == ["creature", "player"]
    assert drawn.parts[0].fields[0].value == "" and drawn.parts[1].fields[0].value == "anna"


def test_errors_of_a_variant_stand_at_the_fields_of_its_kind():
    (field,) = [
        f for f in registry.get("heroes-2d6").describe()["actions"][1]["fields"] if f["type"] == "variant"
    ]
    errors = {"opponent": {"skill": ["Is missing."]}}
    (drawn,) = draw([field], "p", {"opponent": {"kind": "creature"}}, errors)
    assert drawn.parts[0].fields[0].errors == ("Is missing.",) and drawn.errors == ()
    assert by_input(errors, "p", {"p.opponent.kind": "creature"}) == {
        "p.opponent.creature.skill": "Is missing."
    }


def test_of_several_only_the_chosen_one_is_read():
    action = registry.get("heroes-2d6").describe()["actions"][0]
    several = action["exactly_one_of"]
    sent = {"p.skill": "4", "p.one-of": "tn", "p.tn": "11", "p.difficulty": "hard"}
    assert read(action["fields"], "p", sent, exactly_one_of=several) == {"skill": 4, "tn": 11}
    assert read(action["fields"], "p", {**sent, "p.one-of": "?"}, exactly_one_of=several) == {"skill": 4}


def test_what_only_a_house_rule_allows_is_drawn_where_it_is_played():
    action = registry.get("heroes-2d6").describe()["actions"][0]
    for played in (True, False):
        drawn = draw(action["fields"], "p", {}, house_rules={"unopposed_modifiers": played})
        assert ("p.modifier" in [field.name for field in drawn]) is played
        asked = read(action["fields"], "p", {"p.modifier": "2"}, house_rules={"unopposed_modifiers": played})
        assert ("modifier" in asked) is played


def test_rows_of_a_list_are_read_in_order_without_gaps():
    sent = {
        "p.skills.0.name": "Climb",
        "p.skills.0.level": "high",
        "p.skills.1.name": "",
        "p.skills.1.level": "low",
        "p.skills.2.name": "Swim",
        "p.skills.2.level": "low",
        "p.skills.3.name": "Fly",
        "p.skills.3.removed": "yes",
    }
    rows = read([LIST], "p", sent)
    assert rows == {"skills": [{"name": "Climb", "level": "high"}, {"name": "Swim", "level": "low"}]}
    (drawn,) = draw([LIST], "p", rows, {"skills": {"1": {"name": ["Too deep."]}}})
    assert [part.fields[0].value for part in drawn.parts] == ["Climb", "Swim", ""]  # and one to fill in
    assert drawn.parts[1].fields[0].errors == ("Too deep.",)
    (full,) = draw([LIST], "p", {"skills": rows["skills"] * 2})
    assert len(full.parts) == 4


def test_a_user_is_one_of_those_at_the_table():
    field = {"name": "who", "label": "Who", "help": "", "required": True, "type": "user"}
    (drawn,) = draw([field], "p", {}, users=Users((("anna", "Anna"), ("gm", "GM"))))
    assert drawn.choices == (("anna", "Anna"), ("gm", "GM"))
    (gone,) = draw([field], "p", {"who": "carl"}, users=Users((("anna", "Anna"),)))
    assert ("carl", "carl") in gone.choices


def test_every_action_comes_back_as_it_was_drawn():
    """What a form shows of a roll's params is what it sends."""
    rolls = {
        ("moon-hangs-low", "skill-check"): {
            "stat": 4,
            "skill": "trained",
            "knack": True,
            "bonus": 1,
            "penalty": 2,
            "dv": 3,
        },
        ("heroes-2d6", "unopposed-test"): {"skill": 4, "tn": 11},
        ("fort-ref-will", "save"): {
            "attribute": "REF",
            "target": 9,
            "advantage": 1,
            "disadvantage": 0,
            "combat": True,
        },
        ("d6-comparison", "unopposed-check"): {"skill": 3, "difficulty": "very-difficult"},
        ("fort-ref-will", "contest"): {
            "advantage": 0,
            "disadvantage": 2,
            "combat": False,
            "opponent": {"kind": "npc", "advantage": 1, "disadvantage": 0},
        },
    }
    for (rules, name), params in rolls.items():
        (action,) = [each for each in registry.get(rules).describe()["actions"] if each["name"] == name]
        sent = MultiDict()

        def show(fields, sent=sent):
            for field in fields:
                if field.look in ("variant", "one_of"):
                    sent[field.name + (".kind" if field.look == "variant" else "")] = field.value
                    for part in field.parts:
                        show(part.fields)
                elif field.look != "flag" or field.value:
                    sent[field.name] = field.value

        show(draw(action["fields"], "p", params, exactly_one_of=action["exactly_one_of"]))
        assert read(action["fields"], "p", sent, exactly_one_of=action["exactly_one_of"]) == params
