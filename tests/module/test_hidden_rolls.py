"""Hidden rolls: what each client can read in its memory, not only what it shows."""

import json

import pytest

from tests.module.screens import Screen
from tests.module.tables import API, Table, online, roll

READABLE = """() => JSON.stringify([
    game.messages.contents.map(message => [message.toObject(), message.rolls, message.flags]),
    document.querySelector("#chat").innerHTML,
])"""


def readable(screen: Screen) -> str:
    found: str = screen.run(READABLE)
    return found


def faces(screen: Screen) -> list[int]:
    dice = "game.messages.contents.flatMap(message => message.rolls).flatMap(roll => roll.dice)"
    shown: list[int] = screen.run(f"{dice}.flatMap(die => die.results).map(({{ result }}) => result)")
    return shown


def settle(*screens: Screen) -> None:
    for screen in screens:
        screen.page.wait_for_timeout(1200)


SECRET = "Secret errand"
LOCAL = "[data-tallybones-thrown]"


@pytest.mark.parametrize("visibility", ["gm", "blind"])
def test_a_hidden_roll_is_an_empty_frame_to_those_it_is_hidden_from(table: Table, visibility: str) -> None:
    gm, anna, ben = table.gm(), table.player("Anna"), table.player("Ben")
    roll(anna, visibility=visibility, label=SECRET, params={"stat": 5, "dv": 2})
    (message,) = table.cards(1)
    settle(gm, anna, ben)
    stored = json.dumps(message)
    thrown = next((kept for kept in table.campaign.rolls if kept["visibility"] == visibility), None)
    assert message["rolls"] == [] and message["content"] == "" and SECRET not in stored
    author = {"gm": anna, "blind": gm}[visibility]
    assert message["author"] == author.run("game.user.id")
    # who sees all of it, with its dice
    sees = {"gm": {"gm", "anna"}, "blind": {"gm"}}[visibility]
    for name, screen in (("gm", gm), ("anna", anna), ("ben", ben)):
        assert (len(faces(screen)) == 5) == (name in sees), name
        told = SECRET in readable(screen)
        assert told == (name in sees or (name, visibility) == ("anna", "blind")), name
        assert screen.messages.count() == (1 if told else 0), name
    if thrown:
        assert faces(gm) == [die["value"] for die in thrown["dice"]]
    if visibility == "blind":
        assert "success" not in readable(anna).lower()
    assert [gm.noise, anna.noise, ben.noise] == [[], [], []]


FRAME = """() => {
    const { _id, content, timestamp, whisper, author, ...rest } = game.messages.contents[0].toObject();
    return rest;
}"""


@pytest.mark.parametrize("visibility", ["gm", "blind"])
def test_the_frame_of_a_hidden_roll_names_no_character_and_no_kind(table: Table, visibility: str) -> None:
    table.gm()
    anna, ben = table.player("Anna"), table.player("Ben")
    character = anna.run("game.user.character.name")
    asked = "{ action: 'skill-check', params: { stat: 3, dv: 2 }, actor: game.user.character, visibility }"
    anna.run(f"visibility => {API}.roll({asked})", visibility)
    (message,) = table.cards(1)
    settle(ben)
    author = next(
        user["name"]
        for user in table.foundry.world.collections["users"].values()
        if user["_id"] == message["author"]
    )
    frame = ben.run(FRAME)
    assert frame["speaker"] == {"scene": None, "actor": None, "token": None, "alias": author}
    assert set(frame["flags"]["tallybones"]) == {"rollId", "hidden"}
    assert frame["blind"] is False and frame["rolls"] == []
    assert character not in readable(ben) and anna.run("game.user.character.id") not in readable(ben)
    assert all(kind not in json.dumps(message) for kind in ("self", '"gm"', '"blind": true'))


def test_a_self_roll_is_no_message_and_its_roller_alone_sees_its_card(table: Table) -> None:
    gm, anna, ben = table.gm(), table.player("Anna", dice3d="1"), table.player("Ben")
    tab = online(table.open_screen("Anna", beside=anna))
    thrown = roll(anna, visibility="self", label=SECRET)
    for screen in (anna, tab):
        screen.find(LOCAL).wait_for()
        assert SECRET in screen.find(LOCAL).inner_text()
        assert screen.find(f"{LOCAL} .dice-roll").count() == 1
    settle(gm, anna, ben, tab)
    table.cards(0)
    assert [anna.find(LOCAL).count(), tab.find(LOCAL).count()] == [1, 1]
    assert [shown["dice"] for shown in anna.observed("diceShown")] == [
        [die["value"] for die in thrown["dice"]]
    ]
    assert [tab.observed("sounds"), anna.observed("sounds")] == [["sounds/dice.wav"], []]
    for screen in (gm, ben):
        assert screen.find(LOCAL).count() == 0 and SECRET not in readable(screen)
        assert screen.run("game.messages.contents.length") == 0 and screen.observed("sounds") == []
    anna.find(f"{LOCAL} .dice-roll").click()
    assert anna.find(f"{LOCAL} .dice-tooltip.expanded .roll.die").count() == 3
    assert anna.run(f"{API}.waiting()") == []
    online(anna.reload())
    settle(anna)
    assert anna.find(LOCAL).count() == 0
    table.cards(0)
    assert [gm.noise, anna.noise, ben.noise, tab.noise] == [[], [], [], []]


def test_a_self_roll_of_the_gm_stays_in_the_gm_s_own_browser(table: Table) -> None:
    gm, anna = table.gm(), table.player("Anna")
    second = table.open_screen("Gamemaster")
    assert second.run(f"{API}.connect('{table.campaign.connect_code}')")["cause"] == "ok"
    online(second)
    roll(gm, visibility="self", label=SECRET)
    settle(gm, second, anna)
    table.cards(0)
    assert SECRET in gm.find(LOCAL).inner_text()
    for screen in (second, anna):
        assert screen.find(LOCAL).count() == 0 and SECRET not in readable(screen)


def test_a_self_roll_that_waited_for_the_service_is_shown_when_it_has_fallen(table: Table) -> None:
    table.gm()
    anna = table.player("Anna")
    table.service.wire.cut()
    anna.until(f"{API}.status().connection === 'offline'")
    roll(anna, wait=False, visibility="self", label=SECRET)
    table.service.wire.mend()
    online(anna, seconds=40)
    anna.find(LOCAL).wait_for()
    settle(anna)
    assert anna.find(LOCAL).count() == 1 and anna.find(".tallybones-pending").count() == 0
    table.cards(0)


@pytest.mark.parametrize("visibility", ["gm", "blind"])
def test_the_gm_s_own_hidden_rolls_are_the_gm_s_alone(table: Table, visibility: str) -> None:
    gm, anna = table.gm(), table.player("Anna")
    roll(gm, visibility=visibility, label=SECRET)
    table.cards(1)
    settle(gm, anna)
    assert len(faces(gm)) == 3 and SECRET in gm.messages.inner_text()
    assert faces(anna) == [] and SECRET not in readable(anna) and anna.messages.count() == 0


def test_a_hidden_roll_is_there_again_after_a_reload(table: Table) -> None:
    gm, anna = table.gm(), table.player("Anna")
    roll(anna, visibility="gm", label=SECRET)
    table.cards(1)
    for screen in (gm, anna):
        screen.reload()
        screen.until("game.messages.contents[0].rolls.length === 1")
        assert SECRET in screen.messages.inner_text()


def test_three_dimensional_dice_of_a_hidden_roll_fall_once_where_it_may_be_seen(table: Table) -> None:
    gm, anna, ben = table.gm(dice3d="1"), table.player("Anna", dice3d="1"), table.player("Ben", dice3d="1")
    roll(anna, visibility="gm")
    roll(anna, visibility="public", params={"stat": 2, "dv": 1})
    table.cards(2)
    settle(gm, anna, ben)
    for screen, dice in ((gm, [2, 3]), (anna, [2, 3]), (ben, [2])):
        assert sorted(len(shown["dice"]) for shown in screen.observed("diceShown")) == dice


def test_the_chat_s_mode_is_taken_where_a_click_says_none(table: Table, generation: int) -> None:
    gm, anna = table.gm(), table.player("Anna")
    name, mode = ("rollMode", "gmroll") if generation == 13 else ("messageMode", "gm")
    anna.run(f"game.settings.set('core', '{name}', '{mode}')")
    roll(anna, label=SECRET)
    (message,) = table.cards(1)
    assert message["whisper"] and SECRET not in json.dumps(message)
    assert anna.observed("deprecated") == gm.observed("deprecated") == []


def test_a_blind_roll_waits_for_the_gm_s_client_and_is_then_posted_once(table: Table) -> None:
    gm, anna = table.gm(), table.player("Anna")
    roll(anna, params={"stat": 1, "dv": 1})  # what the GM's client has dealt with is not dealt with again
    table.cards(1)
    settle(gm)
    gm.page.goto("about:blank")
    roll(anna, visibility="blind", label=SECRET)
    table.cards(1)
    assert SECRET in anna.find("[data-tallybones-thrown]").inner_text()
    gm.page.go_back()
    gm.ready()
    table.cards(2)
    gm.until("game.messages.contents.at(-1).rolls.length === 1")
    online(gm.reload())
    table.cards(2)
    assert gm.messages.count() == 2
