"""The stand-in keeps Foundry's promises, where tests of the module lean on them."""

import pytest

from tests.module.conftest import FIXTURES
from tests.module.foundry_server.server import FoundryServer
from tests.module.foundry_server.start import ANNA, GAMEMASTER, MIRRIM
from tests.module.screens import OpenScreen, Screen

RECORD = """{
    class: "Roll", formula: "4d6cs>=4 - 2d6cs>=5", total: 2, evaluated: true, options: {}, dice: [], terms: [
        { class: "Die", evaluated: true, number: 4, faces: 6, modifiers: ["cs>=4"], options: {}, results: [
            { result: 5, active: true, success: true, count: 1 },
            { result: 4, active: true, success: true, count: 1 },
            { result: 6, active: true, success: true, count: 1 },
            { result: 1, active: true, success: false, count: 0 }] },
        { class: "OperatorTerm", evaluated: true, operator: "-", options: {} },
        { class: "Die", evaluated: true, number: 2, faces: 6, modifiers: ["cs>=5"], options: {}, results: [
            { result: 5, active: true, success: true, count: 1 },
            { result: 2, active: true, success: false, count: 0 }] }]
}"""
THROWN = f"rolls: [Roll.fromData({RECORD})], content: '<p class=card>two successes</p>'"


@pytest.fixture
def foundry(foundry: FoundryServer) -> FoundryServer:
    """A Foundry with the probe module."""
    foundry.link(FIXTURES / "probe")
    return foundry


@pytest.fixture
def gm(open_screen: OpenScreen) -> Screen:
    return open_screen("Gamemaster")


@pytest.fixture
def anna(open_screen: OpenScreen, gm: Screen) -> Screen:
    return open_screen("Anna")


def test_a_hook_stops_on_false_and_on_nothing_else(gm: Screen) -> None:
    ran = gm.run("""() => {
        const ran = [];
        Hooks.on("x", () => { ran.push("null"); return null; });
        Hooks.on("x", async () => { ran.push("promise"); return false; });
        Hooks.on("x", () => { ran.push("false"); return false; });
        Hooks.on("x", () => ran.push("never"));
        return [Hooks.call("x"), ran.slice(), Hooks.callAll("x"), ran.length];
    }""")
    assert ran == [False, ["null", "promise", "false"], True, 7]


def test_an_unevaluated_roll_is_refused(gm: Screen) -> None:
    refusal = gm.run(
        "ChatMessage.create({ rolls: [new Roll('2d6')], content: 'x' }).catch(error => error.message)"
    )
    assert "must be evaluated" in refusal
    assert gm.run("game.messages.size") == 0


def test_a_message_is_public_unless_it_is_given_another_mode(
    gm: Screen, anna: Screen, generation: int
) -> None:
    mode = ["core", "messageMode", "blind"] if generation == 14 else ["core", "rollMode", "blindroll"]
    anna.run("mode => game.settings.set(...mode)", mode)
    anna.run(f"ChatMessage.create({{ {THROWN} }})")
    gm.until("game.messages.size === 1")
    assert gm.run("[game.messages.contents[0].whisper, game.messages.contents[0].blind]") == [[], False]
    assert gm.messages.locator(".card").inner_text() == "two successes"


def test_a_blind_roll_shows_its_player_question_marks(gm: Screen, anna: Screen) -> None:
    anna.run(f"ChatMessage.create({{ {THROWN}, whisper: ['{GAMEMASTER}'], blind: true }})")
    anna.messages.wait_for()
    assert "Anna privately rolled some dice" in anna.messages.inner_text()
    assert anna.messages.locator(".dice-total").inner_text() == "?"
    assert anna.messages.locator(".card, .dice-tooltip").count() == 0
    assert gm.messages.locator(".card").inner_text() == "two successes"


def test_a_whisper_without_dice_is_seen_only_by_those_it_is_for(
    open_screen: OpenScreen, gm: Screen, anna: Screen
) -> None:
    ben = open_screen("Ben")
    gm.run(f"ChatMessage.create({{ content: 'psst', whisper: ['{ANNA}'] }})")
    for screen in (anna, gm):
        screen.messages.wait_for()
    ben.until("game.messages.size === 1")
    assert [anna.messages.count(), gm.messages.count(), ben.messages.count()] == [1, 1, 0]


def test_nobody_speaks_for_somebody_else_but_a_gm(gm: Screen, anna: Screen) -> None:
    refusal = anna.run(
        f"ChatMessage.create({{ author: '{GAMEMASTER}', content: 'x' }}).catch(error => error.message)"
    )
    assert "cannot speak for somebody else" in refusal
    gm.run(f"ChatMessage.create({{ author: '{ANNA}', content: 'x' }})")
    anna.until("game.messages.contents[0]?.author === game.user")


def test_the_tooltip_is_made_from_the_dice(gm: Screen) -> None:
    gm.run(f"""async () => {{
        const place = document.body.appendChild(document.createElement("div"));
        place.id = "tip";
        place.innerHTML = await Roll.fromData({RECORD}).getTooltip();
    }}""")
    assert gm.find("#tip .roll.d6").all_inner_texts() == ["5", "4", "6", "1", "5", "2"]
    assert gm.find("#tip .part-total").all_inner_texts() == ["3", "1"]
    assert gm.find("#tip .roll.success").count() == 4


def test_a_query_runs_in_every_tab_of_that_user_and_in_no_other(
    open_screen: OpenScreen, gm: Screen, anna: Screen
) -> None:
    second, ben = open_screen("Anna", beside=anna), open_screen("Ben")
    assert gm.run(f"game.users.get('{ANNA}').query('probe.echo', {{ said: 'hello' }})") == "Anna heard hello"
    second.until("standIn.queries.length === 1")
    assert anna.observed("queries") == [{"name": "probe.echo", "data": {"said": "hello"}}]
    assert [ben.observed("queries"), gm.observed("queries")] == [[], []]


def test_settings_go_as_far_as_their_scope(open_screen: OpenScreen, gm: Screen, anna: Screen) -> None:
    gm.run("game.settings.set('probe', 'shared', 'for all')")
    gm.run("game.settings.set('probe', 'secret', 'mine alone')")
    anna.until("game.settings.get('probe', 'shared') === 'for all'")
    assert anna.run("game.settings.get('probe', 'secret')") == ""
    anna.run("game.settings.set('probe', 'mine', 'readable')")
    gm.until("Array.from(game.settings.storage.get('world').values()).includes('\"readable\"')")
    assert gm.run("game.settings.get('probe', 'mine')") == ""
    assert "cannot change a setting" in anna.run(
        "game.settings.set('probe', 'shared', 'x').catch(error => error.message)"
    )
    assert gm.reload().run("game.settings.get('probe', 'secret')") == "mine alone"


def test_flags_are_seen_by_all_and_written_by_owners(
    open_screen: OpenScreen, gm: Screen, anna: Screen
) -> None:
    ben = open_screen("Ben")
    anna.run(f"game.actors.get('{MIRRIM}').setFlag('probe', 'sheet', {{ stats: {{ pow: 3 }} }})")
    ben.until(f"game.actors.get('{MIRRIM}').getFlag('probe', 'sheet.stats.pow') === 3")
    refusal = ben.run(
        f"game.actors.get('{MIRRIM}').setFlag('probe', 'sheet', {{}}).catch(error => error.message)"
    )
    assert "may not change Mirrim Vale" in refusal
    assert "not valid" in ben.run(
        f"game.actors.get('{MIRRIM}').setFlag('other', 'x', 1).catch(error => error.message)"
    )


def test_the_roll_mode_of_version_13_is_gone_in_14(gm: Screen, generation: int) -> None:
    assert gm.run("game.settings.get('core', 'rollMode')") == ("publicroll" if generation == 13 else None)
    assert gm.run("['rollModes' in CONFIG.Dice, 'modes' in CONFIG.ChatMessage]") == [
        generation == 13,
        generation == 14,
    ]
    assert len(gm.observed("deprecated")) == (0 if generation == 13 else 1)


def test_a_command_comes_as_the_generation_sends_it(gm: Screen, generation: int) -> None:
    gm.type_in_chat("/probe <b> dv=3")
    sent = gm.until("game.modules.get('probe').typed")
    assert sent == ("/probe <b> dv=3" if generation == 13 else "<p>/probe &lt;b&gt; dv=3</p>")
    gm.type_in_chat("/nobody knows")
    gm.until("standIn.notifications.some(({ type }) => type === 'error')")
    assert gm.run("game.messages.size") == 0


def test_only_a_gm_moves_the_clock(gm: Screen, anna: Screen) -> None:
    gm.run("game.time.advance(600)")
    anna.until("game.time.worldTime === 600")
    assert "cannot change the world's time" in anna.run("game.time.advance(6).catch(error => error.message)")


def test_the_chat_keeps_only_the_elements_that_foundry_keeps(gm: Screen) -> None:
    hostile = '<p onclick="x()" data-roll-id="1">a<svg></svg><script>1</script></p>'
    gm.run("content => ChatMessage.create({ content })", hostile)
    gm.messages.wait_for()
    assert gm.messages.locator(".message-content").inner_html().strip() == '<p data-roll-id="1">a</p>'


def test_dice_of_the_system_can_be_thrown_elsewhere(gm: Screen) -> None:
    gm.run("""() => {
        const handler = async () => 6;
        CONFIG.Dice.fulfillment.methods.probe = { label: "Probe", interactive: false, handler };
        return game.settings.set("core", "diceConfiguration", { d6: "probe" });
    }""")
    assert gm.run("new Roll('3d6 + 2').evaluate().then(roll => roll.total)") == 20
    assert gm.run("new Roll('4d6kh2').evaluate().then(roll => roll.total)") == 12


def test_the_page_is_no_secure_context(gm: Screen) -> None:
    assert gm.run("[isSecureContext, 'randomUUID' in crypto, 'locks' in navigator]") == [False, False, False]


def test_three_dimensional_dice_roll_once_for_those_who_may_see_them(
    open_screen: OpenScreen, foundry: FoundryServer
) -> None:
    gm, anna, ben = (open_screen(user, dice3d="1") for user in ("Gamemaster", "Anna", "Ben"))
    anna.run(f"ChatMessage.create({{ {THROWN}, whisper: ['{GAMEMASTER}', '{ANNA}'] }})")
    for screen in (gm, anna, ben):
        screen.until("game.messages.size === 1")
    thrown = [[shown["dice"] for shown in screen.observed("diceShown")] for screen in (gm, anna, ben)]
    assert thrown == [[[5, 4, 6, 1, 5, 2]], [[5, 4, 6, 1, 5, 2]], []]


def test_a_reload_shows_the_log_again_and_acts_on_nothing(gm: Screen) -> None:
    gm.run(f"ChatMessage.create({{ {THROWN} }})")
    gm.messages.wait_for()
    gm.reload()
    assert gm.messages.count() == 1
    assert "createChatMessage" not in gm.observed("hooks")


def test_a_closed_tab_is_no_longer_active(open_screen: OpenScreen, gm: Screen, anna: Screen) -> None:
    assert anna.run("game.users.activeGM.name") == "Gamemaster"
    gm.page.close()
    anna.until("game.users.activeGM === null")
    open_screen("Assistant")
    anna.until("game.users.activeGM?.name === 'Assistant'")


def test_a_page_behind_https_may_not_call_a_service_without_it(open_screen: OpenScreen, gm: Screen) -> None:
    away = open_screen("Anna", https=True)
    assert away.run("[location.protocol, isSecureContext, game.user.name]") == ["https:", True, "Anna"]
    address = gm.run("location.origin")
    assert away.run("address => fetch(address).catch(error => error.name)", address) == "TypeError"
    assert "Mixed Content" in away.noise[0]


def test_the_channel_of_a_module_reaches_every_other_tab(
    open_screen: OpenScreen, gm: Screen, anna: Screen
) -> None:
    second = open_screen("Anna", beside=anna)
    for screen in (gm, anna, second):
        screen.run("() => { window.heard = []; game.socket.on('module.probe', said => heard.push(said)); }")
    anna.run("() => { game.socket.emit('module.probe', 'hello'); }")
    for screen in (gm, second):
        screen.until("window.heard.length === 1")
    assert anna.run("window.heard") == []


def test_people_with_a_screen_reader_find_their_way(gm: Screen) -> None:
    gm.page.click("#scene-controls [data-tool=probe]")
    gm.find("#probe select").wait_for()
    assert [line.split(":")[0] for line in gm.barriers("#probe")] == ["select-name"]
