"""A report that is done is told where it may be, with its plot as a picture in Discord."""

import json

from service.store import ReportWish
from worker.report import make_in


def made(post, user="gm", *, publish):
    report = post.store.reports.ask(post.table.campaign, user, ReportWish(), publish=publish).id
    assert make_in(post.store, report)
    return report


def test_a_published_report_is_told_everywhere_with_its_plot_in_discord(post, receiver):
    standard, discord = receiver(), receiver()
    post.roll()
    post.webhook(standard.url(), events=["report.ready"])
    post.webhook(discord.url(), kind="discord", events=["report.ready"])
    report = made(post, publish=True)
    post.run()
    [told] = standard.wait_for()
    data = json.loads(told.body)["data"]
    assert data["id"] == report and data["status"] == "done" and data["card"]["text"]
    [shown] = discord.wait_for()
    assert shown.headers["content-type"].startswith("multipart/form-data; boundary=")
    assert b"\x89PNG\r\n\x1a\n" in shown.body and b"attachment://report.png" in shown.body


def test_one_that_counts_hidden_rolls_goes_where_those_go_and_a_players_own_nowhere(post, receiver):
    post.roll()
    open_to_all = post.webhook(receiver().url(), events=["report.ready"])
    hidden = post.webhook(receiver().url(), events=["report.ready"], hidden=True)
    report = made(post, publish=False)
    made(post, "anna", publish=False)
    assert [entry.subject for entry in post.log(hidden)] == [report]
    assert post.log(open_to_all) == []


def test_a_report_that_was_deleted_meanwhile_is_not_told(post, receiver):
    there = receiver()
    post.roll()
    webhook = post.webhook(there.url(), events=["report.ready"])
    post.store.reports.delete(post.table.campaign, made(post, publish=True))
    post.run()
    [entry] = post.settled(webhook)
    assert entry.status == "failed" and there.received == []
