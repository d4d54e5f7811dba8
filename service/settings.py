"""What the environment says. The names and their meaning are listed in docs/deploy.md."""

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from service import private_files

HOME_ORIGIN = "http://localhost:30000"
CHECKOUT = Path(__file__).resolve().parent.parent
LOG_FORMATS = ("auto", "json", "text")
LOG_LEVELS = ("debug", "info", "warning", "error", "critical")
REDIS_SCHEMES = ("redis", "rediss", "unix")


class SettingsError(Exception):
    """The environment variable `name` does not work; `sentence` says what to do."""

    def __init__(self, name: str, sentence: str) -> None:
        super().__init__(sentence)
        self.name = name
        self.sentence = sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The service's settings; `from_env` reads them, tests make them directly."""

    admin_token: str
    data: Path
    admin_token_old: str | None = None
    redis_url: str | None = None
    port: int = 8000
    origins: tuple[str, ...] = (HOME_ORIGIN,)
    public_url: str | None = None
    webhook_http: bool = False
    webhook_private: bool = False
    rate_limits: bool = True
    redis_tls_verify: bool = True
    web_concurrency: int = 2
    log_level: str = "info"
    log_format: str = "auto"
    on_paas: bool = False
    behind_proxy: bool = False

    @classmethod
    def from_env(cls, environ: Mapping[str, str] = os.environ) -> Self:
        """Read the environment; an empty value counts as unset.

        Makes and keeps an admin token in the data folder when none is set at home. Raises SettingsError.
        """
        data = data_folder(environ)
        on_paas = bool(environ.get("DYNO")) or not _writable(data)
        return cls(
            admin_token=_admin_token(environ, data, on_paas),
            data=data,
            admin_token_old=_given_token(environ, "TALLYBONES_ADMIN_TOKEN_OLD"),
            redis_url=_redis_url(environ, on_paas),
            port=_whole(environ, "PORT", 8000, 1, 65535),
            origins=_origins(environ, at_home=not on_paas),
            public_url=_public_url(environ),
            webhook_http=_flag(environ, "TALLYBONES_WEBHOOK_HTTP", False),
            webhook_private=_flag(environ, "TALLYBONES_WEBHOOK_PRIVATE", False),
            rate_limits=_flag(environ, "TALLYBONES_RATE_LIMITS", True),
            redis_tls_verify=_flag(environ, "REDIS_TLS_VERIFY", True),
            web_concurrency=_whole(environ, "WEB_CONCURRENCY", 2, 1, 64),
            log_level=_one_of(environ, "LOG_LEVEL", LOG_LEVELS, "info"),
            log_format=_one_of(environ, "LOG_FORMAT", LOG_FORMATS, "auto"),
            on_paas=on_paas,
            behind_proxy=_flag(environ, "TALLYBONES_BEHIND_PROXY", False),
        )

    @property
    def trusts_proxy(self) -> bool:
        """Say whether the one proxy before us, a platform's router or the owner's, tells who calls."""
        return self.on_paas or self.behind_proxy

    @property
    def admin_tokens(self) -> tuple[str, ...]:
        """The admin tokens that are good: the newest and, while it is being replaced, the old one."""
        return (self.admin_token, self.admin_token_old) if self.admin_token_old else (self.admin_token,)


def data_folder(environ: Mapping[str, str]) -> Path:
    """Return the data folder: as set, else `var` in the checkout (in the current folder when installed)."""
    base = CHECKOUT if (CHECKOUT / "Procfile").exists() else Path.cwd()
    return Path(environ.get("TALLYBONES_DATA") or base / "var").expanduser().absolute()


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def _admin_token(environ: Mapping[str, str], data: Path, on_paas: bool) -> str:
    name = "TALLYBONES_ADMIN_TOKEN"
    if token := _given_token(environ, name):
        return token
    if on_paas:
        raise SettingsError(
            name,
            f"Set {name} to a long random secret: without it and without a data folder that is kept, "
            "nobody could create a campaign.",
        )
    return _kept_token(data / "admin-token")


def _given_token(environ: Mapping[str, str], name: str) -> str | None:
    token = environ.get(name, "").strip()
    if token and (len(token) < 16 or not token.isascii() or any(c.isspace() for c in token)):
        raise SettingsError(name, f"{name} must be at least 16 ASCII characters without spaces.")
    return token or None


def _kept_token(path: Path) -> str:
    """Return the token kept at `path`, made at first use; safe when several processes start at once."""
    if not path.exists():
        private_files.write_once(path, "tba_" + secrets.token_urlsafe(32) + "\n")
    return path.read_text().strip()


def _whole(environ: Mapping[str, str], name: str, default: int, low: int, high: int) -> int:
    text = environ.get(name, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
        raise SettingsError(name, f"{name} must be a whole number from {low} to {high}, not {text!r}.")
    return int(text)


def _flag(environ: Mapping[str, str], name: str, default: bool) -> bool:
    text = environ.get(name, "").strip().lower()
    if not text:
        return default
    if text in ("1", "on", "true", "yes"):
        return True
    if text in ("0", "off", "false", "no"):
        return False
    raise SettingsError(name, f"{name} must be 1 or 0 (on or off), not {text!r}.")


def _one_of(environ: Mapping[str, str], name: str, choices: tuple[str, ...], default: str) -> str:
    chosen = environ.get(name, "").strip().lower() or default
    if chosen not in choices:
        raise SettingsError(name, f"{name} must be one of {', '.join(choices)}, not {chosen!r}.")
    return chosen


def _redis_url(environ: Mapping[str, str], on_paas: bool) -> str | None:
    url = environ.get("REDIS_URL", "").strip()
    if on_paas and not url:
        raise SettingsError(
            "REDIS_URL",
            "Set REDIS_URL, or add a Redis to the app: the embedded one needs a folder that is kept.",
        )
    if url and urlsplit(url).scheme not in REDIS_SCHEMES:
        raise SettingsError(
            "REDIS_URL", "REDIS_URL must look like redis://HOST:6379/0, rediss://… or unix:///path/to/socket."
        )
    return url or None


def _origins(environ: Mapping[str, str], *, at_home: bool) -> tuple[str, ...]:
    name = "TALLYBONES_ORIGINS"
    origins = [HOME_ORIGIN] if at_home else []
    for text in environ.get(name, "").split(","):
        origin = text.strip().rstrip("/")
        if not origin:
            continue
        parts = _web_address(origin)
        if parts is None or parts[1]:
            raise SettingsError(
                name, f"{name} holds {origin!r}; write each origin like https://foundry.example.org."
            )
        origins.append(origin.lower())
    return tuple(dict.fromkeys(origins))


def _public_url(environ: Mapping[str, str]) -> str | None:
    name = "TALLYBONES_PUBLIC_URL"
    url = environ.get(name, "").strip().rstrip("/")
    if url and _web_address(url) is None:
        raise SettingsError(name, f"{name} must look like https://dice.example.org, not {url!r}.")
    return url or None


def _web_address(text: str) -> tuple[str, str] | None:
    """Return (host, path) of an http(s) address without user, query or fragment; else None."""
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018  raises where the port is no number
    except ValueError:
        return None
    plain = not (parts.username or parts.query or parts.fragment) and not any(c.isspace() for c in text)
    if parts.scheme not in ("http", "https") or not parts.hostname or not plain:
        return None
    return parts.hostname, parts.path
