"""The service: rolls come in over HTTP, cards go out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Flask

    from service.settings import Settings


def create_app(settings: Settings | None = None) -> Flask:
    """Return the web application; without `settings` it reads the environment."""
    from service.app import make_app
    from service.settings import Settings

    return make_app(settings or Settings.from_env())
