"""The pages about the API: the document made readable by Swagger UI, and what each problem means.

Swagger UI's files come with the package flask-swagger-ui and are served from here; nothing is loaded from
elsewhere, and no script stands in a page, so that the pages work under a strict content security policy.
"""

from importlib.resources import as_file, files

from flask import Flask, Response, render_template, send_from_directory

from service.openapi import PATH
from service.problems import KINDS

ASSETS = frozenset({"swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"})
POLICY = "; ".join(
    (
        "default-src 'none'",
        "connect-src 'self'",
        "font-src 'self'",
        "img-src 'self' data:",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",  # Swagger UI sets styles on its elements
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
START = f"""window.addEventListener("load", () => {{
  SwaggerUIBundle({{url: "{PATH}", dom_id: "#api", deepLinking: true, validatorUrl: null}});
}});
"""


def register(app: Flask) -> None:
    """Serve the pages under /docs."""
    dist = files("flask_swagger_ui") / "dist"

    @app.get("/docs")
    def api_page() -> Response:
        return _page(render_template("docs.html"))

    @app.get("/docs/start.js")
    def start_script() -> Response:
        return Response(START, content_type="text/javascript; charset=utf-8")

    @app.get("/docs/problems")
    def problems_page() -> Response:
        return _page(render_template("problems.html", kinds=KINDS))

    @app.get("/docs/assets/<any(" + ", ".join(f"'{name}'" for name in sorted(ASSETS)) + "):name>")
    def swagger_asset(name: str) -> Response:
        with as_file(dist) as folder:
            return send_from_directory(folder, name, max_age=86400)


def _page(html: str) -> Response:
    return Response(
        html, content_type="text/html; charset=utf-8", headers={"Content-Security-Policy": POLICY}
    )
