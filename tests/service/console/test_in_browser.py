"""The console in real Chromium: a GM's evening, by mouse, by keyboard, on a phone, without scripts."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.module.screens import person
from tests.service.table import SKILL_CHECK, set_table

pytestmark = pytest.mark.timeout(90)

PHONE, DESKTOP = (390, 844), (1280, 800)
CARD = "#feed > li"
ROLLS = {
    "moon-hangs-low": {"skill-check": [("Stat", "3"), ("Skill level", "Trained"), ("Difficulty Value", 2)]},
    "heroes-2d6": {
        "unopposed-test": [
            ("Skill", 4),
            ("Difficulty or Target number", "Target number"),
            ("Target number", 11),
        ],
        "opposed-test": [("Skill", 4), ("Against", "A creature"), ("A creature", ("Skill", 5))],
    },
    "d6-comparison": {
        "opposed-check": [("Skill", 5), ("Opponent's skill", 2)],
        "unopposed-check": [("Skill", 3), ("Difficulty", "Heroic (6)")],
    },
    "fort-ref-will": {
        "test": [("Advantage", "1")],
        "save": [("Attribute", "Reflex"), ("Target", 9)],
        "contest": [("Against", "A non-player")],
    },
}


def fill(page: Page, within: str, label: str, value: object) -> None:
    """Fill in a field by its label, whatever it looks like."""
    form = page.locator(within)
    if isinstance(value, tuple):
        part = form.get_by_role("group", name=label, exact=True)
        part.get_by_label(re.compile(f"^{re.escape(value[0])}( \\d+ to \\d+)?$")).fill(str(value[1]))
    elif isinstance(value, int):
        form.get_by_role("spinbutton", name=re.compile(f"^{re.escape(label)}( \\d+ to \\d+)?$")).first.fill(
            str(value)
        )
    elif (group := form.get_by_role("group", name=label, exact=True)).count():
        group.first.get_by_role("radio", name=value, exact=True).check()
    else:
        form.get_by_label(label, exact=True).select_option(label=value)


def test_the_link_signs_in_and_leaves_no_key_behind(table, open_page, address):
    asked = []
    screen = open_page(table)
    screen.page.on("request", lambda request: asked.append((request.url, request.headers)))
    assert screen.page.url == f"{address}/"
    screen.page.get_by_role("link", name="History", exact=True).click()
    expect(screen.page.get_by_role("heading", name="History")).to_be_visible()
    assert all(table.gm not in url and table.gm not in str(headers) for url, headers in asked)
    assert table.gm not in screen.run("JSON.stringify([location.href, document.cookie, {...localStorage}])")
    assert screen.run("document.cookie") == ""
    assert screen.noise == []


def signed_in_by(page: Page) -> list[str]:
    """The requests to sign in that a page makes from now on."""
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if "sign-in" in request.url else None)
    return sent


@pytest.mark.parametrize("path", ["/", "/console/history"])
def test_who_is_signed_in_is_asked_before_a_link_signs_them_in_anew(app, settings, table, open_page, path):
    other = set_table(app, settings, name="Saturday")
    screen = open_page(table, path)
    page, address = screen.page, screen.page.url
    sent, before = signed_in_by(page), page.context.cookies()
    for _ in range(2):  # on the very page that is open, and again
        page.goto(f"{address}#key={other.gm}")
        expect(page.get_by_text("This link signs you in anew")).to_have_count(1)
        assert page.url == address and other.gm not in screen.run("location.href")
    assert sent == [] and page.context.cookies() == before
    page.get_by_role("link", name="Leave it").click()
    expect(page.get_by_text("This link signs you in anew")).to_have_count(0)
    expect(page.get_by_role("banner")).to_contain_text("Friday")
    assert sent == [] and page.context.cookies() == before
    page.goto(f"{address}#key={other.gm}")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("banner")).to_contain_text("Saturday")
    assert page.context.cookies() != before and screen.noise == []


@pytest.mark.parametrize("way", ["script", "link"])
@pytest.mark.parametrize("signed_in", [True, False])
def test_no_page_of_another_site_signs_anybody_in(app, settings, table, open_page, address, way, signed_in):
    """The cookie stays back on the way here, so the server cannot tell who is signed in: the GM is asked."""
    other = set_table(app, settings, name="Saturday")
    page = open_page(table).page
    if not signed_in:
        page.context.clear_cookies()
    sent, before = signed_in_by(page), page.context.cookies()
    target = f"{address}/#key={other.gm}"
    bodies = {
        "script": f"<script>location = '{target}'</script>",
        "link": f"<title>Elsewhere</title><a href='{target}' rel='noreferrer'>Dice!</a>",
    }
    page.route(
        "http://elsewhere.test/", lambda route: route.fulfill(body=bodies[way], content_type="text/html")
    )
    page.goto("http://elsewhere.test/", wait_until="commit")
    if way == "link":
        page.get_by_role("link", name="Dice!").click()
    expect(page.get_by_text("This link signs you in to a table.")).to_be_visible()
    page.wait_for_timeout(300)
    assert page.url == f"{address}/" and sent == [] and page.context.cookies() == before
    page.get_by_role("link", name="Leave it").click()
    if signed_in:
        expect(page.get_by_role("banner")).to_contain_text("Friday")
    else:
        expect(page.get_by_label("GM key")).to_be_visible()
    assert sent == [] and page.context.cookies() == before


def test_a_link_on_another_site_signs_in_by_a_click(table, browser, address):
    page = person(browser).new_page()
    elsewhere = f"<title>Elsewhere</title><a href='{address}/#key={table.gm}'>Your console</a>"
    page.route(
        "http://elsewhere.test/", lambda route: route.fulfill(body=elsewhere, content_type="text/html")
    )
    page.goto("http://elsewhere.test/")
    page.get_by_role("link", name="Your console").click()
    page.locator("#link").get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("banner")).to_contain_text("Friday")
    assert page.url == f"{address}/"
    page.context.close()


def test_where_the_browser_does_not_say_where_from_the_link_takes_a_click(table, browser, address):
    """So it is over plain http on a network of one's own."""
    page = person(browser).new_page()
    sent = signed_in_by(page)
    page.goto(f"{address.replace('127.0.0.1', 'table.test')}/#key={table.gm}")
    expect(page.get_by_text("This link signs you in to a table.")).to_be_visible()
    assert sent == []
    page.locator("#link").get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("banner")).to_contain_text("Friday")
    page.context.close()


def test_a_link_on_another_site_leads_to_the_table(table, open_page, address):
    screen = open_page(table)
    elsewhere = f"<title>Elsewhere</title><a href='{address}/console/history'>The console</a>"
    screen.page.route(
        "http://elsewhere.test/", lambda route: route.fulfill(body=elsewhere, content_type="text/html")
    )
    screen.page.goto("http://elsewhere.test/")
    screen.page.get_by_role("link", name="The console").click()
    expect(screen.page.get_by_role("heading", name="History")).to_be_visible()
    screen.page.context.clear_cookies()
    screen.page.goto("http://elsewhere.test/")
    screen.page.get_by_role("link", name="The console").click()
    expect(screen.page.get_by_label("GM key")).to_be_visible()


@pytest.mark.parametrize("rules", ROLLS)
def test_an_evening(app, settings, open_page, rules):
    table = set_table(app, settings, rules)
    screen = open_page(table)
    page = screen.page
    page.get_by_label("Title").fill("The broken bridge")
    page.get_by_role("button", name="Start a session").click()
    expect(page.get_by_role("heading", name="The broken bridge")).to_be_visible()
    with table.working():
        for number, (action, fields) in enumerate(ROLLS[rules].items(), 1):
            page.locator(f".action[href$='/{action}']").click()
            for label, value in fields:
                fill(page, "form.drawn", label, value)
            percent = page.locator(".odds-percent")
            expect(page.locator("#odds")).not_to_have_attribute("aria-busy", "true")
            expect(percent).to_have_text(re.compile(r"\d+(\.\d)?%"))
            promised = percent.inner_text()
            page.get_by_role("button", name="Roll", exact=True).click()
            expect(page.get_by_text("Rolled.", exact=True)).to_be_visible()
            expect(page.locator(CARD)).to_have_count(number)
            kept = table.get("/rolls").json["rolls"][0]
            assert kept["action"] == action and kept["card"]["odds"]["percent"] == promised
            page.get_by_role("link", name="Table", exact=True).click()
    page.get_by_role("link", name="End the session").click()
    page.get_by_role("button", name="End the session").click()
    expect(page.get_by_text("its seed is revealed")).to_be_visible()
    assert table.get("/sessions").json["sessions"][0]["seed"]
    assert screen.noise == []


WATCH_ODDS = """() => {
    window.oddsShown = [];
    const odds = document.getElementById("odds");
    new MutationObserver(() => oddsShown.push(odds.innerText)).observe(odds, { childList: true });
}"""


def test_odds_of_what_stood_there_before_are_not_shown(app, settings, open_page):
    """They may come when the form has changed and its own odds have not been asked for yet."""
    page = open_page(set_table(app, settings, "fort-ref-will")).page
    held = []

    def answer(route):
        if held:
            route.fulfill(json={"odds": "Now", "wrong": {}})
        else:
            held.append(route)

    page.route("**/odds", answer)
    with page.expect_request("**/odds"):
        page.locator(".action[href$='/test']").click()
    page.evaluate(WATCH_ODDS)
    fill(page, "form.drawn", "Advantage", "1")
    held[0].fulfill(json={"odds": "Before", "wrong": {}})
    expect(page.locator("#odds")).to_have_text("Now")
    assert page.evaluate("oddsShown") == ["Now"]


def test_cards_come_by_themselves(table, open_page):
    screen = open_page(table)
    page = screen.page
    expect(page.locator("#feed-empty")).to_be_visible()
    anna = table.tokens["anna"]
    table.rolled(anna, visibility="self", label="Secret")
    table.rolled(anna, label="Climb the wall")
    expect(page.locator(CARD)).to_have_count(1)
    expect(page.locator(CARD).first).to_contain_text("Climb the wall")
    expect(page.locator("#feed-news")).to_contain_text("Anna: Climb the wall. ")
    expect(page.locator("#feed-empty")).to_be_hidden()
    expect(page.get_by_role("link", name="End the session")).to_be_visible()  # the roll opened one
    table.rolled(anna, label="Sneak", visibility="blind")
    expect(page.locator(CARD)).to_have_count(2)
    expect(page.locator(CARD).first).to_contain_text("Shown to the GM alone.")
    expect(page.locator("#roll-count")).to_have_text("2 rolls")
    assert "Secret" not in page.content() and screen.noise == []


def test_the_count_is_right_where_an_answer_comes_late(table, open_page):
    screen = open_page(table)
    page, held = screen.page, []

    def hold_the_first(route):
        if route.request.resource_type != "fetch" or held:
            route.continue_()
        else:
            held.append((route, route.fetch()))

    page.route(lambda address: address.endswith("/"), hold_the_first)
    anna = table.tokens["anna"]
    table.rolled(anna, label="One")
    expect(page.locator(CARD)).to_have_count(1)
    page.wait_for_timeout(1000)  # for the answer that counts one roll, and is held
    assert len(held) == 1
    table.rolled(anna, label="Two")
    expect(page.locator(CARD)).to_have_count(2)
    route, answer = held[0]
    route.fulfill(response=answer)
    expect(page.locator("#roll-count")).to_have_text("2 rolls")
    assert screen.noise == []


def test_a_challenge_comes_and_is_answered(app, settings, open_page):
    table = set_table(app, settings, "heroes-2d6")
    anna = table.player("anna")
    table.player("bert")
    screen = open_page(table)
    page = screen.page
    with table.working():
        table.roll(
            anna,
            {
                "action": "opposed-test",
                "params": {"skill": 5, "opponent": {"kind": "player", "user": "bert"}},
            },
        )
        waiting = page.locator("#waiting")
        expect(waiting).to_contain_text("Bert is asked")
        waiting.get_by_role("link", name="Answer this").click()
        fill(page, "form.drawn", "Skill", 4)
        page.get_by_role("button", name="Answer").click()
        expect(page.get_by_text("Answered.")).to_be_visible()
    page.get_by_role("link", name="Table", exact=True).click()
    expect(page.locator("#waiting")).to_be_hidden()
    assert len(table.get("/rolls").json["rolls"]) == 2 and screen.noise == []


def test_what_is_wrong_is_said_while_one_types(table, open_page):
    page = open_page(table, "/console/roll/skill-check").page
    dv = page.get_by_role("spinbutton", name="Difficulty Value")
    dv.fill("99")
    page.get_by_role("spinbutton", name="Bonus dice").focus()
    page.get_by_role("spinbutton", name="Bonus dice").fill("1")
    expect(page.get_by_text("Must be a whole number from 1 to 50.")).to_be_visible()
    expect(dv).to_have_attribute("aria-invalid", "true")
    dv.fill("2")
    expect(page.get_by_text("Must be a whole number from 1 to 50.")).to_have_count(0)


def test_an_error_that_came_with_the_page_goes_when_it_is_mended(table, open_page):
    page = open_page(table, "/console/roll/skill-check").page
    page.get_by_role("spinbutton", name="Difficulty Value").fill("99")
    page.get_by_role("button", name="Roll", exact=True).click()
    expect(page.get_by_text("Is missing. Must be a whole number from 1 to 5.")).to_be_visible()
    expect(page.get_by_text("Must be a whole number from 1 to 50.")).to_have_count(1)
    page.get_by_role("group", name="Stat", exact=True).get_by_role("radio", name="3").check()
    page.get_by_role("spinbutton", name="Difficulty Value").fill("2")
    expect(page.locator(".error")).to_have_count(0)
    expect(page.locator("[aria-invalid]")).to_have_count(0)


def test_rows_are_added_to_a_list(lantern, open_page):
    screen = open_page(lantern, "/console/roll/light")
    page = screen.page
    for row, colour in enumerate(("Blue", "Red", "Green")):
        if row:
            page.get_by_role("button", name="Another").click()
        page.locator(f"[name='params.flames.{row}.colour']").fill(colour)
    expect(page.get_by_role("button", name="Another")).to_be_hidden()  # three are the most
    page.get_by_role("group", name="Flames, number 3").get_by_text("Deep").click()
    page.get_by_label("Darkness").fill("5")
    expect(page.locator(".odds-percent")).to_be_visible()
    page.get_by_role("button", name="Roll", exact=True).click()
    expect(page.get_by_text("Rolled.", exact=True)).to_be_visible()
    flames = lantern.get("/rolls").json["rolls"][0]["params"]["flames"]
    assert [(flame["colour"], flame["shade"]) for flame in flames] == [
        ("Blue", "pale"),
        ("Red", "pale"),
        ("Green", "deep"),
    ]
    assert screen.noise == []


def test_by_keyboard_alone(table, open_page):
    screen = open_page(table)
    page = screen.page
    keys = page.keyboard

    def press_until(name: str, most: int = 40) -> None:
        for _ in range(most):
            keys.press("Tab")
            found = page.evaluate(
                "(document.activeElement.innerText || document.activeElement.name || '').trim()"
            )
            if found.startswith(name):
                outline = page.evaluate(
                    "getComputedStyle(document.activeElement).outlineStyle + '|' +"
                    " (document.activeElement.nextElementSibling &&"
                    " getComputedStyle(document.activeElement.nextElementSibling).outlineStyle)"
                )
                assert "solid" in outline, name
                return
        raise AssertionError(f"Tab never reaches {name}")

    press_until("To the content")
    keys.press("Enter")
    press_until("title")
    keys.type("By hand")
    keys.press("Enter")
    expect(page.get_by_role("heading", name="By hand")).to_be_visible()
    with table.working():
        press_until("Skill check")
        keys.press("Enter")
        page.wait_for_url("**/console/roll/skill-check")
        press_until("params.stat")
        keys.press("ArrowRight")
        press_until("params.dv")
        keys.type("1")
        expect(page.locator(".odds-percent")).to_be_visible()
        keys.press("Enter")
        expect(page.get_by_text("Rolled.", exact=True)).to_be_visible()
    assert len(table.get("/rolls").json["rolls"]) == 1 and screen.noise == []


def test_a_token_is_made_and_the_history_filtered(table, open_page):
    table.rolled(table.tokens["anna"], label="Annas")
    table.rolled(table.tokens["bert"], label="Berts")
    screen = open_page(table, "/console/players")
    page = screen.page
    page.get_by_label("Name").fill("Cara")
    page.get_by_label("User id").fill("cara")
    page.get_by_role("button", name="Make a token").click()
    token = page.get_by_label("Player token").input_value()
    assert table.get("/me", token).json["user"] == "cara"
    page.get_by_role("link", name="History").click()
    page.get_by_label("Who rolled").select_option("Bert")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".past")).to_have_count(1)
    page.locator(".past > summary").click()
    expect(page.locator(".past .tallybones-card")).to_be_visible()
    assert screen.noise == []


def test_without_scripts_everything_but_the_stream_works(table, browser, address):
    context = person(browser, java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    page.get_by_label("GM key").fill(table.gm)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Skill check").click()
    page.get_by_role("group", name="Stat").get_by_text("3", exact=True).click()
    page.get_by_label("Difficulty Value").fill("2")
    page.get_by_role("button", name="Work out the odds").click()
    expect(page.locator(".odds-percent")).to_be_visible()
    with table.working():
        page.get_by_role("button", name="Roll", exact=True).click()
        expect(page.locator(CARD)).to_have_count(1)
    expect(page.locator("time").first).to_contain_text("UTC")
    context.close()


def test_signing_out_in_one_tab_is_said_in_the_other(table, open_page, address):
    first = open_page(table)
    second = first.page.context.new_page()
    second.goto(address)
    second.get_by_role("button", name="Sign out").click()
    expect(second.get_by_role("heading", name="The GM’s console")).to_be_visible()
    table.rolled()
    expect(first.page.locator("#feed-state")).to_contain_text("you may have to sign in again")
    assert first.page.locator(CARD).count() == 0


PAGES = (
    "/",
    "/console/roll/opposed-test",
    "/console/roll/unopposed-test",
    "/console/history",
    "/console/sessions",
    "/console/players",
    "/console/players/anna/revoke",
    "/console/reports",
    "/console/webhooks",
    "/console/campaign",
    "/console/nowhere",
)


@pytest.fixture
def busy(app, settings):
    """A heroes-2d6 table in the middle of an evening."""
    table = set_table(app, settings, "heroes-2d6")
    for user in ("anna", "bert"):
        table.player(user)
    table.rolled(
        table.tokens["anna"], {"action": "unopposed-test", "params": {"skill": 4, "tn": 9}}, label="x" * 80
    )
    table.rolled(
        table.tokens["bert"], {"action": "unopposed-test", "params": {"skill": 4, "tn": 9}}, visibility="gm"
    )
    table.roll(
        table.tokens["anna"],
        {"action": "opposed-test", "params": {"skill": 5, "opponent": {"kind": "player", "user": "bert"}}},
    )
    table.work()
    table.post("/webhooks", {"kind": "discord", "url": "https://discord.com/api/webhooks/12345/abcdefghij"})
    table.post("/reports", {})
    return table


def test_on_a_phone_the_card_stands_above_the_form(table, open_page):
    screen = open_page(table, "/console/roll/skill-check", size=PHONE)
    page = screen.page
    with table.working():
        for number in (1, 2):
            page.get_by_role("group", name="Stat", exact=True).get_by_role("radio", name="3").check()
            page.get_by_role("spinbutton", name="Difficulty Value").fill("2")
            page.get_by_role("button", name="Roll", exact=True).click()
            expect(page.locator(CARD)).to_have_count(number)
    expect(page.locator(CARD).first).to_be_in_viewport()
    expect(page.locator(CARD).last).to_be_hidden()
    assert screen.noise == []


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")], ids=["desktop", "phone"])
def test_nothing_bars_anybody(busy, open_page, address, size, scheme):
    screen = open_page(busy, size=size, color_scheme=scheme, bypass_csp=True)  # axe is put into the page
    found = {}
    for path in PAGES:
        screen.page.goto(address + path)
        screen.page.wait_for_timeout(250)
        found[path] = screen.barriers("html")
        assert screen.run("document.documentElement.scrollWidth <= innerWidth"), (
            f"{path} is wider than the screen"
        )
    assert {path: barriers for path, barriers in found.items() if barriers} == {}


def test_the_narrowest_phone_holds_every_page(busy, open_page, address):
    screen = open_page(busy, size=(320, 640))
    for path in PAGES:
        screen.page.goto(address + path)
        assert screen.run("document.documentElement.scrollWidth <= innerWidth"), path


def test_nobody_who_minds_motion_sees_any(table, open_page):
    screen = open_page(table, reduced_motion="reduce")
    table.rolled(body=SKILL_CHECK)
    expect(screen.page.locator(CARD)).to_have_count(1)
    assert screen.run("document.getAnimations().length") == 0
