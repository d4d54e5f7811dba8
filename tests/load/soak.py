"""script/soak: many rolls while every process is killed and started again; then the ledger is checked.

It stops by itself: after so many rolls, or after three times the time that it was given.
"""

import argparse
import contextlib
import json
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import orjson
import psutil
import requests

from service.store import keys
from tests.load import evening
from tests.load.crowd import ACTIONS, Follower, Player, Seat
from tests.load.household import ADMIN_TOKEN, Household, household
from tests.load.ledger_check import Ledger
from tests.load.storm import Storm
from tests.worker.webhooks.receiver import Handler, Receiver, answers

PROMISED = 10.0
"""Seconds after the last restart within which all that was accepted is resolved."""
STREAMS_EACH = 3
"""Streams at each table: the GM's and two players'."""


@dataclass
class Result:
    """What a soak came to; `faults` names each thing that must not be, by kind."""

    seed: int
    clicks: int
    accepted: int = 0
    unknown: int = 0
    sent_again: int = 0
    in_ledger: int = 0
    cards: int = 0
    stream_returns: int = 0
    deliveries: int = 0
    delivered_again: int = 0
    seconds: float = 0.0
    resolved_after: float = 0.0
    allowed: float = PROMISED
    longest_leave: float = 0.0
    deaths: dict[str, int] = field(default_factory=dict)
    answers: dict[str, int] = field(default_factory=dict)
    faults: dict[str, list[str]] = field(default_factory=dict)

    @property
    def good(self) -> bool:
        """Whether nothing is wrong."""
        return not any(self.faults.values())


def patience() -> float:
    """How many times longer things may take than promised: 1, more where the machine has other work."""
    return max(1.0, psutil.getloadavg()[0] / (psutil.cpu_count() or 1))


def soak(folder: Path, rolls: int, clients: int, seconds: float, seed: int) -> Result:
    """Let clients make so many rolls in about so many seconds, in a storm; return what it came to."""
    chance, result, began = random.Random(seed), Result(seed, rolls), time.monotonic()
    receiver = Receiver(_take)
    try:
        with household(Household(folder)) as running:
            seats = _seat(running, clients, receiver.url())
            followers = _follow(running, seats, chance)
            storm = Storm(running, random.Random(chance.random()))
            players = _clicking(running, seats, rolls, seconds, chance)
            storm.start()
            for player in players:
                player.join()
            storm.stop()
            _wait_for_the_rest(running, storm, result)
            _check(running, players, followers, receiver, result)
        result.deaths = dict(sorted(storm.deaths.items()))
        result.longest_leave = storm.longest_leave
        if storm.too_slow:
            result.faults["did not leave within 30 s of SIGTERM"] = storm.too_slow
    finally:
        receiver.close()
    result.seconds = time.monotonic() - began
    return result


def _take(handler: Handler) -> None:
    """Take a message, though its sender may be dead before the answer."""
    with contextlib.suppress(BrokenPipeError):
        answers(204)(handler)


def _seat(running: Household, clients: int, url: str) -> dict[str, list[Seat]]:
    """Make a campaign of each rule set with its webhook, and spread the clients over them; GMs come first."""
    seats: dict[str, list[Seat]] = {}
    for ruleset in ACTIONS:
        made = _call(running, ADMIN_TOKEN, "/v1/campaigns", {"name": ruleset, "ruleset": ruleset})
        gm = Seat(made["id"], ruleset, "gm", made["gm_key"])
        seats[ruleset] = [gm]
        _call(running, gm.token, f"{gm.path}/webhooks", {"kind": "standard", "url": url})
    for number in range(clients):
        gm = seats[list(ACTIONS)[number % len(ACTIONS)]][0]
        user = f"player{number}"
        token = _call(running, gm.token, f"{gm.path}/players", {"user": user, "name": user})["token"]
        seats[gm.ruleset].append(Seat(gm.campaign, gm.ruleset, user, token))
    return seats


def _call(running: Household, token: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {token}"}
    answer = requests.post(running.addresses[0] + path, json=body, headers=headers, timeout=30)
    answer.raise_for_status()
    made: dict[str, Any] = answer.json()
    return made


def _follow(running: Household, seats: dict[str, list[Seat]], chance: random.Random) -> list[Follower]:
    followers = [
        Follower(seat, running.addresses, random.Random(chance.random()))
        for table in seats.values()
        for seat in table[:STREAMS_EACH]
    ]
    for follower in followers:
        if not follower.connected.wait(60):
            raise TimeoutError("a stream could not be opened before the storm")
    return followers


def _clicking(
    running: Household, seats: dict[str, list[Seat]], rolls: int, seconds: float, chance: random.Random
) -> list[Player]:
    """Start the players; the GMs do not click."""
    clicking = [seat for table in seats.values() for seat in table[1:]]
    deadline = time.monotonic() + 3 * seconds + 60
    shares = [rolls // len(clicking) + (place < rolls % len(clicking)) for place in range(len(clicking))]
    players = [
        Player(seat, running.addresses, share, seconds, random.Random(chance.random()), deadline)
        for seat, share in zip(clicking, shares, strict=True)
        if share
    ]
    for player in players:
        player.start()
    return players


def _wait_for_the_rest(running: Household, storm: Storm, result: Result) -> None:
    """Wait until all is resolved, and note how long after the last restart it was."""
    result.allowed = PROMISED * patience()
    try:
        while time.monotonic() - storm.last_restart < 6 * result.allowed:
            if running.server_answers():
                with running.redis() as redis:
                    if redis.zcard(keys.PENDING) == 0:
                        break
            time.sleep(0.05)
    finally:
        result.resolved_after = time.monotonic() - storm.last_restart
    if result.resolved_after > result.allowed:
        late = f"{result.resolved_after:.1f} s after the last restart, {result.allowed:.1f} s were allowed"
        result.faults["late"] = [late]
    running.wait_until_ready()


def _check(
    running: Household, players: list[Player], followers: list[Follower], receiver: Receiver, result: Result
) -> None:
    with running.redis() as redis:
        ledger = Ledger(redis, dict.fromkeys(follower.seat.campaign for follower in followers))
        ledger.check_rolls(players)
        ledger.check_dice()
        _let_it_settle(ledger, followers, receiver)
        for follower in followers:
            follower.close()
            ledger.check_stream(follower)
        messages = _messages(receiver)
        result.delivered_again = ledger.check_deliveries(messages)
    result.accepted = sum(len(player.accepted) for player in players)
    result.unknown = sum(len(player.unknown) for player in players)
    result.sent_again = sum(click.sent - 1 for player in players for click in player.accepted)
    result.in_ledger = len(ledger.rolls)
    result.cards = sum(sum(follower.cards.values()) for follower in followers)
    result.stream_returns = sum(follower.returns for follower in followers)
    result.deliveries = len(messages)
    counted = sum((player.answers for player in players), Counter())
    result.answers = dict(counted.most_common())
    odd = [answer for answer in counted if answer.startswith("no answer to expect")]
    result.faults |= {kind: each for kind, each in ledger.faults.items() if each}
    if odd:
        result.faults["answers"] = odd


def _let_it_settle(ledger: Ledger, followers: list[Follower], receiver: Receiver) -> None:
    """Give cards and deliveries that are under way their time."""
    public = {roll["id"] for roll in ledger.rolls if roll["visibility"] == "public"}
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        told = {roll for roll, _ in _messages(receiver)}
        if public <= told and all(each.cards.keys() >= ledger.due(each.seat) for each in followers):
            break
        time.sleep(0.2)
    time.sleep(2)  # what would come twice would come now


def _messages(receiver: Receiver) -> list[tuple[str, str]]:
    read = ((orjson.loads(received.body), received.id) for received in list(receiver.received))
    return [(body["data"]["id"], message) for body, message in read if body["type"] == "roll.resolved"]


def table(result: Result) -> str:
    """Return the result as lines for a terminal."""
    figures = asdict(result)
    lines = [
        f"{name.replace('_', ' '):<16} {figures[name]:,.1f}"
        if isinstance(figures[name], float)
        else f"{name.replace('_', ' '):<16} {figures[name]:,}"
        for name in figures
        if isinstance(figures[name], int | float)
    ]
    lines += ["deaths", *(f"  {name:<40} {times:,}" for name, times in result.deaths.items())]
    lines += ["answers", *(f"  {name:<40} {times:,}" for name, times in result.answers.items())]
    for kind, each in result.faults.items():
        lines += [f"FAULT {kind}: {len(each):,}", *(f"  {fault}" for fault in each[:10])]
    return "\n".join([*lines, "good" if result.good else "NOT GOOD"])


def main() -> None:
    """Soak, and print the result; end with code 1 where something is wrong."""
    parser = argparse.ArgumentParser(prog="script/soak", description=__doc__)
    parser.add_argument("--rolls", type=int, default=10_300)  # of which 10,000 are accepted
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=300, help="over which the clicks are spread")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--json", type=Path, help="a file for the result as JSON")
    parser.add_argument("--load", action="store_true", help="no storm: many tables at once (see docs)")
    parser.add_argument("--tables", type=int, default=200, help="with --load: tables of five")
    parser.add_argument(
        "--pause", type=float, default=15, help="with --load: seconds between a table's clicks"
    )
    parser.add_argument(
        "--largest", type=int, default=200_000, help="with --load: rolls of the campaign reported on"
    )
    parser.add_argument("--keep", type=Path, help="a folder for the logs and the server's files")
    chosen = parser.parse_args()
    folder = chosen.keep or Path(tempfile.mkdtemp(prefix="soak-"))
    folder.mkdir(parents=True, exist_ok=True)
    print(f"seed {chosen.seed}; stops by itself", file=sys.stderr, flush=True)
    try:
        good, said, figures = (_play if chosen.load else _soak)(chosen, folder.resolve())
    finally:
        if chosen.keep is None:
            shutil.rmtree(folder, ignore_errors=True)
    print(said)
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=2) + "\n")
    else:
        print(json.dumps(figures))
    sys.exit(0 if good else 1)


Shown = tuple[bool, str, dict[str, Any]]
"""Whether all is good, lines for a terminal, and the figures."""


def _soak(chosen: argparse.Namespace, folder: Path) -> Shown:
    result = soak(folder, chosen.rolls, chosen.clients, chosen.seconds, chosen.seed)
    return result.good, table(result), asdict(result)


def _play(chosen: argparse.Namespace, folder: Path) -> Shown:
    figures = evening.measure(
        folder, chosen.tables, chosen.seconds, chosen.pause, chosen.largest, chosen.seed
    )
    summary, faults = figures.summary(), figures.faults()
    lines = [f"{name:<20} {value}" for name, value in summary.items() if not isinstance(value, dict)]
    for name in ("click to card, ms", "memory, MB", "flood", "report"):
        lines += [name, *(f"  {part:<20} {value}" for part, value in summary[name].items())]
    lines += [f"FAULT {fault}" for fault in faults[:20]]
    return not faults, "\n".join([*lines, "NOT GOOD" if faults else "good"]), summary


if __name__ == "__main__":
    main()
