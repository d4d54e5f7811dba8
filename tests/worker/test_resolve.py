"""The job that resolves a roll."""

import pytest
from rq import Queue
from rq.serializers import JSONSerializer
from rq.worker import SimpleWorker

from rules import registry
from service.store import NewRoll
from tests.fair_dice import dice
from tests.tables import Table
from worker.resolve import resolve_in, resolve_roll


@pytest.mark.parametrize(("visibility", "chain"), [("public", "open"), ("gm", "hidden"), ("self", "self")])
def test_dice_can_be_worked_out_from_the_revealed_seed(table, visibility, chain):
    rolls = [table.accept(visibility=visibility).record["id"] for _ in range(3)]
    for roll in rolls:
        resolve_in(table.store, roll)
    session = table.store.sessions.end(table.campaign, rolls[0].split("-")[0])
    seed = session.seed if chain == "open" else session.hidden_seed
    for seq, roll in enumerate(rolls, start=1_000_000_001 if chain == "self" else 1):
        record = table.store.rolls.get(table.campaign, roll)
        assert (record["chain"], record["seq"]) == (chain, seq)
        drawn = dice(seed, session.id, seq, record["nonce"], [6, 6])
        assert [die["value"] for die in record["dice"]] == drawn
        assert record["points"] == sum(drawn) + 3


def test_a_creatures_dice_come_after_the_rollers_on_the_same_number(table):
    action = registry.get("heroes-2d6").load(
        "opposed-test", {"skill": 3, "opponent": {"kind": "creature", "skill": 5}}
    )
    request = NewRoll(
        campaign=table.campaign,
        caller=table.anna,
        ruleset="heroes-2d6",
        action=action,
        key="click",
        body_hash="b",
    )
    roll = table.store.rolls.accept(request).record["id"]
    resolve_in(table.store, roll)
    record = table.store.rolls.get(table.campaign, roll)
    session = table.store.sessions.end(table.campaign, record["session"])
    assert [die["value"] for die in record["dice"]] == dice(session.seed, session.id, 1, "click", [6] * 4)
    assert [die["role"] for die in record["dice"]] == ["skill", "skill", "opponent", "opponent"]
    assert record["opponent"] is None


def test_a_roll_is_judged_by_the_house_rules_of_its_accepting(store):
    table = Table(store, {"criticals": "off", "tie": "hero-wins"})
    pending = table.accept().record
    assert pending["house_rules"] == {
        "criticals": "off",
        "tie": "hero-wins",
        "unopposed_modifiers": False,
        "player_facing": False,
    }
    store.campaigns.update(table.campaign, house_rules={"criticals": "override"})
    resolve_in(store, pending["id"])
    assert not knows_criticals(store.rolls.get(table.campaign, pending["id"]))
    table.house_rules = {"criticals": "override"}
    after = table.accept().record["id"]
    resolve_in(store, after)
    assert knows_criticals(store.rolls.get(table.campaign, after))


def test_an_answer_is_judged_by_the_house_rules_of_its_challenge(store):
    table = Table(store, {"criticals": "off"})
    challenge = table.accept(against="bert").record["id"]
    resolve_in(store, challenge)
    store.campaigns.update(table.campaign, house_rules={"criticals": "override"})
    answer = table.answer(challenge).record["id"]
    resolve_in(store, answer)
    for roll in (challenge, answer):
        assert not knows_criticals(store.rolls.get(table.campaign, roll))


def knows_criticals(record) -> bool:
    return "critical-success" in record["odds"]["outcomes"]


def test_a_record_holds_what_it_takes_to_redo_it_by_hand(table):
    roll = table.accept().record["id"]
    resolve_in(table.store, roll)
    record = table.store.rolls.get(table.campaign, roll)
    assert record["numbers"] == [["Skill", 3]]
    assert (record["target_label"], record["target"], record["score"]) == ("TN", 8, "total")
    assert record["margin"] == record["points"] - 8
    assert record["odds"]["success"] == "5/6"  # 2d6 of 5 or more, 30 of 36
    assert record["resolved_at"] == table.store.clock()


def test_a_stock_rq_worker_can_run_the_job(table, valkey):
    roll = table.accept().record["id"]
    queue = Queue("rolls", connection=valkey, serializer=JSONSerializer)
    SimpleWorker([queue], connection=valkey, serializer=JSONSerializer).work(burst=True)
    assert table.store.rolls.get(table.campaign, roll)["status"] == "resolved"
    assert valkey.keys("rq:job:*") == []


def test_resolving_outside_a_job_is_refused():
    with pytest.raises(RuntimeError):
        resolve_roll("any")
