"""What gunicorn logs, as one of our own events."""

from typing import Any

from gunicorn.config import Config
from gunicorn.glogging import Logger

from service import logs
from service.settings import Settings


class Events(Logger):  # type: ignore[misc]
    """gunicorn's logger without its access log: service.watching tells of each request, and of no address."""

    def setup(self, cfg: Config) -> None:
        """Send gunicorn's messages where ours go."""
        logs.set_up(Settings.from_env())
        self.error_log.propagate = True

    def access(self, resp: Any, req: Any, environ: Any, request_time: Any) -> None:
        """Do nothing."""
