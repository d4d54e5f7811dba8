"""A call of the API: who may make it, what it takes and answers; said once for guard, validation, OpenAPI."""

import http
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import marshmallow as ma
from flask import request
from flask_smorest import Blueprint
from werkzeug.routing import BaseConverter

from rules.fields import USER_ID
from service.auth import Who, admit
from service.bodies import StrictParser
from service.schemas.fields import DELIVERY_ID, ID, ROLL_ID, RULE_SET

View = Callable[..., Any]
Answers = Mapping[int, type[ma.Schema] | Mapping[str, Any] | None]
Expected = list[tuple[str, ma.Schema]]

PARSER = StrictParser(unknown=None)


class IdConverter(BaseConverter):
    """A campaign's or session's id in a path; anything else is no path of ours."""

    regex = ID


class RollIdConverter(BaseConverter):
    """A roll's id in a path."""

    regex = ROLL_ID


class NameConverter(BaseConverter):
    """A rule set's id in a path."""

    regex = RULE_SET


class UserConverter(BaseConverter):
    """A user's id in a path."""

    regex = USER_ID


class DeliveryIdConverter(BaseConverter):
    """A delivery's id in a path."""

    regex = DELIVERY_ID


CONVERTERS: Mapping[str, type[BaseConverter]] = {
    "id": IdConverter,
    "roll": RollIdConverter,
    "name": NameConverter,
    "user": UserConverter,
    "delivery": DeliveryIdConverter,
}


class Calls(Blueprint):  # type: ignore[misc]
    """The calls of one resource."""

    def call(
        self,
        method: str,
        path: str,
        *,
        who: Who,
        answers: Answers,
        body: type[ma.Schema] | None = None,
        query: type[ma.Schema] | None = None,
        problems: tuple[int, ...] = (),
        media_type: str | None = None,
        also: Mapping[str, Mapping[str, Any]] | None = None,
        headers: tuple[Mapping[str, Any], ...] = (),
        needs_redis: bool = True,
        with_campaign: bool = False,
    ) -> Callable[[View], View]:
        """Make a view the answer to `method` `path`.

        The view gets the loaded `query`, then the loaded `body`, then the parts of the path by name.
        `problems` are the statuses that it adds to those that follow from the rest, `also` the other forms
        (media type and schema) in which it answers 200.
        """
        taken = (("query", query), ("json", body))
        expected: Expected = [(place, schema()) for place, schema in taken if schema is not None]
        statuses = set(problems) | _follow(
            who, expected, has_parts="<" in f"{self.url_prefix}{path}", needs_redis=needs_redis
        )

        def decorate(view: View) -> View:
            def answer(**parts: str) -> Any:
                admit(who, parts.get("campaign"), with_campaign=with_campaign)
                loaded = [PARSER.parse(schema, request, location=place) for place, schema in expected]
                return view(*loaded, **parts)

            description = self._describe(
                view.__doc__ or "", who, expected, answers, statuses, media_type, headers
            )
            for form, schema in (also or {}).items():
                add = self.alt_response(200, schema=schema, content_type=form, success=True)
                description = add(description)
            answer.__name__, answer.__doc__ = view.__name__, view.__doc__
            answer._apidoc = description._apidoc  # type: ignore[attr-defined]
            self.route(path, methods=[method])(answer)
            return view

        return decorate

    def _describe(
        self,
        doc: str,
        who: Who,
        expected: Expected,
        answers: Answers,
        problems: Iterable[int],
        media_type: str | None,
        headers: Iterable[Mapping[str, Any]],
    ) -> Any:
        """Return a stand-in that carries flask-smorest's description, made with its own decorators.

        On the view itself each of them would be one more call for each request.
        """

        def stand_in() -> None:
            """Carry the description."""

        described: Any = stand_in
        for place, schema in expected:
            described = self.arguments(schema, location=place, required=_required(schema))(described)
        for status, answered in answers.items():
            described = self.alt_response(status, schema=answered, content_type=media_type, success=True)(
                described
            )
        for status in sorted(problems):
            described = self.alt_response(status, http.HTTPStatus(status).name)(described)
        summary, _, more = inspect.cleandoc(doc).partition("\n\n")
        told = [more] if more else []
        if who is not Who.ANYBODY:
            told.append(f"Needs {who.value}.")
            described = self.doc(security=[{"token": []}])(described)
        if headers:
            described = self.doc(parameters=[dict(header) for header in headers])(described)
        return self.doc(summary=summary, description="\n\n".join(told))(described)


def _required(schema: ma.Schema) -> bool:
    return any(field.required for field in schema.fields.values())


def _follow(who: Who, expected: Expected, *, has_parts: bool, needs_redis: bool) -> set[int]:
    """Return the statuses of the problems that any such call can answer with."""
    statuses = {429}
    if expected:
        statuses |= {400, 422}
    if any(place == "json" for place, _ in expected):
        statuses |= {413, 415}
    if has_parts:
        statuses.add(404)
    if needs_redis:
        statuses.add(503)
    if who is not Who.ANYBODY:
        statuses |= {401, 403}
    return statuses
