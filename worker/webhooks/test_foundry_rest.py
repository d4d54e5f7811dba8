"""The relay gets what its POST /chat takes: `content`, `flavor`, `alias`, `chatType`, and the key."""

import json
import re
from html import unescape

import pytest

from service.presenting import present_view
from service.visibility import View
from tests.service.cards.hostile import HOSTILE_NAMES
from tests.service.cards.samples import roll
from worker.webhooks import foundry_rest
from worker.webhooks.exchange import Answer, Verdict
from worker.webhooks.happenings import Happening
from worker.webhooks.test_standard import ID, webhook

RELAY = "https://relay.example.org"
CHAT = f"{RELAY}/chat?clientId=fvtt_1"


def written(url: str, **fields: object):
    record = roll("moon-hangs-low", "skill-check", {"stat": 3, "dv": 2}, **fields)
    happening = Happening("roll.resolved", 0, present_view(record, View.FULL))
    return foundry_rest.request(webhook(kind="foundry-rest", url=url), ID, happening, 0)


@pytest.mark.parametrize("name", ["apiKey", "api_key", "x-api-key", "key"])
def test_the_key_goes_in_its_header_and_not_in_the_address(name):
    request = written(f"{CHAT}&{name}=secret-key&userId=abc")
    assert request.url == f"{CHAT}&userId=abc"
    assert request.headers["x-api-key"] == "secret-key"
    assert "x-api-key" in request.masked and "secret-key" in request.secrets


@pytest.mark.parametrize("url", [CHAT, f"{RELAY}?clientId=fvtt_1", f"{RELAY}/?clientId=fvtt_1"])
def test_it_is_posted_to_chat(url):
    assert written(url).url == CHAT


def test_the_card_is_the_content():
    request = written(CHAT, label="Leap")
    body = json.loads(request.body)
    assert set(body) == {"content", "flavor", "alias", "chatType"} and body["chatType"] == 0
    assert body["flavor"] == "Leap" and body["content"].startswith("<article")


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_no_name_becomes_html(name):
    told = {"title": name, "commitment": "c", "rolls": 0}
    happening = Happening("session.started", 0, told)
    body = json.loads(foundry_rest.request(webhook(kind="foundry-rest", url=CHAT), ID, happening, 0).body)
    for text in (body["content"], body["flavor"]):
        assert "<script" not in text and "<img" not in text and "<svg" not in text


@pytest.mark.parametrize("name", ["@UUID[Actor.x]{Loot}", "[[/r 20]]", "&Reference[prone]"])
def test_no_name_becomes_a_link_or_a_roll_in_foundry(name):
    told = {"title": name, "commitment": "c", "rolls": 0}
    started = foundry_rest.request(
        webhook(kind="foundry-rest", url=CHAT), ID, Happening("session.started", 0, told), 0
    )
    for request in (started, written(CHAT, label=name)):
        body = json.loads(request.body)
        for text in (body["flavor"], body["content"]):
            assert not re.search(r"(?<!\u2060)\[", text)
        assert name in unescape(body["flavor"]).replace("\u2060", "")


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        (200, Verdict.DELIVERED),
        (401, Verdict.NEVER),
        (400, Verdict.NEVER),
        (404, Verdict.TRY_AGAIN),
        (408, Verdict.TRY_AGAIN),
        (410, Verdict.GONE),
        (503, Verdict.TRY_AGAIN),
    ],
)
def test_a_wrong_key_stays_wrong_and_a_closed_world_opens_again(status, verdict):
    assert foundry_rest.judge(Answer(status)) is verdict
