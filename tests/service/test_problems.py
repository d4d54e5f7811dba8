"""Every error is a problem (RFC 9457) that says what to do."""

import pytest

from service.problems import KINDS, MEDIA_TYPE, invalid
from tests.service.table import SKILL_CHECK


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing", 404),
        ("GET", "/v1", 404),
        ("GET", "/v1/campaigns/SHOUTING", 404),
        ("GET", "/v1/campaigns/aaaaaaaaaa/rolls/x", 404),
        ("GET", "/v1//campaigns", 404),
        ("GET", "/v1/rulesets/", 404),
        ("GET", "/%00", 404),
        ("GET", "/%ff", 404),
        ("GET", "/docs/assets/secret.txt", 404),
        ("PUT", "/v1/campaigns", 405),
        ("DELETE", "/livez", 405),
        ("TRACE", "/v1/rulesets", 405),
        ("GET", "/v1/campaigns", 401),
    ],
)
def test_errors_have_one_form(app, method, path, status):
    answer = app.test_client().open(path, method=method)
    assert (answer.status_code, answer.content_type) == (status, MEDIA_TYPE)
    problem = answer.json
    assert problem["status"] == status and problem["title"]
    assert problem["type"].startswith("/docs/problems#")
    assert problem["detail"].endswith(".")


def test_a_wrong_method_names_the_right_ones(app):
    answer = app.test_client().put("/v1/campaigns")
    assert set(answer.headers["Allow"].split(", ")) >= {"GET", "POST"}


def test_every_type_is_explained_where_it_points(app):
    page = app.test_client().get("/docs/problems")
    assert page.status_code == 200 and page.mimetype == "text/html"
    for kind in KINDS:
        assert kind.type == f"/docs/problems#{kind.name}"
        assert f'id="{kind.name}"' in page.text and kind.title in page.text


def test_a_fault_of_ours_tells_nothing_of_the_inside(table, monkeypatch, caplog):
    def broken(*_):
        raise RuntimeError("the secret is 42")

    monkeypatch.setattr("service.api.rolls.present", broken)
    answer = table.roll(body=SKILL_CHECK)
    assert answer.status_code == 500 and answer.content_type == MEDIA_TYPE
    assert "secret" not in answer.text and "Traceback" not in answer.text
    assert "the secret is 42" in caplog.text


def test_detail_names_the_first_wrong_field():
    problem = invalid({"params": {"opponent": {"user": ["Must be somebody else."]}}, "label": ["x"]})
    assert problem.detail == "params.opponent.user: Must be somebody else."


def test_an_object_that_is_wrong_as_a_whole_needs_no_name():
    assert invalid({"_schema": ["Invalid input type."]}).detail == "Invalid input type."
    assert invalid({"items": {3: {"_schema": ["No."]}}}).detail == "items.3: No."


def test_answers_are_not_kept_by_caches_nor_sniffed(table):
    for answer in (table.get("/rolls"), table.get("/nothing"), table.roll()):
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
