"""The sheet that a player keeps of a character: what it says follows from it, and who may write on it."""

from collections.abc import Callable
from typing import Any

from tests.module.screens import Screen
from tests.module.tables import API, Table
from tests.module.test_roll_pad import PAD, SHEET, barriers, open_pad


def open_sheet(screen: Screen) -> Screen:
    open_pad(screen).page.click(f"{PAD} [data-action=openSheet]")
    screen.find(SHEET).wait_for()
    return screen


def noise(screens: list[Screen]) -> list[str]:
    """Return what stands in the consoles, but for the browser's own word on an answer that says no (422)."""
    return [said for screen in screens for said in screen.noise if "422" not in said]


def kept(screen: Screen) -> dict[str, Any]:
    fields: dict[str, Any] = screen.run(f"{API}.sheetFields(game.actors.getName('Mirrim Vale'))")
    return fields


def test_three_knacks_and_no_fourth(lay_table: Callable[[str], Table]) -> None:
    moon = lay_table("moon-hangs-low")
    gm, anna = moon.gm(), moon.player("Anna", theme="light")
    open_sheet(anna)
    knacks = anna.find(f"{SHEET} tbody input[type=checkbox]")
    anna.find(f"{SHEET} .tallybones-count:has-text('3 Knacks left')").wait_for()
    for place, left in enumerate(("2 Knacks left", "1 Knack left", "All Knacks")):
        knacks.nth(place).check()
        anna.find(f"{SHEET} .tallybones-count:has-text('{left}')").wait_for()
    anna.page.select_option(f"{SHEET} [name='skills.0.level']", "mastered")
    anna.find(f"{SHEET} .tallybones-follow:has-text('4 dice, 3+')").wait_for()
    gm.until(f"{API}.sheetFields(game.actors.getName('Mirrim Vale')).skills?.[0].level === 'mastered'")
    anna.picture(f"sheet-moon-{moon.foundry.generation}-light")
    assert barriers(anna, SHEET) == []
    knacks.nth(3).check()
    anna.find(f"{SHEET} .tallybones-table > .tallybones-error:has-text('3 Knacks')").wait_for()
    assert sum(skill["knack"] for skill in kept(anna)["skills"]) == 3
    anna.find(f"{PAD} .tallybones-roll-note:has-text('Stat 2 · Mastered · Knack')").wait_for()
    assert noise([anna, gm]) == []


def test_things_are_carried_in_ten_slots(lay_table: Callable[[str], Table]) -> None:
    fort = lay_table("fort-ref-will")
    fort.gm()
    anna = open_sheet(fort.player("Anna"))
    for number, name in enumerate(("Longsword", "<b>Rope</b>", "Chain mail"), 1):
        anna.page.fill(f"{SHEET} [data-new-thing]", name)
        anna.page.keyboard.press("Enter")
        anna.find(f"{SHEET} .tallybones-slot[data-thing]").nth(number - 1).wait_for()
    assert anna.find(f"{SHEET} .tallybones-slot-name").nth(1).inner_text() == "<b>Rope</b>"
    anna.page.select_option(f"{SHEET} [data-move='2']", "body")
    anna.find(f"{SHEET} .tallybones-warning:has-text('Chain mail takes a full turn')").wait_for()
    anna.page.drag_and_drop(
        f"{SHEET} li[data-thing='0'] .tallybones-slot-name",
        f"{SHEET} .tallybones-place-right-hand .tallybones-slot",
    )
    anna.find(f"{SHEET} .tallybones-place-right-hand li[data-thing='0']").wait_for()
    assert anna.find(f"{SHEET} [name=swaps]").input_value() == "1"
    anna.page.select_option(f"{SHEET} [data-move='0']", "pack")
    anna.find(f"{SHEET} .tallybones-warning:has-text('action is spent')").wait_for()
    anna.page.click(f"{SHEET} [data-action=newRound]")
    anna.find(f"{SHEET} .tallybones-warning:has-text('action is spent')").wait_for(state="detached")
    anna.page.fill(f"{SHEET} [name=worn]", "7")
    anna.page.fill(f"{SHEET} [name=stress]", "6")
    anna.find(f"{SHEET} .tallybones-warning:has-text('1 slot too many')").wait_for()
    anna.find(f"{SHEET} .tallybones-facts:has-text('30 (× 3/4)')").wait_for()
    anna.page.fill(f"{SHEET} [name=stress]", "9")
    anna.find(f"{SHEET} .tallybones-warning:has-text('1 more stress')").wait_for()
    anna.picture(f"sheet-pack-{fort.foundry.generation}-dark")
    anna.page.fill(f"{SHEET} [name=stress]", "10")
    anna.find(f"{SHEET} .tallybones-warning:has-text('death')").wait_for()
    anna.page.fill(f"{SHEET} [name=stamina]", "5")
    anna.find(f"{SHEET} .tallybones-track .tallybones-error:has-text('at most the maximum')").wait_for()
    anna.page.fill(f"{SHEET} [name=stamina_maximum]", "8")
    anna.until(f"{API}.sheetFields(game.user.character).stamina === 5")
    assert [thing["place"] for thing in kept(anna)["items"]] == ["pack", "pack", "body"]
    assert barriers(anna, SHEET) == []
    assert noise([anna]) == []


def test_who_may_only_read_cannot_write(lay_table: Callable[[str], Table]) -> None:
    moon = lay_table("moon-hangs-low")
    moon.gm()
    ben = moon.player("Ben")
    ben.run(
        """async () => {
            const { SheetPanel } = await import("/modules/tallybones/windows/sheet/sheet.mjs");
            await SheetPanel.show(game.actors.getName("Mirrim Vale"));
        }"""
    )
    ben.find(f"{SHEET} .tallybones-note:has-text('may read')").wait_for()
    writable = f"{SHEET} :is(input:not([type=hidden]), select, button[data-action=addRow]):enabled"
    assert ben.find(writable).count() == 0
    assert ben.noise == []
