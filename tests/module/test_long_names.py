"""Names of 80 letters without a gap in Foundry's windows and chat: nothing is cut off at a window's edge."""

import pytest

from tests.module.screens import Screen
from tests.module.tables import Table, roll
from tests.module.test_gm_window import GM, open_gm
from tests.module.test_reports import make_report

LONG = "W" * 80

CUT = """window => [...document.querySelector(window).querySelectorAll("*")]
    .filter(each => !each.closest(".tallybones-sr, .tallybones-wide, select"))
    .filter(each => !each.closest(".window-header, .message-header"))
    .filter(each => [...each.childNodes].some(child => child.nodeType === 3 && child.data.trim()))
    .filter(each => {
        const range = document.createRange();
        range.selectNodeContents(each);
        const within = each.closest("button, .tallybones-card, .window-content, .chat-message, #chat");
        const edge = within.getBoundingClientRect();
        return [...range.getClientRects()].some(rect => rect.width && rect.right > edge.right + 1);
    })
    .map(each => `${each.tagName}.${each.className}: ${each.textContent.trim().slice(0, 20)}`)"""
"""Elements whose text runs out of the window, card or button that it stands in."""


def whole(screen: Screen, window: str) -> None:
    """All of a window's text is to be seen."""
    assert screen.run(CUT, window) == []
    inner = f"{window} .window-content"
    if screen.find(inner).count():
        assert screen.run("box => document.querySelector(box).scrollWidth", inner) <= screen.run(
            "box => document.querySelector(box).clientWidth", inner
        )


@pytest.mark.parametrize("generation", [13], indirect=True)
def test_long_names_stay_in_the_windows(table: Table) -> None:
    gm = table.gm()
    open_gm(gm)
    gm.page.fill(f"{GM} [data-session-title]", LONG)
    gm.page.click(f"{GM} [data-action=startSession]")
    gm.find(f"{GM} .tallybones-current:has-text('{LONG}')").wait_for()
    for number in range(35):
        roll(gm, label=LONG[2:] + f"{number:02}", actor={"id": "Actor.long", "name": LONG})
    gm.find(f"#chat .tallybones-card:has-text('{LONG[2:]}')").first.wait_for()
    whole(gm, "#chat")
    whole(gm, GM)
    gm.picture("long-names-sessions")
    gm.page.click(f"{GM} [data-to=history]")
    gm.find(f"{GM} .tallybones-rolls li:has-text('{LONG[2:]}')").first.wait_for()
    gm.find(f"{GM} .tallybones-rolls summary").first.click()
    whole(gm, GM)
    gm.picture("long-names-history")
    gm.page.click(f"{GM} [data-to=sessions]")
    gm.page.click(f"{GM} [data-action=endSession]")
    gm.page.click("dialog [data-action=yes]")
    gm.find(f"{GM} [id$=panel-sessions] .tallybones-list:has-text('{LONG}')").wait_for()
    whole(gm, GM)
    gm.page.click(f"{GM} [data-to=reports]")
    gm.find(f"{GM} [data-action=askReport]").wait_for()
    whole(gm, GM)
    make_report(gm, GM)
    whole(gm, GM)
    words = gm.find(f"{GM} .tallybones-moments li > span:nth-child(2)").first
    assert words.evaluate("each => each.getBoundingClientRect().width") > 250  # not a letter a line
    gm.find(f"{GM} .tallybones-moments").first.scroll_into_view_if_needed()
    gm.picture("long-names-report", GM)
    gm.page.click(f"{GM} [data-action=publishReport]")
    gm.find("#chat .tallybones-report").wait_for(timeout=40_000)
    whole(gm, "#chat")
    assert gm.noise == []
