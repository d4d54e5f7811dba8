"""Signing in and out, and what a signed-in browser holds."""

import re

import pytest

from service.cli._welcome import console_link, welcome
from service.connect_code import ConnectCode, encode
from service.console.sign_in import LONGEST_KEY
from service.first_campaign import Credentials
from service.settings import Settings
from tests.service.console.browser import Console
from tests.service.console.reading import Reading
from tests.service.table import make_app, set_table

PAGES = ("/console/roll", "/console/history", "/console/sessions", "/console/players", "/console/campaign")


def test_the_first_page_asks_for_the_key(table):
    page = Console(table).get("/")
    assert page.heading == "The GM’s console"
    assert page.form("/console/sign-in").method == "post"
    assert "History" not in page.links


@pytest.mark.parametrize("path", [*PAGES, "/console/reports", "/console/webhooks", "/console/stream"])
def test_nothing_is_shown_to_strangers(table, path):
    page = Console(table).get(path, 401)
    assert page.heading == "The GM’s console" and "Friday" not in page.html


def test_the_key_opens_the_table(table):
    page = Console(table).sign_in().get("/")
    assert "Friday" in page.text and page.links["History"] == "/console/history"


def test_a_connect_code_opens_it_too(table):
    code = encode(ConnectCode("http://localhost", table.id, table.gm))
    assert "Friday" in Console(table).sign_in(f" {code[:30]}\n{code[30:]} ").get("/").text


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("", "Paste the GM key"),
        ("tbg_" + "x" * 43, "not known here"),
        ("tb1_nonsense", "not known here"),
        ("x" * (LONGEST_KEY * 3), "not known here"),
        ("{anna}", "player’s token"),
        ("{admin}", "not known here"),
    ],
)
def test_other_keys_are_refused_with_a_reason(table, key, sentence):
    console = Console(table)
    sent = key.format(anna=table.tokens["anna"], admin=table.admin)
    answer = console.client.post("/console/sign-in", data={"key": sent})
    assert answer.status_code == 422 and sentence.replace("’", "&#39;") in answer.text.replace("’", "&#39;")
    assert "Set-Cookie" not in answer.headers and (not sent or sent not in answer.text)


def test_the_cookie_is_kept_from_scripts_and_other_sites(table):
    answer = table.app.test_client().post("/console/sign-in", data={"key": table.gm})
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("tallybones=") and table.gm not in cookie
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
    assert "Secure" not in cookie and "Domain" not in cookie


def test_over_https_the_cookie_never_leaves_it(table):
    client = table.app.test_client()
    answer = client.post("/console/sign-in", data={"key": table.gm}, base_url="https://dice.example.org")
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("__Host-tallybones=") and "; Secure" in cookie
    assert "Friday" in client.get("/", base_url="https://dice.example.org").text


def test_behind_a_router_that_ends_https_too(settings: Settings):
    app = make_app(
        Settings(
            admin_token=settings.admin_token, data=settings.data, redis_url=settings.redis_url, on_paas=True
        )
    )
    table = set_table(app, settings)
    client = app.test_client()
    headers = {"X-Forwarded-Proto": "https", "Origin": "https://dice.example.org", "Host": "dice.example.org"}
    answer = client.post("/console/sign-in", data={"key": table.gm}, headers=headers)
    assert answer.status_code == 303 and answer.headers["Set-Cookie"].startswith("__Host-tallybones=")
    cookie = answer.headers["Set-Cookie"].partition(";")[0]
    page = client.get("/console/campaign", headers={**headers, "Cookie": cookie})
    assert "https://dice.example.org/foundry/module.json" in page.text
    app.extensions["tallybones"].hub.stop()


def test_signing_out_ends_it_in_every_tab(table):
    console = Console(table).sign_in()
    kept = console.cookie
    page = console.send("/", "/console/sign-out")
    assert page.heading == "The GM’s console" and "signed out" in page.text
    console.client.set_cookie("tallybones", kept)
    console.get("/console/history", 401)


def test_signing_in_again_ends_the_sign_in_before(table):
    console = Console(table).sign_in()
    first = console.cookie
    console.sign_in()
    assert console.cookie != first
    console.client.set_cookie("tallybones", first)
    console.get("/console/history", 401)


def test_a_new_key_ends_every_sign_in_at_once(table):
    console = Console(table).sign_in()
    table.services.store.campaigns.renew_gm_key(table.id)
    assert "Sign in" in console.get("/console/history", 401).text


def test_what_is_kept_of_a_sign_in_opens_nothing(table):
    console = Console(table).sign_in()
    redis = table.services.redis
    everything = b" ".join(
        redis.dump(name) + name for name in redis.scan_iter("*") if b"signin" in name or b"token" in name
    )
    assert console.cookie.encode() not in everything and table.gm.encode() not in everything


def test_a_made_up_cookie_opens_nothing(table):
    for value in ("x" * 43, "", "x" * 3000, "tb:signin:*", table.gm):
        console = Console(table)
        console.client.set_cookie("tallybones", value)
        assert "Sign in" in console.get("/console/history", 401).text


def test_the_start_prints_a_link_whose_key_stands_behind_the_hash(settings, table):
    credentials = Credentials(table.admin, table.id, table.gm, "tb1_x")
    campaign = table.services.store.campaigns.get(table.id)
    text = welcome(settings, "http://127.0.0.1:8000", campaign, credentials, "var")
    assert f"http://127.0.0.1:8000/#key={table.gm}" in text
    assert console_link("http://x", Credentials("tba_x")) == "http://x/"


@pytest.mark.parametrize(
    ("headers", "signed_in", "at_once"),
    [
        ({"Sec-Fetch-Site": "none"}, False, True),
        ({"Sec-Fetch-Site": "same-origin"}, False, True),
        ({"Sec-Fetch-Site": "cross-site"}, False, False),
        ({"Sec-Fetch-Site": "same-site"}, False, False),
        ({}, False, False),
        ({"Sec-Fetch-Site": "none"}, True, False),
        ({"Sec-Fetch-Site": "same-origin"}, True, False),
        ({}, True, False),
    ],
)
def test_a_link_signs_in_at_once_only_who_comes_from_no_other_page(table, headers, signed_in, at_once):
    """A link on another site could sign the GM in to somebody else's table unawares."""
    console = Console(table)
    if signed_in:
        console.sign_in()
    page = Reading(console.client.get("/", headers=headers).text)
    assert '<template id="link-form"' in page.html
    assert ('<template id="link-form" data-at-once>' in page.html) == at_once


def test_no_address_and_no_log_line_holds_the_key(table, caplog):
    caplog.set_level("DEBUG")
    console = Console(table).sign_in()
    for path in ("/", *PAGES):
        answer = console.client.get(path, follow_redirects=True)
        assert table.gm not in answer.text and table.gm not in str(answer.request.url)
    assert table.gm not in caplog.text and not re.search(r"tbg_\w{20}", caplog.text)
