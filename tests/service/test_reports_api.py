"""Reports over the API: asked for, followed, read in every form, and by whom."""

import pytest

from service.api import reports as reports_api
from service.report_view import PLOTS
from service.store.reports import MOST_KEPT, MOST_UNFINISHED
from tests.service.table import Listener
from worker import report as job
from worker.report import make_in


@pytest.fixture(autouse=True)
def drawing(monkeypatch):
    """Draw nothing, as that takes a while, until told to."""
    plots = job.plots
    monkeypatch.setattr(job, "plots", lambda tables, tell: [])
    return lambda: monkeypatch.setattr(job, "plots", plots)


@pytest.fixture
def rolled(table):
    """A table with rolls of every visibility by anna, and public ones by the GM."""
    for visibility in ("public", "gm", "blind", "self"):
        for _ in range(3):
            table.rolled(table.tokens["anna"], visibility=visibility)
    for _ in range(5):
        table.rolled()
    return table


def made(table, body=None, token=None):
    """Ask for a report, let the worker make it, and return it as the asker reads it."""
    answer = table.post("/reports", body or {}, token)
    assert answer.status_code == 202, answer.text
    assert answer.headers["Location"].endswith(f"/reports/{answer.json['id']}")
    make_in(table.services.store, answer.json["id"])
    return table.get(f"/reports/{answer.json['id']}", token).json


def test_a_report_is_queued_and_then_done(rolled):
    queued = rolled.post("/reports", {}).json
    assert (queued["status"], queued["result"], queued["plots"]) == ("queued", None, [])
    assert rolled.services.redis.lrange("rq:queue:reports", 0, -1) == [queued["id"].encode()]
    make_in(rolled.services.store, queued["id"])
    done = rolled.get(f"/reports/{queued['id']}").json
    assert (done["status"], done["progress"]["percent"]) == ("done", 100)
    assert (
        done["result"]["total"]["rolls"] == 3 + 3 + 3 + 5
    )  # anna's public, gm and blind ones; not her self ones
    assert done["finished_at"] and done["card"]["text"]


def test_every_form_of_it_can_be_read(rolled, drawing):
    drawing()
    report = made(rolled)
    page = rolled.get(f"/reports/{report['id']}.html")
    assert page.mimetype == "text/html" and "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert rolled.get(f"/reports/{report['id']}.csv").text.startswith("\ufefftable,name,rolls")
    assert {plot["name"] for plot in report["plots"]} <= set(PLOTS) and report["plots"]
    for plot in report["plots"]:
        assert plot["text"].endswith(".")
        png = rolled.call("GET", plot["png"], rolled.gm)
        assert png.mimetype == "image/png" and png.data.startswith(b"\x89PNG")
        svg = rolled.call("GET", plot["svg"], rolled.gm)
        assert svg.mimetype == "image/svg+xml" and b"<svg" in svg.data and b"<script" not in svg.data


def test_until_it_is_done_its_forms_say_how_far_it_is(rolled):
    queued = rolled.post("/reports", {}).json
    for form in ("html", "csv", "png", "svg"):
        answer = rolled.get(f"/reports/{queued['id']}.{form}")
        assert answer.status_code == 409 and answer.json["type"].endswith("#report-not-done")
        assert "Retry-After" in answer.headers


def test_a_report_of_nothing_says_so(table):
    report = made(table)
    assert report["result"]["total"] is None
    assert report["result"]["summary"] == "There is no roll to report on."
    assert table.get(f"/reports/{report['id']}.html").status_code == 200
    assert table.get(f"/reports/{report['id']}.png").status_code == 404


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"sessions": ["aaaaaaaaaa"]}, "sessions"),
        ({"sessions": []}, "sessions"),
        ({"since": "yesterday"}, "since"),
        ({"since": "2026-02-01", "until": "2026-01-01"}, "until"),
        ({"user": "a b"}, "user"),
        ({"publish": "yes"}, "publish"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_bad_wish_is_refused_by_field(table, body, field):
    answer = table.post("/reports", body)
    assert answer.status_code == 422 and field in answer.json["errors"]


def test_a_players_report_is_of_their_own_rolls_whatever_they_ask(rolled):
    for body in ({}, {"user": "bert"}, {"user": "gm"}):
        report = made(rolled, body, rolled.tokens["anna"])
        assert report["about"]["user"] == "anna"
        assert (
            report["result"]["total"]["rolls"] == 3 + 3 + 3
        )  # public, gm and self; of her blind ones nothing
        assert [row["key"] for row in report["result"]["tables"][0]["rows"]] == ["anna"]


def test_a_players_report_is_theirs_alone(rolled):
    report = made(rolled, {}, rolled.tokens["anna"])
    for token in (rolled.gm, rolled.tokens["bert"]):
        assert rolled.get("/reports", token).json["reports"] == []
        for form in ("", ".html", ".csv", ".png", ".svg"):
            assert rolled.get(f"/reports/{report['id']}{form}", token).status_code == 404
        assert rolled.call("DELETE", f"{rolled.path}/reports/{report['id']}", token).status_code == 404


def test_the_gms_report_is_no_players(rolled):
    report = made(rolled)
    assert rolled.get(f"/reports/{report['id']}", rolled.tokens["anna"]).status_code == 404


def test_a_published_report_counts_public_rolls_only_and_is_everybodys(rolled):
    report = made(rolled, {"publish": True})
    assert report["published"] and report["result"]["total"]["rolls"] == 3 + 5
    assert rolled.get(f"/reports/{report['id']}", rolled.tokens["bert"]).json == report
    assert [r["id"] for r in rolled.get("/reports", rolled.tokens["bert"]).json["reports"]] == [report["id"]]
    refused = rolled.call("DELETE", f"{rolled.path}/reports/{report['id']}", rolled.tokens["bert"])
    assert refused.status_code == 403


def test_a_player_publishes_nothing(rolled):
    assert rolled.post("/reports", {"publish": True}, rolled.tokens["anna"]).status_code == 403


def test_a_deleted_report_is_gone_even_while_it_is_made(rolled):
    report = rolled.post("/reports", {}).json["id"]
    assert rolled.call("DELETE", f"{rolled.path}/reports/{report}", rolled.gm).status_code == 204
    assert rolled.get(f"/reports/{report}").status_code == 404
    assert make_in(rolled.services.store, report) is False
    assert not rolled.services.redis.exists(f"tb:report:{report}")


def test_nobody_queues_reports_without_end(table):
    for _ in range(MOST_UNFINISHED):
        assert table.post("/reports", {}).status_code == 202
    refused = table.post("/reports", {})
    assert refused.status_code == 429 and refused.headers["Retry-After"] == str(reports_api.RETRY_SECONDS)
    assert table.post("/reports", {}, table.tokens["anna"]).status_code == 202


def test_the_oldest_reports_go_first(table):
    reports, ids = table.services.store.reports, []
    for _ in range(MOST_KEPT + 2):
        ids.append(table.post("/reports", {}).json["id"])
        reports.finish(reports.find(ids[-1]), {"result": b'{"plots": []}'}, {})
    kept = [report["id"] for report in table.get("/reports").json["reports"]]
    assert len(kept) == MOST_KEPT and set(kept) == set(ids[2:])


def test_the_stream_tells_how_far_a_report_is(rolled, address):
    gm, anna = Listener(address, rolled), Listener(address, rolled, rolled.tokens["anna"])
    assert gm.wait(lambda listener: listener.comments) and anna.wait(lambda listener: listener.comments)
    private, public = made(rolled)["id"], made(rolled, {"publish": True})["id"]

    def told(listener):
        return [event.data for event in listener.events if event.event == "report"]

    assert gm.wait(
        lambda listener: [r for r in told(listener) if r["id"] == public and r["status"] == "done"]
    )
    of_private = [report for report in told(gm) if report["id"] == private]
    assert [report["status"] for report in of_private][-1] == "done"
    percents = [report["progress"]["percent"] for report in of_private]
    assert percents == sorted(percents) and percents[-1] == 100
    assert anna.wait(told)
    assert [(report["id"], report["status"]) for report in told(anna)] == [(public, "done")]
    assert "Public rolls only." in told(anna)[0]["card"]["html"]


def test_who_was_away_gets_the_published_card_later(rolled, address):
    first = rolled.get("/sessions").json["sessions"][0]
    made(rolled, {"publish": True})
    late = Listener(address, rolled, rolled.tokens["bert"], last="1-0")
    assert late.wait(lambda listener: [event for event in listener.events if event.event == "report"])
    (event,) = [event for event in late.events if event.event == "report"]
    assert first["ended_at"] is None and event.data["status"] == "done" and not event.id.startswith("0-")
