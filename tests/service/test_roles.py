"""Who may make which call: every endpoint, and everybody who may come along."""

import pytest

from service.calls import CONVERTERS
from tests.service.table import SKILL_CHECK, fresh_key, set_table

NONE, BAD, PLAYER, OTHER_GM, GM, ADMIN = (
    "no token",
    "a bad token",
    "a player",
    "another's GM",
    "the GM",
    "the admin",
)
PEOPLE = (NONE, BAD, PLAYER, OTHER_GM, GM, ADMIN)

ADMINS = (401, 401, 403, 403, 403, "ok")
GMS = (401, 401, 403, 404, "ok", 403)
OWNERS = (401, 401, 403, 404, "ok", 404)  # the GM has deleted it by then; for the admin see test_deleting.py
MEMBERS = (401, 401, "ok", 404, "ok", 403)
ALL = ("ok",) * 6

CALLS = [
    ("GET", "/livez", None, ALL),
    ("GET", "/metrics", None, ALL),
    ("GET", "/openapi.json", None, ALL),
    ("GET", "/docs", None, ALL),
    ("GET", "/foundry/module.json", None, ALL),
    ("GET", "/foundry/tallybones.zip", None, ALL),
    ("GET", "/v1/rulesets", None, ALL),
    ("GET", "/v1/rulesets/heroes-2d6", None, ALL),
    ("POST", "/v1/rulesets/moon-hangs-low/odds", SKILL_CHECK, ALL),
    ("POST", "/v1/rulesets/fort-ref-will/sheet", {}, ALL),
    ("POST", "/v1/campaigns", {"name": "New", "ruleset": "moon-hangs-low"}, ADMINS),
    ("GET", "/v1/campaigns", None, ADMINS),
    ("GET", "{c}", None, GMS),
    ("PATCH", "{c}", {"name": "Renamed"}, GMS),
    ("POST", "{c}/players", {"user": "cara", "name": "Cara"}, GMS),
    ("GET", "{c}/players", None, GMS),
    ("GET", "{c}/players/bert", None, GMS),
    ("DELETE", "{c}/players/bert", None, GMS),
    ("DELETE", "{c}/players?user=bert", None, GMS),
    ("GET", "{c}/me", None, MEMBERS),
    ("POST", "{c}/lease", {"name": "post", "holder": "tab"}, GMS),
    ("POST", "{c}/sessions", {"title": "One"}, GMS),
    ("GET", "{c}/sessions", None, MEMBERS),
    ("GET", "{c}/sessions/{s}", None, MEMBERS),
    ("POST", "{c}/sessions/{s}/end", None, GMS),
    ("POST", "{c}/rolls", SKILL_CHECK, MEMBERS),
    ("GET", "{c}/rolls", None, MEMBERS),
    ("GET", "{c}/rolls/{r}", None, MEMBERS),
    ("POST", "{c}/rolls/{r}/answer", {"params": {}}, MEMBERS),
    ("GET", "{c}/stream", None, MEMBERS),
    ("POST", "{c}/webhooks", {"kind": "standard", "url": "https://example.org/hook"}, GMS),
    ("GET", "{c}/webhooks", None, GMS),
    ("GET", "{c}/webhooks/{w}", None, GMS),
    ("PATCH", "{c}/webhooks/{w}", {"name": "Renamed"}, GMS),
    ("POST", "{c}/webhooks/{w}/rotate", None, GMS),
    ("POST", "{c}/webhooks/{w}/test", None, GMS),
    ("GET", "{c}/webhooks/{w}/deliveries", None, GMS),
    ("GET", "{c}/webhooks/{w}/deliveries/{d}", None, GMS),
    ("POST", "{c}/webhooks/{w}/deliveries/{d}/redeliver", None, GMS),
    ("POST", "{c}/deliveries/{d}/redeliver", None, GMS),
    ("DELETE", "{c}/webhooks/{w}", None, GMS),
    ("POST", "{c}/reports", {"publish": False}, MEMBERS),
    ("GET", "{c}/reports", None, MEMBERS),
    ("GET", "{c}/reports/{p}", None, MEMBERS),
    ("GET", "{c}/reports/{p}.html", None, MEMBERS),
    ("GET", "{c}/reports/{p}.csv", None, MEMBERS),
    ("GET", "{c}/reports/{p}.png", None, MEMBERS),
    ("GET", "{c}/reports/{p}.svg", None, MEMBERS),
    ("DELETE", "{c}/reports/{p}", None, GMS),
    ("DELETE", "{c}/rolls/{r}", None, GMS),
    ("DELETE", "{c}/sessions/{s}", None, GMS),
    ("GET", "{c}/export", None, GMS),
    ("DELETE", "{c}", None, OWNERS),
]


@pytest.fixture
def people(table, settings, app):
    return {
        NONE: None,
        BAD: "tbp_" + "x" * 43,
        PLAYER: table.tokens["anna"],
        OTHER_GM: set_table(app, settings).gm,
        GM: table.gm,
        ADMIN: settings.admin_token,
    }


def published_report(table):
    """A report that everybody may read, with a plot."""
    reports = table.services.store.reports
    report = reports.find(table.post("/reports", {"publish": True}).json["id"])
    parts = {"html": b"page", "csv": b"table", "png:luck": b"plot", "svg:luck": b"plot"}
    reports.finish(report, parts | {"result": b'{"plots": []}'}, {})
    return report.id


@pytest.mark.parametrize(("method", "path", "body", "expected"), CALLS, ids=lambda value: str(value)[:40])
def test_who_may_call(table, people, method, path, body, expected):
    roll = table.rolled()
    if path.endswith("/sessions") and method == "POST":
        table.post(f"/sessions/{roll['session']}/end", None)
    webhook = table.webhook() if "{w}" in path or "{d}" in path else ""
    path = path.format(
        c=table.path,
        s=roll["session"],
        r=roll["id"],
        p=published_report(table) if "{p}" in path else "",
        w=webhook,
        d=table.services.store.webhooks.test(table.id, webhook) if "{d}" in path else "",
    )
    for who, status in zip(PEOPLE, expected, strict=True):
        answer = table.call(method, path, people[who], body, Idempotency_Key=fresh_key())
        answer.close()
        if status == "ok":
            # 409: the roll asks nobody for an answer, which only those learn who may ask
            assert answer.status_code in (200, 201, 202, 204, 409), (who, answer.text)
        else:
            assert answer.status_code == status, (who, answer.text)
            assert answer.mimetype == "application/problem+json"
        assert ("WWW-Authenticate" in answer.headers) == (answer.status_code == 401)


def test_the_matrix_misses_no_endpoint(app):
    """Each call of the API stands in the table above."""
    listed = {
        (method, path.split("?")[0].format(c="C", s="S", r="R", p="P", w="W", d="D"))
        for method, path, _, _ in CALLS
    }
    shapes = {
        (method, path.replace("heroes-2d6", "N").replace("moon-hangs-low", "N").replace("fort-ref-will", "N"))
        for method, path in ((m, p.replace("/bert", "/U")) for m, p in listed)
    }
    known = set()
    for rule in app.url_map.iter_rules():
        path = rule.rule
        for converter, letter in (("<id:campaign>", "C"), ("<id:session>", "S"), ("<roll:roll>", "R")):
            path = path.replace(converter, letter)
        path = (
            path.replace("<id:report>", "P").replace("<id:webhook>", "W").replace("<delivery:delivery>", "D")
        )
        path = path.replace("<name:ruleset>", "N").replace("<user:user>", "U")
        path = path.replace("/v1/campaigns/C", "C")
        known |= {(method, path) for method in rule.methods - {"HEAD", "OPTIONS"}}
    pages = {("GET", path) for path in ("/", "/readyz", "/docs/start.js", "/docs/problems", "/verify")}
    assets = {pair for pair in known if pair[1].startswith(("/docs/assets/", "/verify/assets/"))}
    schemas = {(method, path) for method, path in known if path.startswith("/docs/schemas/")}
    console = {(method, path) for method, path in known if path.startswith("/console/")}  # see console/
    assert known - pages - assets - schemas - console == shapes
    assert set(CONVERTERS) == {"id", "roll", "name", "user", "delivery"}


def test_the_scheme_must_be_bearer(table):
    for header in (f"Basic {table.gm}", table.gm, "Bearer", "Bearer ", f"Bearer {table.gm} {table.gm}"):
        answer = table.app.test_client().get(f"{table.path}/rolls", headers={"Authorization": header})
        assert answer.status_code == 401


def test_a_revoked_token_is_unknown(table):
    token = table.tokens["anna"]
    table.call("DELETE", f"{table.path}/players/anna", table.gm)
    assert table.get("/rolls", token).status_code == 401


def test_a_second_token_replaces_the_first(table):
    first = table.tokens["anna"]
    second = table.player("anna")
    assert table.get("/rolls", first).status_code == 401
    assert table.get("/rolls", second).status_code == 200


def test_a_stranger_learns_nothing_of_a_campaign_that_exists(table, people):
    real = table.call("GET", f"{table.path}/rolls", people[OTHER_GM])
    made_up = table.call("GET", "/v1/campaigns/aaaaaaaaaa/rolls", people[OTHER_GM])
    assert real.status_code == made_up.status_code == 404
    assert real.json == made_up.json


def test_bad_bodies_do_not_tell_strangers_more(table, people):
    for who, status in ((NONE, 401), (BAD, 401), (OTHER_GM, 404)):
        assert table.call("POST", f"{table.path}/rolls", people[who], {"nonsense": 1}).status_code == status
