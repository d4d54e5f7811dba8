"""What the endpoints work with, kept on the app."""

from dataclasses import dataclass

from flask import current_app
from redis import Redis

from service.live import Hub
from service.settings import Settings
from service.store import Store

EXTENSION = "tallybones"


@dataclass(frozen=True, slots=True)
class Services:
    """Settings, store and hub of one app."""

    settings: Settings
    redis: Redis
    store: Store
    hub: Hub


def services() -> Services:
    """Return those of the current app."""
    found: Services = current_app.extensions[EXTENSION]
    return found
