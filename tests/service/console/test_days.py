"""What days the filters From and Before mean: the browser's own; without scripts UTC's, and that is said."""

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import expect

DAY = timedelta(days=1)
MIDNIGHT = "2026-11-30T11:00:00.000Z"  # Tuesday's first moment in Auckland


def far_zone():
    """A zone whose day is another than UTC's just now."""
    return "Pacific/Kiritimati" if datetime.now(UTC).hour >= 10 else "Etc/GMT+12"


def midnight(day, zone):
    """The first moment of a day somewhere."""
    return datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone)).astimezone(UTC)


def choose_days(screen, since, until):
    screen.page.get_by_label("From").fill(since.isoformat())
    screen.page.get_by_label("Before").fill(until.isoformat())


def test_a_day_of_the_history_is_the_browsers_own(table, open_page, monkeypatch):
    monkeypatch.setattr("service.console.history.PAGE", 1)
    for label in ("First", "Second"):
        table.rolled(table.tokens["anna"], label=label)
    zone = far_zone()
    screen = open_page(table, "/console/history", timezone_id=zone)
    page, today = screen.page, datetime.now(ZoneInfo(zone)).date()
    expect(page.get_by_text("midnight UTC").first).to_be_hidden()
    choose_days(screen, today, today + DAY)
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator(".past-what")).to_have_text(["Second"])
    assert page.get_by_label("From").input_value() == today.isoformat()
    address = page.get_by_role("link", name="CSV").get_attribute("href")
    csv = page.request.get(urljoin(page.url, address)).text()
    assert "First" in csv and "Second" in csv and len(csv.splitlines()) == 3
    page.get_by_role("link", name="Older rolls").click()
    expect(page.locator(".past-what")).to_have_text(["First"])
    page.get_by_role("link", name="Newest").click()
    expect(page.locator(".past-what")).to_have_text(["Second"])
    choose_days(screen, today + DAY, today + 2 * DAY)
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_text("No roll matches")).to_be_visible()
    assert screen.noise == []


def test_a_day_of_a_report_is_the_browsers_own(table, open_page):
    zone = far_zone()
    screen = open_page(table, "/console/reports", timezone_id=zone)
    today = datetime.now(ZoneInfo(zone)).date()
    screen.page.get_by_text("More to choose").click()
    choose_days(screen, today, today + DAY)
    screen.page.get_by_role("button", name="Make the report").click()
    expect(screen.page.get_by_role("status")).to_be_visible()
    about = table.get("/reports").json["reports"][0]["about"]
    assert [datetime.fromisoformat(about[name]) for name in ("since", "until")] == [
        midnight(today, zone),
        midnight(today + DAY, zone),
    ]


def test_a_day_on_which_the_clocks_change_is_as_long_as_it_is(table, open_page):
    screen = open_page(table, "/console/history", timezone_id="America/New_York")
    choose_days(screen, datetime(2026, 3, 8).date(), datetime(2026, 3, 9).date())
    screen.page.get_by_role("button", name="Show", exact=True).click()
    expect(screen.page.get_by_text("No roll matches")).to_be_visible()
    asked = parse_qs(urlsplit(screen.page.url).query)
    assert asked["since_at"] == ["2026-03-08T05:00:00.000Z"]
    assert asked["until_at"] == ["2026-03-09T04:00:00.000Z"]


def test_without_scripts_the_days_are_those_of_utc_and_it_is_said(console, table):
    table.rolled(table.tokens["anna"])
    today = datetime.now(UTC).date()
    page = console.get(f"/console/history?since={today}&until={today + DAY}&since_at=&until_at=")
    assert "From midnight UTC" in page.text and "Before midnight UTC" in page.text
    assert len(page.texts("span", cls="past-what")) == 1
    assert page.form("/console/history").sends["since_at"] == [""]
    assert page.links["CSV"] == f"/console/history.csv?since={today}&until={today + DAY}"
    assert "From midnight UTC" in console.get("/console/reports").text


@pytest.mark.parametrize(
    "hostile",
    [
        "../../etc/passwd",
        "America",
        "\x00",
        "é" * 5000,
        "2026-11-30",
        "2026-11-30T11:00:00",
        "2031-01-01T00:00:00Z",
        "2026-12-02T11:00:00Z",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-23:59",
    ],
)
def test_what_is_no_midnight_of_the_day_changes_nothing(console, table, hostile):
    table.rolled(table.tokens["anna"], label="Here")
    query = urlencode({"since": "2026-12-01", "since_at": hostile, "until_at": hostile})
    plain = console.get("/console/history?since=2026-12-01").texts("span", cls="past-what")
    assert console.get(f"/console/history?{query}").texts("span", cls="past-what") == plain
    console.get(f"/console/reports?{query}")
    form = console.get("/console/reports").form("/console/reports")
    sent = form.filled(since="2026-12-01") | {"since_at": [hostile], "until_at": [hostile]}
    assert console.client.post(form.action, data=sent).status_code == 303
    assert table.get("/reports").json["reports"][0]["about"]["since"] == "2026-12-01T00:00:00.000Z"


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31", "yesterday!", "2026-13-40", "1969-12-31"])
def test_a_day_that_is_none_is_said_at_its_field(console, day):
    query = urlencode({"since": day, "since_at": MIDNIGHT, "until_at": MIDNIGHT})
    page = console.get(f"/console/history?{query}", 200 if day == "9999-12-31" else 422)
    assert page.form("/console/history").sends["since"] == [day]
