"""The Foundry module, as Foundry installs it: its manifest and its zip, for the address they are asked at.

The zip is the same, byte for byte, for the same files, version and address: entries in order, one date, no
compression.
"""

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from flask import Flask, Response, request

from service.services import services
from service.version import version

MANIFEST, ARCHIVE = "/foundry/module.json", "/foundry/tallybones.zip"
FOLDERS = ("forms", "hooks", "lang", "places", "rolls", "service", "settings", "styles", "vendor", "windows")
"""The folders that are shipped whole; the others are for those who build the module."""
SUFFIXES = frozenset({".css", ".hbs", ".json", ".md", ".mjs", ".png", ".svg", ".txt", ".webp", ".woff2"})
AT_ROOT = ("*.mjs", "README.md", "LICENSE")
TOOLS = frozenset({"eslint.config.mjs"})
CARD_STYLES = "styles/card.css"
"""The cards' own style sheet; its one home is beside the cards' template."""
VERIFYING = ("dice.mjs", "reading.mjs", "sha256.mjs", "verifying.mjs")
"""What checks a session's dice in a browser, of the page /verify; the module does it with the same files."""
DATE = (2020, 1, 1, 0, 0, 0)
UNIX, READABLE = 3, 0o100644

_CARDS = Path(__file__).resolve().parent / "cards"
_VERIFY = Path(__file__).resolve().parent / "verify"
_CHECKOUT = Path(__file__).resolve().parent.parent / "foundry-module"


def folder() -> Path:
    """Return the module's folder: in the checkout, else in the installed package."""
    return _CHECKOUT if _CHECKOUT.is_dir() else Path(str(files("service") / "foundry_module"))


def shipped(root: Path) -> dict[str, Path]:
    """Return the files that go into the zip by their names there, in order; module.json is made."""
    at_root = (path for pattern in AT_ROOT for path in root.glob(pattern) if path.name not in TOOLS)
    below = (path for name in FOLDERS for path in (root / name).rglob("*") if path.suffix in SUFFIXES)
    found = {path.relative_to(root).as_posix(): path for path in sorted((*at_root, *below)) if path.is_file()}
    shared = {f"verify/{name}": _VERIFY / name for name in VERIFYING}
    return {**found, CARD_STYLES: _CARDS / "card.css", **shared}


def manifest(root: Path, address: str) -> dict[str, Any]:
    """Return the module's manifest for a service at `address` (without a slash at its end)."""
    template: dict[str, Any] = json.loads((root / "module.json").read_text())
    return {
        **template,
        "version": version(),
        "url": address,
        "manifest": address + MANIFEST,
        "download": address + ARCHIVE,
        "flags": {**template.get("flags", {}), "tallybones": {"address": address}},
    }


def as_bytes(document: Mapping[str, Any]) -> bytes:
    """Write a manifest as it is served and packed."""
    return json.dumps(document, indent=2, ensure_ascii=False).encode() + b"\n"


def package(root: Path, address: str) -> bytes:
    """Return the zip of the module for a service at `address`."""
    contents = {name: path.read_bytes() for name, path in shipped(root).items()}
    contents["module.json"] = as_bytes(manifest(root, address))
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(contents):
            entry = zipfile.ZipInfo(name, DATE)
            entry.create_system, entry.external_attr = UNIX, READABLE << 16
            archive.writestr(entry, contents[name])
    return written.getvalue()


@lru_cache(maxsize=4)
def _packed(root: Path, address: str, _stamps: tuple[float, ...]) -> tuple[bytes, str]:
    archive = package(root, address)
    return archive, hashlib.sha256(archive).hexdigest()


def register(app: Flask) -> None:
    """Serve the manifest and the zip; pages of every origin may read them, for they hold no secret."""
    root = folder()

    @app.get(MANIFEST)
    def module_manifest() -> Response:
        written = as_bytes(manifest(root, _address()))
        return _served(written, "application/json", hashlib.sha256(written).hexdigest())

    @app.get(ARCHIVE)
    def module_archive() -> Response:
        stamps = tuple(path.stat().st_mtime for path in (root / "module.json", *shipped(root).values()))
        archive, tag = _packed(root, _address(), stamps)
        answer = _served(archive, "application/zip", tag)
        answer.headers["Content-Disposition"] = 'attachment; filename="tallybones.zip"'
        return answer


def _address() -> str:
    """Return the service's address, as configured or as it was called by."""
    return services().settings.public_url or request.url_root.rstrip("/")


def _served(body: bytes, media_type: str, tag: str) -> Response:
    answer = Response(body, content_type=media_type)
    answer.set_etag(tag[:32])
    answer.headers["Cache-Control"] = "no-cache"
    answer.headers["Access-Control-Allow-Origin"] = "*"
    answer.make_conditional(request)
    return answer
