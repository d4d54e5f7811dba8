"""Evenings to report on: campaigns of every rule set, with all visibilities, users, characters and labels."""

import random
from typing import Any

from rules import registry
from service.store import Caller, NewAnswer, NewRoll, Store
from tests.tables import Clock
from worker.resolve import resolve_in

VISIBILITIES = ("public", "public", "public", "gm", "blind", "self")
LABELS = (
    None,
    "Stealth",
    "stealth ",
    "Lock, picking",
    '=HYPERLINK("x")',
    "Climbing",
    "Äxte & <Beile>",
    "$x^2$",
)
ACTORS = (
    None,
    {"id": "Actor.a1", "name": "Grimalda"},
    {"id": "Actor.a2", "name": 'Old "Tom", the [cat]'},
    {"id": "Actor.a3", "name": "Ser Bryn"},
)


class Evenings:
    """A campaign, its people, and a seeded way to fill it."""

    def __init__(
        self, store: Store, clock: Clock, ruleset: str, seed: int = 1, name: str = "Thursday"
    ) -> None:
        self.store, self.clock, self.ruleset = store, clock, ruleset
        self.random = random.Random(seed)
        campaign, key = store.campaigns.create(name, ruleset, {})
        self.campaign = campaign.id
        self.gm = self._caller(key)
        self.players = [self._player(user) for user in ("anna", "bert", "cara")]
        self._clicks = 0

    def _caller(self, token: str) -> Caller:
        caller = self.store.tokens.caller(token)
        assert caller is not None
        return caller

    def _player(self, user: str) -> Caller:
        return self._caller(self.store.players.mint(self.campaign, user, user.title())[1])

    def session(self, rolls: int, title: str | None = None) -> str:
        """Play an evening of so many clicks, and end it."""
        session = self.store.sessions.start(self.campaign, title).id
        for _ in range(rolls):
            self.clock.forward(ms=self.random.randint(1, 60_000))
            self.roll()
        self.store.sessions.end(self.campaign, session)
        self.clock.forward(hours=24 * 7)
        return session

    def roll(self, who: Caller | None = None, visibility: str | None = None, **more: Any) -> str:
        """Roll something, and let a challenged player answer nine times of ten; return the roll's id."""
        who = who or self.random.choice([self.gm, *self.players])
        visibility = visibility or self.random.choice(VISIBILITIES)
        new = self.click(who, visibility, more.pop("action", None), **more)
        record = self.store.rolls.accept(new).record
        resolve_in(self.store, record["id"])
        if new.action.challenged and self.random.random() < 0.9:
            self._answer(record["id"], new.action)
        return record["id"]

    def click(
        self, who: Caller, visibility: str, action: tuple[str, dict[str, Any]] | None = None, **more: Any
    ) -> NewRoll:
        """Return a roll to be accepted; what is not given is picked at random."""
        name, params = action or self._action(who, visibility)
        label, actor = self.random.choice(LABELS), self.random.choice(ACTORS)
        return NewRoll(
            campaign=self.campaign,
            caller=who,
            ruleset=self.ruleset,
            action=registry.get(self.ruleset).load(name, params, {}, who.role == "player"),
            key=self._key(),
            body_hash="body",
            visibility=visibility,
            actor=more.get("actor", actor),
            label=more.get("label", label),
        )

    def _answer(self, challenge: str, loaded: Any) -> None:
        record = self.store.rolls.get(self.campaign, challenge)
        who = next(p for p in (self.gm, *self.players) if p.user == loaded.challenged)
        params = {"skill": self.random.randint(0, 6)} if self.ruleset == "heroes-2d6" else {}
        answered = NewAnswer(
            campaign=self.campaign,
            caller=who,
            challenge=record,
            action=loaded.answered(params),
            key=self._key(),
            body_hash="body",
            actor=self.random.choice(ACTORS),
            label=self.random.choice(LABELS),
        )
        resolve_in(self.store, self.store.rolls.accept_answer(answered).record["id"])

    def _key(self) -> str:
        self._clicks += 1
        return f"click-{self._clicks}"

    def _action(self, who: Caller, visibility: str) -> tuple[str, dict[str, Any]]:
        pick = self.random.randint
        others = [player.user for player in self.players if player.user != who.user]
        against = {"kind": "player", "user": self.random.choice(others)}
        opposed = visibility != "self" and self.random.random() < 0.15
        match self.ruleset:
            case "heroes-2d6" if opposed:
                return "opposed-test", {"skill": pick(0, 6), "opponent": against}
            case "heroes-2d6":
                return "unopposed-test", {"skill": pick(0, 6), "tn": pick(6, 14)}
            case "fort-ref-will" if opposed:
                return "contest", {"advantage": pick(0, 2), "opponent": against}
            case "fort-ref-will" if self.random.random() < 0.5:
                return "save", {"attribute": self.random.choice(["FOR", "REF", "WIL"]), "target": pick(4, 12)}
            case "fort-ref-will":
                return "test", {"target": pick(4, 12), "advantage": pick(0, 1)}
            case "d6-comparison":
                return "opposed-check", {"skill": pick(0, 9), "opponent_skill": pick(0, 9)}
            case _:
                params = {
                    "stat": pick(1, 5),
                    "skill": self.random.choice(["untrained", "trained", "mastered"]),
                }
                return "skill-check", {**params, "knack": pick(0, 1) == 1, "dv": pick(1, 4)}
