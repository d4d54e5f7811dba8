"""The console: a GM's pages in the browser, at `/`."""

from flask import Flask

from service.console import campaign, history, players, rolling, sessions, sign_in, table
from service.console.pages import pages

__all__ = ["campaign", "history", "players", "register", "rolling", "sessions", "sign_in", "table"]


def register(app: Flask) -> None:
    """Serve the console's pages."""
    app.register_blueprint(pages)
