"""What a WSGI server loads."""

from service import create_app, logs
from service.settings import Settings

settings = Settings.from_env()
logs.set_up(settings)
app = create_app(settings)
