"""Deleting for good: a roll, a session, a campaign; and retention."""

import pytest
from click.testing import CliRunner

from rules.findings import Fault
from rules.published import read_roll, read_session
from rules.verifying import check
from service.cli import main
from service.store import Attempt, Store, keys
from service.store.packing import REST_MS
from tests.service.table import Listener, fresh_key, serving, set_table
from worker.housekeeping import Housekeeping


@pytest.fixture
def played(table):
    """An evening of anna's and bert's, ended: public, gm, blind and self rolls."""
    anna = table.tokens["anna"]
    for visibility in ("public", "gm", "public", "blind", "self", "gm", "public"):
        table.session = table.rolled(anna, visibility=visibility)["session"]
    return table


def end(table, packed=False):
    table.post(f"/sessions/{table.session}/end", None)
    store = table.services.store
    if packed:
        later = Store(store.redis, lambda: store.clock() + REST_MS + 1000)
        assert later.packing.pack(table.session)


def checked(table, token=None):
    session = table.get(f"/sessions/{table.session}", token).json
    rolls = table.get(f"/rolls?session={table.session}", token).json["rolls"]
    return check(read_session(session), map(read_roll, rolls)), session, rolls


def tallied(table):
    store = table.services.store
    return sum(
        int(value.split()[0])
        for field, value in store.tallies.read(table.id, table.session)
        if field[0] == "c"
    )


def delete(table, path, token=None):
    return table.call("DELETE", table.path + path, token or table.gm)


def holds(table, roll):
    """Return which of what Redis keeps of the session holds a roll's id, as far as a command can read it."""
    store, redis, session = table.services.store, table.services.redis, table.session
    whole = {
        "ledger": [event.record for event in store.rolls.events_after(table.id, "0-0")],
        "tallies": store.tallies.read(table.id, session),
        "index": redis.hkeys(keys.index(session)),
        "others": [
            redis.hgetall(key)
            for key in redis.scan_iter(f"tb:session:{session}*", _type="hash")
            if key.decode() not in (keys.index(session), keys.packed(session), keys.tallies(session))
        ],
    }
    known = {key.decode() for key in redis.scan_iter(f"tb:session:{session}*")}
    read = (keys.session, keys.stream, keys.index, keys.packed, keys.counts, keys.tallies)
    assert known <= {name(session) for name in read}
    return {name for name, value in whole.items() if roll.partition("-")[2] in str(value)}


@pytest.mark.parametrize("packed", [False, True])
def test_a_deleted_roll_is_gone_and_the_session_can_still_be_verified(played, packed):
    end(played, packed)
    _, before, rolls = checked(played)
    public, hidden = ([roll for roll in rolls if roll["visibility"] == kind] for kind in ("public", "gm"))
    assert tallied(played) == 7
    held = [holds(played, roll["id"]) for roll in rolls]
    assert all(each - {"tallies"} == ({"ledger"} if packed else {"ledger", "index"}) for each in held)
    assert any("tallies" in each for each in held)  # as a best or worst moment, which not every roll is
    for roll in (public[1], hidden[0]):
        assert delete(played, f"/rolls/{roll['id']}").status_code == 204
        assert played.get(f"/rolls/{roll['id']}").status_code == 404
        assert delete(played, f"/rolls/{roll['id']}").status_code == 404
    found, session, rolls = checked(played)
    assert found.findings == [] and found.deleted == (public[1]["seq"],)
    assert (session["deleted"], session["hidden_deleted"]) == ([public[1]["seq"]], [hidden[0]["seq"]])
    assert session["rolls"] == before["rolls"] - 2 == len(rolls)
    assert tallied(played) == 5
    for_anna, shown, _ = checked(played, played.tokens["anna"])
    assert for_anna.findings == [] and shown["rolls"] == 5 and "hidden_deleted" not in shown
    assert not any(holds(played, roll["id"]) for roll in (public[1], hidden[0]))


def test_no_marker_means_missing(played):
    end(played)
    _, session, rolls = checked(played)
    fewer = [roll for roll in rolls if roll["seq"] != 2]
    found = check(read_session(session), map(read_roll, fewer)).findings
    missing = [each.says for each in found if each.fault is Fault.MISSING_ROLL]
    assert "Number 2 is missing." in missing


def test_a_gm_deletes_nothing_that_the_gm_cannot_see(played):
    anna = played.tokens["anna"]
    [own] = [r for r in played.get("/rolls", anna).json["rolls"] if r["visibility"] == "self"]
    assert delete(played, f"/rolls/{own['id']}").status_code == 404
    assert played.get(f"/rolls/{own['id']}", anna).status_code == 200


def test_a_roll_that_is_not_resolved_waits(table):
    roll = table.roll().json
    answer = delete(table, f"/rolls/{roll['id']}")
    assert (answer.status_code, answer.json["type"]) == (409, "/docs/problems#not-resolved")


@pytest.mark.parametrize("packed", [False, True])
def test_both_sides_of_a_contest_go(app, settings, packed):
    table = set_table(app, settings, "fort-ref-will")
    anna, bert = table.player("anna"), table.player("bert")
    body = {"action": "contest", "params": {"opponent": {"kind": "player", "user": "bert"}}}
    challenge = table.rolled(anna, body)
    answer = table.answer(challenge["id"], bert, {}).json
    table.work()
    table.rolled(anna, {"action": "test", "params": {}})
    table.session = challenge["session"]
    end(table, packed)
    assert delete(table, f"/rolls/{answer['id']}").status_code == 204
    found, session, rolls = checked(table)
    assert found.findings == [] and session["deleted"] == [1, 2] and len(rolls) == 1
    left = [event.record.get("id") for event in table.services.store.rolls.events_after(table.id, "0-0")]
    assert challenge["id"] not in left and answer["id"] not in left


def test_the_same_click_again_does_not_bring_it_back(table):
    key = fresh_key()
    roll = table.roll(key=key).json
    table.work()
    delete(table, f"/rolls/{roll['id']}")
    assert table.roll(key=key).status_code == 404
    assert table.get("/rolls").json["rolls"] == []


def sent(table, webhook):
    """Send all that is due to a webhook: to a receiver that says back what it was told."""
    while under_way := taken(table, webhook):
        said_back(table, under_way)


def taken(table, webhook):
    """Take the next delivery that is due, as the lane of a webhook does; None where nothing is."""
    deliveries = table.services.store.deliveries
    deliveries.enter_lane(webhook, "lane")
    found = deliveries.take(webhook, "lane")
    return found and (found[0], told(table, found[0]))


def told(table, delivery):
    """All that is kept of what a delivery tells of."""
    kind = "rolls" if "-" in delivery.subject else "sessions"
    return table.get(f"/{kind}/{delivery.subject}").text


def said_back(table, under_way, outcome="delivered"):
    """Note that a delivery came to a receiver that said it back."""
    delivery, body = under_way
    answer = {"status": 200, "headers": {"location": f"/{body}"}, "body": body}
    request = {"method": "POST", "url": "https://example.org/…", "headers": {}, "body": body}
    entry = {"at": table.services.store.clock(), "ms": 7, "answer": answer}
    deliveries = table.services.store.deliveries
    deliveries.attempted(
        Attempt(delivery=delivery.id, asked=0, outcome=outcome, log=entry, request=request, due=1)
    )


def logged(table, webhook, subject):
    """What the log shows of the one delivery that tells of a roll or of a session's end."""
    [shown] = [
        each
        for each in table.get(f"/webhooks/{webhook}/deliveries").json["deliveries"]
        if each["subject"] == subject
    ]
    return shown


def in_the_logs(table, secret):
    """Say whether anything that is kept of deliveries holds a text."""
    redis = table.services.redis
    hashes = [redis.hgetall(key) for key in redis.scan_iter("tb:delivery:*", _type="hash")]
    lists = [redis.lrange(key, 0, -1) for key in redis.scan_iter("tb:delivery:*", _type="list")]
    return secret in str([hashes, lists])


def test_what_a_webhook_was_sent_of_it_goes_too(played):
    webhook = played.webhook()
    roll, other = played.rolled(), played.rolled()
    sent(played, webhook)
    nonce = roll["fairness"]["nonce"]
    assert in_the_logs(played, nonce) and not logged(played, webhook, roll["id"])["forgotten"]
    delete(played, f"/rolls/{roll['id']}")
    assert not in_the_logs(played, nonce) and in_the_logs(played, other["fairness"]["nonce"])
    shown = logged(played, webhook, roll["id"])
    assert (shown["status"], shown["request"], shown["forgotten"]) == ("delivered", None, True)
    [attempt] = shown["attempts"]
    assert attempt["answer"] == {"status": 200, "headers": {}, "body": ""}
    assert attempt["ms"] == 7 and attempt["at"]


@pytest.mark.parametrize("packed", [False, True])
def test_what_a_webhook_was_sent_of_a_deleted_session_goes_too(played, packed):
    webhook = played.webhook()
    roll = played.rolled()
    end(played, packed)
    sent(played, webhook)
    secrets = (played.get(f"/sessions/{played.session}").json["seed"], roll["fairness"]["nonce"])
    played.session, first = played.rolled()["session"], played.session
    later = played.rolled()
    sent(played, webhook)
    assert all(in_the_logs(played, secret) for secret in secrets)
    assert delete(played, f"/sessions/{first}").status_code == 204
    assert not any(in_the_logs(played, secret) for secret in secrets)
    assert in_the_logs(played, later["fairness"]["nonce"])
    shown = logged(played, webhook, first)
    assert (shown["event"], shown["request"], shown["forgotten"]) == ("session.ended", None, True)
    assert shown["attempts"][0]["answer"]["body"] == ""


@pytest.mark.parametrize("outcome", ["delivered", "pending"])
def test_nor_does_it_come_back_with_a_message_that_was_on_its_way(played, outcome):
    webhook = played.webhook()
    roll = played.rolled()
    under_way = taken(played, webhook)
    delete(played, f"/rolls/{roll['id']}")
    said_back(played, under_way, outcome)
    assert not in_the_logs(played, roll["fairness"]["nonce"])
    shown = logged(played, webhook, roll["id"])
    assert (shown["status"], shown["request"]) == (outcome, None)
    assert shown["attempts"][0]["answer"] == {"status": 200, "headers": {}, "body": ""}


@pytest.mark.parametrize("packed", [False, True])
def test_a_deleted_session_is_gone(played, packed):
    assert delete(played, f"/sessions/{played.session}").json["type"] == "/docs/problems#session-not-ended"
    end(played, packed)
    assert delete(played, f"/sessions/{played.session}").status_code == 204
    assert delete(played, f"/sessions/{played.session}").status_code == 404
    assert played.get(f"/sessions/{played.session}").status_code == 404
    for token in (played.gm, played.tokens["anna"]):
        assert (
            played.get("/rolls", token).json["rolls"] == [] == played.get("/sessions", token).json["sessions"]
        )
    keys_left = [
        key.decode() for key in played.services.redis.scan_iter("*") if played.session.encode() in key
    ]
    assert [key for key in keys_left if key.startswith("tb:")] == []
    assert played.rolled()["seq"] == 1


def test_a_roll_under_way_in_a_deleted_session_does_no_harm(played):
    roll = played.roll().json
    end(played)
    assert delete(played, f"/sessions/{played.session}").status_code == 204
    assert played.work() == 1
    assert played.services.redis.zcard(keys.PENDING) == 0
    assert played.get(f"/rolls/{roll['id']}").status_code == 404


def test_a_deleted_campaign_leaves_nothing(played, app, settings):
    other = set_table(app, settings)
    other.rolled()
    kept = {key for key in played.services.redis.scan_iter("tb:*") if other.id.encode() in key}
    end(played, packed=True)
    played.webhook()
    played.post("/reports", {})
    played.rolled()
    pending = played.roll().json["id"]
    ids = [played.id, *(s["id"] for s in played.get("/sessions").json["sessions"])]
    assert delete(played, "").status_code == 204
    assert delete(played, "").status_code == 401
    assert played.get("/rolls", played.tokens["anna"]).status_code == 401
    assert played.work() >= 1
    left = [key.decode() for key in played.services.redis.scan_iter("tb:*")]
    assert [key for key in left if any(id in key for id in ids)] == []
    assert played.services.redis.zscore(keys.PENDING, pending) is None
    assert kept <= set(played.services.redis.scan_iter("tb:*"))
    assert len(other.get("/rolls").json["rolls"]) == 1
    values = [
        name for key in left if key.startswith("tb:token:") for name in [played.services.redis.get(key)]
    ]
    assert not any(played.id.encode() in value for value in values)


def test_the_admin_deletes_a_campaign_and_others_do_not(played, app, settings):
    path, other = played.path, set_table(app, settings)
    assert played.call("DELETE", path, played.tokens["anna"]).status_code == 403
    assert played.call("DELETE", path, other.gm).status_code == 404
    assert played.call("DELETE", path, settings.admin_token).status_code == 204
    assert played.call("DELETE", path, settings.admin_token).status_code == 404


def test_open_streams_of_a_deleted_campaign_end(table, app):
    with serving(app) as address:
        listeners = [Listener(address, table), Listener(address, table, table.tokens["anna"])]
        for listener in listeners:
            assert listener.wait(lambda each: each.comments > 0)
        delete(table, "")
        for listener in listeners:
            assert listener.wait(lambda each: each.ended)


def test_retention_is_set_shown_and_lifted(table):
    assert table.get("").json["retention_days"] is None
    for days in (1, 3650, None):
        assert (
            table.call("PATCH", table.path, table.gm, {"retention_days": days}).json["retention_days"] == days
        )
    for days in (0, 3651, -1, 1.5, "7", True):
        answer = table.call("PATCH", table.path, table.gm, {"retention_days": days})
        assert answer.status_code == 422 and "retention_days" in answer.json["errors"]
    table.call("PATCH", table.path, table.gm, {"retention_days": 30})
    assert table.call("PATCH", table.path, table.gm, {"name": "Renamed"}).json["retention_days"] == 30


def test_sessions_whose_time_is_over_are_deleted_and_no_others(played):
    end(played, packed=True)
    old, redis = played.session, played.services.redis
    played.session = played.rolled()["session"]
    day = 24 * 60 * 60 * 1000

    def look(days_later):
        clock = played.services.store.clock
        Housekeeping(Store(redis, lambda: clock() + int(days_later * day))).look()
        return [session["id"] for session in played.get("/sessions").json["sessions"]]

    assert look(3650) == [played.session, old]
    played.call("PATCH", played.path, played.gm, {"retention_days": 7})
    assert look(6.9) == [played.session, old]
    assert look(7.1) == [played.session]
    assert look(100) == [played.session]


def test_the_same_look_packs_what_ended_a_while_ago(played):
    end(played)
    redis, clock = played.services.redis, played.services.store.clock
    for later, packed in ((0, False), (REST_MS - 5000, False), (REST_MS + 5000, True)):
        Housekeeping(Store(redis, lambda later=later: clock() + later)).look()
        assert bool(redis.exists(keys.packed(played.session))) is packed
    assert len(played.get("/rolls").json["rolls"]) == 6


def test_from_a_terminal(played, settings, monkeypatch):
    for name, value in (("REDIS_URL", settings.redis_url), ("TALLYBONES_ADMIN_TOKEN", settings.admin_token)):
        monkeypatch.setenv(name, value)
    run = CliRunner().invoke
    roll = played.get("/rolls").json["rolls"][0]["id"]
    assert run(main, ["delete", "roll", played.id, roll], input="n\n").exit_code == 1
    assert played.get(f"/rolls/{roll}").status_code == 200
    assert run(main, ["delete", "roll", played.id, roll, "--yes"]).exit_code == 0
    assert "has not ended" in run(main, ["delete", "session", played.id, played.session, "--yes"]).output
    end(played)
    assert run(main, ["delete", "session", played.id, played.session], input="y\n").exit_code == 0
    assert run(main, ["delete", "campaign", played.id, "--yes"]).exit_code == 0
    answer = run(main, ["delete", "campaign", played.id, "--yes"])
    assert answer.exit_code == 1 and "no campaign" in answer.output
