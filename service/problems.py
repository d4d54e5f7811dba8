"""Errors as RFC 9457 problems: every kind in one table, and handlers that make one of whatever happened."""

import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from flask import Flask, Response, request
from redis.exceptions import (
    AuthenticationError,
    ConnectionError,
    ReadOnlyError,
    RedisError,
    ResponseError,
    TimeoutError,
)
from werkzeug.exceptions import HTTPException
from werkzeug.exceptions import TooManyRequests as WerkzeugTooManyRequests

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = 2
"""How long a caller is told to wait when Redis is away."""
LONGEST_PATH = 100
"""Characters of a field's path in a sentence; the path may hold what the caller made up."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Kind:
    """One kind of problem: the end of its type address, its status, its title, and what it means."""

    name: str
    status: int
    title: str
    meaning: str

    @property
    def type(self) -> str:
        """The problem's `type`: an address on this service where it is explained."""
        return f"/docs/problems#{self.name}"


BAD_REQUEST = Kind("bad-request", 400, "Bad request", "The request cannot be read: see detail.")
MALFORMED_JSON = Kind(
    "malformed-json", 400, "Malformed JSON", "The body is not one valid JSON value in UTF-8."
)
IDEMPOTENCY_KEY = Kind(
    "idempotency-key",
    400,
    "Idempotency-Key needed",
    "A roll needs the header Idempotency-Key: 1 to 128 of A-Z a-z 0-9 . _ : -, new for each click, the same "
    "when the same click is sent again.",
)
UNAUTHORIZED = Kind("unauthorized", 401, "Token needed", "Send a known token as Authorization: Bearer TOKEN.")
FORBIDDEN = Kind("forbidden", 403, "Not allowed", "The token is good, but not for this call.")
NOT_FOUND = Kind("not-found", 404, "Not found", "There is nothing here, or nothing that this token may see.")
METHOD = Kind(
    "method-not-allowed", 405, "Method not allowed", "The header Allow names the methods of this path."
)
SESSION_OPEN = Kind(
    "session-open", 409, "A session is open", "End the open session before you start another."
)
SESSION_NOT_OPEN = Kind(
    "session-not-open",
    409,
    "Session not open",
    "Rolls go to the open session; leave session out to use it, or to open one.",
)
SESSION_NOT_ENDED = Kind("session-not-ended", 409, "Session not ended", "End the session, then delete it.")
NOT_RESOLVED = Kind(
    "not-resolved", 409, "Roll not resolved", "A roll can be deleted as soon as it is resolved, or closed."
)
ALREADY_ANSWERED = Kind("already-answered", 409, "Already answered", "A challenge is answered once.")
NOT_AWAITING = Kind("not-awaiting", 409, "Nothing to answer", "This roll does not wait for an answer.")
TOO_MANY_WEBHOOKS = Kind(
    "too-many-webhooks", 409, "Too many webhooks", "A campaign has at most 20 webhooks; delete one first."
)
NO_SECRET = Kind(
    "no-secret", 409, "No secret", "Only a webhook of kind standard has a secret; change the address instead."
)
REPORT_NOT_DONE = Kind(
    "report-not-done", 409, "Report not done", "The report is being made, or could not be: see detail."
)
TOO_LARGE = Kind("too-large", 413, "Body too large", "A body has at most 64 KiB.")
MEDIA = Kind("unsupported-media-type", 415, "JSON only", "Send the body with Content-Type: application/json.")
INVALID = Kind("invalid", 422, "Invalid", "The field errors names each wrong field and what it takes.")
KEY_REUSED = Kind(
    "key-reused",
    422,
    "Idempotency-Key used before",
    "This key was sent with another body; a new click needs a new key.",
)
TOO_MANY = Kind("too-many-requests", 429, "Too many requests", "Wait as many seconds as Retry-After says.")
INTERNAL = Kind("internal", 500, "Internal error", "A fault of the service; its log has the details.")
UNAVAILABLE = Kind(
    "unavailable",
    503,
    "Temporarily unavailable",
    "The store behind the service does not take this now. Send the same request, with the same "
    "Idempotency-Key, after Retry-After seconds.",
)
NOT_READY = Kind("not-ready", 503, "Not ready", "The field missing names what the service lacks.")

KINDS = tuple(value for value in list(vars().values()) if isinstance(value, Kind))
_BY_STATUS = {kind.status: kind for kind in reversed(KINDS)}


class Problem(Exception):
    """An answer that is an error: its kind, and a sentence that says what to do."""

    def __init__(
        self,
        kind: Kind,
        detail: str | None = None,
        *,
        errors: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        **members: Any,
    ) -> None:
        super().__init__(detail or kind.meaning)
        self.kind = kind
        self.detail = detail or kind.meaning
        self.errors = errors
        self.headers = dict(headers or {})
        self.members = members

    def response(self) -> Response:
        """Return the problem as an answer."""
        body: dict[str, Any] = {
            "type": self.kind.type,
            "title": self.kind.title,
            "status": self.kind.status,
            "detail": self.detail,
        }
        if self.errors is not None:
            body["errors"] = self.errors
        body |= self.members
        answer = Response(_as_json(body), status=self.kind.status, content_type=MEDIA_TYPE)
        answer.headers.update(self.headers)
        answer.headers["Cache-Control"] = "no-store"
        return answer


def invalid(errors: Mapping[str, Any]) -> Problem:
    """Return the 422 for validation messages by field, nested as marshmallow nests them."""
    path, message = next(_leaves(errors), ((), INVALID.meaning))
    where = ".".join(path)
    where = where if len(where) <= LONGEST_PATH else where[:LONGEST_PATH] + "…"
    return Problem(INVALID, f"{where}: {message}" if where else message, errors=_plain(errors))


def unauthorized(detail: str) -> Problem:
    """Return the 401 for a token that is missing or unknown."""
    return Problem(UNAUTHORIZED, detail, headers={"WWW-Authenticate": 'Bearer realm="tallybones"'})


def not_found(what: str) -> Problem:
    """Return the 404 for `what`: the same whether it does not exist or may not be seen."""
    return Problem(NOT_FOUND, f"There is no such {what}, or this token may not see it.")


def unavailable() -> Problem:
    """Return the 503 for a Redis that is away, loading, full or read-only."""
    return Problem(UNAVAILABLE, headers={"Retry-After": str(RETRY_SECONDS)})


def register(app: Flask) -> None:
    """Answer every error of `app` with a problem."""
    app.register_error_handler(Problem, Problem.response)
    app.register_error_handler(RedisError, _redis_failed)
    app.register_error_handler(HTTPException, _http_failed)
    app.register_error_handler(Exception, _failed)


def _redis_failed(error: RedisError) -> Response:
    if is_outage(error):
        log.warning("Redis does not take the request: %s", error)
        return unavailable().response()
    return _failed(error)


_IN_PIPELINE = re.compile(r"Command # \d+ \(.*?\) of pipeline caused error: ", re.DOTALL)
"""What redis-py puts before the error of a command in a pipeline."""
_AWAY = (
    "BUSY ",
    "CLUSTERDOWN",
    "LOADING",
    "MASTERDOWN",
    "MISCONF",
    "NOREPLICAS",
    "OOM",
    "READONLY",
    "TRYAGAIN",
    "UNBLOCKED",
)


def is_outage(error: RedisError) -> bool:
    """Tell a server that cannot serve just now from a mistake of ours."""
    if isinstance(error, (ConnectionError, TimeoutError, ReadOnlyError, AuthenticationError)):
        return True
    # redis-py drops the code of the errors it knows ("OOM …" becomes OutOfMemoryError), and keeps the others.
    known = type(error).__name__ in (
        "OutOfMemoryError",
        "BusyLoadingError",
        "MasterDownError",
        "ClusterDownError",
    )
    said = _IN_PIPELINE.sub("", str(error), count=1)
    return known or (isinstance(error, ResponseError) and said.startswith(_AWAY))


def _http_failed(error: HTTPException) -> Response:
    status = error.code or 500
    headers = {name: value for name, value in error.get_headers() if name in ("Allow", "Retry-After")}
    kind = _BY_STATUS.get(status)
    if kind is None:
        kind = Kind("bad-request", status, error.name, error.description or error.name)
    if kind is TOO_LARGE:
        _drain()
    if kind is NOT_FOUND:
        return Problem(NOT_FOUND, "There is nothing at this path; /docs lists what there is.").response()
    if isinstance(error, WerkzeugTooManyRequests):
        headers.setdefault("Retry-After", "1")
    return Problem(kind, headers=headers).response()


def _failed(error: Exception) -> Response:
    log.error("unexpected error in %s %s", request.method, request.path, exc_info=error)
    return Problem(INTERNAL, "Something went wrong in the service; its log says what. Try again.").response()


MOST_DRAINED = 8 * 1024 * 1024


def _drain() -> None:
    """Read what is left of a refused body: closing on unread bytes would reset the connection, and the caller
    would never see the answer."""
    stream, left = request.environ["wsgi.input"], MOST_DRAINED
    length = request.content_length
    if length is not None:
        left = min(left, length)
    elif not request.environ.get("wsgi.input_terminated"):
        return
    try:
        while left > 0 and (chunk := stream.read(min(left, 65536))):
            left -= len(chunk)
    except OSError:
        log.debug("the caller went away while its body was drained")


def _leaves(errors: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each message with its path; "_schema" stands for the object itself."""
    if isinstance(errors, Mapping):
        for name, below in errors.items():
            yield from _leaves(below, path if name == "_schema" else (*path, str(name)))
    elif isinstance(errors, (list, tuple)):
        for message in errors:
            yield from _leaves(message, path)
    else:
        yield path, str(errors)


def _plain(errors: Any) -> Any:
    """Return messages as JSON takes them: a list's places (integers) become names."""
    if isinstance(errors, Mapping):
        return {str(name): _plain(below) for name, below in errors.items()}
    return [_plain(each) for each in errors] if isinstance(errors, (list, tuple)) else str(errors)


def _as_json(body: Mapping[str, Any]) -> bytes:
    return orjson.dumps(body)
