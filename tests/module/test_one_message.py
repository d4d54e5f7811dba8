"""Each roll is in the chat once, by the one who rolled, whatever happens on the way."""

import pytest

from tests.module.screens import Screen
from tests.module.tables import API, Table, online, roll


def ids(table: Table) -> list[str]:
    """The rolls that the world's messages show."""
    return sorted(message["flags"]["tallybones"]["rollId"] for message in table.messages)


def rolled(table: Table) -> list[str]:
    """The rolls that the service has."""
    return sorted(kept["id"] for kept in table.campaign.rolls)


def test_a_click_is_one_message_by_its_roller_with_real_dice(table: Table) -> None:
    gm, anna = table.gm(), table.player("Anna")
    thrown = roll(anna, label="Climb the wall")
    (message,) = table.cards(1)
    assert message["author"] == anna.run("game.user.id")
    assert (message["whisper"], message["blind"]) == ([], False)
    assert message["speaker"]["alias"] == anna.run("ChatMessage.getSpeaker().alias")
    for screen in (gm, anna):
        shown = screen.until("game.messages.contents[0]?.rolls[0]?.dice[0].results.map(die => die.result)")
        assert shown == [die["value"] for die in thrown["dice"]]
        assert screen.messages.count() == 1
        assert "Climb the wall" in screen.messages.inner_text()
        assert screen.find(".tallybones-pending").count() == 0
    assert anna.observed("sounds") == ["sounds/dice.wav"]
    assert [gm.noise, anna.noise] == [[], []]


def test_foundry_s_own_tooltip_opens(table: Table) -> None:
    gm = table.gm()
    roll(gm)
    gm.messages.locator(".dice-roll").click()
    assert gm.messages.locator(".dice-tooltip.expanded .roll.die").count() == 3


def test_a_double_click_rolls_once(table: Table) -> None:
    gm = table.gm()
    asked = "{ action: 'skill-check', params: { stat: 3, dv: 2 } }"
    gm.run(f"Promise.all([{API}.roll({asked}), {API}.roll({asked})])")
    table.cards(1)
    assert ids(table) == rolled(table)


def test_two_tabs_post_once(table: Table) -> None:
    first = table.gm()
    second = online(table.open_screen("Gamemaster", beside=first))
    roll(first)
    table.cards(1)
    second.page.wait_for_timeout(5000)  # longer than the second leaves it to the first
    table.cards(1)
    assert [first.noise, second.noise] == [[], []]


def test_two_gms_post_once_what_only_they_can(table: Table) -> None:
    first = table.gm()
    second = table.open_screen("Gamemaster")
    assert second.run(f"{API}.connect('{table.campaign.connect_code}')")["cause"] == "ok"
    online(second)
    anna = table.player("Anna")
    roll(anna, visibility="blind")
    table.cards(1)
    assert [first.noise, second.noise, anna.noise] == [[], [], []]


def test_a_roll_whose_roller_left_before_it_came_is_posted_by_the_gm(table: Table) -> None:
    gm, anna = table.gm(), table.player("Anna")
    body = {"action": "skill-check", "params": {"stat": 2, "dv": 1}, "label": "From elsewhere"}
    token = anna.run("Object.values(game.settings.get('tallybones', 'keys'))[0]")
    anna.page.close()
    path = f"/v1/campaigns/{table.campaign.id}/rolls"
    table.service.call("POST", path, token, body, Idempotency_Key="elsewhere", Prefer="wait=5")
    (message,) = table.cards(1, seconds=15)
    assert message["author"] == gm.run("game.user.id")
    assert gm.noise == []


def test_a_roll_made_elsewhere_is_posted_by_its_roller_s_client(table: Table) -> None:
    table.gm()
    anna = table.player("Anna")
    token = anna.run("Object.values(game.settings.get('tallybones', 'keys'))[0]")
    path = f"/v1/campaigns/{table.campaign.id}/rolls"
    body = {"action": "skill-check", "params": {"stat": 2, "dv": 1}}
    table.service.call("POST", path, token, body, Idempotency_Key="elsewhere", Prefer="wait=5")
    (message,) = table.cards(1, seconds=15)
    assert message["author"] == anna.run("game.user.id")


def test_a_reload_in_the_middle_of_a_roll_loses_and_doubles_nothing(table: Table) -> None:
    table.gm()
    anna = table.player("Anna")
    roll(anna, wait=False)
    online(anna.reload())
    table.cards(1)
    assert ids(table) == rolled(table) and len(rolled(table)) == 1
    online(anna.reload())
    table.cards(1)


def test_clicks_wait_while_the_service_is_away_and_go_when_it_is_back(table: Table) -> None:
    table.gm()
    anna = table.player("Anna")
    table.service.wire.cut()
    anna.until(f"{API}.status().connection === 'offline'")
    roll(anna, wait=False, label="First")
    roll(anna, wait=False, label="Second")
    anna.until("document.querySelectorAll('.tallybones-pending').length === 2")
    anna.find(".tallybones-pending").first.get_by_role("button", name="Cancel").click()
    anna.until(f"{API}.waiting().length === 1")
    anna.reload()
    anna.until("document.querySelectorAll('.tallybones-pending').length === 1")
    table.service.wire.mend()
    online(anna, seconds=40)
    table.cards(1)
    assert ids(table) == rolled(table)
    assert [kept["label"] for kept in table.campaign.rolls] == ["Second"]
    assert anna.find(".tallybones-pending").count() == 0


def told(screen: Screen) -> list[str]:
    return [notice["message"] for notice in screen.observed("notifications")]


def test_a_lost_connection_is_told_once_and_so_is_its_return(table: Table) -> None:
    gm = table.gm()
    table.service.wire.cut()
    gm.until("standIn.notifications.length === 1", seconds=20)
    gm.page.wait_for_timeout(4000)
    table.service.wire.mend()
    online(gm, seconds=40)
    assert [sentence.split(".")[0] for sentence in told(gm)] == [
        "The dice service does not answer",
        "The dice service is back",
    ]


def test_a_click_on_its_way_when_the_wire_breaks_is_one_roll(table: Table) -> None:
    gm = table.gm()
    roll(gm, wait=False)
    table.service.wire.cut()
    gm.page.wait_for_timeout(1500)
    table.service.wire.mend()
    online(gm, seconds=40)
    table.cards(1)
    assert ids(table) == rolled(table) and len(rolled(table)) == 1


def test_a_waiting_click_can_be_thrown_in_foundry_instead(table: Table) -> None:
    gm = table.gm()
    table.service.wire.cut()
    gm.until(f"{API}.status().connection === 'offline'")
    roll(gm, wait=False, label="Jump", formula="3d6cs>=5")
    gm.find(".tallybones-pending").get_by_role("button", name="Roll in Foundry instead").click()
    (message,) = table.cards(1)
    assert message["flavor"] == "Jump"
    table.service.wire.mend()
    online(gm, seconds=40)
    table.cards(1)
    assert rolled(table) == []


def test_what_is_refused_says_why_and_does_not_wait(table: Table) -> None:
    gm = table.gm()
    asked = "{ action: 'skill-check', params: { stat: 9, dv: 2 } }"
    problem = gm.run(f"{API}.roll({asked}).catch(({{ status, errors }}) => ({{ status, errors }}))")
    assert problem == {"status": 422, "errors": {"params": {"stat": ["Must be a whole number from 1 to 5."]}}}
    assert gm.run(f"{API}.waiting()") == []
    table.cards(0)


def test_a_hidden_click_is_not_thrown_in_foundry_where_others_could_read_it(table: Table) -> None:
    gm = table.gm()
    table.service.wire.cut()
    gm.until(f"{API}.status().connection === 'offline'")
    roll(gm, wait=False, visibility="gm", formula="3d6cs>=5")
    (waiting,) = gm.until(f"{API}.waiting()")
    assert waiting["formula"] is None
    assert gm.run(f"{API}.rollHere('{waiting['key']}')") is False
    assert gm.find(".tallybones-pending").get_by_role("button").count() == 1
    table.cards(0)


@pytest.mark.parametrize("generation", [13], ids=["v13"], indirect=True)
def test_a_restart_of_the_service_loses_nothing(table: Table) -> None:
    gm = table.gm()
    roll(gm)
    table.cards(1)
    table.service.stop()
    gm.until(f"{API}.status().connection === 'offline'", seconds=20)
    roll(gm, wait=False, label="Meanwhile")
    table.service.start()
    online(gm, seconds=40)
    table.cards(2)
    assert ids(table) == rolled(table)
