"""Whatever happens at a table, in whatever order: no roll is lost, and every way of reading tells the same.

TALLYBONES_SEEDS=200 plays so many evenings instead of a dozen.
"""

import io
import os
import random
from collections import Counter
from typing import Any

import pytest

from service.exporting import export
from service.importing import import_campaign
from service.store import Session, Store, keys, ledger, packed, packing
from service.store.packed import Event
from service.visibility import audience
from tests.tables import Clock, Table
from worker.resolve import resolve_in

SEEDS = int(os.environ.get("TALLYBONES_SEEDS", "12"))
STEPS, LOOK_EVERY = 120, 20
VISIBILITIES = ("public", "gm", "blind", "self")

Ids = list[str]


class Play:
    """A table at which anything may happen next; it remembers which rolls there must be in the end."""

    def __init__(self, store: Store, clock: Clock, seed: int) -> None:
        self.store, self.clock, self.chance = store, clock, random.Random(seed)
        self.table = Table(store)
        self.campaign = self.table.campaign
        self.pending: Ids = []
        self.rolls: set[str] = set()

    def step(self) -> None:
        self.clock.forward(ms=self.chance.choice((0, 1, 5, 1000)))
        steps = {
            self.accept: 25,
            self.challenge: 10,
            self.resolve: 30,
            self.answer: 10,
            self.start: 3,
            self.end: 7,
            self.pack: 5,
            self.delete_roll: 5,
            self.delete_session: 2,
            self.bring_back: 2,
            self.rest: 2,
        }
        [happens] = self.chance.choices(list(steps), list(steps.values()))
        happens()

    def accept(self) -> None:
        who = self.chance.choice((self.table.anna, self.table.bert, self.table.gm))
        self._accepted(self.table.accept(who, visibility=self.chance.choice(VISIBILITIES)).record)

    def challenge(self) -> None:
        who, other = self.chance.sample((self.table.anna, self.table.bert), 2)
        visibility = self.chance.choice(("public", "gm"))
        self._accepted(self.table.accept(who, against=other.user, visibility=visibility).record)

    def answer(self) -> None:
        unresolved = (each for s in self.sessions() for each in self.store.unresolved.of(s.id))
        open_ones = [each["record"]["id"] for each in unresolved if each["answer"] == ""]
        if open_ones:
            self._accepted(self.table.answer(self.chance.choice(open_ones)).record)

    def resolve(self) -> None:
        if self.pending:
            resolve_in(self.store, self.pending.pop(self.chance.randrange(len(self.pending))))

    def start(self) -> None:
        if self.store.sessions.open(self.campaign) is None:
            self.store.sessions.start(self.campaign)

    def end(self) -> None:
        if session := self.store.sessions.open(self.campaign):
            self.store.sessions.end(self.campaign, session.id)

    def pack(self) -> None:
        self.clock.forward(ms=packing.REST_MS + 1000)
        for session in self.store.packing.due():
            self.store.packing.pack(session)

    def rest(self) -> None:
        self.clock.forward(hours=7)

    def delete_roll(self) -> None:
        resolved = [record for _, record in self.store.rolls.history(self.campaign)]
        if resolved:
            record = self.chance.choice(resolved)
            assert self.store.erasing.roll(self.campaign, record)
            self.rolls -= {record["id"], record["answers"], record["answered_by"]}

    def delete_session(self) -> None:
        ended = [session.id for session in self.sessions() if session.ended_at]
        if ended:
            session = self.chance.choice(ended)
            assert self.store.erasing.session(self.campaign, session)
            self.rolls = {roll for roll in self.rolls if keys.session_of(roll) != session}

    def bring_back(self) -> None:
        campaign = self.store.campaigns.get(self.campaign)
        assert campaign is not None
        file = io.BytesIO(b"".join(export(self.store, campaign)))
        import_campaign(self.store, file, replace=True)

    def finish(self) -> None:
        """Resolve all that is left; challenges that nobody answered are closed."""
        for _ in range(2):  # the first may make challenges wait
            while self.pending:
                self.resolve()
            self.end()

    def sessions(self) -> list[Session]:
        return self.store.sessions.list(self.campaign, limit=1000)

    def _accepted(self, record: Any) -> None:
        self.pending.append(record["id"])
        self.rolls.add(record["id"])


def page_by_page(play: Play, limit: int) -> Ids:
    """Return the rolls of the whole history, newest first, as one gets them who turns its pages."""
    found, cursor = list[tuple[str, str]](), None
    while True:
        history = play.store.rolls.history(play.campaign, before=cursor)
        page = [(id, record["id"]) for (id, record), _ in zip(history, range(limit), strict=False)]
        found += page
        if len(page) < limit:
            return [roll for _, roll in found]
        cursor = page[-1][0]


def assert_all_read_the_same(play: Play) -> None:
    store, chance, campaign = play.store, play.chance, play.campaign
    sessions = [session.id for session in play.sessions()]
    events = sorted((event for s in sessions for event in store.rolls.events_of(s)), key=lambda each: each.ms)
    assert len({event.ms for event in events}) == len(events)
    rolls = [event.record["id"] for event in events if event.kind == "roll"]
    assert len(set(rolls)) == len(rolls) and set(rolls) <= play.rolls
    assert [record["id"] for _, record in store.rolls.history(campaign)] == rolls[::-1]
    for limit in (1, chance.randint(2, 9)):
        assert page_by_page(play, limit) == rolls[::-1]
    some = chance.sample(sessions, chance.randint(0, len(sessions)))
    theirs = [roll for roll in rolls[::-1] if keys.session_of(roll) in some]
    assert [record["id"] for _, record in store.rolls.history(campaign, sessions=some)] == theirs
    for last, until in (sorted(chance.choices(events, k=2), key=lambda each: each.ms) for _ in events[:4]):
        after = [event for event in events if event.ms > last.ms]
        assert list(store.rolls.events_after(campaign, last.id)) == after
        upto = [event for event in after if event.ms <= until.ms]
        assert list(store.rolls.events_after(campaign, last.id, until.id)) == upto
    for session in sessions:
        assert_counts_agree(play, session, [event for event in events if event.kind == "roll"])


def assert_counts_agree(play: Play, session: str, resolved: list[Event]) -> None:
    store = play.store
    own = [event.record for event in resolved if event.record["session"] == session]
    assert store.sessions.settled(session) == len(own)
    kept = store.redis.hgetall(keys.counts(session))
    counts = Counter(seer for record in own for seer in audience(record))
    assert {seer.decode(): int(number) for seer, number in kept.items() if int(number)} == counts
    numbers = [(record["chain"], record["seq"]) for record in own]
    assert len(set(numbers)) == len(numbers)
    for record in play.chance.sample(own, min(3, len(own))):
        assert store.rolls.get(play.campaign, record["id"]) == record


def assert_tallies_agree(play: Play) -> None:
    """They are as those that are made of the records anew."""
    for session in play.sessions():
        kept = play.store.tallies.read(play.campaign, session.id)
        play.store.redis.delete(keys.tallies(session.id))
        assert sorted(kept) == sorted(play.store.tallies.read(play.campaign, session.id))


@pytest.mark.parametrize("seed", range(SEEDS))
def test_nothing_is_lost_and_all_tell_the_same(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    for module, most, small in ((ledger, "PAGE", 3), (ledger, "SESSIONS", 2), (packing, "PAGE", 3)):
        monkeypatch.setattr(module, most, small)
    monkeypatch.setattr(packed, "CHUNK", 4)
    play = Play(store, clock, seed)
    for step in range(1, STEPS + 1):
        play.step()
        if step % LOOK_EVERY == 0:
            assert_all_read_the_same(play)
    play.finish()
    assert_all_read_the_same(play)
    assert {record["id"] for _, record in store.rolls.history(play.campaign)} == play.rolls
    assert_tallies_agree(play)
