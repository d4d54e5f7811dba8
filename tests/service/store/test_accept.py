"""A roll is accepted once, in full, with the job that resolves it."""

import re
import zlib
from concurrent.futures import ThreadPoolExecutor

import pytest
from redis import Redis
from redis.exceptions import OutOfMemoryError
from rq import Queue
from rq.serializers import JSONSerializer

from service.store import KeyReused, SessionNotOpen, UnknownCampaign
from service.store.jobs import roll_job
from tests.tables import START


def test_an_accepted_roll_is_pending_with_all_that_was_asked(table):
    record = table.accept(visibility="gm", key="click-1").record
    session = table.store.sessions.open(table.campaign)
    assert record["id"].startswith(f"{session.id}-")
    assert (record["status"], record["seq"], record["chain"]) == ("pending", 1, "hidden")
    assert (record["user"], record["user_name"], record["nonce"]) == ("anna", "Anna", "click-1")
    assert record["params"] == {"skill": 3, "tn": 8, "modifier": 0}
    assert record["commitment"] == session.hidden_commitment
    assert (record["created_at"], record["resolved_at"]) == (START, None)
    assert table.store.rolls.get(table.campaign, record["id"]) == record


def test_the_same_key_and_body_give_the_same_roll(table, valkey):
    first, again = table.accept(key="click"), table.accept(key="click")
    assert (first.replayed, again.replayed) == (False, True)
    assert again.record == first.record
    assert valkey.llen("rq:queue:rolls") == 1


def test_the_same_key_after_the_roll_is_resolved_gives_the_resolved_roll(table):
    from worker.resolve import resolve_in

    roll = table.accept(key="click").record["id"]
    resolve_in(table.store, roll)
    again = table.accept(key="click")
    assert again.replayed and again.record["id"] == roll and again.record["status"] == "resolved"


def test_the_same_key_with_another_body_is_refused_and_leaves_nothing(table, valkey):
    table.accept(key="click")
    with pytest.raises(KeyReused) as refused:
        table.accept(key="click", body="another")
    assert refused.value.key == "click"
    assert valkey.llen("rq:queue:rolls") == valkey.zcard("tb:pending") == 1


def test_two_users_may_use_the_same_key(table):
    assert table.accept(table.anna, key="k").record["id"] != table.accept(table.bert, key="k").record["id"]


def test_fifty_at_once_with_one_key_make_one_roll(table, valkey):
    request = table.request(key="click")
    with ThreadPoolExecutor(50) as pool:
        accepted = list(pool.map(lambda _: table.store.rolls.accept(request), range(50)))
    assert len({answer.record["id"] for answer in accepted}) == 1
    assert sum(not answer.replayed for answer in accepted) == 1
    assert valkey.llen("rq:queue:rolls") == valkey.zcard("tb:pending") == 1


def test_each_chain_counts_without_gaps_whoever_rolls_at_once(table):
    visibilities = ("public", "gm", "blind", "self") * 15
    requests = [table.request(visibility=visibility) for visibility in visibilities]
    with ThreadPoolExecutor(20) as pool:
        records = [accepted.record for accepted in pool.map(table.store.rolls.accept, requests)]
    for chain, count in (("open", 15), ("hidden", 30), ("self", 15)):
        first = 1_000_000_001 if chain == "self" else 1
        numbers = sorted(r["seq"] for r in records if r["chain"] == chain)
        assert numbers == list(range(first, first + count))
    assert len({record["session"] for record in records}) == 1


def test_a_roll_that_is_refused_takes_no_number(table):
    table.accept(key="click")
    with pytest.raises(KeyReused):
        table.accept(key="click", body="another")
    assert table.accept().record["seq"] == 2


def test_a_roll_may_name_the_open_session_and_no_other(table):
    session = table.store.sessions.start(table.campaign).id
    assert table.accept(session=session).record["session"] == session
    table.store.sessions.end(table.campaign, session)
    with pytest.raises(SessionNotOpen) as refused:
        table.accept(session=session)
    assert refused.value.session == session
    assert table.store.sessions.open(table.campaign) is None


def test_a_campaign_that_is_gone_takes_no_rolls(table, valkey):
    request = table.request()
    valkey.delete(f"tb:campaign:{table.campaign}")
    with pytest.raises(UnknownCampaign):
        table.store.rolls.accept(request)
    assert valkey.keys("rq:*") == []


def test_a_full_server_refuses_the_whole_roll(table, valkey):
    table.accept()
    request, before = table.request(), sorted(valkey.keys("*"))
    valkey.config_set("maxmemory", 1)
    try:
        with pytest.raises(OutOfMemoryError):
            table.store.rolls.accept(request)
    finally:
        valkey.config_set("maxmemory", 0)
    assert sorted(valkey.keys("*")) == before
    assert valkey.zcard("tb:pending") == 1
    assert table.store.rolls.accept(request).record["seq"] == 2


def test_labels_with_quotes_and_backslashes_come_back_as_they_were(table):
    from dataclasses import replace

    nasty = 'He said "roll\\", {"id":"x"} é 🎲'
    request = replace(table.request(), label=nasty, actor={"id": "a%1", "name": "50% \\ off"})
    record = table.store.rolls.accept(request).record
    assert (record["label"], record["actor"]["name"]) == (nasty, "50% \\ off")


def test_the_job_is_written_as_rq_writes_it(table, valkey, redis_url):
    roll = table.accept().record["id"]
    ours, ours_keys = valkey.hgetall(f"rq:job:{roll}"), sorted(valkey.keys("rq:*"))
    assert valkey.ttl(f"rq:job:{roll}") == -1
    with Redis.from_url(redis_url.replace("/0", "/1")) as other:
        Queue("rolls", connection=other, serializer=JSONSerializer).enqueue_job(roll_job(roll, other))
        theirs, theirs_keys = other.hgetall(f"rq:job:{roll}"), sorted(other.keys("rq:*"))
        assert valkey.smembers("rq:queues") == other.smembers("rq:queues")
        assert valkey.lrange("rq:queue:rolls", 0, -1) == other.lrange("rq:queue:rolls", 0, -1)
    assert ours_keys == theirs_keys
    for time in (b"created_at", b"enqueued_at"):
        assert re.fullmatch(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", ours.pop(time))
        theirs.pop(time)
    assert zlib.decompress(ours.pop(b"data")) == zlib.decompress(theirs.pop(b"data"))
    assert ours == theirs


def test_rq_reads_the_job_as_its_own(table, valkey):
    roll = table.accept().record["id"]
    [job] = Queue("rolls", connection=valkey, serializer=JSONSerializer).jobs
    assert (job.id, job.func_name, list(job.args), job.kwargs) == (
        roll,
        "worker.resolve.resolve_roll",
        [roll],
        {},
    )
    assert (job.timeout, job.result_ttl, job.failure_ttl) == (30, 0, 86400)


def test_accepting_is_one_round_trip(table, round_trips):
    table.accept()
    request = table.request()
    round_trips.clear()
    table.store.rolls.accept(request)
    assert len(round_trips) == 1
