"""A realistic evening, and a year of them: five players and the GM, all actions, all visibilities."""

import random
import uuid
from collections.abc import Callable, Iterator
from typing import Any

from rules import registry
from service.store import Caller, NewRoll, Store
from tests.tables import Clock
from worker.resolve import resolve_in

PLAYERS = ("Anna", "Bert", "Cara", "Dirk", "Elena")
SKILLS = (
    "Climb",
    "Stealth",
    "Perception",
    "Swords",
    "Bows",
    "Lore",
    "Persuade",
    "Medicine",
    "Athletics",
    "Survival",
)
Chosen = tuple[str, dict[str, Any]]


def _moon(luck: random.Random) -> Chosen:
    skill = luck.choice(("untrained", "trained", "mastered"))
    more = {"bonus": luck.choice((0, 0, 0, 1, 2)), "penalty": luck.choice((0, 0, 1))}
    return "skill-check", {
        "stat": luck.randint(1, 5),
        "skill": skill,
        "knack": luck.random() < 0.3,
        "dv": luck.randint(1, 6),
        **more,
    }


def _heroes(luck: random.Random) -> Chosen:
    if luck.random() < 0.6:
        difficulty = luck.choice(("easy", "moderate", "hard"))
        return "unopposed-test", {"skill": luck.randint(0, 9), "difficulty": difficulty}
    creature = {"kind": "creature", "skill": luck.randint(0, 9), "modifier": 0, "take7": luck.random() < 0.3}
    purpose = luck.choice(("attack", "dodge", "cast-spell"))
    return "opposed-test", {"skill": luck.randint(0, 9), "purpose": purpose, "opponent": creature}


def _saves(luck: random.Random) -> Chosen:
    hands = {"advantage": luck.randint(0, 2), "disadvantage": luck.randint(0, 2)}
    if luck.random() < 0.5:
        return "test", hands
    return "save", {"attribute": luck.choice(("FOR", "REF", "WIL")), "target": luck.randint(4, 10), **hands}


def _comparison(luck: random.Random) -> Chosen:
    if luck.random() < 0.5:
        return "opposed-check", {"skill": luck.randint(1, 9), "opponent_skill": luck.randint(1, 9)}
    difficulty = luck.choice(("easy", "moderate", "difficult"))
    return "unopposed-check", {"skill": luck.randint(1, 9), "difficulty": difficulty}


ACTIONS: dict[str, Callable[[random.Random], Chosen]] = {
    "moon-hangs-low": _moon,
    "heroes-2d6": _heroes,
    "fort-ref-will": _saves,
    "d6-comparison": _comparison,
}


class Play:
    """A campaign that is played, evening by evening, on a clock of its own."""

    def __init__(self, store: Store, clock: Clock, ruleset: str, seed: int = 1) -> None:
        self.store, self.clock, self.ruleset, self.luck = store, clock, ruleset, random.Random(seed)
        campaign, key = store.campaigns.create("A year of play", ruleset, {})
        self.campaign = campaign.id
        self._late: list[str] = []
        self.people = [self._caller(key)]
        for name in PLAYERS:
            user = "".join(self.luck.choices("ABCDEFabcdef0123456789", k=16))
            self.people.append(self._caller(store.players.mint(self.campaign, user, name)[1]))

    def evening(self, rolls: int = 150, *, late: bool = False) -> str:
        """Play an evening of so many rolls; return the session, ended.

        One click more (`late`) is resolved in the middle of the next evening.
        """
        session = self.store.sessions.start(self.campaign, f"Evening {self.clock.now // 86_400_000}").id
        for place in range(rolls):
            if place == rolls // 2 and self._late:
                resolve_in(self.store, self._late.pop())
            self.roll()
        if late:
            self._late.append(self._click())
        self.store.sessions.end(self.campaign, session)
        self.clock.forward(hours=7 * 24)
        return session

    def roll(self) -> str:
        """Click once, as somebody, and have it resolved."""
        roll = self._click()
        self.clock.forward(ms=self.luck.randint(2, 40))
        resolve_in(self.store, roll)
        return roll

    def _click(self) -> str:
        luck, who = self.luck, self.luck.choice(self.people)
        self.clock.forward(ms=luck.randint(5_000, 180_000))
        name, params = ACTIONS[self.ruleset](luck)
        hero = {"id": f"{who.user:0<10}"[:10] + "hero01", "name": f"{who.name}'s hero"}
        foe = {"id": f"npc0000000000{luck.randint(10, 30)}", "name": f"Goblin {luck.randint(1, 20)}"}
        new = NewRoll(
            campaign=self.campaign,
            caller=who,
            ruleset=self.ruleset,
            action=registry.get(self.ruleset).load(name, params, {}, who.role == "player"),
            key=str(uuid.UUID(int=luck.getrandbits(128), version=4)),
            body_hash=f"{luck.getrandbits(256):064x}",
            visibility=luck.choices(("public", "gm", "blind", "self"), (85, 8, 4, 3))[0],
            actor=foe if who.role == "gm" else hero,
            label=luck.choice(SKILLS) if luck.random() < 0.7 else None,
        )
        return self.store.rolls.accept(new).record["id"]

    def _caller(self, token: str) -> Caller:
        caller = self.store.tokens.caller(token)
        assert caller is not None
        return caller


def bytes_at_rest(store: Store) -> Iterator[tuple[str, int]]:
    """Yield each key of ours with what it takes in memory, but for what expires within a week."""
    for key in store.redis.scan_iter("tb:*", count=1000):
        if not key.startswith((b"tb:key:", b"tb:sweeping", b"tb:suspects")):
            yield key.decode(), int(store.redis.memory_usage(key, samples=0) or 0)
