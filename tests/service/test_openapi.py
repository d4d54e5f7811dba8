"""The OpenAPI document, its page, and that it says what the service does."""

import re

import jsonschema_rs
import pytest

from rules import registry
from service.docs import ASSETS
from service.presenting import KEYS
from tests.service.table import SKILL_CHECK


@pytest.fixture
def document(app):
    return app.test_client().get("/openapi.json").json


def test_it_is_openapi_3_1(document):
    assert document["openapi"].startswith("3.1")
    assert document["info"]["title"] == "Tallybones"
    assert document["components"]["securitySchemes"]["token"] == {"type": "http", "scheme": "bearer"}


def test_every_endpoint_is_in_it(app, document):
    paths = {re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule) for rule in app.url_map.iter_rules()}
    api = {path for path in paths if path.startswith("/v1")} | {"/livez", "/readyz", "/metrics"}
    assert set(document["paths"]) == api


def test_every_call_says_who_may_make_it_and_how_it_fails(document):
    for path, calls in document["paths"].items():
        for method, call in calls.items():
            if method == "parameters":
                continue
            assert call["summary"].endswith("."), (method, path)
            assert any(status.startswith("2") for status in call["responses"])
            assert "429" in call["responses"] or path in ("/livez", "/readyz")
            if "{campaign}" in path:
                assert call["security"] == [{"token": []}]
                assert {"401", "403", "404", "503"} <= set(call["responses"])
            for status, answer in call["responses"].items():
                if "$ref" in answer:
                    answer = document["components"]["responses"][answer["$ref"].rsplit("/")[-1]]
                if int(status) >= 400:
                    assert set(answer["content"]) == {"application/problem+json"}


def test_the_fields_of_each_action_are_the_rule_sets_own(document):
    schemas = document["components"]["schemas"]
    for ruleset in registry.all():
        for action in ruleset.actions:
            described = schemas[f"{ruleset.id}.{action.name}"]
            assert set(described["properties"]) == set(action.field_map())
            assert described["additionalProperties"] is False
    stat = schemas["moon-hangs-low.skill-check"]["properties"]["stat"]
    assert (stat["type"], stat["minimum"], stat["maximum"]) == ("integer", 1, 5)
    names = [ref["$ref"].rsplit("/")[-1] for ref in schemas["NewRoll"]["properties"]["params"]["anyOf"]]
    assert {"heroes-2d6.opposed-test", "fort-ref-will.save"} <= set(names)


def test_no_schema_is_left_without_a_name_of_ours(document):
    assert not [name for name in document["components"]["schemas"] if re.search(r"Schema\d*$", name)]


@pytest.mark.parametrize(
    ("component", "good", "bad"),
    [
        ("moon-hangs-low.skill-check", {"stat": 3, "dv": 1}, {"stat": 3, "dv": 0}),
        ("heroes-2d6.unopposed-test", {"skill": 1, "tn": 9}, {"skill": 1, "tn": 9, "difficulty": "easy"}),
        ("heroes-2d6.unopposed-test", {"skill": 1, "difficulty": "easy"}, {"skill": 1}),
        ("fort-ref-will.contest", {"opponent": {"kind": "npc"}}, {"opponent": {"kind": "dragon"}}),
        (
            "fort-ref-will.contest",
            {"opponent": {"kind": "player", "user": "a"}},
            {"opponent": {"kind": "player"}},
        ),
    ],
)
def test_the_document_and_the_rules_agree(document, component, good, bad):
    schema = {"$ref": f"#/components/schemas/{component}", "components": document["components"]}
    ruleset, _, action = component.partition(".")
    assert jsonschema_rs.is_valid(schema, good) and registry.get(ruleset).load(action, good)
    assert not jsonschema_rs.is_valid(schema, bad)


@pytest.mark.parametrize("visibility", ["public", "gm", "blind", "self"])
def test_answers_are_as_the_document_says(table, document, visibility):
    token = table.tokens["anna"]
    schema = {"$ref": "#/components/schemas/Roll", "components": document["components"]}
    pending = table.roll(token, SKILL_CHECK | {"visibility": visibility}).json
    table.work()
    resolved = table.get(f"/rolls/{pending['id']}", token).json
    for shown in (pending, resolved):
        assert [str(error) for error in jsonschema_rs.Draft202012Validator(schema).iter_errors(shown)] == []


def test_the_page_loads_nothing_from_elsewhere(app):
    client = app.test_client()
    page = client.get("/docs")
    assert page.status_code == 200
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src 'self'" in policy and "unsafe-eval" not in policy
    sources = re.findall(r"(?:src|href)=\"([^\"]+)\"", page.text)
    assert sources and all(source.startswith("/") and not source.startswith("//") for source in sources)
    assert not re.search(r"<script>|<script [^>]*>[^<]", page.text) and " on" not in page.text.replace(
        " one", ""
    )
    for source in sources:
        assert client.get(source).status_code == 200, source
    assert {f"/docs/assets/{name}" for name in ASSETS} <= set(sources)


def test_the_document_says_nothing_of_the_console(document):
    assert all(path.startswith(("/v1/", "/livez", "/readyz", "/metrics")) for path in document["paths"])


def test_the_described_roll_has_the_keys_that_a_roll_is_shown_with(document):
    assert set(document["components"]["schemas"]["Roll"]["properties"]) == set(KEYS)
