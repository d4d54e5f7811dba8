"""A challenge waits for its other side, is answered once, or is closed with its session."""

import pytest

from service.store import AlreadyAnswered, KeyReused, NotAwaiting, UnknownRoll
from tests.fair_dice import dice
from tests.tables import Table
from worker.resolve import resolve_in


@pytest.fixture
def challenge(table) -> str:
    roll = table.accept(against="bert").record["id"]
    resolve_in(table.store, roll)
    return roll


def test_a_challenge_waits_without_dice(table, challenge):
    record = table.store.rolls.get(table.campaign, challenge)
    assert (record["status"], record["challenged"]) == ("awaiting", "bert")
    assert "dice" not in record
    [event] = [e for e in table.store.rolls.events_after(table.campaign, "0-0") if e.kind == "awaiting"]
    assert event.record == record
    assert list(table.store.rolls.history(table.campaign)) == []


def test_a_challenge_that_waits_is_announced_once(table, challenge):
    record = table.store.rolls.get(table.campaign, challenge)
    assert not resolve_in(table.store, challenge)
    assert not table.store.rolls.put_awaiting(table.campaign, record)
    kinds = [event.kind for event in table.store.rolls.events_after(table.campaign, "0-0")]
    assert kinds == ["session", "awaiting"]


def test_both_sides_are_committed_together_each_with_its_own_dice(table, challenge):
    answer = table.answer(challenge).record
    assert (answer["answers"], answer["user"], answer["status"]) == (challenge, "bert", "pending")
    resolve_in(table.store, answer["id"])
    ours = table.store.rolls.get(table.campaign, challenge)
    theirs = table.store.rolls.get(table.campaign, answer["id"])
    assert (ours["status"], theirs["status"]) == ("resolved", "resolved")
    assert ours["answered_by"] == answer["id"]
    seed = table.store.sessions.end(table.campaign, ours["session"]).seed
    for record in (ours, theirs):
        drawn = dice(seed, record["session"], record["seq"], record["nonce"], [6, 6])
        assert [die["value"] for die in record["dice"]] == drawn
    for record, other in ((ours, theirs), (theirs, ours)):
        assert record["opponent"]["user"] == other["user"]
        assert [die["value"] for die in record["opponent"]["dice"]] == [d["value"] for d in other["dice"]]
        assert (record["opponent"]["points"], record["target"]) == (other["points"], other["points"])
    assert ours["points"] == sum(die["value"] for die in ours["dice"]) + 3
    assert theirs["points"] == sum(die["value"] for die in theirs["dice"]) + 4
    assert ours["margin"] == -theirs["margin"]
    assert not (ours["success"] and theirs["success"])


def test_a_challenge_is_answered_once(table, challenge):
    answer = table.answer(challenge).record["id"]
    for _ in range(2):
        with pytest.raises(AlreadyAnswered) as refused:
            table.answer(challenge, table.gm)
        assert refused.value.roll == challenge
        resolve_in(table.store, answer)


def test_the_same_answer_again_is_the_same_roll(table, challenge):
    first = table.answer(challenge, key="reply")
    again = table.answer(challenge, key="reply")
    assert again.replayed and again.record == first.record
    with pytest.raises(KeyReused):
        table.answer(challenge, key="reply", body="another")


def test_a_roll_that_waits_for_nobody_takes_no_answer(table):
    challenge = table.accept(against="bert").record["id"]
    with pytest.raises(NotAwaiting) as refused:
        table.answer(challenge)  # accepted, but not announced yet
    assert refused.value.roll == challenge


def test_a_challenge_of_another_campaign_is_unknown(table, challenge, store):
    elsewhere = Table(store)
    record = store.rolls.get(table.campaign, challenge)
    with pytest.raises(UnknownRoll):
        elsewhere.store.rolls.accept_answer(_answer_to(elsewhere, record))


def test_an_unanswered_challenge_is_closed_with_its_session(table, challenge, clock, valkey):
    clock.forward(ms=5000)
    session = table.store.sessions.open(table.campaign).id
    table.store.sessions.end(table.campaign, session)
    record = table.store.rolls.get(table.campaign, challenge)
    assert (record["status"], record["notes"], record["dice"]) == ("resolved", ["unanswered"], [])
    assert (record["outcome"], record["success"], record["odds"]) == (None, None, None)
    assert record["resolved_at"] == clock.now
    with pytest.raises(NotAwaiting):
        table.answer(challenge)
    kinds = [event.kind for event in table.store.rolls.events_after(table.campaign, "0-0")]
    assert kinds == ["session", "awaiting", "roll", "session"]
    assert table.store.sessions.rolls_seen_by(session, table.anna) == 1
    assert valkey.keys("tb:roll:*") == [] and valkey.keys("*:awaiting") == []


def test_a_challenge_that_comes_up_after_its_session_ended_is_closed_at_once(table):
    challenge = table.accept(against="bert").record
    table.store.sessions.end(table.campaign, challenge["session"])
    resolve_in(table.store, challenge["id"])
    assert table.store.rolls.get(table.campaign, challenge["id"])["notes"] == ["unanswered"]


def test_an_answer_given_before_the_session_ended_still_counts(table, challenge):
    answer = table.answer(challenge).record
    table.store.sessions.end(table.campaign, answer["session"])
    resolve_in(table.store, answer["id"])
    assert table.store.rolls.get(table.campaign, challenge)["answered_by"] == answer["id"]


def _answer_to(table, record):
    from rules import registry
    from service.store import NewAnswer

    action = registry.get(record["ruleset"]).load(record["action"], record["params"])
    return NewAnswer(
        campaign=table.campaign,
        caller=table.bert,
        challenge=record,
        action=action.answered({"skill": 1}),
        key="k",
        body_hash="b",
    )
