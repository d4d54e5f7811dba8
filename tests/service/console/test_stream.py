"""The console's stream: cards as they come, until the GM signs out."""

import json
import threading

import pytest
import requests

from tests.service.console.browser import Console


class Follower:
    """A browser that follows the console's stream."""

    def __init__(self, address: str, cookie: str, last: str = "", path: str = "/console/stream") -> None:
        headers = {"Cookie": f"tallybones={cookie}"} | ({"Last-Event-ID": last} if last else {})
        self.answer = requests.get(address + path, headers=headers, stream=True, timeout=20)
        self.events: list[tuple[str, str, dict]] = []
        self.ended = threading.Event()
        self._came = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        fields: dict[str, str] = {}
        try:
            for line in self.answer.iter_lines(chunk_size=1, decode_unicode=True):
                name, _, value = line.partition(": ")
                if line and not line.startswith(":"):
                    fields[name] = value
                elif "data" in fields:
                    with self._came:
                        self.events.append((fields["id"], fields["event"], json.loads(fields["data"])))
                        self._came.notify_all()
                    fields = {}
        except (requests.RequestException, AttributeError):
            pass
        self.ended.set()

    def rolls(self, number: int, seconds: float = 5) -> list[dict]:
        def came() -> list[dict]:
            return [told for _, event, told in self.events if event == "roll"]

        with self._came:
            self._came.wait_for(lambda: len(came()) >= number, seconds)
        return came()


@pytest.fixture
def follower(console, address):
    return Follower(address, console.cookie)


def test_cards_come_as_the_gm_may_see_them(follower, table):
    assert follower.answer.headers["Content-Type"].startswith("text/event-stream")
    anna = table.tokens["anna"]
    for visibility in ("self", "blind", "public"):
        table.rolled(anna, visibility=visibility)
    assert [roll["visibility"] for roll in follower.rolls(2)] == ["blind", "public"]
    assert all("<article" in roll["card"]["html"] for roll in follower.rolls(2))


def test_what_was_missed_is_replayed(console, address, table):
    first = Follower(address, console.cookie)
    table.rolled()
    assert first.rolls(1)
    last = first.events[-1][0]
    table.rolled(label="Missed")
    again = Follower(address, console.cookie, last)
    assert [roll["label"] for roll in again.rolls(1)] == ["Missed"]
    assert Follower(address, console.cookie, "nonsense").answer.status_code == 200


def test_what_came_since_the_page_was_read_is_told(console, address, table):
    table.rolled(label="On the page")
    path = path_of(console.get("/"))
    table.rolled(label="Meanwhile")
    follower = Follower(address, console.cookie, path=path)
    assert [roll["label"] for roll in follower.rolls(1)] == ["Meanwhile"]
    last = follower.events[-1][0]
    assert (
        Follower(address, console.cookie, last, path).rolls(1, seconds=0.5) == []
    )  # the header counts, then


def path_of(page) -> str:
    """The address that a page follows the table by."""
    (path,) = [e.attributes["data-stream"] for e in page.elements if "data-stream" in e.attributes]
    return path


@pytest.mark.parametrize("newest", ["nothing", "session", "roll", "challenge", "end"])
def test_a_page_is_followed_from_what_it_shows(heroes, address, newest):
    """Whatever was hidden since, nothing is told twice and nothing is left out."""
    table, anna = heroes.table, heroes.table.tokens["anna"]
    check = {"action": "unopposed-test", "params": {"skill": 4, "tn": 9}}
    opposed = {
        "action": "opposed-test",
        "params": {"skill": 5, "opponent": {"kind": "player", "user": "bert"}},
    }
    if newest != "nothing":
        session = table.post("/sessions", {"title": "One"}).json["id"]
    if newest == "roll":
        table.roll(anna, check, Prefer="wait=5")
    elif newest == "challenge":
        assert table.roll(anna, opposed, Prefer="wait=5").json["status"] == "awaiting"
    elif newest == "end":
        table.post(f"/sessions/{session}/end", None)
    path = path_of(heroes.get("/"))
    if newest not in ("nothing", "end"):  # there it would open a session, which shows
        table.roll(anna, {**check, "visibility": "self"}, Prefer="wait=5")
        assert path_of(heroes.get("/")) == path
        assert path_of(heroes.get("/console/roll/unopposed-test")) == path
    table.roll(anna, {**check, "label": "Meanwhile"}, Prefer="wait=5")
    follower = Follower(address, heroes.cookie, path=path)
    assert [roll["label"] for roll in follower.rolls(1)] == ["Meanwhile"]
    opened = ["session"] if newest in ("nothing", "end") else []
    assert [event for _, event, _ in follower.events] == [*opened, "roll"]


def test_signing_out_ends_it_before_the_next_card(console, follower, table):
    table.rolled()
    assert len(follower.rolls(1)) == 1
    console.send("/", "/console/sign-out")
    table.rolled()
    assert follower.ended.wait(5) and len(follower.rolls(1)) == 1


def test_a_new_key_ends_it_at_once(follower, table):
    table.services.store.campaigns.renew_gm_key(table.id)
    assert follower.ended.wait(5)


def test_strangers_follow_nothing(address, table):
    assert Follower(address, "x" * 43).answer.status_code == 401
    assert requests.get(f"{address}/console/stream", timeout=5).status_code == 401


def test_another_table_hears_nothing(app, settings, address, console):
    from tests.service.table import set_table

    follower = Follower(address, console.cookie)
    other = set_table(app, settings)
    other.rolled()
    assert follower.rolls(1, seconds=0.5) == []
    assert "Friday" in Console(other).sign_in().get("/").text
