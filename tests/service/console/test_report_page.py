"""A report at the console: each figure with what it rests on, on a phone too; a form for one character."""

import re

import pytest
from playwright.sync_api import expect

from tests.module.screens import Screen, person
from tests.service.console.reading import Reading
from tests.service.table import set_table
from worker.report import make_in

PLOTS = ("luck", "rates", "dice")
DESKTOP, PHONE, SMALL = (1280, 800), (390, 844), (320, 640)
TEST = {"action": "unopposed-test", "params": {"skill": 3, "tn": 10}}
BRYN, GRIMALDA = {"id": "Actor.a1", "name": "Ser Bryn"}, {"id": "Actor.a2", "name": "Grimalda & Co"}


@pytest.fixture
def played(app, settings):
    """A heroes-2d6 table with two evenings of rolls, by two players and two characters."""
    table = set_table(app, settings, "heroes-2d6")
    for user, actor in (("anna", BRYN), ("bert", GRIMALDA)):
        token = table.player(user)
        for label in ("Climb", "Stealth", None) * 6:
            answer = table.roll(token, {**TEST, "label": label, "actor": actor})
            assert answer.status_code == 202, answer.text
        table.work()
    return table


def made(table, wish=None):
    """Have a report made; return its id and what it says."""
    report = table.post("/reports", wish or {}).json["id"]
    assert make_in(table.services.store, report)
    return report, table.get(f"/reports/{report}").json["result"]


def signed(number):
    text = f"{number:+.1f}"
    return "0" if float(text) == 0 else text.replace("-", "−")


def told_of(row):
    """What a row of the page has to say, by what each figure is called."""
    luck, criticals, margins, runs = (row[name] for name in ("luck", "criticals", "margins", "streaks"))
    sides = " / ".join(
        "–" if mean is None else signed(mean) for mean in (margins["on_success"], margins["on_failure"])
    )
    told = {
        "Rolls": str(row["rolls"]),
        "Succeeded": f"{row['rate'] * 100:.0f}%",
        "Expected": f"{row['expected_rate'] * 100:.0f}%",
        "z (95%)": f"{signed(luck['z'])} {signed(luck['interval'][0])} to {signed(luck['interval'][1])}",
        "In doubt": str(luck["rests_on"]),
        "Criticals (exp.)": f"{criticals['successes']:.0f} {criticals['expected_successes']:.1f}",
        "Fumbles (exp.)": f"{criticals['failures']:.0f} {criticals['expected_failures']:.1f}",
        "Margin (won/lost)": f"{signed(margins['mean'])} {sides}",
    }
    return told | ({"Runs (won/lost)": f"{runs['successes']} / {runs['failures']}"} if runs else {})


def cells(page: Reading):
    """The figures of each row of the page, by the row's name."""
    rows, row = [], {}
    for element in page.elements:
        if element.tag == "th" and element.attributes.get("scope") == "row":
            row = {}
            rows.append((" ".join(element.text.split()), row))
        elif element.tag == "td" and "data-label" in element.attributes:
            row[element.attributes["data-label"]] = " ".join(element.text.split())
    return rows


def test_each_row_says_what_its_figures_rest_on(played, console_of):
    report, result = made(played)
    shown = cells(console_of(played).get(f"/console/reports/{report}"))
    wanted = [result["total"], *(row for table in result["tables"] for row in table["rows"])]
    assert [name for name, _ in shown] == [row["name"] for row in wanted]
    assert [told for _, told in shown] == [told_of(row) for row in wanted]
    by_name = dict(shown)
    assert by_name["Anna"]["Rolls"] == by_name["Anna"]["In doubt"] == "18"
    assert re.fullmatch(r"\d+ / \d+", by_name["Ser Bryn"]["Runs (won/lost)"])
    assert by_name["Anna"]["Criticals (exp.)"].endswith(" 0.5")  # a double six in 18 throws


def test_a_row_without_doubt_and_without_a_margin_of_failures_has_dashes(played, console_of):
    put = played.call("PATCH", played.path, played.gm, {"house_rules": {"criticals": "off"}})
    assert put.status_code == 200, put.text
    played.rolled(None, {"action": "unopposed-test", "params": {"skill": 40, "tn": 2}}, label="Sure")
    report, _ = made(played, {"skill": "Sure"})
    (_, total), *_ = cells(console_of(played).get(f"/console/reports/{report}"))
    assert (total["z (95%)"], total["In doubt"]) == ("–", "0")
    assert re.fullmatch(r"\+(\d+\.0) \+\1 / –", total["Margin (won/lost)"])


def test_a_report_on_one_character(played, console_of):
    console = console_of(played)
    page = console.get("/console/reports")
    assert page.form("/console/reports").offers["actor"] == ["", "Actor.a2", "Actor.a1"]  # by name
    assert "Grimalda & Co" in page.text
    console.send("/console/reports", actor="Actor.a1")
    (report,) = played.get("/reports").json["reports"]
    assert report["about"]["actor"] == "Actor.a1"


def test_a_character_of_long_ago_is_reached_from_a_report(played, console_of, monkeypatch):
    monkeypatch.setattr("service.console.choices.ROLLS", 2)  # Grimalda rolled last
    report, _ = made(played)
    console = console_of(played)
    assert console.get("/console/reports").form("/console/reports").offers["actor"] == ["", "Actor.a2"]
    page = console.get(console.get(f"/console/reports/{report}").links["Ser Bryn"])
    form = page.form("/console/reports")
    assert form.filled()["actor"] == ["Actor.a1"] and "Ser Bryn" in page.text


def test_a_character_that_will_not_do_is_said_at_its_field(played, console_of):
    console = console_of(played)
    wrong = "no such id " * 20
    form = console.get("/console/reports").form("/console/reports")
    answer = console.client.post(form.action, data=form.filled() | {"actor": wrong})
    assert answer.status_code == 422
    page = Reading(answer.text)
    assert "Must be the id of an actor." in page.text and "Ser Bryn" in page.text


@pytest.mark.timeout(90)
@pytest.mark.parametrize(
    ("size", "scheme"),
    [(DESKTOP, "light"), (DESKTOP, "dark"), (PHONE, "light"), (PHONE, "dark"), (SMALL, "light")],
    ids=["desktop-light", "desktop-dark", "phone-light", "phone-dark", "small"],
)
def test_a_report_fits_the_screen_and_bars_nobody(played, open_page, size, scheme):
    report, result = made(played)
    screen = open_page(played, f"/console/reports/{report}", size=size, color_scheme=scheme, bypass_csp=True)
    page = screen.page
    anna = next(row for row in result["tables"][0]["rows"] if row["key"] == "anna")
    row = page.get_by_role("row").filter(has_text="Anna").first
    for label in ("In doubt", "Criticals (exp.)", "Margin (won/lost)", "Runs (won/lost)"):
        cell = row.locator(f"[data-label='{label}']")
        cell.scroll_into_view_if_needed()
        expect(cell).to_be_in_viewport(ratio=1)
        expect(cell).to_have_text(told_of(anna)[label])
    assert screen.run("document.documentElement.scrollWidth <= innerWidth")
    wider = "[...document.querySelectorAll('.wide-table')].some(box => box.scrollWidth > box.clientWidth)"
    assert not screen.run(wider)
    page.wait_for_timeout(250)
    assert screen.barriers("html") == []
    screen.picture(f"report-{size[0]}-{scheme}")
    assert screen.noise == []


BOX = """box => {
    const drawing = box.firstElementChild.getBoundingClientRect();
    return { drawing: drawing.width, inside: box.scrollWidth, shown: box.clientWidth, moved: box.scrollLeft };
}"""
ON_PAPER = {"width": 718, "height": 1000}  # A4 between margins of a centimetre


@pytest.fixture(params=["console", "sent"])
def on_a_phone(request, played, open_page, browser):
    """A report's page at 390 pixels: the console's, and the one to send."""
    report, _ = made(played)
    if request.param == "console":
        screen = open_page(played, f"/console/reports/{report}", size=PHONE)
    else:
        screen = Screen(person(browser, PHONE).new_page(), "anybody")
        screen.page.set_content(played.get(f"/reports/{report}.html").text)
    screen.page.get_by_role("heading", name="Luck").scroll_into_view_if_needed()
    screen.page.wait_for_timeout(300)
    screen.picture(f"plot-{request.param}-390")
    yield screen.page
    screen.page.context.close()


def test_each_plot_is_large_enough_on_a_phone_moves_by_keyboard_and_fits_on_paper(on_a_phone):
    page = on_a_phone
    boxes = page.get_by_role("region", name=re.compile("drawn$"))
    assert boxes.count() == len(PLOTS)
    for box in boxes.all():
        box.scroll_into_view_if_needed()
        expect(box.locator("img, svg").first).to_be_visible()
        before = box.evaluate(BOX)
        assert before["drawing"] >= 560 and before["inside"] > before["shown"]
        box.focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(200)
        assert box.evaluate(BOX)["moved"] > 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.emulate_media(media="print")
    page.set_viewport_size(ON_PAPER)
    for box in boxes.all():
        on_paper = box.evaluate(BOX)
        assert on_paper["drawing"] <= on_paper["shown"] and on_paper["inside"] <= on_paper["shown"]
