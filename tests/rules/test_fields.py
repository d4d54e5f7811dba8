"""Bad input, field by field: refused with the field's name and what it must be."""

import json
from typing import Any

import pytest
from marshmallow import ValidationError

from rules import registry
from rules.action import Action
from tests.rules.asking import D6, FORT, HEROES, MOON, ask, refused

GOOD: dict[tuple[str, str], list[dict[str, Any]]] = {
    (MOON, "skill-check"): [{"stat": 2, "dv": 1}],
    (HEROES, "unopposed-test"): [{"skill": 3, "tn": 8}, {"skill": 3, "difficulty": "easy"}],
    (HEROES, "opposed-test"): [
        {"skill": 3, "opponent": {"kind": "creature", "skill": 2}},
        {"skill": 3, "opponent": {"kind": "player", "user": "mira"}},
    ],
    (D6, "opposed-check"): [{"skill": 3, "opponent_skill": 2}],
    (D6, "unopposed-check"): [{"skill": 3, "difficulty": "easy"}],
    (FORT, "test"): [{}],
    (FORT, "save"): [{"attribute": "REF", "target": 7}],
    (FORT, "contest"): [{"opponent": {"kind": "npc"}}, {"opponent": {"kind": "player", "user": "gm"}}],
}
HUGE = 10**400
NOT_NUMBERS = [2.0, 2.5, float("nan"), float("inf"), True, False, "2", "", None, [], [2], {}, HUGE, -HUGE]


def described(ruleset: str, action: str) -> dict[str, Any]:
    actions = registry.get(ruleset).describe()["actions"]
    return next(each for each in actions if each["name"] == action)


def places(
    fields: list[dict[str, Any]], path: tuple[str, ...] = ()
) -> list[tuple[tuple[str, ...], dict[str, Any]]]:
    """List every field of a form, those of an opponent with its kind in the path."""
    found = []
    for field in fields:
        found.append(((*path, field["name"]), field))
        for kind in field.get("kinds", ()):
            found += places(kind["fields"], (*path, field["name"], kind["kind"]))
    return found


FIELDS = [
    pytest.param(ruleset, action, path, field, id=f"{action} {'.'.join(path)}")
    for ruleset, action in GOOD
    for path, field in places(described(ruleset, action)["fields"])
]


def with_value(
    ruleset: str, action: str, path: tuple[str, ...], value: Any
) -> tuple[dict[str, Any], list[str]]:
    """Return good params but for one field, and where its messages are to be found."""
    match path:
        case (name,):
            good = GOOD[ruleset, action]
            params = next((each for each in good if name in each), good[0])
            return {**params, name: value}, [name]
        case (outer, kind, name):
            params = next(each for each in GOOD[ruleset, action] if each[outer]["kind"] == kind)
            return {**params, outer: {**params[outer], name: value}}, [outer, name]
    raise AssertionError(path)


def complaint(ruleset: str, action: str, path: tuple[str, ...], value: Any) -> list[str]:
    """Return what is said about that one field, having checked that nothing else is complained about."""
    params, keys = with_value(ruleset, action, path, value)
    messages = refused(ruleset, action, {"unopposed_modifiers": True} if ruleset == HEROES else {}, **params)
    for key in keys:
        assert list(messages) == [key]
        messages = messages[key]
    return messages


@pytest.mark.parametrize(("ruleset", "action", "path", "field"), FIELDS)
def test_each_field_refuses_what_it_does_not_take_and_says_what_it_takes(
    ruleset: str, action: str, path: tuple[str, ...], field: dict[str, Any]
) -> None:
    match field["type"]:
        case "integer":
            low, high = field["minimum"], field["maximum"]
            wrong = [*NOT_NUMBERS, low - 1, high + 1]
            sentence = f"Must be a whole number from {low} to {high}."
        case "choice":
            choices = [choice["value"] for choice in field["choices"]]
            unlike = [str(value) if isinstance(value, int) else value.upper() + "!" for value in choices]
            wrong = [*unlike, 2.0, True, False, None, "", [], {}, HUGE, [choices[0]]]
            sentence = f"Must be one of: {', '.join(map(str, choices))}."
        case "flag":
            wrong = [0, 1, "true", "on", "", None, [], {}, 1.0]
            sentence = "Must be true or false."
        case "user":
            wrong = ["", "a" * 65, "two words", "line\n", "\u0000", "é", 5, None, [], True]
            sentence = "Must be a user id: 1 to 64 letters, digits, dots, dashes or underscores."
        case "variant":
            wrong = [None, [], "npc", 5, True]
            sentence = (
                f"Must be an object whose kind is one of: {', '.join(k['kind'] for k in field['kinds'])}."
            )
        case other:
            raise AssertionError(other)
    for value in wrong:
        assert complaint(ruleset, action, path, value) == [sentence], value


@pytest.mark.parametrize(("ruleset", "action", "path", "field"), FIELDS)
def test_each_number_takes_both_ends_of_its_range_and_each_choice_is_taken(
    ruleset: str, action: str, path: tuple[str, ...], field: dict[str, Any]
) -> None:
    house = {"unopposed_modifiers": True} if ruleset == HEROES else {}
    values = [field.get("minimum"), field.get("maximum")] if field["type"] == "integer" else []
    values += [choice["value"] for choice in field.get("choices", ())]
    for value in values or [None]:
        if value is not None:
            params, _ = with_value(ruleset, action, path, value)
            if action == "unopposed-test" and path in (("tn",), ("difficulty",)):
                params = {"skill": 0, path[0]: value}
            assert isinstance(ask(ruleset, action, house, **params), Action)


@pytest.mark.parametrize(("ruleset", "action"), GOOD)
def test_what_must_be_given_is_asked_for_by_name_with_its_range(ruleset: str, action: str) -> None:
    needed = {field["name"]: field for field in described(ruleset, action)["fields"] if field["required"]}
    if not needed:
        assert ask(ruleset, action).params()
        return
    messages = refused(ruleset, action)
    assert set(messages) == set(needed)
    for name, [message] in messages.items():
        assert message.startswith("Is missing. Must be ")
        if "maximum" in needed[name]:
            assert message.endswith(f"from {needed[name]['minimum']} to {needed[name]['maximum']}.")


@pytest.mark.parametrize(("ruleset", "action"), GOOD)
def test_an_unknown_field_is_refused_by_name_at_every_depth(ruleset: str, action: str) -> None:
    for good in GOOD[ruleset, action]:
        assert refused(ruleset, action, **good, luck=1) == {"luck": ["Unknown field."]}
        if "opponent" in good:
            opponent = {**good["opponent"], "luck": 1}
            messages = refused(ruleset, action, **{**good, "opponent": opponent})
            assert messages == {"opponent": {"luck": ["Unknown field."]}}


@pytest.mark.parametrize("kind", ["dragon", "", None, 5, [], {}, True])
def test_an_opponent_of_an_unknown_kind_is_refused_with_the_kinds(kind: Any) -> None:
    messages = refused(HEROES, "opposed-test", skill=0, opponent={"kind": kind, "skill": 1})
    assert messages == {"opponent": {"kind": ["Must be one of: creature, player."]}}
    messages = refused(FORT, "contest", opponent={"advantage": 1})
    assert messages == {"opponent": {"kind": ["Must be one of: npc, player."]}}


def test_an_opponent_takes_the_fields_of_its_own_kind_only() -> None:
    creature = {"kind": "creature", "skill": 1, "user": "mira"}
    assert refused(HEROES, "opposed-test", skill=0, opponent=creature) == {
        "opponent": {"user": ["Unknown field."]}
    }
    player = {"kind": "player", "user": "mira", "advantage": 1}
    assert refused(FORT, "contest", opponent=player) == {"opponent": {"advantage": ["Unknown field."]}}


@pytest.mark.parametrize("params", [None, [], "skill=3", 5, True])
@pytest.mark.parametrize(("ruleset", "action"), GOOD)
def test_params_that_are_no_object_are_refused(ruleset: str, action: str, params: Any) -> None:
    with pytest.raises(ValidationError):
        registry.get(ruleset).load(action, params)


def test_all_that_is_wrong_is_said_at_once() -> None:
    messages = refused(MOON, "skill-check", stat=0, skill="novice", knack=1, bonus=99, luck=3)
    assert set(messages) == {"stat", "skill", "knack", "bonus", "luck", "dv"}


@pytest.mark.parametrize("ruleset", [MOON, HEROES, D6, FORT])
def test_house_rules_are_checked_in_the_same_way(ruleset: str) -> None:
    loaded = registry.get(ruleset)
    for rule in loaded.describe()["house_rules"]:
        for wrong in (None, 1, "maybe", [], 2.0):
            with pytest.raises(ValidationError) as refusal:
                loaded.load_house_rules({rule["name"]: wrong})
            assert list(refusal.value.messages) == [rule["name"]]
    with pytest.raises(ValidationError) as refusal:
        loaded.load_house_rules({"luck": True})
    assert refusal.value.messages == {"luck": ["Unknown field."]}


@pytest.mark.parametrize(("ruleset", "action"), [(HEROES, "opposed-test"), (FORT, "contest")])
def test_answers_are_checked_in_the_same_way(ruleset: str, action: str) -> None:
    asked = ask(ruleset, action, **GOOD[ruleset, action][1])
    for field in described(ruleset, action)["answer_fields"]:
        for wrong in (None, 99, 1.0, True, "1"):
            with pytest.raises(ValidationError) as refusal:
                asked.answered(
                    {"skill": 1, field["name"]: wrong} if ruleset == HEROES else {field["name"]: wrong}
                )
            assert list(refusal.value.messages) == [field["name"]]
    with pytest.raises(ValidationError):
        asked.answered({"luck": 1})


@pytest.mark.parametrize(("ruleset", "action"), GOOD)
def test_params_come_back_as_json_with_their_defaults_and_load_again(ruleset: str, action: str) -> None:
    for good in GOOD[ruleset, action]:
        params = json.loads(json.dumps(ask(ruleset, action, **good).params()))
        assert {name: params[name] for name in good if name != "opponent"} == {
            name: value for name, value in good.items() if name != "opponent"
        }
        assert ask(ruleset, action, **params) == ask(ruleset, action, **good)


# Names, as on a sheet


@pytest.mark.parametrize(
    "name", ["", "   ", "x" * 81, "a\nb", "a\tb", "\x00", "\x7f", "a\u2028b", "\ud800", 5, None, True, ["a"]]
)
def test_a_name_is_1_to_80_characters_of_plain_text(name: Any) -> None:
    with pytest.raises(ValidationError) as refusal:
        registry.get(HEROES).work_out_sheet({"skills": [{"name": "Swim"}, {"name": name}]})
    sentence = "Must be 1 to 80 characters of text, without control characters."
    assert refusal.value.messages == {"skills": {1: {"name": [sentence]}}}


@pytest.mark.parametrize("name", ["x", "x" * 80, "Schwertkampf", "剣術", "🗡 & <b>", "  padded  "])
def test_any_writing_makes_a_name(name: str) -> None:
    answer = registry.get(HEROES).work_out_sheet({"skills": [{"name": name}]})
    assert answer["sheet"]["skills"] == [{"name": name.strip(), "level": 0}]


@pytest.mark.parametrize("skills", [None, {}, "Swim", 5, [{"name": f"Skill {n}"} for n in range(61)]])
def test_a_list_is_refused_with_how_many_it_takes(skills: Any) -> None:
    with pytest.raises(ValidationError) as refusal:
        registry.get(HEROES).work_out_sheet({"skills": skills})
    assert refusal.value.messages == {"skills": ["Must be a list of 0 to 60."]}


def test_an_entry_of_a_list_is_refused_by_its_place() -> None:
    with pytest.raises(ValidationError) as refusal:
        registry.get(HEROES).work_out_sheet({"skills": [{"name": "Swim"}, {"name": "Axe", "level": 51}, 5]})
    assert refusal.value.messages["skills"][1] == {"level": ["Must be a whole number from 0 to 50."]}
    assert set(refusal.value.messages["skills"]) == {1, 2}
