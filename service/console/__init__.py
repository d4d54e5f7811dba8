"""The console: a GM's pages in the browser, at `/`."""

from flask import Flask

from service.console import (
    campaign,
    deleting,
    history,
    players,
    reports,
    rolling,
    sessions,
    sign_in,
    table,
    webhooks,
)
from service.console.pages import pages

# Importing a module puts its pages on the blueprint.
__all__ = [
    "campaign",
    "deleting",
    "history",
    "players",
    "register",
    "reports",
    "rolling",
    "sessions",
    "sign_in",
    "table",
    "webhooks",
]


def register(app: Flask) -> None:
    """Serve the console's pages."""
    app.register_blueprint(pages)
