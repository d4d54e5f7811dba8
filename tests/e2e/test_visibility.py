"""Who sees what of a roll, on every way out: two players, a GM, a stranger; all visibilities; one table.

What each is to see is written down here by hand, and checked on the answer to the click (pending, waited for,
sent again), one roll, history plain and filtered, the count of the session, the stream live and replayed.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from tests.service.table import Listener, Table, fresh_key, make_app, serving, set_table

FULL, OWN, THROWN, NOTHING = "all", "all but seq", "that it was thrown", None

GM, ANNA, BERT, STRANGER = "gm", "anna", "bert", "stranger"
PEOPLE = (GM, ANNA, BERT)

# (visibility, who rolls): what the GM, anna and bert see of it
ROLLS = {
    ("public", ANNA): (FULL, FULL, FULL),
    ("gm", ANNA): (FULL, OWN, NOTHING),
    ("blind", ANNA): (FULL, THROWN, NOTHING),
    ("self", ANNA): (NOTHING, OWN, NOTHING),
    ("public", GM): (FULL, FULL, FULL),
    ("gm", GM): (FULL, NOTHING, NOTHING),
    ("blind", GM): (FULL, NOTHING, NOTHING),
    ("self", GM): (OWN, NOTHING, NOTHING),
}
# Opposed by a player: (visibility, who challenges, who is challenged); cara stands for the rest of the table
CONTESTS = {
    ("public", ANNA, BERT): {GM: FULL, ANNA: FULL, BERT: FULL, "cara": FULL},
    ("gm", ANNA, BERT): {GM: FULL, ANNA: OWN, BERT: OWN, "cara": NOTHING},
    ("blind", ANNA, BERT): {GM: FULL, ANNA: THROWN, BERT: THROWN, "cara": NOTHING},
    ("gm", GM, ANNA): {GM: FULL, ANNA: OWN, BERT: NOTHING, "cara": NOTHING},
    ("blind", GM, ANNA): {GM: FULL, ANNA: THROWN, BERT: NOTHING, "cara": NOTHING},
    ("blind", ANNA, GM): {GM: FULL, ANNA: THROWN, BERT: NOTHING, "cara": NOTHING},
}

TEST = {"action": "test", "params": {"target": 7}}
WITHHELD_WHEN_THROWN = (
    "seq",
    "total",
    "target",
    "outcome",
    "success",
    "margin",
    "odds",
    "opponent",
)
OUTCOMES = (
    "critical-success",
    "success",
    "failure",
    "critical-failure",
    "tie",
    "automatic-success",
    "automatic-failure",
)


@dataclass
class Hall:
    """A table with a GM, three players, and a player of another campaign; and the address for streams."""

    table: Table
    address: str
    tokens: dict[str, str]

    @contextmanager
    def listening(self, **last: str) -> Iterator[dict[str, Listener]]:
        """Let everybody follow the stream."""
        yield {
            who: Listener(self.address, self.table, token)
            for who, token in self.tokens.items()
            if who != STRANGER
        }

    def history(self, who: str, query: str = "") -> list[dict]:
        answer = self.table.get(f"/rolls?limit=200{query}", self.tokens[who])
        assert answer.status_code == 200
        return answer.json["rolls"]


@pytest.fixture
def hall(settings) -> Iterator[Hall]:
    app = make_app(settings)
    table, elsewhere = set_table(app, settings, "fort-ref-will"), set_table(app, settings, "fort-ref-will")
    tokens = {GM: table.gm, ANNA: table.player(ANNA), BERT: table.player(BERT), "cara": table.player("cara")}
    tokens[STRANGER] = elsewhere.player(ANNA)
    with serving(app) as address:
        yield Hall(table, address, tokens)


def judge(shown: dict | None, view: str | None, roll_id: str) -> None:
    """Check that a roll is shown exactly as the view has it."""
    if view is NOTHING:
        assert shown is None, f"{roll_id} does not exist for them"
        return
    assert shown is not None and shown["id"] == roll_id and shown["status"] == "resolved"
    if view in (FULL, OWN):
        assert (
            shown["outcome"] in OUTCOMES and len(shown["dice"]) == 2 and shown["odds"]["success"]["fraction"]
        )
        assert (shown["seq"] is None) == (view == OWN)
        assert shown["fairness"]["nonce"] and shown["fairness"]["commitment"]
    else:
        assert all(shown.get(name) is None for name in WITHHELD_WHEN_THROWN)
        assert shown.get("successes") is None and shown["dice"] == [] and shown["numbers"] == []
        assert shown["notes"] == [] and shown["house_rules"] is None
        assert shown["fairness"] == {"commitment": None, "nonce": None}
        text = json.dumps(shown["card"]).lower()
        assert not any(word in text for word in ("7/12", "chance", "margin", "succe", "fail", "against"))


def streamed(listener: Listener, roll_id: str) -> dict | None:
    """The roll as it came resolved on the stream; None when it never did."""
    found = [e.data for e in listener.events if e.event == "roll" and e.data["id"] == roll_id]
    resolved = [roll for roll in found if roll["status"] == "resolved"]
    assert len(resolved) <= 1
    return resolved[0] if resolved else None


def mark(hall: Hall, listeners: dict[str, Listener]) -> str:
    """Roll publicly, and wait until everybody has seen that: what they were to see before has come."""
    roll = hall.table.rolled(body=TEST, label="the mark")["id"]
    for who, listener in listeners.items():
        assert listener.wait(lambda it: any(e.data.get("id") == roll for e in it.events)), who
    return roll


@pytest.mark.parametrize(("kind", "views"), ROLLS.items(), ids=lambda value: "-".join(map(str, value)))
def test_who_sees_a_roll(hall, kind, views):
    visibility, roller = kind
    expected = dict(zip(PEOPLE, views, strict=True)) | {"cara": views[2]}
    if roller == GM:
        expected["cara"] = views[1]
    table = hall.table
    with hall.listening() as live:
        body = TEST | {"visibility": visibility, "label": "hush"}
        key = fresh_key()

        # the answer to the click: pending, waited for, and sent again
        pending = table.roll(hall.tokens[roller], body, key).json
        roll = pending["id"]
        assert pending["status"] == "pending" and pending["dice"] == [] and pending["outcome"] is None
        table.work()
        judge(table.roll(hall.tokens[roller], body, key).json, expected[roller], roll)
        judge(table.roll(hall.tokens[roller], body, key, Prefer="wait=3").json, expected[roller], roll)
        with table.working():
            waited = table.roll(hall.tokens[roller], body, Prefer="wait=5")
        judge(waited.json, expected[roller], waited.json["id"])
        both = (roll, waited.json["id"])

        the_mark = mark(hall, live)
        for who, view in expected.items():
            token = hall.tokens[who]
            # one roll
            one = table.get(f"/rolls/{roll}", token)
            judge(one.json if one.status_code == 200 else None, view, roll)
            # history, plain and filtered
            history = {shown["id"]: shown for shown in hall.history(who)}
            for each in both:
                judge(history.get(each), view, each)
            assert len(history) == (3 if view else 1)
            outcome = table.get(f"/rolls/{roll}", hall.tokens[roller if roller != GM else GM]).json["outcome"]
            for name in OUTCOMES:
                found = {shown["id"] for shown in hall.history(who, f"&outcome={name}")}
                if view in (NOTHING, THROWN):
                    assert not found & set(both)
                elif name == outcome:
                    assert roll in found
            for query in ("&user=" + roller, "&action=test", f"&session={pending['session']}"):
                found = {shown["id"] for shown in hall.history(who, query)} - {the_mark}
                assert found == (set(both) if view else set())
            # the stream, live
            for each in both:
                judge(streamed(live[who], each), view, each)
            # the count of the session
            for session in (
                table.get("/sessions", token).json["sessions"][0],
                table.get(f"/sessions/{pending['session']}", token).json,
            ):
                assert session["rolls"] == (3 if view else 1)
            # nothing of it in anything that a person who does not see it was sent
            if view is NOTHING:
                everything = json.dumps([event.data for event in live[who].events])
                assert roll not in everything and "hush" not in everything

        # the stream, replayed
        start = live[GM].events[0].id
        for who, view in expected.items():
            again = Listener(hall.address, table, hall.tokens[who], last=start)
            assert again.wait(lambda it: any(event.data.get("id") == the_mark for event in it.events))
            for each in both:
                judge(streamed(again, each), view, each)
            replayed, heard = ([e for e in it.events if e.event == "roll"] for it in (again, live[who]))
            assert replayed == heard

        # a player of another campaign
        for path in ("/rolls", f"/rolls/{roll}", "/sessions", "/stream"):
            assert table.get(path, hall.tokens[STRANGER]).status_code == 404


@pytest.mark.parametrize(("kind", "expected"), CONTESTS.items(), ids=lambda value: "-".join(map(str, value)))
def test_who_sees_a_contest(hall, kind, expected):
    visibility, challenger, challenged = kind
    table = hall.table
    body = {"action": "contest", "params": {"opponent": {"kind": "player", "user": challenged}}}
    body |= {"visibility": visibility, "label": "hush"}
    with hall.listening() as live:
        challenge = table.rolled(hall.tokens[challenger], body)
        assert challenge["status"] == "awaiting"
        bystanders = [who for who, view in expected.items() if view is NOTHING]
        for who in bystanders:
            answer = table.answer(challenge["id"], hall.tokens[who], {})
            missing = table.answer("aaaaaaaaaa-bbbbbbbbbb", hall.tokens[who], {})
            assert answer.status_code == missing.status_code == 404 and answer.json == missing.json
        seen = table.get(f"/rolls/{challenge['id']}", hall.tokens[challenged]).json
        assert seen["status"] == "awaiting" and seen["challenged"] == challenged

        key = fresh_key()
        answered = table.answer(challenge["id"], hall.tokens[challenged], {}, key)
        assert answered.status_code == 202
        answer = answered.json["id"]
        table.work()
        judge(
            table.answer(challenge["id"], hall.tokens[challenged], {}, key).json, expected[challenged], answer
        )

        the_mark = mark(hall, live)
        for who, view in expected.items():
            token = hall.tokens[who]
            history = {shown["id"]: shown for shown in hall.history(who)}
            by_outcome = {shown["id"] for name in OUTCOMES for shown in hall.history(who, f"&outcome={name}")}
            for each in (challenge["id"], answer):
                one = table.get(f"/rolls/{each}", token)
                judge(one.json if one.status_code == 200 else None, view, each)
                judge(history.get(each), view, each)
                judge(streamed(live[who], each), view, each)
                assert (each in by_outcome) == (view in (FULL, OWN))
            assert table.get(f"/sessions/{challenge['session']}", token).json["rolls"] == (3 if view else 1)
            if view is NOTHING:
                everything = json.dumps([event.data for event in live[who].events])
                assert (
                    challenge["id"] not in everything
                    and answer not in everything
                    and "hush" not in everything
                )
            if view is THROWN:
                # Neither side learns the other's numbers: the challenger's params are the challenger's.
                shown = history[challenge["id"]]
                assert (shown["params"] is None) == (who != challenger)

        start = live[GM].events[0].id
        for who, view in expected.items():
            again = Listener(hall.address, table, hall.tokens[who], last=start)
            assert again.wait(lambda it: any(event.data.get("id") == the_mark for event in it.events))
            for each in (challenge["id"], answer):
                judge(streamed(again, each), view, each)


def test_a_cursor_is_made_only_of_rolls_that_are_shown(hall):
    """Pages that end among hidden rolls tell nothing of them, and skip none that are shown."""
    table = hall.table
    public = []
    for number in range(12):
        who, visibility = ((ANNA, "public"), (ANNA, "blind"), (GM, "gm"), (ANNA, "self"))[number % 4]
        roll = table.rolled(hall.tokens[who], TEST, visibility=visibility)["id"]
        public += [roll] * (visibility == "public")
    shown_to_gm = {
        page["next_cursor"]
        for limit in (1, 2, 3, 4)
        for page in pages(hall, GM, limit)
        if page["next_cursor"]
    }
    for limit in (1, 2, 3):
        seen = []
        for page in pages(hall, BERT, limit):
            seen += [roll["id"] for roll in page["rolls"]]
            cursor = page["next_cursor"]
            if cursor is not None:
                last = page["rolls"][-1]["id"]
                assert last in public and cursor in shown_to_gm
        assert seen == public[::-1]


def pages(hall: Hall, who: str, limit: int) -> Iterator[dict]:
    cursor = ""
    while cursor is not None:
        page = hall.table.get(
            f"/rolls?limit={limit}{f'&cursor={cursor}' if cursor else ''}", hall.tokens[who]
        ).json
        yield page
        cursor = page["next_cursor"]


def test_hidden_rolls_leave_no_gap_in_what_players_count(hall):
    """Public rolls are numbered without a gap, whatever is rolled in between."""
    table = hall.table
    numbers = []
    for visibility in ("public", "gm", "blind", "self", "public", "blind", "public"):
        shown = table.rolled(hall.tokens[ANNA], TEST, visibility=visibility)
        if visibility == "public":
            numbers.append(shown["seq"])
        else:
            assert shown["seq"] is None
    assert numbers == [1, 2, 3]


def test_errors_about_hidden_rolls_are_those_of_rolls_that_do_not_exist(hall):
    table = hall.table
    hidden = [
        table.rolled(hall.tokens[ANNA], TEST, visibility=kind)["id"] for kind in ("gm", "blind", "self")
    ]
    for roll in (*hidden, "aaaaaaaaaa-bbbbbbbbbb", f"{hidden[0].split('-')[0]}-bbbbbbbbbb"):
        for answer in (
            table.get(f"/rolls/{roll}", hall.tokens[BERT]),
            table.answer(roll, hall.tokens[BERT], {}),
        ):
            assert answer.status_code == 404
            assert answer.json["detail"] == "There is no such roll, or this token may not see it."


def test_a_blind_roll_that_is_pending_says_no_odds_to_its_roller(hall):
    shown = hall.table.roll(hall.tokens[ANNA], TEST | {"visibility": "blind"}).json
    assert shown["odds"] is None and shown["fairness"] == {"commitment": None, "nonce": None}
    assert shown["visibility"] == "blind" and shown["card"]["title"]
