"""Logs: one JSON line an event, or text for people at a terminal.

What an event is about goes along by name (`told`): the roll, the delivery, the request. Tokens, keys and
secrets do not belong into any event; should one get into a message all the same, the line is written without.
"""

import logging
import re
import sys
import time
from collections.abc import Iterable
from contextvars import ContextVar
from typing import Any
from urllib.parse import urlsplit

import orjson

from service.settings import Settings

REQUEST: ContextVar[str] = ContextVar("tallybones_request", default="")
"""The id of the request at hand."""

SECRETS = re.compile(r"\b(?:tb[agp]_[\w-]{20,}|tb1_[\w-]{20,}|whsec_[\w+/=-]{16,})")
INSTEAD = "(secret)"
TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def told(**about: Any) -> dict[str, dict[str, Any]]:
    """Return what a log call takes as `extra`: what its event is about, by name."""
    return {"told": about}


class _Masking(logging.Formatter):
    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__(TEXT)
        self._secrets = tuple(secrets)

    def masked(self, line: str) -> str:
        """Return a line without secrets."""
        for secret in self._secrets:
            line = line.replace(secret, INSTEAD)
        return SECRETS.sub(INSTEAD, line)


class JsonLines(_Masking):
    """An event as one line of JSON: time, level, logger, event, request, what it is about, and its error."""

    def format(self, record: logging.LogRecord) -> str:
        """Write an event."""
        seconds = int(record.created)
        line: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        if request := REQUEST.get():
            line["request"] = request
        line |= getattr(record, "told", {})
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return self.masked(orjson.dumps(line, default=str).decode())


class Lines(_Masking):
    """An event as text."""

    def format(self, record: logging.LogRecord) -> str:
        """Write an event, and what it is about behind it."""
        about = getattr(record, "told", {})
        more = "".join(f" {name}={value}" for name, value in about.items())
        head, newline, rest = super().format(record).partition("\n")
        return self.masked(f"{head}{more}{newline}{rest}")


def set_up(settings: Settings) -> None:
    """Log this process's events to the standard error."""
    as_json = settings.log_format == "json" or (settings.log_format == "auto" and not sys.stderr.isatty())
    handler = logging.StreamHandler()
    handler.setFormatter((JsonLines if as_json else Lines)(secrets_of(settings)))
    # What no line tells is not looked up either: Python's own advice where logging is to be fast.
    logging._srcfile = None
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    logging.basicConfig(level=settings.log_level.upper(), handlers=[handler], force=True)


def messages(line: str) -> list[str]:
    """Return what a line of a log says, without what stands around it; of an error its own words last."""
    try:
        event = orjson.loads(line)
        said = [str(event["event"]), *str(event.get("error", "")).splitlines()]
    except (ValueError, KeyError, TypeError, AttributeError):
        said = [line]  # it comes from something else than our loggers
    return [text.strip() for text in said if text.strip()]


def secrets_of(settings: Settings) -> tuple[str, ...]:
    """Return the secrets that the settings hold, but for what stands for nothing."""
    password = urlsplit(settings.redis_url or "").password
    return tuple(secret for secret in (*settings.admin_tokens, password) if secret and len(secret) >= 6)
