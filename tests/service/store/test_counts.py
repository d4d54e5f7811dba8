"""A session's count of rolls is what the caller may see, whoever asks and however it was rolled."""

from service.visibility import VISIBILITIES, view_of
from worker.resolve import resolve_in


def test_rolls_are_counted_as_they_are_seen(table):
    cara = table.player("cara")
    for visibility in VISIBILITIES:
        for who in (table.gm, table.anna, table.bert):
            resolve_in(table.store, table.accept(who, visibility=visibility).record["id"])
            if visibility == "self":
                continue
            for against in {"gm", "anna", "bert"} - {who.user}:
                challenge = table.accept(who, visibility=visibility, against=against).record["id"]
                resolve_in(table.store, challenge)
                answerer = {"gm": table.gm, "anna": table.anna, "bert": table.bert}[against]
                resolve_in(table.store, table.answer(challenge, answerer).record["id"])
    unanswered = table.accept(table.anna, visibility="gm", against="bert").record
    resolve_in(table.store, unanswered["id"])
    table.store.sessions.end(table.campaign, unanswered["session"])

    records = [record for _, record in table.store.rolls.history(table.campaign)]
    assert len(records) == 12 + 3 * 3 * 2 * 2 + 1
    for caller in (table.gm, table.anna, table.bert, cara):
        seen = sum(view_of(record, caller) is not None for record in records)
        assert table.store.sessions.rolls_seen_by(unanswered["session"], caller) == seen


def test_counts_of_several_sessions_at_once(table):
    sessions = []
    for count in (1, 2):
        for _ in range(count):
            record = table.accept().record
            resolve_in(table.store, record["id"])
        sessions.append(record["session"])
        table.store.sessions.end(table.campaign, record["session"])
    counted = table.store.sessions.rolls_seen_in([*sessions, "nosuchone"], table.bert)
    assert counted == {sessions[0]: 1, sessions[1]: 2, "nosuchone": 0}
