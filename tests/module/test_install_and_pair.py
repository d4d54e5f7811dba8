"""A GM installs the module from the service and connects; players' browsers get their tokens."""

from dataclasses import replace

from service.connect_code import ConnectCode, encode
from tests.module.screens import Screen
from tests.module.tables import API, Table, online


def test_the_module_is_installed_from_the_service_and_connected_with_one_code(table: Table) -> None:
    gm = table.gm()
    status = gm.run(f"{API}.status()")
    assert (status["role"], status["campaign"], status["ruleset"]) == (
        "gm",
        table.campaign.id,
        "moon-hangs-low",
    )
    assert gm.run(f"{API}.diagnose()")["cause"] == "ok"
    assert gm.noise == []


def test_a_player_is_paired_while_the_gm_is_there(table: Table) -> None:
    gm = table.gm()
    anna = table.player("Anna")
    assert anna.run(f"{API}.status().role") == "player"
    assert anna.observed("notifications") == []
    assert [gm.noise, anna.noise] == [[], []]
    assert online(anna.reload()).observed("queries") == []


def test_a_player_waits_calmly_until_the_gm_comes(table: Table) -> None:
    gm = table.gm()
    gm.page.close()
    anna = table.open_screen("Anna")
    anna.until(f"{API}.status().connection === 'unpaired'")
    anna.until("standIn.notifications.length === 1")
    assert "as soon as your GM is here" in anna.observed("notifications")[0]["message"]
    anna.reload()
    table.gm()
    online(anna)
    assert anna.noise == []


def test_keys_stay_in_the_browser_they_are_for(table: Table) -> None:
    table.gm()
    anna, ben = table.player("Anna"), table.player("Ben")
    for screen in (anna, ben):
        seen = screen.run("JSON.stringify([...game.settings.storage.get('world').values()])")
        assert table.campaign.gm_key not in seen and "tbp_" not in seen
    tokens = [screen.run("JSON.stringify({...localStorage})") for screen in (anna, ben)]
    assert all("tbp_" in token and "tbg_" not in token for token in tokens) and tokens[0] != tokens[1]


def test_a_token_that_is_not_ones_own_is_not_taken(table: Table) -> None:
    table.gm()
    anna, ben = table.player("Anna"), table.open_screen("Ben")
    online(ben)
    bens = ben.run("Object.values(game.settings.get('tallybones', 'keys'))[0]")
    push = {"campaign": table.campaign.id, "token": bens, "user": anna.run("game.user.id")}
    query = "push => game.users.get(push.user).query('tallybones.token', push, { timeout: 5000 })"
    assert ben.run(query, push) is False
    assert anna.run("Object.values(game.settings.get('tallybones', 'keys'))[0]") != bens


def test_a_revoked_player_gets_no_other_token_until_it_is_renewed(table: Table) -> None:
    gm = table.gm()
    anna = table.player("Anna")
    user = anna.run("game.user.id")
    gm.run(f"{API}.revoke('{user}')")
    anna.until(f"{API}.status().connection === 'unpaired' && {API}.status().revoked")
    listed = {player["name"]: player for player in gm.run(f"{API}.players()")}
    assert listed["Anna"]["revoked"] and not listed["Anna"]["paired"]
    anna.page.wait_for_timeout(500)
    assert anna.run(f"{API}.status().connection") == "unpaired"
    assert gm.run(f"{API}.mint('{user}')") is True
    online(anna)


def test_two_browsers_of_one_player_share_the_newest_token(table: Table) -> None:
    table.gm()
    desk, phone = table.player("Anna"), table.open_screen("Anna")
    online(phone)
    online(desk)
    desk.page.wait_for_timeout(1500)
    states = [screen.run(f"{API}.status().connection") for screen in (desk, phone)]
    assert states == ["online", "online"]
    held = [
        screen.run("Object.values(game.settings.get('tallybones', 'keys'))[0]") for screen in (desk, phone)
    ]
    assert held[0] == held[1]


def causes(screen: Screen, code: str) -> str:
    found: str = screen.run(f"code => {API}.connect(code).then(found => found.cause)", code)
    return found


def test_the_test_button_names_the_cause(table: Table) -> None:
    gm = table.open_screen("Gamemaster")
    right = ConnectCode(table.service.address, table.campaign.id, table.campaign.gm_key)
    assert causes(gm, encode(replace(right, key="tbg_" + "x" * 43))) == "wrong-key"
    assert causes(gm, encode(replace(right, url="http://127.0.0.1:9"))) == "unreachable"
    assert causes(gm, encode(replace(right, campaign="a" * 10))) == "wrong-campaign"
    assert gm.run(f"{API}.diagnose().then(found => found.cause)") == "no-address"
    assert gm.run(f"{API}.connect('tb1_nonsense').catch(error => error.reason)") == "TALLYBONES.error.codeCut"


def test_an_older_service_or_module_is_named(table: Table) -> None:
    gm = table.open_screen("Gamemaster")
    for version, cause in (("0.2.0", "older-service"), ("0.0.9", "newer-service"), ("0.1.9", "ok")):
        gm.run("version => { game.modules.get('tallybones').version = version; }", version)
        assert causes(gm, table.campaign.connect_code) == cause


def test_a_page_that_the_service_does_not_know_is_told_its_own_origin(table: Table) -> None:
    gm = table.open_screen("Gamemaster")
    elsewhere = gm.page.url.replace("foundry.test", "other.test")
    gm.open(elsewhere)
    found = gm.run(f"{API}.connect('{table.campaign.connect_code}')")
    assert found["cause"] == "cross-origin"
    assert f"Add {gm.run('location.origin')} to its TALLYBONES_ORIGINS" in found["message"]


def test_an_https_page_cannot_call_an_http_service_and_says_so(table: Table) -> None:
    gm = table.open_screen("Gamemaster", https=True)
    found = gm.run(f"{API}.connect('{table.campaign.connect_code}')")
    assert (found["cause"], table.service.address in found["message"]) == ("mixed-content", True)
    assert gm.noise == []  # it is not even tried
