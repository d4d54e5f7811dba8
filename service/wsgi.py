"""What a WSGI server loads."""

import logging

from service import create_app
from service.settings import Settings

settings = Settings.from_env()
logging.basicConfig(
    level=settings.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s"
)
app = create_app(settings)
