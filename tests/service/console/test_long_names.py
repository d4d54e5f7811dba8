"""Names of 80 letters without a gap, on every page of the console: nothing runs out of its box."""

import pytest
from playwright.sync_api import expect

from tests.module.screens import person
from tests.service.console.conftest import OpenPage
from tests.service.table import Table, set_table
from worker.report import make_in

pytestmark = pytest.mark.timeout(120)

PHONE, DESKTOP = (390, 844), (1280, 800)
LONG = "W" * 80
WORD = "Donaudampfschifffahrtsgesellschaftskapitaen"
TEST = {"action": "unopposed-test", "params": {"skill": 3, "tn": 10}}
CHALLENGE = {"action": "opposed-test", "params": {"skill": 5, "opponent": {"kind": "player", "user": "gm"}}}
HOOK = {"kind": "discord", "url": "https://discord.com/api/webhooks/12345/abcdefghij"}

OUTSIDE = """() => {
    const passed = ".sr, .skip, template, option";
    const boxes = ".panel, .past, .action, .tallybones-card, button, .button, main, header, body";
    const clips = each => getComputedStyle(each).overflowX !== "visible";
    const outside = new Set();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const text = texts.currentNode, holder = text.parentElement;
        if (!text.data.trim() || holder.closest(passed)) continue;
        const box = holder.closest(boxes);
        let clipped = false;
        for (let each = holder; each !== box; each = each.parentElement) clipped ||= clips(each);
        const range = document.createRange();
        range.selectNodeContents(text);
        const right = Math.max(...[...range.getClientRects()].map(rect => rect.right), 0);
        if (!clipped && right > box.getBoundingClientRect().right + 1)
            outside.add(`${box.tagName}.${box.className}: ${text.data.trim().slice(0, 20)}`);
    }
    return [...outside];
}"""
"""Texts that end to the right of the panel, card or button that they stand in."""


def long_named(app, settings, name: str) -> tuple[Table, list[str]]:
    """A heroes-2d6 table where everything is called `name`, and every page of its console."""
    table = set_table(app, settings, "heroes-2d6", name=name)
    token = table.player("anna", name)
    session = table.post("/sessions", {"title": name}).json["id"]
    what = {"label": name, "actor": {"id": "Actor." + "a" * 100, "name": name}}
    for _ in range(35):
        assert table.roll(token, {**TEST, **what}).status_code == 202
    table.work()
    made = table.get("/rolls").json["rolls"][0]["id"]
    waiting = table.roll(token, {**CHALLENGE, **what}).json["id"]
    table.work()
    webhook = table.post("/webhooks", {**HOOK, "name": name}).json["id"]
    table.post("/reports", {})
    report = table.post("/reports", {}).json["id"]
    assert make_in(table.services.store, report)
    pages = ["/", "/console/history", "/console/roll/opposed-test", "/console/roll/unopposed-test"]
    pages += [f"/console/{name}" for name in ("sessions", "players", "reports", "webhooks", "campaign")]
    pages += [f"/console/rolls/{made}", f"/console/rolls/{made}/delete", f"/console/rolls/{waiting}/answer"]
    pages += [f"/console/sessions/{session}/{deed}" for deed in ("end", "delete")]
    pages += [f"/console/webhooks/{webhook}", f"/console/webhooks/{webhook}/delete"]
    pages += [f"/console/reports/{report}", "/console/players/anna/revoke"]
    return table, pages


@pytest.mark.parametrize("name", [LONG, WORD], ids=["80-letters", "one-word"])
def test_a_long_name_stays_in_its_box(app, settings, open_page: OpenPage, address, name):
    table, pages = long_named(app, settings, name)
    found: dict[str, object] = {}
    for size in (PHONE, DESKTOP):
        screen = open_page(table, size=size)
        expect(screen.page.locator("#waiting")).to_contain_text(name)
        for path in pages:
            screen.page.goto(address + path)
            screen.run("() => document.querySelectorAll('details').forEach(each => each.open = true)")
            wide = screen.run("document.documentElement.scrollWidth")
            outside = screen.run(OUTSIDE)
            if wide > size[0] or outside:
                found[f"{path} at {size[0]}"] = (wide, outside)
            if path in ("/", "/console/history", "/console/reports", pages[-2]):
                screen.picture(f"long-{name[:4]}-{pages.index(path)}-{size[0]}")
    assert found == {}


@pytest.mark.parametrize("name", [LONG, WORD], ids=["80-letters", "one-word"])
def test_a_long_name_stays_in_the_page_to_send(app, settings, browser, name):
    table, pages = long_named(app, settings, name)
    sent = table.get(pages[-2].removeprefix("/console") + ".html").text
    for width, height in (PHONE, DESKTOP):
        context = person(browser, (width, height))
        page = context.new_page()
        page.set_content(sent)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(OUTSIDE) == []
        context.close()
