"""Reading requests strictly: one JSON object in UTF-8, and query parameters given once."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any, Never, NoReturn
from urllib.parse import unquote_to_bytes

import marshmallow as ma
from flask import Request, Response, g
from orjson import OPT_SORT_KEYS, dumps
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import RequestEntityTooLarge

from service.problems import BAD_REQUEST, MALFORMED_JSON, MEDIA, Problem, invalid

LARGEST_BODY = 64 * 1024
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def parse_json(raw: bytes) -> Any:
    """Return the JSON value in `raw`.

    Refuses, as a 400: anything but UTF-8, syntax errors, NaN and infinities, a name given twice in an object,
    numbers or nesting beyond reason, NUL and lone surrogates.
    """
    try:
        text = raw.decode()
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant, parse_float=_finite)
        if "\\u" in text:
            _check_text(value)
    except UnicodeError as error:
        raise Problem(MALFORMED_JSON, "Send text that can be written as UTF-8.") from error
    except RecursionError as error:
        raise Problem(MALFORMED_JSON, "The body is nested too deeply.") from error
    except json.JSONDecodeError as error:
        raise Problem(MALFORMED_JSON, f"Not JSON: {error.msg} at character {error.pos + 1}.") from error
    except ValueError as error:
        sentence = str(error) if isinstance(error, _Refused) else "A number has too many digits."
        raise Problem(MALFORMED_JSON, sentence) from error
    return value


class _Refused(ValueError):
    """Valid for Python's JSON reader, not for us; the message is the sentence for the caller."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Refused("A name occurs twice in one object; give each field once.")
    return found


def _no_constant(name: str) -> Never:
    raise _Refused(f"{name} is not a number in JSON.")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _Refused("A number is too large.")
    return number


def _check_text(value: Any) -> None:
    """Refuse what only an escape can smuggle into a string: NUL and lone surrogates."""
    if isinstance(value, str):
        value.encode()
        if "\0" in value:
            raise _Refused("Text must not hold the character NUL.")
    elif isinstance(value, dict):
        for name, below in value.items():
            _check_text(name)
            _check_text(below)
    elif isinstance(value, list):
        for below in value:
            _check_text(below)


def read_body(request: Request, *, required: bool = True) -> Any:
    """Return the parsed body of a request; an empty one is {} unless `required`."""
    raw = request.get_data(cache=True)
    if len(raw) >= LARGEST_BODY and request.content_length is None:
        # Werkzeug 3.1 cuts off a body sent in chunks at the limit, and says nothing.
        raise RequestEntityTooLarge
    if not raw and not required:
        return {}
    if request.mimetype != "application/json":
        raise Problem(MEDIA)
    if not raw:
        raise Problem(MALFORMED_JSON, "The body is empty; send a JSON object.")
    return parse_json(raw)


def body_fingerprint(body: Any) -> bytes:
    """Return `body` as bytes: the same for the same JSON, whatever its spacing and the order of its names."""
    try:
        return dumps(body, option=OPT_SORT_KEYS)
    except TypeError:  # an integer beyond 64 bits: refused by every field, but it must not fail here
        return json.dumps(body, sort_keys=True).encode()


def query_of(request: Request) -> dict[str, str]:
    """Return the query parameters, each given once; refuse what is no text."""
    try:
        unquote_to_bytes(request.query_string).decode()  # Werkzeug keeps what it cannot read as it came
    except UnicodeDecodeError as error:
        raise Problem(BAD_REQUEST, "The query holds bytes that are no UTF-8 text.") from error
    found: dict[str, str] = {}
    for name, values in request.args.lists():
        if len(values) > 1:
            raise invalid({name: ["Give this parameter once."]})
        if _CONTROL.search(values[0]):
            raise invalid({name: ["Must be text without control characters."]})
        found[name] = values[0]
    return found


class StrictParser(FlaskParser):
    """Webargs' parser with the reading above, and its failures as problems."""

    def load_json(self, req: Request, schema: ma.Schema) -> Any:
        """Return the parsed body; a schema without required fields takes none at all."""
        g.body = read_body(req, required=any(field.required for field in schema.fields.values()))
        return g.body

    def load_querystring(self, req: Request, schema: ma.Schema) -> Any:
        """Return the query parameters."""
        return query_of(req)

    def handle_error(
        self,
        error: ma.ValidationError,
        req: Request,
        schema: ma.Schema,
        *,
        error_status_code: int | None,
        error_headers: Mapping[str, str] | None,
    ) -> NoReturn:
        """Raise the 422 with its messages by field, without webargs' wrapper that names the place."""
        messages: Mapping[str, Any] = error.messages_dict
        place = next(iter(messages), "")
        if set(messages) == {place} and place in ("json", "query") and isinstance(messages[place], Mapping):
            messages = messages[place]
        raise invalid(_friendly(messages)) from error


def _friendly(messages: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: ["Must be a JSON object."] if below == ["Invalid input type."] else below
        for name, below in messages.items()
    }


def json_answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return `value` as a JSON answer that no cache keeps."""
    answer = Response(dumps(value), status=status, content_type="application/json")
    answer.headers["Cache-Control"] = "no-store"
    answer.headers.update(headers or {})
    return answer
