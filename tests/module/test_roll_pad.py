"""The roll pad and the roll dialog, as a player uses them."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator

from tests.module.screens import Screen
from tests.module.tables import API, Table

PAD, DIALOG, SHEET = "#tallybones-pad", "form.tallybones-dialog", "form.tallybones-sheet"


@pytest.fixture
def moon(lay_table: Callable[[str], Table]) -> Table:
    return lay_table("moon-hangs-low")


def barriers(screen: Screen, selector: str) -> list[str]:
    """Return what axe finds, but for what Foundry does itself: each of its windows has a page's header."""
    return [said for said in screen.barriers(selector) if not said.startswith("landmark-no-duplicate-banner")]


def open_pad(screen: Screen) -> Screen:
    screen.page.click("#scene-controls [data-tool=tallybones]")
    screen.find(f"{PAD} .tallybones-roll").first.wait_for()
    return screen


def button(screen: Screen, label: str) -> Locator:
    return screen.find(f"{PAD} .tallybones-roll:has(.tallybones-roll-name:text-is('{label}'))").first


def open_dialog(screen: Screen, label: str) -> Screen:
    button(screen, label).click()
    screen.find(f"{DIALOG} .tallybones-outcomes").wait_for()
    return screen


def wait_until_whole_in_view(screen: Screen) -> None:
    """Wait until the dialog, which grows when its odds come, stands in the page with its button."""
    screen.page.wait_for_function(
        """selector => {
            const { top, bottom } = document.querySelector(selector).getBoundingClientRect();
            return top >= 0 && bottom <= innerHeight;
        }""",
        arg=DIALOG,
    )
    assert screen.find(f"{DIALOG} button[type=submit]").is_visible()


def odds_said(screen: Screen) -> str:
    return screen.find(f"{DIALOG} .tallybones-odds-line").inner_text()


def test_a_click_asks_and_enter_rolls(moon: Table) -> None:
    gm, anna = moon.gm(), moon.player("Anna", theme="light")
    open_dialog(open_pad(anna), "Climbing")
    assert anna.run("document.activeElement.name") == "dv"
    assert "1 in 9" in odds_said(anna) and "1/9" in odds_said(anna)
    anna.page.keyboard.type("1")
    anna.find(f"{DIALOG} .tallybones-odds-line:has-text('5 in 9')").wait_for()
    anna.page.click(f"{DIALOG} .tallybones-from-sheet summary")
    anna.page.check(f"{DIALOG} [name=knack]", force=True)
    anna.find(f"{DIALOG} .tallybones-odds-exact:not(:has-text('5/9'))").wait_for()
    wait_until_whole_in_view(anna)
    anna.picture(f"roll-dialog-{moon.foundry.generation}-light")
    assert barriers(anna, DIALOG) == []
    anna.page.fill(f"{DIALOG} [name='?label']", "Up the wall")
    anna.page.keyboard.press("Enter")
    anna.find(DIALOG).wait_for(state="detached")
    (message,) = moon.cards(1)
    (rolled,) = moon.campaign.rolls
    assert message["flags"]["tallybones"]["rollId"] == rolled["id"]
    assert (
        rolled["label"] == "Up the wall" and rolled["params"]["knack"] is True and rolled["params"]["dv"] == 1
    )
    assert rolled["actor"]["name"] == "Mirrim Vale"
    assert gm.noise == anna.noise == []


def test_shift_rolls_at_once_as_chosen_last_and_a_double_click_makes_one(moon: Table) -> None:
    moon.gm()
    anna = open_pad(moon.player("Anna"))
    open_dialog(anna, "Combat")
    anna.page.keyboard.type("3")
    anna.page.keyboard.press("Enter")
    moon.cards(1)
    anna.find(DIALOG).wait_for(state="detached")
    stealth = button(anna, "Stealth")
    stealth.click(modifiers=["Shift"], click_count=2)
    moon.cards(2)
    assert [rolled["params"]["dv"] for rolled in moon.campaign.rolls] == [3, 3]
    assert anna.noise == []


def test_the_first_shift_click_asks_for_what_nobody_has_chosen_yet(moon: Table) -> None:
    moon.gm()
    anna = open_pad(moon.player("Anna"))
    button(anna, "Stealth").click(modifiers=["Shift"])
    anna.find(f"{DIALOG} .tallybones-outcomes").wait_for()
    assert anna.find(f"{DIALOG} [name=dv]").input_value() == "2"
    assert moon.campaign.rolls == []
    assert anna.noise == []


def test_a_field_says_what_is_wrong_with_it_and_nothing_is_rolled(moon: Table) -> None:
    moon.gm()
    anna = open_dialog(open_pad(moon.player("Anna")), "Climbing")
    for wrong in ("0", "51", "2.5", ""):
        anna.page.fill(f"{DIALOG} [name=dv]", wrong)
        anna.find(
            f"{DIALOG} .tallybones-invalid .tallybones-error:has-text('whole number from 1 to 50')"
        ).wait_for()
        anna.page.keyboard.press("Enter")
        assert anna.find(DIALOG).count() == 1
        anna.page.fill(f"{DIALOG} [name=dv]", "4")
        anna.find(f"{DIALOG} .tallybones-outcomes").wait_for()
        assert anna.find(f"{DIALOG} .tallybones-invalid").count() == 0
    anna.page.keyboard.press("Escape")
    anna.find(DIALOG).wait_for(state="detached")
    assert moon.campaign.rolls == []
    assert anna.noise == []


def test_enter_rolls_from_a_list_too_and_the_other_side_is_filled_in(
    lay_table: Callable[[str], Table],
) -> None:
    heroes = lay_table("heroes-2d6")
    heroes.gm()
    anna = open_dialog(open_pad(heroes.player("Anna")), "Opposed test")
    anna.page.fill(f"{DIALOG} [name=skill]", "5")
    anna.page.select_option(f"{DIALOG} [name=purpose]", "dodge")
    anna.page.fill(f"{DIALOG} [name='opponent.creature.skill']", "3")
    anna.page.check(f"{DIALOG} [name='opponent.creature.take7']")
    anna.find(f"{DIALOG} .tallybones-odds-exact:has-text('13/18')").wait_for()
    wait_until_whole_in_view(anna)
    anna.picture(f"opposed-dialog-{heroes.foundry.generation}-dark")
    anna.page.focus(f"{DIALOG} [name=purpose]")
    anna.page.keyboard.press("Enter")
    heroes.cards(1)
    (rolled,) = heroes.campaign.rolls
    assert rolled["params"]["opponent"] == {"kind": "creature", "skill": 3, "modifier": 0, "take7": True}
    assert rolled["params"]["purpose"] == "dodge"


def test_the_pad_follows_the_selected_token_and_finds_by_name(moon: Table) -> None:
    gm = open_pad(moon.gm())
    gm.find(f"{PAD} h2:has-text('Nobody is selected')").wait_for()
    gm.take_token("Mirrim")
    gm.find(f"{PAD} h2:has-text('Mirrim Vale')").wait_for()
    assert barriers(gm, PAD) == []
    anna = open_pad(moon.player("Anna"))
    anna.picture(f"roll-pad-{moon.foundry.generation}-dark")
    assert anna.noise == gm.noise == []


def test_a_roll_waits_without_the_service_and_can_be_taken_back(moon: Table) -> None:
    moon.gm()
    anna = open_pad(moon.player("Anna"))
    open_dialog(anna, "Climbing")
    moon.service.wire.cut()
    anna.until(f"{API}.status().connection === 'offline'", seconds=15)
    anna.page.keyboard.press("Enter")
    anna.find(f"{PAD} .tallybones-waiting").wait_for(timeout=15_000)
    anna.picture(f"waiting-{moon.foundry.generation}-dark")
    anna.page.click(f"{PAD} .tallybones-waiting [data-action=cancel]")
    anna.find(f"{PAD} .tallybones-waiting").wait_for(state="detached")
    moon.service.wire.mend()
    anna.until(f"{API}.status().connection === 'online'", seconds=30)
    assert moon.campaign.rolls == []
    assert anna.noise == []
