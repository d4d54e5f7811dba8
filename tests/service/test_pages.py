"""Every page and every form that the service serves: none can be framed, scripted from outside, or sent from
another site. Made from the service's own routes, so that none is forgotten.
"""

import gzip
import json
import re
from dataclasses import replace

import pytest

from tests.service.console.browser import Console
from tests.service.table import SKILL_CHECK, bearer, fresh_key, make_app


def pages(app, method):
    """Every route outside the API that takes `method`, with made-up parts."""
    for rule in app.url_map.iter_rules():
        if method in rule.methods and not rule.rule.startswith("/v1/"):
            yield re.sub(r"<(?:[^:>]*:)?(\w+)>", _part, rule.rule)


def _part(part):
    made_up = {"ruleset": "moon-hangs-low", "action": "skill-check", "user": "anna"}
    made_up |= {"roll": "aaaaaaaaaa-bbbbbbbbbb", "delivery": "aaaaaaaaaa-" + "0" * 24}
    return made_up.get(part[1], "aaaaaaaaaa")


def policy_of(answer):
    """The parts of an answer's content security policy."""
    parts = answer.headers["Content-Security-Policy"].split(";")
    return {name: value for name, _, value in (part.strip().partition(" ") for part in parts)}


@pytest.fixture
def console(table):
    return Console(table).sign_in()


def test_every_html_page_says_what_it_may_do_and_that_none_frames_it(table, console):
    seen = set()
    for path in pages(table.app, "GET"):
        if path.endswith("/stream"):
            continue
        for client in (console.client, table.app.test_client()):
            answer = client.get(path)
            answer.close()
            assert answer.headers["X-Content-Type-Options"] == "nosniff", path
            if answer.mimetype != "text/html":
                continue
            seen.add(path)
            policy = dict(
                part.split(" ", 1) for part in answer.headers["Content-Security-Policy"].split("; ")
            )
            assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'", path
            assert "'unsafe-inline'" not in policy.get("script-src", ""), path
            assert policy["form-action"] in ("'self'", "'none'"), path
    assert len(seen) > 15 and {"/", "/docs", "/docs/problems"} <= seen


def test_a_report_page_cannot_be_framed_and_runs_nothing(table):
    reports = table.services.store.reports
    report = reports.find(table.post("/reports", {}).json["id"])
    parts = {"html": b"<p>page", "csv": b"t", "png:luck": b"p", "svg:luck": b"<svg/>"}
    reports.finish(report, parts | {"result": b'{"plots": []}'}, {})
    for form in ("html", "svg"):
        answer = table.get(f"/reports/{report.id}.{form}")
        policy = policy_of(answer)
        assert policy["default-src"] == "'none'" and "script-src" not in policy
        assert "sandbox" in policy or policy["frame-ancestors"] == "'none'"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_every_form_needs_the_token_of_its_page(table, console):
    """As from another site's page: the browser brings the cookie along, and nothing else."""
    before = [
        table.get(path).data for path in ("", "/players", "/sessions", "/rolls", "/webhooks", "/reports")
    ]
    tried = 0
    for path in pages(table.app, "POST"):
        if path == "/console/sign-in":
            continue
        tried += 1
        for given in ({}, {"form_token": "guess"}):
            assert console.client.post(path, data=given).status_code == 403, path
        headers = {"Origin": "http://localhost:30000", "Sec-Fetch-Site": "same-site"}
        assert console.client.post(path, headers=headers).status_code == 403, path
        assert table.app.test_client().post(path).status_code in (401, 403), path
    assert tried > 10
    after = [
        table.get(path).data for path in ("", "/players", "/sessions", "/rolls", "/webhooks", "/reports")
    ]
    assert after == before


def test_nobody_is_signed_in_from_another_sites_page(table):
    headers = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    answer = table.app.test_client().post("/console/sign-in", data={"key": table.gm}, headers=headers)
    assert answer.status_code == 403 and "Set-Cookie" not in answer.headers


def test_no_page_of_another_origin_reads_an_answer(table):
    headers = bearer(table.gm) | {"Origin": "https://evil.example"}
    for path in ("/", f"{table.path}/rolls", "/metrics", "/openapi.json"):
        answer = table.app.test_client().get(path, headers=headers)
        assert "Access-Control-Allow-Origin" not in answer.headers, path


def test_a_compressed_body_is_not_unpacked(table):
    """So there is no zip bomb: a gigabyte of zeros is some bytes that are no JSON."""
    bomb = gzip.compress(b"0" * 10_000_000)
    assert len(bomb) < 64 * 1024
    for body in (bomb, gzip.compress(json.dumps(SKILL_CHECK).encode())):
        headers = bearer(table.gm) | {"Content-Encoding": "gzip", "Idempotency-Key": fresh_key()}
        answer = table.app.test_client().post(
            f"{table.path}/rolls", data=body, headers=headers, content_type="application/json"
        )
        assert answer.status_code in (400, 415) and answer.mimetype == "application/problem+json"


def test_a_form_without_end_is_refused(table, console):
    token = console.get("/console/campaign").form("/console/campaign/name").filled()["form_token"]
    for given in ({"name": "x" * 1_000_000}, {f"field{n}": "x" for n in range(5000)}):
        answer = console.client.post("/console/campaign/name", data={"form_token": token, **given})
        assert 400 <= answer.status_code < 500, answer.status_code


def test_the_admin_token_is_replaced_without_a_moment_in_which_none_is_good(settings):
    """Both are good while the old one is still named; then only the new one."""
    old, new = settings.admin_token, "tba_" + "n" * 43
    steps = ((settings, {old}), (replace(settings, admin_token=new, admin_token_old=old), {old, new}))
    for step, good in (*steps, (replace(settings, admin_token=new), {new})):
        client = make_app(step).test_client()
        for token in (old, new):
            status = client.get("/v1/campaigns", headers=bearer(token)).status_code
            assert status == (200 if token in good else 401)
