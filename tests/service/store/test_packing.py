"""Packed sessions: small, and read as before."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.store import Store, keys, packing
from service.store.columns import column, values
from service.store.packed import CHUNK, Event, UnknownForm, chunks, pack, unpack
from service.store.packing import REST_MS
from service.tallying import move_of
from tests.service.store.year_of_play import ACTIONS, Play, bytes_at_rest
from tests.tables import pages
from worker.resolve import resolve_in

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(
    st.lists(JSON, max_size=30)
    | st.lists(st.fixed_dictionaries({"id": st.text(), "dice": st.lists(JSON)}), max_size=20)
)
@settings(max_examples=150, deadline=None)
def test_columns_give_back_exactly_what_was_put_in(rows):
    assert repr(values(column(rows))) == repr(rows)


def test_a_chunk_of_a_later_version_is_named():
    with pytest.raises(UnknownForm):
        unpack(b"\x07" + pack([Event("1-0", "roll", {})])[1:])


@pytest.fixture
def play(store, clock) -> Play:
    return Play(store, clock, "heroes-2d6")


def everything(store: Store, play: Play) -> dict[str, object]:
    """All that can be read of a campaign's history."""
    rolls = list(store.rolls.history(play.campaign))
    sessions = [session.id for session in store.sessions.list(play.campaign)]
    starts = [session.started_at for session in store.sessions.list(play.campaign)]
    return {
        "history": rolls,
        "pages": list(pages(store, play.people[0])),
        "each": [store.rolls.get(play.campaign, record["id"]) for _, record in rolls],
        "events": list(store.rolls.events_after(play.campaign, "0-0")),
        "replays": [list(store.rolls.events_after(play.campaign, f"{start}-0")) for start in starts],
        "sessions": store.sessions.list(play.campaign),
        "counts": [store.sessions.rolls_seen_in(sessions, who) for who in play.people],
        "tallies": {session: sorted(store.tallies.read(play.campaign, session)) for session in sessions},
    }


def test_reading_is_as_before(store, play):
    sessions = [play.evening(30), play.evening(CHUNK + 40), play.evening(5)]
    before = everything(store, play)
    for session in sessions:
        assert store.packing.pack(session)
        assert not store.redis.exists(keys.stream(session), keys.index(session))
    assert everything(store, play) == before


def test_pages_and_bounds_are_as_before(store, play):
    sessions = [play.evening(40), play.evening(CHUNK * 2 + 10)]
    rolls = list(store.rolls.history(play.campaign))
    events = list(store.rolls.events_after(play.campaign, "0-0"))
    for session in sessions:
        store.packing.pack(session)
    for place in (0, 1, 7, 200, 255, 256, 257, 400, len(rolls) - 1):
        cursor = rolls[place][0]
        assert list(store.rolls.history(play.campaign, before=cursor)) == rolls[place + 1 :]
        assert list(store.rolls.history(play.campaign, after=cursor)) == rolls[:place]
        later = [event for event in events if event.ms > int(cursor.split("-")[0])]
        assert list(store.rolls.events_after(play.campaign, cursor)) == later
    assert [record["session"] for _, record in store.rolls.history(play.campaign, sessions=sessions[:1])] == [
        sessions[0]
    ] * 40


def test_a_page_unpacks_no_more_than_it_shows(store, play):
    session = play.evening(CHUNK * 3 - 60)
    store.packing.pack(session)
    unpack.cache_clear()
    pages = store.rolls.history(play.campaign)
    for _ in range(50):
        next(pages)
    assert unpack.cache_info().misses == 1
    again = store.rolls.history(play.campaign)
    for _ in range(50):
        next(again)
    assert unpack.cache_info().misses == 1


def test_packed_in_the_middle_of_a_page_nothing_is_missed(store, play):
    session = play.evening(230)
    expected = list(store.rolls.history(play.campaign))
    reading = store.rolls.history(play.campaign)
    found = [next(reading) for _ in range(120)]
    assert store.packing.pack(session)
    assert found + list(reading) == expected
    forward = store.rolls.events_after(play.campaign, "0-0")
    assert len(list(forward)) == 232


def test_a_session_is_packed_some_time_after_its_end(store, play, clock):
    session = store.sessions.start(play.campaign).id
    play.roll()
    assert not store.packing.pack(session) and store.packing.due() == []
    store.sessions.end(play.campaign, session)
    assert not store.packing.pack(session) and store.packing.due() == []
    clock.forward(ms=REST_MS + 2)
    assert store.packing.due() == [session]
    assert store.packing.pack(session) and not store.packing.pack(session)
    assert store.packing.due() == []


def test_sessions_that_have_to_wait_hold_up_no_others(store, play, clock, valkey):
    waiting, others = [], []
    for place in range(13):
        session = store.sessions.start(play.campaign).id
        roll = play.roll()
        store.sessions.end(play.campaign, session)
        clock.forward(ms=1)
        if place < 10:  # as many as are looked at in one go
            valkey.zadd("tb:stuck", {roll: clock()})
        (waiting if place < 10 else others).append(session)
    clock.forward(ms=REST_MS)

    def look() -> list[str]:
        return [session for session in store.packing.due() if store.packing.pack(session)]

    assert look() == []
    assert look() == others
    valkey.delete("tb:stuck")
    clock.forward(ms=REST_MS)
    assert sorted(look()) == sorted(waiting)
    assert store.packing.due() == []


def test_a_session_waits_for_its_last_rolls(table, store, clock):
    challenge = table.accept(against="bert").record
    resolve_in(store, challenge["id"])
    answer = table.answer(challenge["id"]).record
    session = answer["session"]
    late = table.accept().record
    store.sessions.end(table.campaign, session)
    clock.forward(hours=1)
    assert not store.packing.pack(session)
    resolve_in(store, answer["id"])
    assert not store.packing.pack(session)
    resolve_in(store, late["id"])
    assert store.packing.pack(session)
    assert {record["id"] for _, record in store.rolls.history(table.campaign)} == {
        challenge["id"],
        answer["id"],
        late["id"],
    }


@pytest.fixture
def once_read(monkeypatch):
    """Have something happen when a session was read to be packed, and before it is."""

    def have(happens):
        def read(events):
            yield from chunks(events)
            monkeypatch.setattr(packing, "chunks", chunks)
            happens()

        monkeypatch.setattr(packing, "chunks", read)

    return have


@pytest.mark.parametrize(("deleted", "comes"), [(1, False), (0, True), (1, True), (2, True)])
def test_what_changes_between_reading_and_packing_stays_as_it_is(
    table, store, clock, once_read, deleted, comes
):
    rolls = [table.accept().record["id"] for _ in range(4)]
    for roll in rolls[:3]:
        resolve_in(store, roll)
    session = keys.session_of(rolls[0])
    store.sessions.end(table.campaign, session)
    clock.forward(hours=1)
    if not comes:
        resolve_in(store, rolls[3])

    def change():
        for roll in rolls[:deleted]:
            assert store.erasing.roll(table.campaign, store.rolls.get(table.campaign, roll))
        assert resolve_in(store, rolls[3]) is comes

    once_read(change)
    assert not store.packing.pack(session)
    left = rolls[deleted:][::-1]
    assert [record["id"] for _, record in store.rolls.history(table.campaign)] == left
    assert store.packing.pack(session)
    assert [record["id"] for _, record in store.rolls.history(table.campaign)] == left


def test_a_session_that_is_deleted_while_it_is_packed_stays_so(play, store, once_read, valkey):
    session = play.evening(5)
    once_read(lambda: store.erasing.session(play.campaign, session))
    assert not store.packing.pack(session)
    assert not valkey.keys(f"tb:session:{session}*") and store.packing.due() == []


def test_a_click_that_is_sent_again_finds_its_packed_roll(table, store, clock):
    request = table.request(key="once")
    record = store.rolls.accept(request).record
    resolve_in(store, record["id"])
    store.sessions.end(table.campaign, record["session"])
    clock.forward(hours=1)
    assert store.packing.pack(record["session"])
    again = store.rolls.accept(request)
    assert again.replayed and again.record["id"] == record["id"] and again.record["status"] == "resolved"


def test_a_packed_roll_is_found_in_its_own_campaign_only(table, store, clock):
    record = table.accept().record
    resolve_in(store, record["id"])
    store.sessions.end(table.campaign, record["session"])
    clock.forward(hours=1)
    store.packing.pack(record["session"])
    other, _ = store.campaigns.create("Other", "heroes-2d6", {})
    assert store.rolls.get(table.campaign, record["id"]) is not None
    assert store.rolls.get(other.id, record["id"]) is None
    assert store.rolls.get(table.campaign, record["session"] + "-aaaaaaaaaa") is None


@pytest.mark.parametrize("ruleset", ACTIONS)
def test_a_roll_at_rest_takes_at_most_120_bytes(store, clock, ruleset):
    play = Play(store, clock, ruleset)
    sessions = [play.evening(150) for _ in range(3)]
    for session in sessions:
        assert store.packing.pack(session)
    assert sum(size for _, size in bytes_at_rest(store)) / (3 * 150) <= 120


def test_tallies_count_what_the_records_say(store, play):
    session = play.evening(25)
    store.packing.pack(session)
    counted = sum(
        int(value.split()[0])
        for field, value in store.tallies.read(play.campaign, session)
        if field[0] == "c"
    )
    records = [record for _, record in store.rolls.history(play.campaign)]
    assert counted == sum(move_of(record) is not None for record in records) == 25
