"""What a WSGI server loads."""

from service import create_app, logs
from service.settings import Settings
from service.slow_bodies import TimedBodies

settings = Settings.from_env()
logs.set_up(settings)
app = create_app(settings)
# Under gevent only: elsewhere nothing could interrupt a read.
app.wsgi_app = TimedBodies(app.wsgi_app)  # type: ignore[method-assign]
