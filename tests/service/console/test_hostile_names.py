"""Names by people who mean harm, on every page that shows one."""

import pytest

from tests.service.cards.hostile import HOSTILE_NAMES
from tests.service.console.reading import Reading

PAGES = (
    "/",
    "/console/roll/skill-check",
    "/console/history",
    "/console/sessions",
    "/console/players",
    "/console/campaign",
    "/console/reports",
    "/console/webhooks",
    "/console/players/eve/revoke",
)
HARMLESS = {"script": 1}


def shape(page: Reading):
    """The elements of a page with the names of their attributes: what a name must not change."""
    return [(element.tag, tuple(element.attributes)) for element in page.elements]


@pytest.fixture
def named(console, table):
    """Put a name everywhere where the store takes one, past what the API would refuse."""
    store = table.services.store

    def name(text: str) -> None:
        store.players.mint(table.id, "eve", text)
        store.campaigns.update(table.id, name=text)
        for webhook in store.webhooks.list(table.id):
            store.webhooks.update(table.id, webhook.id, {"name": text})

    table.services.store.webhooks.create(
        table.id, kind="standard", url="https://x.example", name="x", events=["roll.resolved"], hidden=False
    )
    name("Plain")
    return name


def test_no_name_changes_a_page(console, named, table):
    plain = {path: shape(console.get(path)) for path in PAGES}
    for hostile in HOSTILE_NAMES:
        named(hostile)
        for path in PAGES:
            page = console.get(path)
            assert shape(page) == plain[path], (path, hostile)
            assert not any(letter in page.text for letter in "\u202e\u2067\u2066\x1b\x00")


def test_names_on_rolls_and_sessions_are_text(console, table):
    texts = [name for name in HOSTILE_NAMES if name.strip() and len(name) <= 80]
    token = table.services.store.players.mint(table.id, "eve", "<script>alert(1)</script>")[1]
    taken = 0
    for text in texts:
        body = {
            "action": "skill-check",
            "params": {"stat": 3, "dv": 1},
            "label": text,
            "actor": {"id": "E", "name": text},
        }
        if table.roll(token, body).status_code == 202:
            taken += 1
        table.work()
    assert taken > 8
    for path in ("/", "/console/history?user=eve", "/console/roll/skill-check"):
        page = console.get(path)
        scripts = [e for e in page.elements if e.tag == "script"]
        assert len(scripts) == 1 and scripts[0].attributes["src"].endswith("console.mjs")
        assert not [e for e in page.elements if any(name.startswith("on") for name in e.attributes)]
        assert not [e for e in page.elements if e.tag in ("style", "svg", "iframe", "b")]


def test_what_was_typed_comes_back_as_text(console):
    for hostile in HOSTILE_NAMES:
        form = console.get("/console/players").form("/console/players")
        answer = console.client.post(form.action, data=form.filled(name=hostile, user='"><script>'))
        assert answer.status_code == (400 if "\0" in hostile else 422)
        if "\0" in hostile:
            continue
        page = Reading(answer.text)
        assert len([e for e in page.elements if e.tag == "script"]) == 1
        assert page.form("/console/players").sends["user"] == ['"><script>']
    for query in ("user=%22%3E%3Cscript%3E", "session=%27%20onclick=", "cursor=%3Cb%3E", "actor=%22%20x="):
        page = console.get(f"/console/history?{query}", 422)
        assert len([e for e in page.elements if e.tag == "script"]) == 1
        assert not [e for e in page.elements if "onclick" in e.attributes]
