"""Opposed rolls: a challenge with a button, an answer, and one card with both sides."""

from collections.abc import Callable

import pytest

from tests.module.screens import Screen
from tests.module.tables import API, Table, roll

BUTTON = ".tallybones-answer-button"


@pytest.fixture
def heroes(lay_table: Callable[[str], Table]) -> Table:
    return lay_table("heroes-2d6")


def challenge(screen: Screen, user: str, **more: object) -> dict[str, object]:
    params = {"skill": 4, "opponent": {"kind": "player", "user": user}}
    made: dict[str, object] = roll(screen, "opposed-test", params=params, **more)
    return made


def answer(screen: Screen, roll_id: object, skill: int = 6) -> None:
    screen.run(f"([id, skill]) => {API}.answer(id, {{ params: {{ skill }} }})", [roll_id, skill])


def test_a_player_answers_a_player_and_both_stand_on_one_card(heroes: Table) -> None:
    gm, anna, ben = heroes.gm(), heroes.player("Anna"), heroes.player("Ben")
    made = challenge(anna, ben.run("game.user.id"))
    assert made["status"] == "awaiting"
    (message,) = heroes.cards(1)
    assert message["rolls"] == []
    ben.find(BUTTON).wait_for()
    assert [anna.find(BUTTON).count(), gm.find(BUTTON).count()] == [0, 0]
    ben.reload()
    ben.find(BUTTON).wait_for()
    answer(ben, made["id"])
    gm.until("game.messages.contents[0]?.rolls.length === 2", seconds=10)
    (message,) = heroes.cards(1)
    assert message["author"] == anna.run("game.user.id")
    assert message["flags"]["tallybones"]["rollId"] == made["id"]
    for screen in (gm, anna, ben):
        screen.until("document.querySelectorAll('#chat .chat-message').length === 1")
        assert screen.find(BUTTON).count() == 0
        held = screen.run("game.messages.contents[0].rolls.map(({ dice }) => dice[0].results.length)")
        assert held == [2, 2]
    assert [gm.noise, anna.noise, ben.noise] == [[], [], []]
    heroes.cards(1)


def test_the_gm_answers_a_player(heroes: Table) -> None:
    gm, anna = heroes.gm(), heroes.player("Anna")
    made = challenge(anna, "gm")
    gm.find(BUTTON).wait_for()
    answer(gm, made["id"])
    anna.until("game.messages.contents[0]?.rolls.length === 2", seconds=10)
    (message,) = heroes.cards(1)
    assert message["flags"]["tallybones"]["rollId"] == made["id"] and len(message["rolls"]) == 2


def test_a_challenger_who_left_finds_the_card_posted(heroes: Table) -> None:
    gm, anna, ben = heroes.gm(), heroes.player("Anna"), heroes.player("Ben")
    made = challenge(anna, ben.run("game.user.id"))
    heroes.cards(1)
    anna.page.close()
    answer(ben, made["id"])
    gm.until("game.messages.contents[0]?.rolls.length === 2", seconds=20)
    heroes.cards(1)
    anna = heroes.player("Anna")
    anna.page.wait_for_timeout(1500)
    heroes.cards(1)
    assert anna.run(f"{API}.waiting()") == []


def test_a_challenge_for_the_gm_s_eyes_shows_each_side_its_own(heroes: Table) -> None:
    gm, anna, ben = heroes.gm(), heroes.player("Anna"), heroes.player("Ben")
    made = challenge(anna, ben.run("game.user.id"), visibility="gm", label="Secret duel")
    (message,) = heroes.cards(1)
    assert message["content"] == ""
    ben.find(BUTTON).wait_for(timeout=8000)
    answer(ben, made["id"])
    for screen in (gm, anna, ben):
        screen.until("game.messages.contents[0]?.rolls.length === 2", seconds=10)
    (message,) = heroes.cards(1)
    assert message["rolls"] == [] and "Secret duel" not in str(message)


def test_a_challenge_that_nobody_answered_is_closed_with_its_session(heroes: Table) -> None:
    gm, anna = heroes.gm(), heroes.player("Anna")
    made = challenge(anna, "gm")
    heroes.cards(1)
    gm.run(f"{API}.endSession('{made['session']}')")
    anna.until(f"{API}.waiting().length === 0", seconds=10)
    (message,) = heroes.cards(1)
    assert "challenge" not in message["flags"]["tallybones"]
    assert gm.find(BUTTON).count() == 0
