"""Schemathesis: whatever is sent, no 500 and no answer that the OpenAPI document does not tell.

A batch of requests, valid and not, for every call, each made by everybody, with a worker at work on a real
Valkey.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase
from hypothesis import settings as settings_of_hypothesis
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from service import sse
from service.settings import Settings
from tests.service.table import Table, bearer, make_app, serving, set_table, staff
from worker.report import make_in

pytestmark = pytest.mark.timeout(240)

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
EXAMPLES = 12
"""Random requests for each call, besides those that cover each limit of the document."""


def _document() -> dict[str, Any]:
    """The document; to write it the service connects to nothing."""
    made_up = Settings(admin_token="unused", data=Path(), redis_url="redis://unused.invalid")
    document: dict[str, Any] = make_app(made_up).test_client().get("/openapi.json").json
    return document


document = schemathesis.openapi.from_dict(_document())


@pytest.fixture
def table(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Table]:
    """A table with something of everything: an ended and an open session, rolls of all kinds, a challenge."""
    # A stream has no end, so here it is over once it has begun.
    monkeypatch.setattr(sse.EventStream, "__iter__", lambda _: iter([sse.OPENING]))
    table = set_table(make_app(replace(settings, rate_limits=False)), settings, "fort-ref-will")
    for user in ("anna", "bert"):
        table.player(user)
    test = {"action": "test", "params": {}}
    session = table.rolled(body=test)["session"]
    table.post(f"/sessions/{session}/end", None)
    for visibility in ("public", "gm", "blind", "self"):
        table.rolled(table.tokens["anna"], test, visibility=visibility)
    opponent = {"kind": "player", "user": "bert"}
    table.rolled(table.tokens["anna"], {"action": "contest", "params": {"opponent": opponent}})
    staff(table.services.redis)
    for wish in ({}, {"publish": True}):
        make_in(table.services.store, table.post("/reports", wish).json["id"])
    with table.working():
        yield table


@pytest.fixture
def address(table: Table) -> Iterator[str]:
    """Where the service is served."""
    with serving(table.app) as address:
        yield address


@document.parametrize()
@settings_of_hypothesis(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_no_answer_is_a_surprise(case: schemathesis.Case, table: Table, address: str) -> None:
    aim(case, table)
    everybody = (None, table.admin, table.tokens["anna"], table.gm)
    for token in everybody if case.operation.definition.raw.get("security") else (None,):
        case.call_and_validate(base_url=address, headers=bearer(token), checks=CHECKS)


def aim(case: schemathesis.Case, table: Table) -> None:
    """Point two of three requests at things that exist, so that they get past the first 404."""
    if not case.path_parameters or len(str(case.headers) + str(case.query)) % 3 == 0:
        return
    rolls = [roll.decode() for roll in table.services.redis.zrange("tb:pending", 0, -1)]
    rolls += [roll["id"] for roll in table.get("/rolls").json["rolls"]]
    reports = [report["id"] for report in table.get("/reports").json["reports"]]
    real = {
        "campaign": table.id,
        "ruleset": "fort-ref-will",
        "roll": rolls[len(str(case.body)) % len(rolls)],
        "session": table.get("/sessions").json["sessions"][-1]["id"],
        "user": "bert",
        "report": reports[len(str(case.query)) % len(reports)] if reports else "aaaaaaaaaa",
    }
    webhook = table.webhook()
    real |= {"webhook": webhook, "delivery": table.services.store.webhooks.test(table.id, webhook)}
    case.path_parameters = {name: real[name] for name in case.path_parameters}
