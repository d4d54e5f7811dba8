"""What must be true after a storm, by the ledger, the revealed seeds and what clients were told."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from redis import Redis

from service.store import Store
from tests import fair_dice
from tests.load.crowd import Click, Follower, Player, Seat

Faults = dict[str, list[str]]


class Ledger:
    """All resolved rolls of some campaigns, and the seeds of their sessions, which it ends."""

    def __init__(self, redis: Redis, campaigns: Iterable[str]) -> None:
        self._store = Store(redis)
        self.rolls: list[Mapping[str, Any]] = []
        self.seeds: dict[tuple[str, str], str] = {}
        self.faults: Faults = defaultdict(list)
        self._sessions: dict[str, set[str]] = defaultdict(set)
        for campaign in campaigns:
            self.rolls += [record for _, record in self._store.rolls.history(campaign)]
            self._end_sessions(campaign)
        self.by_id = {roll["id"]: roll for roll in self.rolls}

    def _end_sessions(self, campaign: str) -> None:
        for session in self._store.sessions.list(campaign, limit=1000):
            ended = self._store.sessions.end(campaign, session.id)
            self._sessions[campaign].add(session.id)
            for chain, seed, published in (
                ("open", ended.seed, ended.commitment),
                ("hidden", ended.hidden_seed, ended.hidden_commitment),
            ):
                assert seed is not None
                self.seeds[session.id, chain] = seed
                if fair_dice.commitment(session.id, seed) != published:
                    self.faults["changed"].append(f"session {session.id}: its seed is not the committed one")

    def check_rolls(self, players: Sequence[Player]) -> None:
        """Check that what was accepted is there once, as it was asked for, and nothing else."""
        for roll, times in Counter(roll["id"] for roll in self.rolls).items():
            if times > 1:
                self.faults["doubled"].append(f"roll {roll} is in the ledger {times} times")
        by_key = defaultdict(list)
        for roll in self.rolls:
            by_key[roll["user"], roll["nonce"]].append(roll["id"])
        self.faults["doubled"] += [f"key {key}: {ids}" for key, ids in by_key.items() if len(ids) > 1]
        clicked: dict[str, Click] = {}
        for player in players:
            for click in player.accepted:
                assert click.answer is not None
                clicked[click.key] = click
                self._check_answer(click, click.answer)
            clicked |= {click.key: click for click in player.unknown}
            self.faults["refused"] += [f"{click.key} was never accepted" for click in player.given_up]
        for roll in self.rolls:
            if roll["nonce"] not in clicked:
                self.faults["doubled"].append(f"roll {roll['id']}: nobody clicked it")
        self._check_numbers()

    def _check_answer(self, click: Click, answer: Mapping[str, Any]) -> None:
        roll = self.by_id.get(answer["id"])
        if roll is None or roll["status"] != "resolved":
            self.faults["lost"].append(f"roll {answer['id']} of {click.key}, accepted in try {click.sent}")
            return
        asked = (click.key, click.seat.user, click.visibility, click.body["action"], click.body["label"])
        kept = tuple(roll[name] for name in ("nonce", "user", "visibility", "action", "label"))
        if asked != kept or not click.body["params"].items() <= roll["params"].items():
            self.faults["changed"].append(f"roll {roll['id']}: asked {asked}, kept {kept}")
        self._check_shown(answer)

    def _check_numbers(self) -> None:
        """Check that each chain of each session counts without gaps."""
        numbers: dict[tuple[str, str], list[int]] = defaultdict(list)
        for roll in self.rolls:
            numbers[roll["session"], roll["chain"]].append(roll["seq"])
        for (session, chain), counted in numbers.items():
            first = min(counted) if chain == "self" else 1
            if sorted(counted) != list(range(first, first + len(counted))):
                self.faults["lost"].append(f"session {session}: gaps in its chain {chain}")

    def check_dice(self) -> None:
        """Work every die out anew from its session's seed."""
        for roll in self.rolls:
            seed = self.seeds[roll["session"], "open" if roll["chain"] == "open" else "hidden"]
            faces = [die["faces"] for die in roll["dice"]]
            drawn = fair_dice.dice(seed, roll["session"], roll["seq"], roll["nonce"], faces)
            shown = [die["value"] for die in roll["dice"]]
            if not shown or shown != drawn:
                self.faults["changed"].append(f"roll {roll['id']}: {shown} instead of {drawn}")

    def due(self, seat: Seat) -> set[str]:
        """Return the rolls that somebody at a table may see."""
        sessions = self._sessions[seat.campaign]
        return {
            roll["id"]
            for roll in self.rolls
            if roll["session"] in sessions and seat.sees(roll["user"], roll["visibility"])
        }

    def check_stream(self, follower: Follower) -> None:
        """Check that a stream showed each card that its reader may see, once, and as the ledger has it."""
        seat, due = follower.seat, self.due(follower.seat)
        who = f"{seat.user} at {seat.campaign}"
        self.faults["cards missed"] += [f"{who}: roll {roll}" for roll in due - follower.cards.keys()]
        self.faults["cards doubled"] += [
            f"{who}: roll {roll} came {times} times" for roll, times in follower.cards.items() if times > 1
        ]
        self.faults["cards doubled"] += [
            f"{who}: event {event} came {times} times"
            for event, times in follower.events.items()
            if times > 1
        ]
        self.faults["cards of nothing"] += [f"{who}: roll {roll}" for roll in follower.cards.keys() - due]
        for shown in follower.shown.values():
            self._check_shown(shown)

    def _check_shown(self, shown: Mapping[str, Any]) -> None:
        """Check what was shown of a roll when it was resolved; what a view leaves out is null or empty."""
        roll = self.by_id.get(shown["id"])
        if roll is None or shown["status"] != "resolved":
            return
        for name in ("seq", "outcome", "success", "target"):
            if shown.get(name) is not None and shown[name] != roll[name]:
                self.faults["changed"].append(f"roll {roll['id']}: {name} was shown as {shown[name]!r}")
        dice = [(die["faces"], die["value"]) for die in shown["dice"]]
        if dice and dice != [(die["faces"], die["value"]) for die in roll["dice"]]:
            self.faults["changed"].append(f"roll {roll['id']}: its dice were shown as {dice}")

    def check_deliveries(self, messages: Iterable[tuple[str, str]]) -> int:
        """Check (roll, message id) of what receivers got: each public roll, all its messages with one id.

        Return how many messages came more than once.
        """
        ids: dict[str, Counter[str]] = defaultdict(Counter)
        for roll, message in messages:
            ids[roll][message] += 1
        public = {roll["id"] for roll in self.rolls if roll["visibility"] == "public"}
        self.faults["deliveries missed"] += [f"roll {roll}" for roll in public - ids.keys()]
        self.faults["deliveries of nothing"] += [f"roll {roll}" for roll in ids.keys() - public]
        self.faults["deliveries with two ids"] += [
            f"roll {roll}: {sorted(each)}" for roll, each in ids.items() if len(each) > 1
        ]
        return sum(times - 1 for each in ids.values() for times in each.values())
