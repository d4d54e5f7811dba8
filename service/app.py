"""The Flask application, put together."""

import re

from flask import Flask, Response
from flask_cors import CORS
from werkzeug.middleware.proxy_fix import ProxyFix

from service import api, console, docs, foundry, limits, openapi, problems, verify_page, watching
from service.bodies import LARGEST_BODY
from service.calls import CONVERTERS
from service.live import Hub
from service.services import EXTENSION, Services
from service.settings import Settings
from service.store import Store
from service.store.connection import connect, connect_subscriber

ALLOWED_HEADERS = ("Authorization", "Content-Type", "Accept", "Idempotency-Key", "Prefer", "Last-Event-ID")
EXPOSED_HEADERS = ("Location", "Retry-After", "Preference-Applied", "Idempotent-Replayed")
PREFLIGHT_SECONDS = 7200


def make_app(settings: Settings) -> Flask:
    """Return the application; it connects to nothing until it is asked something."""
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY
    app.url_map.converters.update(CONVERTERS)
    app.url_map.merge_slashes = False
    if settings.trusts_proxy:
        # Nobody comes but through that one proxy: what it says of the caller's address is true.
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=1, x_proto=1, x_host=0)  # type: ignore[method-assign]

    redis = connect(settings)
    hub = Hub(lambda: connect_subscriber(settings))
    app.extensions[EXTENSION] = Services(settings, redis, Store(redis), hub)

    watching.register(app)
    problems.register(app)
    _answer_other_origins(app, settings.origins)
    counting = connect(settings, limits.CONNECTIONS, limits.ANSWER_TIMEOUT)
    limits.register(app, counting, enabled=settings.rate_limits)
    described = openapi.make_api(app)
    for calls in api.ALL:
        described.register_blueprint(calls)
    openapi.serve(app, described)
    docs.register(app)
    foundry.register(app)
    console.register(app)
    verify_page.register(app)
    app.after_request(_harden)
    return app


def _answer_other_origins(app: Flask, origins: tuple[str, ...]) -> None:
    CORS(
        app,
        resources=r"/.*",
        # As patterns that match nothing else: flask-cors takes brackets (of an IPv6 address) for a pattern.
        origins=[re.compile(re.escape(origin) + r"\Z", re.IGNORECASE) for origin in origins],
        allow_headers=list(ALLOWED_HEADERS),
        expose_headers=list(EXPOSED_HEADERS),
        methods=["GET", "HEAD", "POST", "PATCH", "DELETE"],
        max_age=PREFLIGHT_SECONDS,
        always_send=False,
        allow_private_network=True,
    )


def _harden(answer: Response) -> Response:
    answer.headers.setdefault("X-Content-Type-Options", "nosniff")
    return answer
