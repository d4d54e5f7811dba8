"""A GM at the console with a browser without scripts: pages are read, forms are filled in and sent."""

from typing import Any

from werkzeug.test import TestResponse

from tests.service.console.reading import Reading
from tests.service.table import Table


class Console:
    """One browser; `sign_in` makes it a GM's."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.client = table.app.test_client()
        self.answer: TestResponse | None = None

    def sign_in(self, key: str | None = None) -> "Console":
        """Sign in with the GM key."""
        answer = self.client.post("/console/sign-in", data={"key": key or self.table.gm})
        assert answer.status_code == 303, answer.text
        return self

    def get(self, path: str = "/", status: int = 200) -> Reading:
        """Open a page."""
        self.answer = self.client.get(path)
        assert self.answer.status_code == status, self.answer.text
        return Reading(self.answer.text)

    def send(self, path: str, action: str | None = None, status: int = 303, **given: Any) -> Reading:
        """Open a page, fill in its form that goes to `action` and send it; follow where it leads."""
        form = self.get(path).form(action or path)
        self.answer = self.client.post(form.action, data=form.filled(**given))
        assert self.answer.status_code == status, self.answer.text
        if status != 303:
            return Reading(self.answer.text)
        return self.get(self.answer.headers["Location"])

    @property
    def cookie(self) -> str:
        """The value of the sign-in's cookie."""
        found = self.client.get_cookie("tallybones")
        assert found is not None
        return found.value
