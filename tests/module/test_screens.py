"""A first look: a GM and a player in one world, and each place where a module puts a button."""

import pytest

from tests.module.conftest import FIXTURES
from tests.module.foundry_server.server import FoundryServer
from tests.module.screens import OpenScreen


@pytest.fixture
def foundry(foundry: FoundryServer) -> FoundryServer:
    foundry.link(FIXTURES / "probe")
    return foundry


def test_every_place_for_a_button_works(
    open_screen: OpenScreen, foundry: FoundryServer, generation: int
) -> None:
    gm, anna = open_screen("Gamemaster"), open_screen("Anna", theme="light")
    gm.find("#players .active:has-text('Anna')").wait_for()

    anna.page.click("#scene-controls [data-tool=probe]")
    anna.page.click("#probe [data-action=add]")
    anna.find("#probe .count:has-text('1')").wait_for()
    assert anna.find("#probe .hostile").inner_text().startswith("<img")
    anna.picture(f"probe-{generation}-light")
    anna.page.fill("#probe [name='note.text']", "kept")
    anna.page.click("#probe [type=submit]")
    assert anna.until("game.modules.get('probe').saved") == {"note.text": "kept", "note.level": "2"}
    assert anna.find("#probe").count() == 0

    anna.page.keyboard.press("Shift+KeyP")
    anna.find("#probe").wait_for()
    anna.page.keyboard.press("Escape")
    anna.find("#probe").wait_for(state="detached")

    anna.take_token("Mirrim")
    assert anna.run("canvas.tokens.controlled.map(token => token.name)") == ["Mirrim Vale"]
    anna.open_token_hud("Mirrim")
    anna.page.click("#token-hud .probe")
    anna.drop_on_hotbar({"type": "Probe"}, 3)
    anna.page.click("#action-bar [data-slot='3'] img")

    anna.sidebar("actors")
    anna.page.click("#actors button:has-text('Mirrim')")
    anna.page.click(".sheet [data-action=toggleControls]")
    anna.page.click(".controls-dropdown li[data-action=probe]")
    anna.page.click(".sheet [data-action=close]")
    anna.run("() => { CONFIG.Actor.sheetGeneration = 1; game.user.character._sheet = undefined; }")
    anna.page.click("#actors button:has-text('Mirrim')")
    anna.page.click(".window-app .header-button.probe")

    gm.run("game.journal.contents[0].write('<p>Look: @Probe[climb] and @Probe[swim]</p>')")
    anna.until("game.journal.contents[0].pages.contents[0].text.content.includes('@Probe')")
    anna.sidebar("journal")
    anna.page.click("#journal button:has-text('bridge')")
    anna.page.click("enriched-content button:has-text('climb')")

    said = [toast["message"] for toast in anna.observed("notifications")]
    assert said == [
        "hud Mirrim Vale",
        "macro Mirrim Vale",
        "second Mirrim Vale",
        "first Mirrim Vale",
        "climb",
    ]
    assert anna.noise == gm.noise == []


ASK = """([kind, options]) => {
    window.answer = undefined;
    foundry.applications.api.DialogV2[kind](options).then(answer => { window.answer = { answer }; });
}"""


def test_a_dialog_answers_with_its_button_or_its_form(open_screen: OpenScreen) -> None:
    gm = open_screen("Gamemaster", lang="de")
    window = {"title": "PROBE.tool"}
    gm.run(ASK, ["confirm", {"window": window, "content": "<p>Sure?</p>"}])
    gm.find("dialog .window-title:has-text('Probe öffnen')").wait_for()
    gm.page.click("dialog [data-action=yes]")
    assert gm.until("window.answer") == {"answer": True}
    gm.run(ASK, ["input", {"window": window, "content": "<input name=code value=tb1>"}])
    gm.page.press("dialog input", "Enter")
    assert gm.until("window.answer") == {"answer": {"code": "tb1"}}
    gm.run(ASK, ["prompt", {"window": window, "content": ""}])
    gm.page.click("dialog [data-action=close]")
    assert gm.until("window.answer") == {"answer": None}
    assert gm.run("game.i18n.localize('PROBE.english')") == "only English"
    assert gm.noise == []
