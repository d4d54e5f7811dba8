"""What the GM looks after: the connection, sessions, history, players, house rules and the clock."""

from collections.abc import Callable
from pathlib import Path

from tests.module.screens import OpenScreen, Screen
from tests.module.tables import API, Table, roll
from tests.module.test_roll_pad import barriers

GM, CONNECT, CLOCK = "#tallybones-gm", "#tallybones-connect", "#tallybones-clock"


def open_gm(screen: Screen, tab: str = "sessions") -> Screen:
    screen.page.click("#scene-controls [data-tool=tallybones-gm]")
    screen.find(f"{GM} .tallybones-light-online").wait_for()
    screen.page.click(f"{GM} [data-to={tab}]")
    screen.find(f"{GM} [data-to={tab}][aria-selected=true]").wait_for()
    return screen


def test_a_pasted_code_connects_and_a_wrong_one_says_why(table: Table, open_screen: OpenScreen) -> None:
    gm = open_screen("Gamemaster")
    gm.sidebar("settings")
    gm.page.click("#settings button:has-text('Configure')")
    gm.page.click("#settings-config [data-key='tallybones.connect']")
    gm.find(f"{CONNECT} textarea").wait_for()
    gm.page.click("#settings-config [data-action=close]")
    gm.page.click("#scene-controls [data-tool=tallybones]")
    gm.page.click("#tallybones-pad [data-action=openConnect]")
    assert gm.find(CONNECT).count() == 1
    gm.page.fill(f"{CONNECT} textarea", "tb2_nonsense")
    gm.page.click(f"{CONNECT} [type=submit]")
    gm.find(f"{CONNECT} .tallybones-error:has-text('starts with tb1_')").wait_for()
    gm.page.fill(f"{CONNECT} textarea", table.campaign.connect_code)
    gm.page.click(f"{CONNECT} [type=submit]")
    gm.find(f"{CONNECT} .tallybones-diagnosis-good").wait_for()
    gm.find("#tallybones-pad .tallybones-light-online").wait_for()
    assert gm.find(f"{CONNECT} textarea").input_value() == "", (
        "a code that worked need not stay on the screen"
    )
    gm.picture(f"connect-{table.foundry.generation}-dark", CONNECT)
    assert barriers(gm, CONNECT) == []
    gm.page.click(f"{CONNECT} [data-action=disconnect]")
    gm.find(f"{CONNECT} .tallybones-light-unpaired").wait_for()
    gm.page.click(f"{CONNECT} [data-action=test]")
    gm.find(f"{CONNECT} .tallybones-diagnosis-bad:has-text('no key')").wait_for()
    assert gm.noise == []


def test_sessions_begin_end_and_are_counted(table: Table) -> None:
    gm, anna = open_gm(table.gm()), table.player("Anna")
    gm.page.fill(f"{GM} [data-session-title]", "Down the well")
    gm.page.click(f"{GM} [data-action=startSession]")
    gm.find(f"{GM} .tallybones-current:has-text('Down the well')").wait_for()
    roll(anna, label="One")
    roll(anna, label="Two")
    gm.find(f"{GM} .tallybones-current:has-text('2 rolls')").wait_for()
    gm.page.click(f"{GM} [data-action=endSession]")
    gm.page.click("dialog [data-action=yes]")
    gm.find(f"{GM} .tallybones-list:has-text('Down the well')").wait_for()
    gm.picture(f"gm-sessions-{table.foundry.generation}-dark")
    assert barriers(gm, GM) == []
    gm.page.click(f"{GM} [data-action=showHistory]")
    gm.find(f"{GM} .tallybones-rolls summary").nth(1).wait_for()
    assert (
        gm.find(f"{GM} select[name=session]").evaluate("list => list.selectedOptions[0].text")
        == "Down the well"
    )
    assert gm.noise == []


def test_history_is_filtered_and_saved(table: Table, tmp_path: Path) -> None:
    gm, anna, ben = table.gm(), table.player("Anna"), table.player("Ben")
    roll(anna, label="Mine")
    roll(ben, label="His")
    roll(ben, label="Hidden", visibility="gm")
    open_gm(gm, "history").find(f"{GM} .tallybones-rolls summary").nth(2).wait_for()
    gm.page.select_option(f"{GM} select[name=user]", label="Anna")
    gm.find(f"{GM} .tallybones-rolls summary:has-text('His')").wait_for(state="detached")
    assert gm.find(f"{GM} .tallybones-rolls summary").count() == 1
    gm.page.click(f"{GM} .tallybones-rolls summary")
    gm.find(f"{GM} .tallybones-card-text:has-text('Mine')").wait_for()
    with gm.page.expect_download() as saved:
        gm.page.click(f"{GM} [data-action=exportCsv]")
    saved.value.save_as(tmp_path / "rolls.csv")
    lines = (tmp_path / "rolls.csv").read_text().strip().splitlines()
    assert len(lines) == 2 and "Mine" in lines[1]
    gm.page.select_option(f"{GM} select[name=user]", "")
    gm.find(f"{GM} .tallybones-rolls summary:has-text('Hidden')").wait_for()
    gm.picture(f"gm-history-{table.foundry.generation}-dark")
    assert barriers(gm, GM) == []
    assert gm.noise == []


def test_a_players_key_is_revoked_and_renewed(table: Table) -> None:
    gm, anna = table.gm(), table.player("Anna")
    open_gm(gm, "players")
    line = f"{GM} .tallybones-list li:has-text('Anna')"
    gm.find(f"{line} .tallybones-state-here").wait_for()
    gm.page.click(f"{line} [data-action=revoke]")
    gm.find(f"{line} .tallybones-state-revoked").wait_for()
    anna.until(f"{API}.status().connection === 'unpaired'", seconds=15)
    gm.picture(f"gm-players-{table.foundry.generation}-dark")
    assert barriers(gm, GM) == []
    gm.page.click(f"{line} [data-action=mint]")
    anna.until(f"{API}.status().connection === 'online'", seconds=15)
    gm.find(f"{line} .tallybones-state-here").wait_for()
    assert gm.noise == []


def test_house_rules_reach_every_players_odds(lay_table: Callable[[str], Table]) -> None:
    heroes = lay_table("heroes-2d6")
    gm, anna = heroes.gm(), heroes.player("Anna")
    open_gm(gm, "rules")
    gm.page.check(f"{GM} [name=unopposed_modifiers]")
    anna.until(f"{API}.houseRules().unopposed_modifiers === true")
    anna.page.click("#scene-controls [data-tool=tallybones]")
    anna.page.click("#tallybones-pad .tallybones-roll >> text=Unopposed test")
    anna.find("form.tallybones-dialog [name=modifier]").wait_for()
    gm.picture(f"gm-rules-{heroes.foundry.generation}-dark")
    assert barriers(gm, GM) == []
    assert gm.noise == anna.noise == []


def test_the_clock_moves_foundrys_time_for_everyone(lay_table: Callable[[str], Table]) -> None:
    fort = lay_table("fort-ref-will")
    gm, anna = fort.gm(), fort.player("Anna")
    for screen in (gm, anna):
        screen.page.click("#scene-controls [data-tool=tallybones]")
        screen.page.click("#tallybones-pad [data-action=openClock]")
        screen.find(f"{CLOCK} .tallybones-time").wait_for()
    before = gm.run("game.time.worldTime")
    gm.page.click(f"{CLOCK} [data-seconds='600']")
    gm.page.click(f"{CLOCK} [data-seconds='86400']")
    anna.until("before => game.time.worldTime === before + 87000", before)
    assert anna.find(f"{CLOCK} [data-action=move]").count() == 0
    gm.picture(f"clock-{fort.foundry.generation}-dark", CLOCK)
    assert barriers(gm, CLOCK) == []
    assert gm.noise == anna.noise == []
