"""Who sees what: the table in full, and the laws that every way out relies on."""

from collections import Counter
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.visibility import VISIBILITIES, View, audience, may_see, seen_count, view_of

FULL, OWN, THROWN, CHALLENGED, NOTHING = View.FULL, View.OWN, View.THROWN, View.CHALLENGED, None


@dataclass(frozen=True)
class Caller:
    role: str
    user: str


GM = Caller("gm", "gm")
ANNA = Caller("player", "anna")
BERT = Caller("player", "bert")
CARA = Caller("player", "cara")


def roll(visibility, user="anna", challenged=None, opponent=None):
    return {"visibility": visibility, "user": user, "challenged": challenged, "opponent": opponent}


@pytest.mark.parametrize(
    ("visibility", "gm", "roller", "stranger"),
    [
        ("public", FULL, FULL, FULL),
        ("gm", FULL, OWN, NOTHING),
        ("blind", FULL, THROWN, NOTHING),
        ("self", NOTHING, OWN, NOTHING),
    ],
)
def test_a_players_roll(visibility, gm, roller, stranger):
    record = roll(visibility)
    assert view_of(record, GM) is gm
    assert view_of(record, ANNA) is roller
    assert view_of(record, CARA) is stranger


@pytest.mark.parametrize(
    ("visibility", "gm", "player"),
    [("public", FULL, FULL), ("gm", FULL, NOTHING), ("blind", FULL, NOTHING), ("self", OWN, NOTHING)],
)
def test_the_gms_own_roll(visibility, gm, player):
    record = roll(visibility, user="gm")
    assert view_of(record, GM) is gm
    assert view_of(record, ANNA) is player


@pytest.mark.parametrize(
    ("visibility", "gm", "roller", "other_side", "stranger"),
    [
        ("public", FULL, FULL, FULL, FULL),
        ("gm", FULL, OWN, OWN, NOTHING),
        ("blind", FULL, THROWN, CHALLENGED, NOTHING),
    ],
)
@pytest.mark.parametrize(
    "record",
    [
        pytest.param({"challenged": "bert"}, id="the challenge while it waits"),
        pytest.param({"opponent": {"user": "bert"}}, id="the challenge or the answer, resolved"),
    ],
)
def test_an_opposed_roll_belongs_to_both_sides(visibility, gm, roller, other_side, stranger, record):
    contest = roll(visibility, **record)
    assert view_of(contest, GM) is gm
    assert view_of(contest, ANNA) is roller
    assert view_of(contest, BERT) is other_side
    assert view_of(contest, CARA) is stranger


def test_a_gms_hidden_roll_against_a_player_is_not_shown_in_full_to_that_player():
    assert view_of(roll("gm", user="gm", challenged="anna"), ANNA) is OWN
    assert view_of(roll("blind", user="gm", challenged="anna"), ANNA) is CHALLENGED


def test_a_player_called_like_an_audience_is_still_a_player():
    for name in ("everyone", "user:anna"):
        impostor = Caller("player", name)
        assert view_of(roll("gm"), impostor) is NOTHING
        assert view_of(roll("self"), impostor) is NOTHING


def test_an_unknown_visibility_is_seen_by_nobody():
    assert [view_of(roll("semi-public"), caller) for caller in (GM, ANNA, CARA)] == [None, None, None]


users = st.sampled_from(["gm", "anna", "bert", "cara"])
records = st.builds(
    roll,
    visibility=st.sampled_from(VISIBILITIES),
    user=users,
    challenged=st.none() | users,
    opponent=st.none() | st.builds(lambda user: {"user": user}, users),
)


@given(st.lists(records, max_size=12))
def test_counting_by_audience_counts_what_each_caller_may_see(rolls):
    counts = Counter(name for record in rolls for name in audience(record))
    for caller in (GM, ANNA, BERT, CARA):
        assert seen_count(counts, caller) == sum(may_see(record, caller) for record in rolls)


@given(records)
def test_nobody_but_the_gm_and_the_sides_sees_anything_of_a_hidden_roll(record):
    opponent = (record["opponent"] or {}).get("user")
    sides = {record["user"], record["challenged"], opponent}
    strangers = [who for who in (ANNA, BERT, CARA) if who.user not in sides]
    if record["visibility"] != "public":
        assert [view_of(record, who) for who in strangers] == [None] * len(strangers)


@given(records)
def test_a_player_never_sees_all_of_a_hidden_roll(record):
    if record["visibility"] != "public":
        assert {view_of(record, who) for who in (ANNA, BERT, CARA)} <= {OWN, THROWN, CHALLENGED, NOTHING}
    if record["visibility"] == "blind":
        assert {view_of(record, who) for who in (ANNA, BERT, CARA)} <= {THROWN, CHALLENGED, NOTHING}
