"""The console asks the API, within the process and for the GM who is signed in.

So whatever the console shows or changes has passed the API's own checks: nothing here decides anew who sees
what, what is valid, or what a change does.
"""

from collections.abc import Mapping
from typing import Any, cast

import orjson
from flask import Response, current_app, request
from werkzeug.test import EnvironBuilder

from service.auth import ON_BEHALF
from service.console.guard import signed_in


class Refused(Exception):
    """The API did not do it: `status`, a sentence that says why, and what is wrong by field."""

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after: str | None = None) -> None:
        super().__init__(problem.get("detail"))
        self.status = status
        self.sentence = str(problem.get("detail") or problem.get("title"))
        self.errors: Mapping[str, Any] = problem.get("errors") or {}
        self.retry_after = retry_after


def ask(
    method: str,
    path: str,
    body: Any = None,
    *,
    query: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Any:
    """Ask for `path` below the campaign, and return the answer's JSON. Raises Refused."""
    answer = answer_to(method, path, body, query=query, headers=headers)
    told = orjson.loads(answer.get_data() or b"null")
    if answer.status_code >= 400:
        raise Refused(answer.status_code, told or {}, answer.headers.get("Retry-After"))
    return told


def passed_on(path: str, media_type: str, query: Mapping[str, Any] | None = None) -> Response:
    """Return what the API answers as `media_type`, sent on as it is written. Raises Refused."""
    answer = answer_to("GET", path, query=query, headers={"Accept": media_type})
    if answer.status_code >= 400:
        raise Refused(answer.status_code, answer.get_json() or {}, answer.headers.get("Retry-After"))
    passed = Response(answer.iter_encoded(), content_type=answer.content_type)
    passed.call_on_close(answer.close)
    for name in ("Content-Disposition", "X-Accel-Buffering"):
        if name in answer.headers:
            passed.headers[name] = answer.headers[name]
    return passed


def answer_to(
    method: str,
    path: str,
    body: Any = None,
    *,
    query: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Ask for `path` below the campaign, and return the whole answer."""
    caller = signed_in()
    builder = EnvironBuilder(
        path=f"/v1/campaigns/{caller.campaign}{path}",
        base_url=request.host_url,
        method=method,
        query_string=dict(query) if query else None,
        json=body,
        headers=list((headers or {}).items()),
    )
    environ = builder.get_environ()
    environ[ON_BEHALF] = caller
    environ["REMOTE_ADDR"] = request.remote_addr or ""
    return cast(Response, Response.from_app(current_app.wsgi_app, environ))
