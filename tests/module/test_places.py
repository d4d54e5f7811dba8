"""Every place where people look for their dice: tools, sheets, tokens, hotbar, chat, journals, a key."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.module.screens import Screen
from tests.module.tables import Table
from tests.module.test_roll_pad import DIALOG, PAD, SHEET, open_pad


@pytest.fixture
def moon(lay_table: Callable[[str], Table]) -> Table:
    return lay_table("moon-hangs-low")


def rolled(table: Table) -> list[dict[str, Any]]:
    return list(table.campaign.rolls)


def test_token_hud_key_and_sheet_header_open_their_windows(moon: Table) -> None:
    moon.gm()
    anna = moon.player("Anna")
    anna.open_token_hud("Mirrim")
    anna.page.click("#token-hud .tallybones-hud")
    anna.find(PAD).wait_for()
    anna.page.keyboard.press("Escape")
    anna.find(PAD).wait_for(state="detached")
    anna.page.keyboard.press("Shift+KeyR")
    anna.find(PAD).wait_for()
    anna.sidebar("actors")
    anna.page.click("#actors button:has-text('Mirrim')")
    anna.page.click(".sheet [data-action=toggleControls]")
    anna.page.click(".controls-dropdown li[data-action=tallybonesSheet]")
    anna.find(SHEET).wait_for()
    anna.page.click(f"{SHEET} [data-action=close]")
    anna.page.click(".sheet [data-action=close]")
    anna.run("() => { CONFIG.Actor.sheetGeneration = 1; game.user.character._sheet = undefined; }")
    anna.page.click("#actors button:has-text('Mirrim')")
    anna.page.click(".window-app .header-button.tallybonesSheet")
    anna.find(SHEET).wait_for()
    assert anna.noise == []


def test_a_button_on_the_hotbar_is_a_macro_with_the_sheets_present_numbers(moon: Table) -> None:
    moon.gm()
    anna = open_pad(moon.player("Anna"))
    dragged = anna.run(
        """() => {
            const dataTransfer = new DataTransfer();
            const drag = new DragEvent("dragstart", { dataTransfer, bubbles: true });
            document.querySelector(".tallybones-roll").dispatchEvent(drag);
            return JSON.parse(dataTransfer.getData("text/plain"));
        }"""
    )
    assert dragged["roll"]["label"] == "Climbing"
    anna.drop_on_hotbar(dragged, 3)
    anna.until(
        "game.macros.size === 1 && document.querySelector(\"#action-bar [data-slot='3'] img\") !== null"
    )
    anna.run("game.modules.get('tallybones').api.keepSheet(game.user.character, { physique: 5 })")
    anna.page.click("#action-bar [data-slot='3'] img", modifiers=["Shift"])
    anna.page.wait_for_timeout(300)
    if anna.find(DIALOG).count():  # a Foundry that hands macros no event asks first
        anna.page.keyboard.press("Enter")
    moon.cards(1)
    (made,) = rolled(moon)
    assert made["label"] == "Climbing" and made["params"]["stat"] == 5
    assert anna.noise == []


def say(screen: Screen, text: str) -> None:
    screen.sidebar("chat")
    screen.type_in_chat(text)


def test_the_chat_takes_its_own_command_and_no_other(moon: Table) -> None:
    moon.gm()
    anna = moon.player("Anna")
    say(anna, "/tb climbing dv=2")
    moon.cards(1)
    say(anna, "/tb skill-check stat=3 skill=mastered dv=1")
    moon.cards(2)
    assert [made["params"]["dv"] for made in rolled(moon)] == [1, 2]
    assert {made["label"] for made in rolled(moon)} == {"Climbing", None}
    say(anna, "/tb stealth ?")
    anna.find(f"{DIALOG} h2:has-text('Stealth')").wait_for()
    anna.page.keyboard.press("Escape")
    say(anna, "/tb <img src=x onerror=alert(1)> luck=1")
    anna.until("standIn.notifications.some(({ message }) => message.includes('no roll called'))")
    say(anna, "/tb climbing luck=1")
    anna.until("standIn.notifications.some(({ message }) => message.includes('no setting'))")
    moon.cards(2)
    say(anna, "/tb help")
    help_text = moon.cards(3)[-1]
    assert help_text["whisper"] == [anna.run("game.user.id")]
    assert "skill-check" in help_text["content"] and "Leadership" in help_text["content"]
    say(anna, "Type /tb climbing, they said")
    moon.cards(4)
    assert anna.noise == []


def test_a_link_in_a_journal_rolls(moon: Table) -> None:
    gm, anna = moon.gm(), moon.player("Anna")
    text = "<p>Look: @TallyRoll[climbing dv=2]{Climb the wall} and @TallyRoll[skill-check stat=4 dv=1]</p>"
    gm.run("text => game.journal.contents[0].write(text)", text)
    anna.until("game.journal.contents[0].pages.contents[0].text.content.includes('@TallyRoll')")
    anna.sidebar("journal")
    anna.page.click("#journal button:has-text('bridge')")
    anna.page.click("[data-tallybones-roll]:has-text('Climb the wall')")
    anna.find(f"{DIALOG} h2:has-text('Climb the wall')").wait_for()
    assert anna.find(f"{DIALOG} [name=dv]").input_value() == "2"
    anna.page.keyboard.press("Enter")
    moon.cards(1)
    anna.find(DIALOG).wait_for(state="detached")
    anna.page.focus("[data-tallybones-roll]:has-text('stat=4')")
    anna.page.keyboard.press("Shift+Enter")
    moon.cards(2)
    assert {made["label"] for made in rolled(moon)} == {"Climb the wall", None}
    assert anna.noise == gm.noise == []
