"""The page, the table and the plots: whole in themselves, safe, and readable without colour."""

import csv
import io
import re
from html.parser import HTMLParser

import orjson
import pytest
from redis import Redis

from service.report_view import PLOTS
from service.store import ReportWish, Store
from tests.tables import Clock
from tests.worker.reports.evenings import Evenings
from worker import report as job
from worker.reports.table import COLUMNS, inert

HOSTILE = "<script>alert(1)</script>\"'&<img src=x onerror=alert(1)>$\\frac{1}{0}$ %s {{ 7*7 }}"


@pytest.fixture(scope="module")
def made(valkey_server):
    """The parts of a report on a table where every name is hostile; made once, as drawing takes a while."""
    redis = Redis.from_url(f"redis://127.0.0.1:{valkey_server.port}/0")
    clock = Clock()
    store = Store(redis, clock)
    evenings = Evenings(store, clock, "heroes-2d6", name=HOSTILE)
    store.players.mint(evenings.campaign, "anna", HOSTILE)
    for title in (HOSTILE, "=1+1", "x;=7+7;\uff1d1", None):
        session = store.sessions.start(evenings.campaign, title).id
        for _ in range(25):
            evenings.roll(label=HOSTILE[:80], actor={"id": "Actor.x", "name": HOSTILE[:80]})
            evenings.roll(label="=cmd|' /C calc'!A0", actor={"id": "Actor.y", "name": "@SUM(A1)"})
        store.sessions.end(evenings.campaign, session)
    report = store.reports.ask(evenings.campaign, "gm", ReportWish())
    assert job.make_in(store, report.id)
    report = store.reports.find(report.id)
    assert report.error is None
    drawn = (f"{kind}:{plot}" for kind in ("png", "svg") for plot in PLOTS)
    parts = {name: store.reports.part(report.id, name) for name in ("result", "html", "csv", *drawn)}
    return parts.__getitem__, report, redis.memory_usage(f"tb:report:{report.id}", samples=0)


class Reader(HTMLParser):
    """Notes the elements and attributes of a page."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.attributes = set(), []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]


def test_the_page_loads_nothing_and_runs_nothing(made):
    page = made[0]("html").decode()
    read = Reader(page)
    assert not read.elements & {"script", "img", "link", "iframe", "object", "embed", "base", "form", "image"}
    assert not [name for _, name, _ in read.attributes if name.startswith("on") or name == "src"]
    outside = [
        value for _, name, value in read.attributes if name.endswith("href") and not value.startswith("#")
    ]
    assert outside == []
    assert not re.search(r"@import|url\((?!#)", page)
    assert "default-src 'none'" in page
    assert "49" not in re.findall(r"<h1>.*?</h1>", page)[0]


def test_the_page_says_what_it_rests_on(made):
    page = made[0]("html").decode()
    assert "A verdict is given from 30 rolls" in page
    assert "fair dice fall at least this unevenly" in page
    assert page.count("<figcaption>") == page.count("<figure>") == 4


def test_each_plot_has_a_text_and_two_forms(made):
    part = made[0]
    plots = orjson.loads(part("result"))["plots"]
    assert [plot["name"] for plot in plots] == ["luck", "rates", "trends", "dice"]
    for plot in plots:
        assert len(plot["text"]) > 40 and plot["text"].endswith(".")
        assert part(f"png:{plot['name']}").startswith(b"\x89PNG")
        read = Reader(part(f"svg:{plot['name']}").decode())
        assert not read.elements & {"script", "image", "foreignobject", "a"}
        assert not [name for _, name, _ in read.attributes if name.startswith("on")]
        assert not [v for _, name, v in read.attributes if name.endswith("href") and not v.startswith("#")]


def test_a_report_fits_into_little_room(made):
    assert made[2] < 350_000


def test_the_table_has_a_row_for_each_row_and_no_formula(made):
    part = made[0]
    result = orjson.loads(part("result"))
    lines = list(csv.DictReader(io.StringIO(part("csv").decode("utf-8-sig"), newline="")))
    assert tuple(lines[0]) == COLUMNS
    assert len(lines) == 1 + sum(len(table["rows"]) for table in result["tables"])
    for line in lines:
        assert not line["name"].startswith(("=", "+", "-", "@", "\t", "\r"))
        assert float(line["rate"]) == int(line["successes"]) / int(line["rolls"])
    assert {"'=cmd|' /C calc'!A0", "'@SUM(A1)", "'=1+1, 15 Jan"} <= {line["name"] for line in lines}


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
def test_no_name_becomes_a_formula(sign):
    assert inert(f"{sign}1") == f"'{sign}1"
    assert inert(f" {sign}1") == f"' {sign}1"
    assert inert(f"a{sign}1 {sign}1, {sign}1") == f"a{sign}1 {sign}1, {sign}1"
    for separator in (";", "\t", "\n", "\r"):
        assert inert(f"a{separator}{sign}1{separator} {sign}1") == f"a{separator}'{sign}1{separator}' {sign}1"
        assert inert(f'a{separator}"{sign}1') == f"a{separator}'\"{sign}1"
        assert inert(f"a{separator}b{sign}1") == f"a{separator}b{sign}1"


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_no_cell_of_the_table_is_a_formula_whatever_parts_them(made, separator):
    written = made[0]("csv").decode("utf-8-sig")
    cells = [c for row in csv.reader(io.StringIO(written, newline=""), delimiter=separator) for c in row]
    texts = [cell for cell in cells if not re.fullmatch(r"-[0-9.]+(e-[0-9]+)?", cell)]
    assert any("7+7" in cell for cell in texts)
    assert [cell for cell in texts if cell.strip(" ").startswith(("=", "+", "-", "@", "\uff1d"))] == []


def test_the_card_is_safe_to_insert(made):
    card = made[1].card
    assert Reader(card["html"]).elements == {"article", "p", "span", "ul", "li", "strong"}
    assert "<script>" in card["text"] and card["title"].startswith("How the dice fell: ")
