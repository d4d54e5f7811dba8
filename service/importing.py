"""Bringing a campaign back from an export: each line is checked first, then all is put in place at once."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

import orjson
from marshmallow import ValidationError

from rules import registry
from service import import_lines as lines
from service.exporting import EVENT_NAMES
from service.import_lines import Wrong, require
from service.import_odds import OddsOfSession
from service.import_rolls import require_closing, require_roll
from service.ndjson import BadLine, read_lines
from service.recording import BEFORE_FIRST
from service.store import Campaign, NotRestored, Restoring, Store, tokens
from service.store.campaigns import GM_NAME
from service.store.ids import event_id
from service.store.packed import Event
from service.store.shared import CLOCK_SKEW_MS

KINDS_OF_EVENT = {name: kind for kind, name in EVENT_NAMES.items()}
STARTS = frozenset({"tallybones", "campaign", "player", "webhook", "session", "at", "unresolved", "end"})
MOST_SESSIONS = 100_000


class Imported:
    """What came of an import; `gm_key` is new where the file has none, `webhooks` are to be added anew."""

    def __init__(
        self, campaign: Campaign, sessions: int, rolls: int, gm_key: str | None, webhooks: int
    ) -> None:
        self.campaign, self.sessions, self.rolls = campaign, sessions, rolls
        self.gm_key, self.webhooks = gm_key, webhooks


class ImportRefused(Exception):
    """Nothing was imported; `sentence` says why."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


WHY_NOT = {
    "exists": "This campaign is here already: --replace puts the file's in its place.",
    "session-taken": "A session of this file belongs to another campaign here.",
    "token-taken": "A token of this file belongs to another campaign here.",
    "lost": "The server forgot what was written aside; try again.",
}


def import_campaign(store: Store, file: BinaryIO, *, replace: bool = False) -> Imported:
    """Bring a campaign back from a file that can be read twice. Raise BadLine or ImportRefused.

    Ids, keys and tokens are those of the file. Webhooks do not come back: their addresses are in no file.
    """
    first = _Reading(file)
    first.work_through(lambda *_: None)
    found = store.restoring()
    file.seek(0)
    try:
        return _write(store, found, _Reading(file), first.under_way, replace=replace)
    except NotRestored as error:
        raise ImportRefused(WHY_NOT[error.why]) from error
    except BaseException:
        found.drop()
        raise


SessionTaker = Callable[[dict[str, Any], Iterable[Event]], None]


class _Reading:
    """One pass through a file, checking each line."""

    def __init__(self, file: BinaryIO) -> None:
        self._lines = read_lines(file)
        self._number, self._value = 0, None
        self.campaign: dict[str, Any] = {}
        self.players: list[dict[str, Any]] = []
        self.webhooks: list[dict[str, Any]] = []
        self.sessions, self.rolls, self.last_ms = 0, 0, 0
        self.open_session: str | None = None
        self.unresolved: list[dict[str, Any]] = []
        self.under_way: set[str] = set()
        """Sessions with rolls that are not resolved."""

    def work_through(self, take: SessionTaker) -> None:
        """Read everything, handing over each session with its events; raise BadLine."""
        try:
            self._read(take)
        except Wrong as error:
            raise BadLine(error.line or max(self._number, 1), str(error)) from error

    def _read(self, take: SessionTaker) -> None:
        self._next()
        require(self._value, lines.HEADER, "the header")
        self._next()
        self.campaign = require(self._only("campaign"), lines.CAMPAIGN, "campaign")
        self._check_house_rules()
        self._next()
        while (kind := self._kind()) in ("player", "webhook"):
            if kind == "player":
                self.players.append(require(self._only("player"), lines.PLAYER, "player"))
            else:
                self.webhooks.append(require(self._only("webhook"), lines.WEBHOOK, "webhook"))
            self._next()
        seen: set[str] = set()
        while self._kind() == "session":
            session = require(self._only("session"), lines.SESSION, "session")
            if session["id"] in seen or len(seen) == MOST_SESSIONS:
                raise Wrong("session.id", "is there twice")
            seen.add(session["id"])
            self._session(session, take)
        end = require(self._only("end"), lines.END, "end")
        if (end["sessions"], end["rolls"]) != (self.sessions, self.rolls):
            raise Wrong("end", "counts other sessions or rolls than the file has")
        if next(self._lines, None) is not None:
            raise Wrong("end", "is not the last line")

    def _check_house_rules(self) -> None:
        try:
            registry.get(self.campaign["ruleset"]).load_house_rules(self.campaign["house_rules"])
        except ValidationError as error:
            raise Wrong("campaign.house_rules") from error

    def _session(self, session: dict[str, Any], take: SessionTaker) -> None:
        if session["ended_at"] is not None and session["ended_at"] < session["started_at"] - CLOCK_SKEW_MS:
            raise Wrong("session.ended_at", "is before it started")
        if session["ended_at"] is None:
            if self.open_session is not None:
                raise Wrong("session.ended_at", "is null though another session is open")
            self.open_session = session["id"]
        before = self.rolls
        events = self._events(session)
        take(session, events)
        for _ in events:  # what was not taken is checked all the same
            pass
        self.sessions += 1
        if session.get("rolls") is not None and session["rolls"] != self.rolls - before:
            raise Wrong("session.rolls", "is not how many rolls follow")

    def _events(self, session: dict[str, Any]) -> Iterator[Event]:
        last, seen, odds = 0, set[str](), OddsOfSession()
        self._next()
        while self._kind() == "at":
            ms, kind, record = self._event(session)
            if not last < ms:
                raise Wrong("at", "does not rise")
            if kind == "roll":
                if record["id"] in seen:
                    raise Wrong("roll.id", "is there twice")
                if record["seq"] is not None and record["seq"] > _last_given(session, record["chain"]):
                    raise Wrong("roll.seq", "is beyond the last number that the session gave")
                odds.require(record, self._number)
                seen.add(record["id"])
                self.rolls += 1
            last, self.last_ms = ms, max(self.last_ms, ms)
            yield Event(event_id(ms), kind, record)
            self._next()
        while self._kind() == "unresolved":
            self.unresolved.append(self._unresolved(session))
            self.under_way.add(session["id"])
            self._next()

    def _event(self, session: dict[str, Any]) -> tuple[int, str, Any]:
        value: Any = self._value
        named = [name for name in value if name != "at"]
        if (
            len(named) != 1
            or named[0] not in KINDS_OF_EVENT
            or not lines.is_int(1, lines.LATEST)(value["at"])
        ):
            raise Wrong("event")
        kind, record = KINDS_OF_EVENT[named[0]], value[named[0]]
        if kind in ("roll", "awaiting"):
            status = "resolved" if kind == "roll" else "awaiting"
            record = require_roll(record, self.campaign, session, status)
        else:
            record = require(record, lines.EVENT_SESSION, "session_event")
            if record["id"] != session["id"]:
                raise Wrong("session_event.id")
        return value["at"], kind, record

    def _unresolved(self, session: dict[str, Any]) -> dict[str, Any]:
        value = self._only("unresolved")
        if not isinstance(value, dict) or value.keys() != {"record", "answer", "closing"}:
            raise Wrong("unresolved")
        status = "pending" if value["answer"] is None else "awaiting"
        record = require_roll(value["record"], self.campaign, session, status)
        if not lines.maybe(lines.is_text(21))(value["answer"]):
            raise Wrong("unresolved.answer")
        if status == "awaiting":
            require_closing(value["closing"], self.campaign, session, record["created_at"])
        elif value["closing"] is not None:
            raise Wrong("unresolved.closing")
        return value

    def _next(self) -> None:
        number, value = next(self._lines, (self._number, None))
        self._number, self._value = number, value
        if value is None:
            raise Wrong("end", "is missing: the file is not whole")
        if not isinstance(value, dict) or not value:
            raise Wrong("the line", "must be an object")
        if next(iter(value)) not in STARTS:
            raise Wrong(lines.place(next(iter(value))), "is nothing that an export writes")
        lines.require_small_numbers(value)

    def _kind(self) -> str:
        value: Any = self._value
        return str(next(iter(value)))

    def _only(self, name: str) -> Any:
        value: Any = self._value
        if list(value) != [name]:
            raise Wrong(name, "was expected here")
        return value[name]


def _write(
    store: Store, found: Restoring, reading: _Reading, under_way: set[str], *, replace: bool
) -> Imported:
    def take(session: dict[str, Any], events: Iterable[Event]) -> None:
        kept = _kept_session(reading.campaign["id"], session)
        to_pack = session["ended_at"] is not None and session["id"] not in under_way
        found.session(session["id"], kept, events, to_pack=to_pack)

    reading.work_through(take)
    kept = reading.campaign
    campaign, gm_key, hashed = kept["id"], None, kept.get("gm_key")
    if hashed is None:
        gm_key = tokens.new_token(tokens.GM_PREFIX)
        hashed = tokens.digest(gm_key)
    fields: dict[str, Any] = {
        "name": kept["name"],
        "ruleset": kept["ruleset"],
        "house_rules": orjson.dumps(kept["house_rules"]).decode(),
        "created_at": kept["created_at"],
        "gm_key": hashed,
        "last_ms": reading.last_ms,
    }
    if kept["retention_days"]:
        fields["retention_days"] = kept["retention_days"]
    players = [_kept_player(campaign, player) for player in reading.players if player.get("token")]
    gm = (hashed, tokens.holder("gm", campaign, "gm", GM_NAME))
    found.finish(campaign, fields, players, gm, reading.unresolved, replace=replace)
    known = store.campaigns.get(campaign)
    if known is None:
        raise ImportRefused("The campaign was deleted just now.")
    return Imported(known, reading.sessions, reading.rolls, gm_key, len(reading.webhooks))


def _last_given(session: dict[str, Any], chain: str) -> int:
    if chain == "self":
        last = session.get("self_last_seq")
        return lines.LARGEST if last is None else int(last) + BEFORE_FIRST["self"]
    return int(session["last_seq" if chain == "open" else "hidden_last_seq"])


def _kept_session(campaign: str, session: dict[str, Any]) -> dict[str, Any]:
    plain = ("title", "started_at", "ended_at", "commitment", "hidden_commitment", "seed", "hidden_seed")
    chains = (("open", ""), ("hidden", "hidden_"), ("self", "self_"))
    return {
        "campaign": campaign,
        **{name: session[name] for name in plain},
        **{f"seq:{chain}": session.get(f"{prefix}last_seq") or None for chain, prefix in chains},
        **{
            f"deleted:{chain}": " ".join(map(str, session.get(f"{prefix}deleted") or ()))
            for chain, prefix in chains
        },
    }


def _kept_player(campaign: str, player: dict[str, Any]) -> tuple[str, bytes, str, bytes]:
    user, name, token = player["user"], player["name"], player["token"]
    kept = orjson.dumps({"name": name, "created_at": player["created_at"], "token": token})
    return user, kept, token, tokens.holder("player", campaign, user, name)
