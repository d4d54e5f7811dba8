"""A Foundry page in a real browser, as tests use it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, Route

from tests.module.foundry_server.server import NODE_MODULES, FoundryServer

ARTEFACTS = Path(__file__).parents[2] / "build" / "screens"
HTTPS_ORIGIN = "https://foundry.test"

# Chromium as it is on a build machine, with nothing of its own going on in the background. Names under .test
# lead to this machine: pages at http://foundry.test are no secure context, as on a table's own network.
CHROMIUM_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP *.test 127.0.0.1",
]


class Screen:
    """One tab of one user.

    `noise` collects what no page may show: errors and warnings in the console, errors that nobody caught.
    `lost` collects requests that found nobody: the browser itself notes them, no module can keep it quiet.
    """

    def __init__(self, page: Page, user: str) -> None:
        self.page, self.user = page, user
        self.noise: list[str] = []
        self.lost: list[str] = []
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.noise.append(f"uncaught: {error}"))

    def _note(self, said: ConsoleMessage) -> None:
        if said.text.startswith("Failed to load resource: net::ERR_"):
            self.lost.append(said.text)
        elif said.type in ("error", "warning"):
            self.noise.append(f"{said.type}: {said.text}")

    def open(self, address: str) -> "Screen":
        """Go to a Foundry page and wait until its world is ready."""
        self.page.goto(address)
        return self.ready()

    def ready(self) -> "Screen":
        self.page.wait_for_selector("body[data-ready]", timeout=110_000)
        return self

    def reload(self) -> "Screen":
        self.page.reload()
        return self.ready()

    def run(self, script: str, given: Any = None) -> Any:
        """Evaluate JavaScript in the page: an expression, or a function of `given`; promises are awaited."""
        return self.page.evaluate(script, given)

    def until(self, script: str, given: Any = None, seconds: float = 10) -> Any:
        """Wait until JavaScript gives something true, and return it."""
        return self.page.wait_for_function(script, arg=given, timeout=seconds * 1000).json_value()

    def observed(self, what: str) -> list[Any]:
        """Return what the stand-in noted: see stand-in/observed.mjs."""
        noted: list[Any] = self.page.evaluate("what => structuredClone(standIn[what])", what)
        return noted

    def find(self, selector: str) -> Locator:
        return self.page.locator(selector)

    @property
    def messages(self) -> Locator:
        """The chat messages that this user sees."""
        return self.page.locator("#chat .chat-message")

    def type_in_chat(self, text: str) -> None:
        self.page.fill("#chat-message", text)
        self.page.press("#chat-message", "Enter")

    def sidebar(self, name: str) -> None:
        """Show a tab of the sidebar: chat, actors, items, journal or settings."""
        self.page.click(f"#sidebar-tabs [data-tab={name}]")

    def take_token(self, name: str) -> None:
        self.page.click(f"#board .token:has-text('{name}')")

    def open_token_hud(self, name: str) -> None:
        self.page.click(f"#board .token:has-text('{name}')", button="right")

    def drop_on_hotbar(self, dropped: dict[str, Any], slot: int) -> None:
        """Drop something on the hotbar that a drag carries as JSON."""
        self.page.evaluate(
            """([dropped, slot]) => {
                const dataTransfer = new DataTransfer();
                dataTransfer.setData("text/plain", JSON.stringify(dropped));
                const drop = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
                document.querySelector(`#action-bar [data-slot="${slot}"]`).dispatchEvent(drop);
            }""",
            [dropped, slot],
        )

    def drag_to_hotbar(self, selector: str, slot: int) -> None:
        """Drag an element to the hotbar with the mouse."""
        self.page.drag_and_drop(selector, f"#action-bar [data-slot='{slot}']")

    def barriers(self, selector: str) -> list[str]:
        """Return what axe finds in the way of people who use a keyboard or a screen reader, one line each."""
        if not self.run("'axe' in window"):
            self.page.add_script_tag(path=NODE_MODULES / "axe-core/axe.min.js")
        found: list[str] = self.page.evaluate(
            """selector => axe.run(selector).then(({ violations }) => violations.flatMap(rule =>
                rule.nodes.map(node => `${rule.id}: ${node.html.slice(0, 160)}`)))""",
            selector,
        )
        return found

    def picture(self, name: str, selector: str | None = None) -> Path:
        """Take a screenshot of the page, or of one element, into the artefacts folder."""
        ARTEFACTS.mkdir(parents=True, exist_ok=True)
        path = ARTEFACTS / f"{name}.png"
        (self.page.locator(selector) if selector else self.page).screenshot(path=path)
        return path


def person(browser: Browser, size: tuple[int, int] = (1280, 800), **context: Any) -> BrowserContext:
    """Return a browser of a person's own: storage that no other person sees."""
    made = browser.new_context(viewport={"width": size[0], "height": size[1]}, **context)
    made.set_default_timeout(10_000)
    return made


def behind_https(context: BrowserContext, foundry: FoundryServer) -> None:
    """Let a browser see Foundry at an https address, as behind a proxy; it is not told of later changes."""

    def answer(route: Route) -> None:
        asked = urlsplit(route.request.url)
        if asked.path == "/events":
            named = {key: values[0] for key, values in parse_qs(asked.query).items()}
            world = foundry.world.join(named["tab"], named["user"]).inbox.get()
            route.fulfill(content_type="text/event-stream", body=f"retry: 3600000\ndata: {world}\n\n")
        else:
            route.fulfill(
                response=route.fetch(url=asked._replace(scheme="http", netloc=foundry.netloc).geturl())
            )

    context.route(f"{HTTPS_ORIGIN}/**", answer)


OpenScreen = Callable[..., Screen]


def opener(browser: Browser, foundry: FoundryServer) -> Iterator[OpenScreen]:
    """Yield a function that opens screens by user; all of them are closed afterwards.

    `open_screen("Anna")` is a browser of her own; `beside=screen` opens another tab in that screen's browser;
    `https=True` opens it at an https address.
    """
    contexts: list[BrowserContext] = []

    def open_screen(
        user: str,
        beside: Screen | None = None,
        size: tuple[int, int] = (1280, 800),
        https: bool = False,
        **page: str,
    ) -> Screen:
        context = beside.page.context if beside else person(browser, size)
        if not beside:
            contexts.append(context)
        address = foundry.address(user, **page)
        if https:
            behind_https(context, foundry)
            address = address.replace(foundry.origin, HTTPS_ORIGIN)
        return Screen(context.new_page(), user).open(address)

    yield open_screen
    for context in contexts:
        context.close()
