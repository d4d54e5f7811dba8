"""Pages of the console as a browser without scripts reads them: their text, links and forms."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

VOID = {"input", "meta", "link", "img", "br"}


@dataclass
class Form:
    """A form as it stands: what it would send now, and what it offers."""

    action: str
    method: str
    sends: dict[str, list[str]] = field(default_factory=dict)
    offers: dict[str, list[str]] = field(default_factory=dict)
    invalid: list[str] = field(default_factory=list)

    def filled(self, **given: Any) -> dict[str, list[str]]:
        """Return what is sent once somebody has filled in `given` (`_` in a name stands for a dot)."""
        sent = {name: list(values) for name, values in self.sends.items()}
        for name, value in given.items():
            places = [place for place in self.offers if place.replace(".", "_") == name.replace(".", "_")]
            assert len(places) == 1, f"no input {name}; there are {sorted(self.offers)}"
            place = places[0]
            values = value if isinstance(value, list) else [] if value is None else [str(value)]
            known = self.offers[place]
            assert not known or set(values) <= set(known), f"{name} offers {known}"
            sent[place] = values
        return sent


@dataclass
class Element:
    """An element: its tag, attributes and the text within."""

    tag: str
    attributes: dict[str, str]
    text: str = ""


class Reading(HTMLParser):
    """A page, read."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.html = html
        self.elements: list[Element] = []
        self.forms: list[Form] = []
        self._open: list[Element] = []
        self._templates = 0
        self._form: Form | None = None
        self._select: str | None = None
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "template":
            self._templates += 1
        if self._templates:
            return
        attributes = {name: value or "" for name, value in attrs}
        element = Element(tag, attributes)
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)
        if tag == "form":
            self._form = Form(attributes.get("action", ""), attributes.get("method", "get"))
            self.forms.append(self._form)
        elif self._form is not None:
            self._read_control(tag, attributes)

    def _read_control(self, tag: str, attributes: dict[str, str]) -> None:
        assert self._form is not None
        name, value, kind = (
            attributes.get("name", ""),
            attributes.get("value", ""),
            attributes.get("type", ""),
        )
        if tag == "select":
            self._select = name
        if tag == "option" and self._select:
            self._form.offers.setdefault(self._select, []).append(value)
            if "selected" in attributes or self._select not in self._form.sends:
                self._form.sends[self._select] = [value]
        elif tag in ("input", "select") and name:
            if "aria-invalid" in attributes:
                self._form.invalid.append(name)
            chosen = kind in ("radio", "checkbox")
            offered = self._form.offers.setdefault(name, [])
            if chosen:
                offered.append(value)
            if tag == "input" and (not chosen or "checked" in attributes):
                self._form.sends.setdefault(name, []).append(value)

    def handle_endtag(self, tag: str) -> None:
        if tag == "template":
            self._templates -= 1
            return
        if tag in VOID or self._templates:
            return
        while self._open and self._open.pop().tag != tag:
            pass
        if tag == "form":
            self._form = None
        if tag == "select":
            self._select = None

    def handle_data(self, data: str) -> None:
        if not self._templates:
            for element in self._open:
                element.text += data

    @property
    def text(self) -> str:
        """All that can be read on the page, on one line."""
        body = next(element for element in self.elements if element.tag == "body")
        return " ".join(body.text.split())

    @property
    def heading(self) -> str:
        """The page's first heading."""
        return " ".join(next(element.text for element in self.elements if element.tag == "h1").split())

    def texts(self, tag: str, **attributes: str) -> list[str]:
        """The texts of all elements of a tag, by class where that is given."""
        wanted = attributes.get("cls")
        return [
            " ".join(element.text.split())
            for element in self.elements
            if element.tag == tag and (not wanted or wanted in element.attributes.get("class", "").split())
        ]

    @property
    def links(self) -> dict[str, str]:
        """Where each link leads, by its text."""
        return {
            " ".join(element.text.split()): element.attributes["href"]
            for element in self.elements
            if element.tag == "a" and "href" in element.attributes
        }

    def form(self, action: str) -> Form:
        """The form that goes to an address."""
        found = [form for form in self.forms if form.action == action]
        assert len(found) == 1, f"{len(found)} forms go to {action}: {[form.action for form in self.forms]}"
        return found[0]
