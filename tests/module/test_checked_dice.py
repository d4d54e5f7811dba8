"""The dice of an ended session, checked in the browser: the GM's, a player's, and what the cards then say."""

from tests.module.tables import API, Table, roll
from tests.module.test_gm_window import GM, open_gm
from tests.module.test_roll_pad import barriers

FIGURES = "#tallybones-figures"
CHECKED = "#chat .tallybones-checked"
CHANGE_A_DIE = """value => {
    const told = window.fetch;
    window.fetch = async (address, ...options) => {
        const answer = await told(address, ...options);
        if (!String(address).includes("/rolls?session=")) return answer;
        return new Response((await answer.text()).replace(`"value":${value}`, `"value":${value % 6 + 1}`));
    };
}"""


def test_an_ended_session_is_checked_and_its_cards_say_so(table: Table) -> None:
    gm, anna = table.gm(), table.player("Anna", theme="light")
    roll(anna, label="One")
    roll(anna, label="Two")
    roll(anna, label="Hidden", visibility="gm")
    table.cards(3)
    open_gm(gm)
    (session,) = gm.run(f"{API}.sessions()")["sessions"]
    gm.find(f"{GM} .tallybones-commitment summary").click()
    assert session["commitment"] in gm.find(f"{GM} .tallybones-commitment").inner_text()
    gm.run(f"id => {API}.endSession(id).then(() => undefined)", session["id"])
    gm.page.click(f"{GM} [data-action=checkDice]")
    gm.find(f"{GM} .tallybones-check-good:has-text('Rolls: 3')").wait_for()
    gm.find(f"{CHECKED}-good").nth(2).wait_for(state="attached")
    gm.picture(f"gm-checked-{table.foundry.generation}-dark", GM)
    assert barriers(gm, GM) == []

    assert anna.find(CHECKED).count() == 0, "what another browser has checked is not this one's word"
    anna.page.click("#scene-controls [data-tool=tallybones]")
    anna.page.click("#tallybones-pad [data-action=openFigures]")
    anna.page.click(f"{FIGURES} [data-to=sessions]")
    anna.page.click(f"{FIGURES} [data-action=checkDice]")
    anna.find(f"{FIGURES} .tallybones-check-good").wait_for()
    anna.find(f"{CHECKED}-good").nth(1).wait_for(state="attached")
    assert anna.find(CHECKED).count() == 2, "a player is not given the seed of hidden rolls"
    anna.find("#chat .tallybones-details summary").first.click()
    anna.picture(f"checked-{table.foundry.generation}-light")
    assert barriers(anna, FIGURES) == []
    anna.reload()
    anna.find(f"{CHECKED}-good").nth(1).wait_for(state="attached")
    assert gm.noise == anna.noise == []


def test_a_changed_die_is_named(table: Table) -> None:
    gm, anna = table.gm(), table.player("Anna")
    rolled = roll(anna, label="One")
    table.cards(1)
    gm.run(f"id => {API}.endSession(id).then(() => undefined)", rolled["session"])

    gm.run(CHANGE_A_DIE, rolled["dice"][0]["value"])
    open_gm(gm)
    gm.page.click(f"{GM} [data-action=checkDice]")
    gm.find(f"{GM} .tallybones-check-bad:has-text('Changed die'):has-text('{rolled['id']}')").wait_for()
    gm.find(f"{CHECKED}-wrong").wait_for(state="attached")
    gm.picture(f"gm-checked-bad-{table.foundry.generation}-dark", GM)
    assert gm.noise == []
