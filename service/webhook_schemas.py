"""The JSON Schema of each event that webhooks are told, made from the schemas that the API itself uses."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import orjson
from flask import Flask, Response
from flask_smorest import Api

from service.schemas.webhooks import TOLD
from service.webhook_events import EVENTS

PATH = "/docs/schemas/webhooks"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
COMPONENT = "#/components/schemas/"

SUMMARIES = {
    "roll.resolved": "A roll was resolved.",
    "session.started": "A session started.",
    "session.ended": "A session ended; its seed is revealed.",
    "report.ready": "A report is ready.",
    "webhook.test": "The GM asked for a test.",
}


def describe(api: Api) -> None:
    """Put what the events say among the components of the API's document."""
    known = api.spec.components.schemas
    for schema in dict.fromkeys(TOLD.values()):
        if schema.__name__ not in known:
            api.spec.components.schema(schema.__name__, schema=schema)


def openapi_webhooks() -> dict[str, Any]:
    """Return the `webhooks` of the OpenAPI document."""
    taken = {"description": "Taken: any 2xx. 410 switches the webhook off; all else is tried again."}
    return {
        event: {
            "post": {
                "summary": SUMMARIES[event],
                "requestBody": {"content": {"application/json": {"schema": _message(event, COMPONENT)}}},
                "responses": {"2XX": taken},
            }
        }
        for event in EVENTS
    }


def serve(app: Flask, document: Mapping[str, Any]) -> None:
    """Serve the schema of each event by itself, whole: it refers to nothing outside."""
    components = document["components"]["schemas"]
    written = {event: orjson.dumps(schema_of(event, components)) for event in EVENTS}

    @app.get(f"{PATH}/<any({', '.join(repr(event) for event in EVENTS)}):event>.json")
    def webhook_schema(event: str) -> Response:
        return Response(written[event], content_type="application/schema+json")


def schema_of(event: str, components: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of an event's message."""
    named = {name: components[name] for name in sorted(_needed(TOLD[event].__name__, components))}
    moved = orjson.loads(orjson.dumps(named).replace(COMPONENT.encode(), b"#/$defs/"))
    head = {
        "$schema": DIALECT,
        "$id": f"{PATH}/{event}.json",
        "title": event,
        "description": SUMMARIES[event],
    }
    return head | _message(event, "#/$defs/") | {"$defs": moved}


def _message(event: str, where: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "type": {"const": event},
            "timestamp": {"type": "string", "format": "date-time"},
            "data": {"$ref": where + TOLD[event].__name__},
        },
        "required": ["type", "timestamp", "data"],
        "additionalProperties": False,
    }


def _needed(name: str, components: Mapping[str, Any]) -> set[str]:
    """Return a component and all that it refers to."""
    found, waiting = set(), [name]
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.add(each)
            waiting += _references(components[each])
    return found


def _references(component: Any) -> Iterator[str]:
    pattern = f'"{re.escape(COMPONENT)}([^"]+)"'
    return (found.group(1) for found in re.finditer(pattern, orjson.dumps(component).decode()))
