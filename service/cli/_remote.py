"""Asking a running service, as any client would."""

import json
import urllib.error
import urllib.request
import uuid
from typing import Any

from service.cli import stop
from service.cli._params import problems
from service.connect_code import ConnectCode

WAIT = 10  # seconds that the service may take to resolve the roll


def roll(table: ConnectCode, body: dict[str, Any]) -> dict[str, Any]:
    """Return the roll that the table's service resolved, or say what went wrong and exit with code 1."""
    return _ask(table, "/rolls", body, {"Idempotency-Key": str(uuid.uuid4()), "Prefer": f"wait={WAIT}"})


def ruleset(table: ConnectCode) -> str:
    """Return the id of the rule set that is played at the table, or say what went wrong and exit."""
    return str(_ask(table, "", None, {})["ruleset"])


def _ask(
    table: ConnectCode, path: str, body: dict[str, Any] | None, headers: dict[str, str]
) -> dict[str, Any]:
    request = urllib.request.Request(  # noqa: S310  the GM's own connect code says where
        f"{table.url}/v1/campaigns/{table.campaign}{path}",
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {table.key}", "Content-Type": "application/json", **headers},
    )
    try:
        with urllib.request.urlopen(request, timeout=WAIT + 5) as answer:  # noqa: S310
            told: dict[str, Any] = json.load(answer)
            return told
    except urllib.error.HTTPError as error:
        raise stop(_sentence(error)) from error
    except OSError as error:
        raise stop(f"{table.url} does not answer: is the service running?") from error


def _sentence(error: urllib.error.HTTPError) -> str:
    try:
        problem = json.load(error)
    except ValueError:
        return f"The service answered {error.code} {error.reason}."
    found = problem.get("errors")
    return "\n".join(problems(found)) if found else str(problem.get("detail", error.reason))
