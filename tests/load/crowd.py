"""Players who click and never give up, and streams that come back: they remember all that they were told."""

import itertools
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import requests

ACTIONS: dict[str, dict[str, Any]] = {
    "moon-hangs-low": {"action": "skill-check", "params": {"stat": 3, "dv": 6}},
    "heroes-2d6": {"action": "unopposed-test", "params": {"skill": 3, "tn": 8}},
    "d6-comparison": {"action": "opposed-check", "params": {"skill": 4, "opponent_skill": 3}},
    "fort-ref-will": {"action": "test", "params": {"target": 7, "advantage": 1}},
}
VISIBILITIES = ("public", "public", "gm", "blind", "self")
TIMEOUT = 15
"""Seconds that an answer may take, before the click is sent again."""


@dataclass(frozen=True)
class Seat:
    """Somebody at a table: where they call, and as whom."""

    campaign: str
    ruleset: str
    user: str
    token: str

    @property
    def path(self) -> str:
        return f"/v1/campaigns/{self.campaign}"

    def sees(self, user: str, visibility: str) -> bool:
        """Whether a roll of that user exists for this one."""
        mine = user == self.user
        return {
            "public": True,
            "gm": mine or self.user == "gm",
            "blind": mine or self.user == "gm",
            "self": mine,
        }[visibility]


@dataclass(frozen=True)
class Click:
    """A click, and what was answered: the whole of the last answer, `sent` times asked for."""

    seat: Seat
    key: str
    visibility: str
    body: dict[str, Any]
    answer: dict[str, Any] | None
    sent: int


class Player(threading.Thread):
    """Somebody who clicks `rolls` times within some seconds, each click until it is accepted.

    One click in `forgotten` is never sent again where no answer came: nobody knows what became of it.
    """

    def __init__(
        self,
        seat: Seat,
        addresses: Sequence[str],
        rolls: int,
        seconds: float,
        chance: random.Random,
        deadline: float,
        forgotten: int = 20,
    ) -> None:
        super().__init__(daemon=True)
        self.seat, self._addresses, self._rolls = seat, addresses, rolls
        self._pause, self._chance, self._deadline = seconds / rolls, chance, deadline
        self._forgotten = forgotten
        self.accepted: list[Click] = []
        self.unknown: list[Click] = []
        self.given_up: list[Click] = []
        self.answers: Counter[str] = Counter()

    def run(self) -> None:
        began = time.monotonic()
        for number, visibility in zip(range(self._rolls), itertools.cycle(VISIBILITIES), strict=False):
            body = ACTIONS[self.seat.ruleset] | {
                "visibility": visibility,
                "label": f"{self.seat.user} {number}",
            }
            self._click(f"{self.seat.user}-{number}-{self._chance.getrandbits(64):x}", visibility, body)
            time.sleep(max(0.0, began + (number + self._chance.random()) * self._pause - time.monotonic()))

    def _click(self, key: str, visibility: str, body: dict[str, Any]) -> None:
        forgotten, answer = self._chance.randrange(self._forgotten) == 0, None
        sent = 0
        while answer is None and time.monotonic() < self._deadline:
            answer, wait = self._send(key, body)
            sent += 1
            if answer is None and forgotten:
                self.unknown.append(Click(self.seat, key, visibility, body, None, sent))
                return
            if answer is None:
                time.sleep(wait)
        click = Click(self.seat, key, visibility, body, answer, sent)
        (self.given_up if answer is None else self.accepted).append(click)

    def _send(self, key: str, body: dict[str, Any]) -> tuple[dict[str, Any] | None, float]:
        """Send a click once; return the roll where it was accepted, else how long to wait."""
        headers = {"Authorization": f"Bearer {self.seat.token}", "Idempotency-Key": key}
        if self._chance.random() < 0.3:
            headers["Prefer"] = "wait=3"
        address = self._chance.choice(self._addresses)
        try:
            answer = requests.post(
                f"{address}{self.seat.path}/rolls", json=body, headers=headers, timeout=TIMEOUT
            )
            self.answers[str(answer.status_code)] += 1
            if answer.status_code in (200, 202):
                return answer.json(), 0.0
        except (requests.RequestException, ValueError) as error:
            self.answers[type(error).__name__] += 1
            return None, self._chance.uniform(0.1, 0.5)
        if answer.status_code not in (429, 503) or "Retry-After" not in answer.headers:
            self.answers[f"no answer to expect: {answer.status_code} {answer.text[:200]}"] += 1
        return None, float(answer.headers.get("Retry-After", 1)) * self._chance.uniform(0.5, 1.0)


@dataclass
class Follower:
    """A stream that is opened again, with the last id, whenever it ends."""

    seat: Seat
    addresses: Sequence[str]
    chance: random.Random
    cards: Counter[str] = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)
    shown: dict[str, dict[str, Any]] = field(default_factory=dict)
    returns: int = 0
    ends: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._last: str | None = None
        self._stopped, self.connected = threading.Event(), threading.Event()
        self._open: requests.Response | None = None
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Leave, within the time of a heartbeat."""
        self._stopped.set()

    def _follow(self) -> None:
        while not self._stopped.is_set():
            headers = {"Authorization": f"Bearer {self.seat.token}"}
            if self._last is not None:
                headers["Last-Event-ID"] = self._last
            try:
                with requests.get(
                    f"{self.chance.choice(self.addresses)}{self.seat.path}/stream",
                    headers=headers,
                    stream=True,
                    timeout=(5, 25),
                ) as answer:
                    if answer.status_code == 200:
                        self.connected.set()
                        self._read(answer)
                        self.ends["ended"] += 1
                    else:
                        self.ends[str(answer.status_code)] += 1
            except requests.RequestException as error:
                self.ends[type(error).__name__] += 1
            self.returns += 1
            self._stopped.wait(self.chance.uniform(0.2, 0.8))

    def _read(self, answer: requests.Response) -> None:
        """Read events; one that broke off in the middle does not count, and its id was not seen."""
        received = b""
        for piece in answer.iter_content(None):
            if self._stopped.is_set():
                return
            *complete, received = (received + piece).split(b"\n\n")
            for event in complete:
                lines = (line.partition(": ") for line in event.decode().split("\n"))
                fields = {name: value for name, _, value in lines if name}
                if "data" in fields:
                    self._take(fields)

    def _take(self, fields: dict[str, str]) -> None:
        self._last = fields["id"]
        self.events[fields["id"]] += 1
        if fields["event"] == "roll":
            roll = json.loads(fields["data"])
            if roll["status"] == "resolved":
                self.cards[roll["id"]] += 1
                self.shown[roll["id"]] = roll
