"""Every figure of a report, checked against the rolls themselves, whoever asks and whatever is asked."""

from fractions import Fraction

import pytest

from service.store import ReportWish
from service.tallying import Onlooker
from tests.worker.reports.evenings import Evenings
from tests.worker.reports.recount import faces, least_likely, longest_runs, recount, rolls_shown
from worker.reports.figures import EVERY, skill_key
from worker.reports.gather import gather
from worker.reports.tables import tables

RULESETS = ("moon-hangs-low", "heroes-2d6", "d6-comparison", "fort-ref-will")


@pytest.fixture(params=RULESETS)
def evenings(request, store, clock):
    evenings = Evenings(store, clock, request.param, seed=7)
    for title in ("One", None, "Three"):
        evenings.session(45, title)
    return evenings


def viewers(evenings):
    return [evenings.gm, *evenings.players, Onlooker()]


def own(rolls, viewer):
    """What a report by that viewer is about: a player's own rolls, else all they see."""
    if viewer.role == "gm" or isinstance(viewer, Onlooker):
        return rolls
    return [roll for roll in rolls if roll["user"] == viewer.user]


def check(evenings, viewer, wish, wanted):
    """Compare a report with the rolls that `wanted` picks from those shown."""
    figures = gather(evenings.store, evenings.campaign, viewer, wish)
    found = tables(figures, evenings.ruleset)
    shown = own(rolls_shown(evenings.store, evenings.campaign, viewer), viewer)
    rolls = [roll for roll in shown if wanted(roll)]
    assert figures.rolls() == len(rolls)
    same(found.total, rolls)
    keys = {
        "players": lambda roll: roll["user"],
        "characters": lambda roll: f"id:{roll['actor']['id']}" if roll["actor"] else "none",
        "actions": lambda roll: roll["action"],
        "skills": lambda roll: skill_key(roll["label"] or roll["title"]),
        "sessions": lambda roll: roll["session"],
    }
    for table in found.all:
        groups = {}
        for roll in rolls:
            groups.setdefault(keys[table.name](roll), []).append(roll)
        assert {row.key for row in table.rows} == set(groups), table.name
        for row in table.rows:
            same(row, groups[row.key])
            if table.name == "players":
                assert row.streaks == longest_runs(groups[row.key])
    assert {d.faces: list(d.counts) for d in found.dice} == {
        size: [fell[face] for face in range(1, size + 1)] for size, fell in faces(rolls).items()
    }
    for kept, success in ((figures.best, True), (figures.worst, False)):
        assert [moment.chance for moment in kept] == [float(p) for p in least_likely(rolls, success)]
        by_id = {roll["id"]: roll for roll in rolls}
        assert all(by_id[moment.id]["success"] is success for moment in kept)
    return rolls


def same(row, rolls):
    again = recount(rolls)
    if again is None:
        assert row is None
        return
    assert (row.rolls, row.successes) == (again["rolls"], again["successes"])
    assert (row.expected, row.variance) == (again["expected"], again["variance"])
    assert row.criticals.successes == again["critical_successes"]
    assert row.criticals.failures == again["critical_failures"]
    assert row.criticals.expected_successes == pytest.approx(again["expected_successes"])
    assert row.criticals.expected_failures == pytest.approx(again["expected_failures"])
    assert (row.margins.mean if row.margins else None) == (
        None if again["margin"] is None else pytest.approx(again["margin"])
    )
    if again["z"] is None:
        assert row.luck is None
    else:
        assert row.luck.z == pytest.approx(again["z"])
        assert row.luck.rests_on == again["in_doubt"]


def test_everything(evenings):
    for viewer in viewers(evenings):
        assert check(evenings, viewer, ReportWish(), lambda roll: True)


def test_one_user_one_character_or_both(evenings):
    for viewer in (evenings.gm, Onlooker()):
        check(evenings, viewer, ReportWish(user="bert"), lambda roll: roll["user"] == "bert")
    for viewer in viewers(evenings):
        check(
            evenings,
            viewer,
            ReportWish(actor="Actor.a2"),
            lambda roll: (roll["actor"] or {}).get("id") == "Actor.a2",
        )
    check(
        evenings,
        evenings.gm,
        ReportWish(user="anna", actor="Actor.a1"),
        lambda roll: roll["user"] == "anna" and (roll["actor"] or {}).get("id") == "Actor.a1",
    )


def test_some_sessions(evenings):
    chosen = [session.id for session in evenings.store.sessions.list(evenings.campaign)][:2]
    for viewer in viewers(evenings):
        check(evenings, viewer, ReportWish(sessions=tuple(chosen)), lambda roll: roll["session"] in chosen)


def test_an_action_or_a_skill_is_answered_from_the_records(evenings):
    action = rolls_shown(evenings.store, evenings.campaign, evenings.gm)[0]["action"]
    for viewer in viewers(evenings):
        check(evenings, viewer, ReportWish(action=action), lambda roll: roll["action"] == action)
        check(
            evenings,
            viewer,
            ReportWish(skill="STEALTH"),
            lambda roll: (roll["label"] or "").strip().lower() == "stealth",
        )


def test_times_cut_sessions_in_the_middle(evenings):
    records = [record for _, record in evenings.store.rolls.history(evenings.campaign)]
    times = {record["id"]: record["created_at"] for record in records}
    since, until = sorted(times.values())[30], sorted(times.values())[-20]
    for viewer in viewers(evenings):
        check(
            evenings,
            viewer,
            ReportWish(since=since, until=until),
            lambda roll: since <= times[roll["id"]] < until,
        )


def test_the_same_comes_of_tallies_and_of_records(evenings):
    for viewer in viewers(evenings):
        for session in evenings.store.sessions.list(evenings.campaign):
            whole = ReportWish(sessions=(session.id,))
            # Cut by a moment so near its start that tallies are not asked, and that cuts off nothing.
            cut = ReportWish(sessions=(session.id,), since=session.started_at - 1)
            tallied = gather(evenings.store, evenings.campaign, viewer, whole)
            recorded = gather(evenings.store, evenings.campaign, viewer, cut)
            for name in ("kinds", "dice", "runs", "best", "worst", "actors"):
                assert getattr(tallied, name) == getattr(recorded, name), name


def test_runs_go_on_from_one_session_to_the_next(store, clock):
    evenings = Evenings(store, clock, "heroes-2d6")
    anna = evenings.players[0]
    for _ in range(3):
        session = store.sessions.start(evenings.campaign).id
        for _ in range(4):
            evenings.roll(
                anna, "public", actor=None, label=None, action=("unopposed-test", {"skill": 1, "tn": 8})
            )
        store.sessions.end(evenings.campaign, session)
        clock.forward(hours=10)
    figures = gather(store, evenings.campaign, evenings.gm, ReportWish())
    shown = rolls_shown(store, evenings.campaign, evenings.gm)
    run = figures.runs["anna", EVERY]
    assert (run.successes, run.failures) == longest_runs(shown)
    assert run.length == len(shown) == 12


def test_a_challenge_that_nobody_answered_is_no_roll(store, clock):
    evenings = Evenings(store, clock, "heroes-2d6")
    evenings.random.random = lambda: 1.0
    opponent = {"kind": "player", "user": "bert"}
    session = store.sessions.start(evenings.campaign).id
    evenings.roll(evenings.players[0], "public", action=("opposed-test", {"skill": 3, "opponent": opponent}))
    store.sessions.end(evenings.campaign, session)
    assert len(list(store.rolls.history(evenings.campaign))) == 1
    assert store.tallies.complete(session)
    assert gather(store, evenings.campaign, evenings.gm, ReportWish()).rolls() == 0


def test_an_expectation_is_exact_however_many_rolls_it_sums(store, clock):
    evenings = Evenings(store, clock, "heroes-2d6")
    for _ in range(36):
        evenings.roll(evenings.gm, "public", action=("unopposed-test", {"skill": 0, "tn": 9}))
    total = tables(gather(store, evenings.campaign, evenings.gm, ReportWish()), "heroes-2d6").total
    assert total.expected == 10 and total.variance == Fraction(10 * 26, 36)  # 2d6 reach 9 in 10 of 36 throws
