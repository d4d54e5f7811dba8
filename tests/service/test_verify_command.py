"""`tallybones verify` and the stand-alone script, on what a service really answered."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from service.cli import main
from service.exporting import export
from tests.service.table import set_table

CONTEST = {"action": "contest", "params": {"opponent": {"kind": "player", "user": "bert"}}}
SAVE = {"action": "save", "params": {"attribute": "REF", "target": 7}}
SCRIPT = Path(__file__).parents[2] / "docs" / "verify.py"


@pytest.fixture
def played(table):
    """An ended session of eight public rolls, three hidden ones and a roll that only anna sees."""
    anna = table.tokens["anna"]
    for visibility in (*["public"] * 8, "gm", "gm", "blind", "self"):
        session = table.rolled(anna, visibility=visibility)["session"]
    return table.post(f"/sessions/{session}/end", None).json


@pytest.fixture
def saved(table, played, tmp_path):
    """What the GM saves: the session, and its rolls one a line."""
    rolls = table.get(f"/rolls?session={played['id']}").json["rolls"]
    (tmp_path / "session.json").write_text(json.dumps(played, indent=2))
    (tmp_path / "rolls.ndjson").write_text("".join(json.dumps(roll) + "\n" for roll in rolls))
    return tmp_path


def verify(*files, stdin=None):
    return CliRunner().invoke(main, ["verify", *map(str, files)], input=stdin)


def change(saved, place, **changes):
    """Change the roll at `place` in the saved file; return its id."""
    path = saved / "rolls.ndjson"
    rolls = [json.loads(line) for line in path.read_text().splitlines()]
    rolls[place] |= changes
    path.write_text("".join(json.dumps(roll) + "\n" for roll in rolls if roll))
    return rolls[place]["id"]


def public_rolls(saved):
    rolls = [json.loads(line) for line in (saved / "rolls.ndjson").read_text().splitlines()]
    return [(place, roll) for place, roll in enumerate(rolls) if roll["visibility"] == "public"]


def test_what_the_gm_saved_passes_whole(saved, played):
    answer = verify(saved / "session.json", saved / "rolls.ndjson")
    assert answer.exit_code == 0, answer.output
    assert f"✓ Session {played['id']}: 11 rolls, " in answer.output


def test_a_player_checks_what_they_see(table, played, tmp_path):
    anna = table.tokens["anna"]
    session = table.get(f"/sessions/{played['id']}", anna).json
    rolls = table.get(f"/rolls?session={played['id']}", anna).json
    (tmp_path / "one.json").write_text(json.dumps({"session": session, **rolls}, indent=1))
    answer = verify(tmp_path / "one.json")
    assert answer.exit_code == 0, answer.output
    assert "12 rolls" in answer.output and "not in the file: 4" in answer.output


def test_a_changed_die_is_named(saved):
    place, roll = public_rolls(saved)[3]
    dice = [dict(die) for die in roll["dice"]]
    dice[0]["value"] = dice[0]["value"] % dice[0]["faces"] + 1
    change(saved, place, dice=dice)
    answer = verify(saved / "session.json", saved / "rolls.ndjson")
    assert answer.exit_code == 1 and f"changed-die: Die 1 of roll {roll['id']}" in answer.output


@pytest.mark.parametrize("left", [0, 1])
def test_dice_that_are_left_out_are_named(saved, left):
    place, roll = public_rolls(saved)[3]
    change(saved, place, dice=roll["dice"][:left])
    answer = verify(saved / "session.json", saved / "rolls.ndjson")
    assert answer.exit_code == 1
    assert f"missing-die: Roll {roll['id']} shows {left} of the 3 dice that its formula" in answer.output


def test_what_the_dice_do_not_come_to_is_named(saved):
    place, roll = public_rolls(saved)[3]
    change(saved, place, successes=roll["successes"] + 1)
    answer = verify(saved / "session.json", saved / "rolls.ndjson")
    assert answer.exit_code == 1
    says = f"Roll {roll['id']} says successes {roll['successes'] + 1}, but by the rules it comes to successes"
    assert f"other-outcome: {says} {roll['successes']}." in answer.output


def test_what_cannot_be_judged_here_is_told(saved):
    for place in range(11):
        change(saved, place, ruleset="no-such-rules")
    answer = verify(saved / "session.json", saved / "rolls.ndjson")
    assert answer.exit_code == 0
    assert "Not judged again, as their rules are not installed here" in answer.output
    assert "is not in the file: 11." in answer.output


@pytest.mark.parametrize("seeds", ["stripped", "not ended"])
def test_without_a_seed_there_is_nothing_to_check(table, saved, played, seeds):
    session = played | {"seed": None, "hidden_seed": None}
    if seeds == "not ended":
        rolled = table.rolled(table.tokens["anna"])
        session = table.get(f"/sessions/{rolled['session']}").json
        (saved / "rolls.ndjson").write_text(json.dumps(rolled))
    (saved / "session.json").write_text(json.dumps(session))
    answer = verify(saved / "session.json", saved / "rolls.ndjson")
    assert answer.exit_code == 1 and "✓" not in answer.output
    assert f"… Session {session['id']}: " in answer.output
    assert (
        "Not ended, or no seed in the file: dice can be checked when the session has ended." in answer.output
    )
    [told] = json.loads(verify("--json", saved / "session.json", saved / "rolls.ndjson").output)
    assert told["ok"] is False and told["seed_known"] is False


def exported(table, tmp_path):
    """The operator's export, which holds every roll."""
    campaign = table.services.store.campaigns.get(table.id)
    (tmp_path / "campaign.ndjson").write_bytes(b"".join(export(table.services.store, campaign)))
    return tmp_path / "campaign.ndjson"


def test_a_roll_of_other_rules_than_the_campaign_s_is_named(table, played, tmp_path):
    whole = exported(table, tmp_path).read_text()
    for name in ("no-such", "heroes-2d6"):
        answer = verify(
            "-", stdin=whole.replace('"ruleset":"moon-hangs-low","action"', f'"ruleset":"{name}","action"')
        )
        assert answer.exit_code == 1 and "other-params: " in answer.output
        assert f"is of the rules '{name}', and the others of 'moon-hangs-low'." in answer.output


def test_an_export_that_is_not_whole_is_told_of(table, played, tmp_path):
    table.rolled(table.tokens["anna"])
    whole = exported(table, tmp_path).read_text()
    lines = whole.splitlines(keepends=True)
    second = [place for place, line in enumerate(lines) if line.startswith('{"session"')][1]
    for content, says in (
        (lines[:second], "It is not whole: its end is missing. Export again."),
        (lines[:-1], "It is not whole: its end is missing. Export again."),
        ([*lines[:second], lines[-1]], "its end counts 2 and 13, here are 1 and 12."),
    ):
        for more in ([], ["--json"]):
            answer = verify("-", *more, stdin="".join(content))
            assert answer.exit_code == 1 and says in answer.stderr, content
            assert played["id"] in answer.stdout


def test_several_files_of_several_campaigns_are_each_checked_by_its_own_rules(table, played, arena, tmp_path):
    last_session(arena)
    files = []
    for number, each in enumerate((table, arena)):
        each.work()
        (tmp_path / str(number)).mkdir()
        files.append(exported(each, tmp_path / str(number)))
    for order in (files, files[::-1]):
        answer = verify(*order)
        assert answer.exit_code == 0 and answer.output.count("✓") == 2, answer.output
    assert verify("-", stdin="".join(file.read_text() for file in files)).exit_code == 0


def test_the_same_roll_from_two_files_is_one(table, saved, played, tmp_path):
    anna = table.get(f"/rolls?session={played['id']}", table.tokens["anna"]).json
    (tmp_path / "anna.json").write_text(json.dumps(anna))
    files = saved / "session.json", saved / "rolls.ndjson", saved / "rolls.ndjson", tmp_path / "anna.json"
    answer = verify(*files, exported(table, tmp_path))
    assert answer.exit_code == 0 and "12 rolls" in answer.output, answer.output


@pytest.mark.parametrize("visibility", ["public", "gm", "blind"])
def test_both_sides_of_a_challenge_and_one_that_nobody_answered_may_be_saved_by_several(
    arena, tmp_path, visibility
):
    arena.work()
    challenge = arena.rolled(arena.tokens["anna"], CONTEST | {"visibility": visibility})
    arena.answer(challenge["id"], arena.tokens["bert"], {})
    arena.work()
    unanswered = arena.rolled(arena.tokens["anna"], CONTEST | {"visibility": visibility})
    arena.post(f"/sessions/{challenge['session']}/end", None)
    session, _ = last_session(arena)
    files = [exported(arena, tmp_path)]
    for name, token in (("gm", None), *arena.tokens.items()):
        saved = {"session": session} if token is None else {}
        rolls = arena.get(f"/rolls?session={session['id']}", token).json["rolls"]
        (tmp_path / name).write_text(json.dumps(saved | {"rolls": rolls}))
        files.append(tmp_path / name)
    for order in (files, files[::-1], files[1:]):
        answer = verify(*order)
        assert answer.exit_code == 0 and "3 rolls" in answer.output, answer.output
        assert f"nobody answered them: {unanswered['id']}." in answer.output


def test_a_page_of_long_cards_a_byte_order_mark_and_blank_lines_are_read(saved, played):
    rolls = [json.loads(line) for line in (saved / "rolls.ndjson").read_text().splitlines()]
    rolls[0]["card"]["html"] += "<!-- -->" * 200_000
    page = json.dumps({"session": played, "rolls": rolls})
    for content in (page, "\ufeff" + page, "\n  " + json.dumps(json.loads(page), indent=1)):
        answer = verify("-", stdin=content)
        assert answer.exit_code == 0 and "11 rolls" in answer.output, answer.output[:300]


def test_a_second_answer_of_a_session_hides_nothing_of_the_first(saved, played):
    without = {name: value for name, value in played.items() if not name.startswith("hidden_")}
    rolls = (saved / "rolls.ndjson").read_text()
    before = {**without, "seed": None, "ended_at": None, "last_seq": 2, "rolls": 2}
    whole = verify("-", stdin=json.dumps(played) + "\n" + rolls).output
    earlier = {**played, "rolls": 10, "unresolved": [8]}
    for others in (
        *([without, played], [played, without], [before, played], [played, before]),
        *([earlier, played], [played, earlier]),
    ):
        answer = verify("-", stdin="".join(json.dumps(each) + "\n" for each in others) + rolls)
        assert (answer.exit_code, answer.output) == (0, whole)
    other = json.dumps({**without, "commitment": "ab" * 32}) + "\n"
    answer = verify("-", stdin=other + json.dumps(played) + "\n" + rolls)
    assert answer.exit_code == 1
    assert f"Session {played['id']} is there more than once, with different commitments." in answer.output


@pytest.mark.parametrize("place", [0, 1], ids=["first", "last"])
def test_a_deleted_self_roll_is_no_fault_and_a_missing_one_is(table, tmp_path, place):
    store = table.services.store
    for _ in range(2):
        session = table.rolled(table.tokens["anna"], visibility="self")["session"]
    table.post(f"/sessions/{session}/end", None)
    records = [record for _, record in store.rolls.history(table.id) if record["session"] == session]
    whole = exported(table, tmp_path)
    assert verify(whole).exit_code == 0
    lines = whole.read_text().splitlines(keepends=True)
    roll = sorted(records, key=lambda record: record["seq"])[place]
    left = [line for line in lines if f'"id":"{roll["id"]}"' not in line]
    answer = verify("-", stdin="".join(left))
    assert answer.exit_code == 1
    assert f"missing-roll: Number {roll['seq']} of the self rolls is missing." in answer.output
    assert store.erasing.roll(table.id, roll)
    answer = verify(exported(table, tmp_path))
    assert answer.exit_code == 0, answer.output


@pytest.fixture
def arena(app, settings):
    """A table whose session has ended while four rolls wait: a contest's two sides, a public and a gm one."""
    arena = set_table(app, settings, "fort-ref-will")
    anna, bert = arena.player("anna"), arena.player("bert")
    challenge = arena.rolled(anna, CONTEST)
    arena.rolled(anna, SAVE)
    for answer in (
        arena.answer(challenge["id"], bert, {}),
        arena.roll(anna, SAVE),
        arena.roll(anna, SAVE | {"visibility": "gm"}),
    ):
        assert answer.status_code == 202
    arena.post(f"/sessions/{challenge['session']}/end", None)
    return arena


def last_session(table, token=None):
    """The table's last session, as its own answer and the list's have it."""
    listed = table.get("/sessions", token).json["sessions"][0]
    return table.get(f"/sessions/{listed['id']}", token).json, listed


def test_rolls_that_wait_for_their_dice_are_told_and_are_no_fault(arena, tmp_path):
    under_way, listed = last_session(arena)
    numbers = {"unresolved": [1, 3, 4], "hidden_unresolved": [1]}
    assert under_way | numbers == under_way == listed
    rolls = arena.get(f"/rolls?session={under_way['id']}").json["rolls"]
    (tmp_path / "session.json").write_text(json.dumps(under_way))
    (tmp_path / "rolls.ndjson").write_text("".join(json.dumps(roll) + "\n" for roll in rolls))
    (tmp_path / "sessions.json").write_text(json.dumps({"sessions": [listed]}))
    (tmp_path / "gm.ndjson").write_bytes(arena.get("/export").data)
    for files in (
        [tmp_path / "session.json", tmp_path / "rolls.ndjson"],
        [tmp_path / "sessions.json", tmp_path / "rolls.ndjson"],
        [exported(arena, tmp_path)],
        [tmp_path / "gm.ndjson"],
    ):
        answer = verify(*files)
        assert answer.exit_code == 0, answer.output
        assert "Not resolved yet: number 1, 3, 4." in answer.output
        assert "Not resolved yet, of the hidden rolls: number 1." in answer.output
    assert script(tmp_path) == (
        0,
        "all 1 public rolls are as they were thrown\nunresolved, it says: [1, 3, 4]\n",
    )
    arena.work()
    after, _ = last_session(arena)
    assert (after["unresolved"], after["hidden_unresolved"]) == ([], [])
    answer = verify(exported(arena, tmp_path))
    assert answer.exit_code == 0 and "Not resolved" not in answer.output


def test_a_player_is_told_of_public_rolls_that_wait_and_of_no_others(arena):
    for shown in last_session(arena, arena.tokens["bert"]):
        assert shown["unresolved"] == [1, 3, 4] and not {*shown} & {"hidden_unresolved", "self_unresolved"}


def test_for_another_program(saved, played):
    answer = verify("--json", saved / "session.json", saved / "rolls.ndjson")
    [checked] = json.loads(answer.output)
    assert checked["ok"] is True and checked["session"] == played["id"] and checked["findings"] == []


def test_from_a_pipe(saved):
    both = (saved / "session.json").read_text(), (saved / "rolls.ndjson").read_text()
    lines = json.dumps(json.loads(both[0])) + "\n" + both[1]
    assert verify("-", stdin=lines).exit_code == 0


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "There is no session in it"),
        (b'{"rolls": []}\n', "There is no session in it"),
        (b"not json\n", "line 1: Not JSON"),
        (b"[" * 5000, "line 1: The body is nested too deeply"),
        (b"[" * 30 + b"]" * 30, "nested more than"),
        (b"\x1f\x8b\x08\x00", "compressed"),
        (b"\xff\xfe{}", "line 1: "),
        (b'"' + b"a" * 33 * 2**20 + b'"', "at most"),
        (b'\n\n{"id": "x", "commitment": 1, "started_at": "now"}\n{}', "line 3: commitment is missing"),
        (b'{"a": NaN}', "NaN is not a number"),
        (b'{"id": "x", "commitment": 1, "started_at": "now"}', "commitment is missing"),
    ],
    ids=lambda value: str(value[:20]),
)
def test_a_file_that_is_none_is_refused_in_a_sentence(tmp_path, content, says):
    (tmp_path / "file").write_bytes(content)
    answer = verify(tmp_path / "file")
    assert answer.exit_code == 1 and says in answer.output and "Traceback" not in answer.output


def test_a_file_that_is_not_there(tmp_path):
    assert "cannot be read" in verify(tmp_path / "nothing").output


def script(saved):
    files = [str(saved / "session.json"), str(saved / "rolls.ndjson")]
    done = subprocess.run(
        [sys.executable, "-I", str(SCRIPT), *files], capture_output=True, text=True, timeout=30
    )
    return done.returncode, done.stdout


def test_the_script_is_short_and_needs_the_standard_library_only(saved):
    assert script(saved) == (0, "all 8 public rolls are as they were thrown\n")
    _, says, program = SCRIPT.read_text().split('"""')
    assert len([line for line in program.splitlines() if line.strip()]) <= 45
    assert "cannot see whether total" in " ".join(says.split()) and "`tallybones verify` can" in says


def test_the_script_finds_and_names_what_is_wrong(saved):
    session, found = json.loads((saved / "session.json").read_text()), {}
    rolls = (saved / "rolls.ndjson").read_text()
    (_, one), (_, other) = public_rolls(saved)[1:3]
    dice = [dict(die) for die in one["dice"]]
    dice[0]["value"] = dice[0]["value"] % dice[0]["faces"] + 1
    tampered = {
        "die": rolls.replace(json.dumps(one), json.dumps(one | {"dice": dice})),
        "left out": rolls.replace(json.dumps(one), json.dumps(one | {"dice": one["dice"][:1]})),
        "put there": rolls.replace(
            json.dumps(one), json.dumps(one | {"dice": [*one["dice"], one["dice"][0]]})
        ),
        "missing": rolls.replace(json.dumps(one) + "\n", ""),
        "extra": rolls + json.dumps(one | {"seq": 9}) + "\n",
        "nonce": rolls.replace(one["fairness"]["nonce"], other["fairness"]["nonce"] + "x"),
        "no nonce": rolls.replace(
            json.dumps(one), json.dumps(one | {"fairness": {**one["fairness"], "nonce": None}})
        ),
        "no number": rolls.replace(json.dumps(one), json.dumps(one | {"seq": None})),
        "stray": rolls + json.dumps(other | {"session": "aaaaaaaaaa"}) + "\n",
    }
    for name, lines in tampered.items():
        (saved / "rolls.ndjson").write_text(lines)
        code, found[name] = script(saved)
        assert code == 1, name
    assert f"roll {one['id']}: " in found["die"] and "changed die" in found["die"]
    assert found["left out"] == f"roll {one['id']}: 1 dice instead of 3: missing or extra die\n"
    assert found["put there"].endswith("4 dice instead of 3: missing or extra die\n")
    assert found["missing"] == f"number {one['seq']}: missing roll\n"
    assert "swapped nonce" in found["no nonce"] and "swapped nonce" in found["no number"]
    assert "swapped nonce" in found["nonce"] and "of another session" in found["stray"]
    (saved / "rolls.ndjson").write_text(rolls)
    (saved / "session.json").write_text(json.dumps(session | {"seed": "00" * 32}))
    wrong = "wrong seed, or none before the end: it is not the one that the session committed to\n"
    assert script(saved) == (1, wrong)
    (saved / "session.json").write_text(json.dumps(session | {"seed": None}))
    assert script(saved) == (1, wrong)
