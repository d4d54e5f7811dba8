"""The OpenAPI document: what the calls say of themselves, with the rule sets' own fields in it."""

from typing import Any

import orjson
from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from flask import Flask, Response
from flask_smorest import Api
from marshmallow import fields
from werkzeug.routing import BaseConverter

from rules import registry
from rules.action import Action
from rules.fields import USER_ID, ListOf, Name, OneOfChoices, Params, UserId, Variant
from service import webhook_schemas
from service.calls import CONVERTERS
from service.problems import MEDIA_TYPE
from service.schemas.fields import Strict

VERSION = "1"
PATH = "/openapi.json"

DESCRIPTION = """Verifiable dice for a game table.

A roll is asked with `POST /v1/campaigns/{campaign}/rolls`; its card comes by `Prefer: wait=N`, on the
campaign's stream, or by asking for the roll. Every error is a problem (RFC 9457)."""


class ProblemDetails(Strict):
    """An error (RFC 9457)."""

    type = fields.String(required=True, metadata={"description": "Where this kind of problem is explained."})
    title = fields.String(required=True)
    status = fields.Integer(required=True)
    detail = fields.String(required=True, metadata={"description": "What is wrong, and what to do."})
    errors = fields.Dict(metadata={"description": "By field: what is wrong with each."})
    session = fields.String(metadata={"description": "The session that is open, where that is the problem."})
    missing = fields.List(
        fields.String(), metadata={"description": "What the service lacks, when it is not ready."}
    )


class TallybonesApi(Api):  # type: ignore[misc]
    """flask-smorest's API, whose errors are problems and handled by service.problems."""

    ERROR_SCHEMA = ProblemDetails
    DEFAULT_ERROR_RESPONSE_NAME = None

    def _register_error_handlers(self) -> None:
        pass

    def _register_responses(self) -> None:
        super()._register_responses()
        for response in self.spec.components.responses_lazy.values():
            content = response.get("content")
            if content and "application/json" in content:
                content[MEDIA_TYPE] = content.pop("application/json")


def make_api(app: Flask) -> TallybonesApi:
    """Return the API that the calls are registered with; `serve` adds its document."""
    app.config.update(API_TITLE="Tallybones", API_VERSION=VERSION, OPENAPI_VERSION="3.1.0")
    plugin = MarshmallowPlugin(schema_name_resolver=_component_name)
    api = TallybonesApi(app, spec_kwargs={"marshmallow_plugin": plugin, "info": {"description": DESCRIPTION}})
    for converter in CONVERTERS.values():
        api.register_converter(converter, _path_part)
    api.ma_plugin.converter.add_attribute_function(_rule_field)
    api.spec.components.security_scheme("token", {"type": "http", "scheme": "bearer"})
    return api


def serve(app: Flask, api: TallybonesApi) -> None:
    """Serve the document of `api`, written once."""
    _add_rule_sets(api)
    webhook_schemas.describe(api)
    document = api.spec.to_dict() | {"webhooks": webhook_schemas.openapi_webhooks()}
    webhook_schemas.serve(app, document)
    written = orjson.dumps(document)

    @app.get(PATH)
    def openapi_json() -> Response:
        return Response(written, content_type="application/json", headers={"Cache-Control": "no-cache"})


def _component_name(schema: Any) -> str:
    kind = schema if isinstance(schema, type) else type(schema)
    # A rule set's own schemas are written where they stand: two rule sets may use one name.
    return kind.__name__ if issubclass(kind, Strict) else ""


def _path_part(converter: BaseConverter) -> dict[str, Any]:
    return {"type": "string", "pattern": f"^{converter.regex}$"}


def _rule_field(self: OpenAPIConverter, field: fields.Field[Any], **_: Any) -> dict[str, Any]:
    """Describe the fields that rule sets are made of, where marshmallow's own description says too little."""
    match field:
        case OneOfChoices():
            none = (None,) if field.allow_none else ()
            return {"enum": [*field.choices, *none]}
        case UserId():
            return {"pattern": f"^{USER_ID}$"}
        case Name():
            return {"minLength": 1, "maxLength": 80}
        case Variant():
            return {"oneOf": [_object(self, kind) for kind in field.kinds.values()]}
        case ListOf():
            items = _object(self, field.item)
            return {"type": "array", "items": items, "minItems": field.least, "maxItems": field.most}
    return {}


def _object(converter: OpenAPIConverter, params: type[Params]) -> dict[str, Any]:
    """Describe a set of fields as an object; one of several kinds names its own."""
    members = {name: converter.field2property(field) for name, field in params.field_map().items()}
    required = [name for name, field in params.field_map().items() if field.required]
    if params.kind:
        members = {"kind": {"const": params.kind}} | members
        required = ["kind", *required]
    described: dict[str, Any] = {"type": "object", "properties": members, "additionalProperties": False}
    if required:
        described["required"] = required
    if issubclass(params, Action) and params.exactly_one_of:
        described["oneOf"] = [{"required": [name]} for name in params.exactly_one_of]
    return described


def _add_rule_sets(api: TallybonesApi) -> None:
    """Put each rule set's fields in, and refer to them from the bodies that take them."""
    converter, components = api.ma_plugin.converter, api.spec.components

    def add(name: str, params: type[Params], title: str) -> dict[str, str]:
        components.schema(name, {"title": title, **_object(converter, params)})
        return {"$ref": f"#/components/schemas/{name}"}

    asked, answered, house_rules, sheets, names = [], [], [], [], []
    for ruleset in registry.all():
        for action in ruleset.actions:
            names.append(action.name)
            asked.append(add(f"{ruleset.id}.{action.name}", action, action.title))
            if action.answer_type:
                title = f"{action.title}: the other side"
                answered.append(add(f"{ruleset.id}.{action.name}.answer", action.answer_type, title))
        house_rules.append(
            add(f"{ruleset.id}.house-rules", ruleset.house_rules, f"House rules of {ruleset.title}")
        )
        sheets.append(add(f"{ruleset.id}.sheet", ruleset.sheet, f"A sheet of {ruleset.title}"))

    schemas = components.schemas
    for body in ("NewRoll", "OddsQuestion"):
        schemas[body]["properties"]["action"] = {"type": "string", "enum": list(dict.fromkeys(names))}
        schemas[body]["properties"]["params"] = {"anyOf": asked}
    schemas["NewAnswer"]["properties"]["params"] = {"anyOf": answered}
    for body in ("NewCampaign", "CampaignChanges", "OddsQuestion"):
        schemas[body]["properties"]["house_rules"] = {"anyOf": house_rules}
    schemas["NewCampaign"]["properties"]["ruleset"] = {
        "type": "string",
        "enum": [each.id for each in registry.all()],
    }
    schemas["Sheet"] = {"title": "A sheet", "anyOf": sheets}
