"""The page /verify: checks a session's dice in the browser. What it computes with lies in verify/."""

from flask import Blueprint, Flask, Response, make_response, render_template

from service.console.guard import harden

pages = Blueprint("verify", __name__, static_folder="verify", static_url_path="/verify/assets")
pages.after_request(harden)


@pages.get("/verify")
def verify() -> Response:
    """Serve the page; nobody has to be signed in."""
    return make_response(render_template("verify.html", campaign=None, navigation=(), said=None))


def register(app: Flask) -> None:
    """Serve the page and its files."""
    app.register_blueprint(pages)
