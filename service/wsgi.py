"""What a WSGI server loads."""

from service import create_app

app = create_app()
