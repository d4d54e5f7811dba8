"""A table to test at: a campaign with a GM and two players, on a store with a clock that can be set."""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from rules import registry
from service.api.history import history_page
from service.store import Accepted, Caller, NewAnswer, NewRoll, Store

START = 1_800_000_000_000
RULES = "heroes-2d6"


class Clock:
    """A clock in ms that stands still until it is told otherwise."""

    def __init__(self, now: int = START) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now

    def forward(self, *, ms: int = 0, hours: float = 0) -> None:
        self.now += ms + int(hours * 3_600_000)


class Table:
    """A campaign and those who roll in it."""

    def __init__(self, store: Store, house_rules: dict[str, object] | None = None) -> None:
        self.store = store
        self.house_rules = house_rules or {}
        campaign, key = store.campaigns.create("Thursday", RULES, self.house_rules)
        self.campaign = campaign.id
        self.gm = self.caller(key)
        self.anna, self.bert = self.player("anna"), self.player("bert")
        self._keys = itertools.count(1)

    def caller(self, token: str) -> Caller:
        caller = self.store.tokens.caller(token)
        assert caller is not None
        return caller

    def player(self, user: str) -> Caller:
        _, token = self.store.players.mint(self.campaign, user, user.title())
        return self.caller(token)

    def request(
        self,
        who: Caller | None = None,
        *,
        against: str | None = None,
        key: str | None = None,
        body: str = "body",
        visibility: str = "public",
        session: str | None = None,
    ) -> NewRoll:
        """A test of skill 3 against 8, or an opposed one of skill 3 against a user."""
        who = who or self.anna
        if against is None:
            name, params = "unopposed-test", {"skill": 3, "tn": 8}
        else:
            name, params = "opposed-test", {"skill": 3, "opponent": {"kind": "player", "user": against}}
        action = registry.get(RULES).load(name, params, self.house_rules, who.role == "player")
        return NewRoll(
            campaign=self.campaign,
            caller=who,
            ruleset=RULES,
            action=action,
            key=key or f"key-{next(self._keys)}",
            body_hash=body,
            visibility=visibility,
            session=session,
        )

    def accept(self, who: Caller | None = None, **request: object) -> Accepted:
        return self.store.rolls.accept(self.request(who, **request))

    def answer(
        self, challenge: str, who: Caller | None = None, *, key: str | None = None, body: str = "body"
    ) -> Accepted:
        """Answer a challenge with a skill of 4."""
        record = self.store.rolls.get(self.campaign, challenge)
        assert record is not None
        action = registry.get(RULES).load(record["action"], record["params"], record["house_rules"])
        return self.store.rolls.accept_answer(
            NewAnswer(
                campaign=self.campaign,
                caller=who or self.bert,
                challenge=record,
                action=action.answered({"skill": 4}),
                key=key or f"key-{next(self._keys)}",
                body_hash=body,
            )
        )


def pages(store: Store, caller: Caller, limit: int = 2) -> Iterator[list[Mapping[str, Any]]]:
    """Yield the pages of the whole history, newest first, as the caller turns them."""
    page = history_page(store, caller, {"limit": limit})
    while page["next_cursor"]:
        yield page["rolls"]
        page = history_page(store, caller, {"limit": limit, "cursor": page["next_cursor"]})
    yield page["rolls"]
