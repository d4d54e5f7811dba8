"""Reports: asked for, worked out by the worker of the queue `reports`, and kept for a while."""

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, cast

import orjson
from redis import Redis
from rq import Queue
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer

from service.store import keys
from service.store.errors import TooManyReports
from service.store.ids import new_id
from service.store.jobs import MAKE_REPORT, REPORTS
from service.store.lua import Scripts
from service.store.shared import Clock, text
from service.visibility import EVERYONE, GM, THE_GM

TIMEOUT = 600
"""Seconds that a report may take."""
KEPT = 30 * 24 * 60 * 60
"""Seconds for which a report is kept."""
MOST_KEPT = 20
"""Reports that are kept of each asker; the oldest go first."""
MOST_UNFINISHED = 3
"""Reports that one asker may have unfinished."""
HELD_MS = 30_000
"""How long a report may say nothing before its worker is taken for dead."""

UNNUMBERED = "0-0"
"""The id of an event that is published and not kept, as nobody needs to know later."""

Status = Literal["queued", "working", "done", "failed"]
_SHOWN = (
    *("campaign", "user", "published", "wish", "status", "percent", "step", "tries"),
    *("created_at", "finished_at", "error", "card"),
)


@dataclass(frozen=True, slots=True)
class ReportWish:
    """Which rolls a report is about: those that match all that is given. Times in ms, `until` exclusive."""

    sessions: tuple[str, ...] | None = None
    user: str | None = None
    actor: str | None = None
    action: str | None = None
    skill: str | None = None
    since: int | None = None
    until: int | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """A report; `user` asked for it ("gm" is the GM), `published` where everybody may read it.

    Times in ms. `card` is there once it is done, `error` (a sentence) where it failed.
    """

    id: str
    campaign: str
    user: str
    published: bool
    wish: ReportWish
    status: Status
    percent: int
    step: str
    tries: int
    created_at: int
    finished_at: int | None
    error: str | None
    card: dict[str, Any] | None = field(default=None)


class Reports:
    """Asking for reports, following them, and reading what came of them."""

    def __init__(self, redis: Redis, scripts: Scripts, clock: Clock) -> None:
        self._redis, self._scripts, self._clock = redis, scripts, clock

    def ask(self, campaign: str, user: str, wish: ReportWish, *, publish: bool = False) -> Report:
        """Keep a wish for a report and queue its job; raise TooManyReports."""
        own = [report for report in self.list(campaign) if report.user == user]
        if sum(report.finished_at is None for report in own) >= MOST_UNFINISHED:
            raise TooManyReports(MOST_UNFINISHED)
        for oldest in own[MOST_KEPT - 1 :]:
            self.delete(campaign, oldest.id)
        report, now = new_id(), self._clock()
        kept = {
            "campaign": campaign,
            "user": user,
            "published": int(publish),
            "wish": orjson.dumps(asdict(wish)),
            "status": "queued",
            "percent": 0,
            "step": "waiting for the report worker",
            "tries": 0,
            "created_at": now,
        }
        with self._redis.pipeline() as together:
            together.hset(keys.report(report), mapping=cast(Any, kept))
            together.expire(keys.report(report), KEPT)
            together.zadd(keys.reports(campaign), {report: now})
            together.zadd(keys.REPORTS_UNFINISHED, {report: now})
            together.execute()
        self.queue(report)
        found = self.get(campaign, report)
        if found is None:
            raise RuntimeError("a report that was made just now is gone")
        return found

    def queue(self, report: str) -> None:
        """Queue the job that makes a report."""
        queue = Queue(REPORTS, connection=self._redis, serializer=JSONSerializer)
        job = Job.create(
            MAKE_REPORT,
            args=(report,),
            id=report,
            origin=REPORTS,
            status=JobStatus.QUEUED,
            timeout=TIMEOUT,
            result_ttl=0,
            failure_ttl=24 * 60 * 60,
            connection=self._redis,
            serializer=JSONSerializer,
        )
        queue.enqueue_job(job)

    def get(self, campaign: str, report: str) -> Report | None:
        """Return a report, None when the campaign has none of that id (any more)."""
        found = self.find(report)
        return found if found and found.campaign == campaign else None

    def find(self, report: str) -> Report | None:
        """Return the report of that id, whatever its campaign."""
        return _report(report, self._redis.hmget(keys.report(report), _SHOWN))

    def list(self, campaign: str) -> list[Report]:
        """Return the campaign's reports, newest first; those whose time is over are forgotten."""
        ids = [text(report) for report in self._redis.zrevrange(keys.reports(campaign), 0, -1)]
        with self._redis.pipeline(transaction=False) as together:
            for report in ids:
                together.hmget(keys.report(report), _SHOWN)
            found = [_report(*pair) for pair in zip(ids, together.execute(), strict=True)]
        over = [report for report, read in zip(ids, found, strict=True) if read is None]
        if over:
            self._redis.zrem(keys.reports(campaign), *over)
        return [report for report in found if report is not None]

    def delete(self, campaign: str, report: str) -> bool:
        """Delete a report for good; False when the campaign has none of that id."""
        if self.get(campaign, report) is None:
            return False
        with self._redis.pipeline() as together:
            together.zrem(keys.reports(campaign), report)
            together.zrem(keys.REPORTS_UNFINISHED, report)
            together.delete(keys.report(report), keys.report_held(report))
            together.execute()
        return True

    def part(self, report: str, name: str) -> bytes | None:
        """Return a part of a finished report ("result", "html", "png:luck", …), None where there is none."""
        packed: Any = self._redis.hget(keys.report(report), f"part:{name}")
        return zlib.decompress(packed) if packed else None

    def begin(self, report: str) -> Report | None:
        """Note that a worker has begun a report; None where it is finished or gone."""
        found = self.find(report)
        if found is None or found.finished_at is not None:
            return None
        self._redis.hincrby(keys.report(report), "tries", 1)
        return found if self.tell(found, 0, "reading the tallies") else None

    def tell(self, report: Report, percent: int, step: str) -> bool:
        """Tell how far a report is; False where it was deleted meanwhile."""
        self._redis.set(keys.report_held(report.id), 1, px=HELD_MS)
        changes = {"status": "working", "percent": percent, "step": step}
        return self._change(report, changes, event_of(report, status="working", percent=percent, step=step))

    def finish(self, report: Report, parts: Mapping[str, bytes], card: Mapping[str, Any]) -> bool:
        """Keep what came of a report, and tell of it: all at once, and once only."""
        kept = {f"part:{name}": zlib.compress(part, 6) for name, part in parts.items()}
        now = self._clock()
        done = {
            "status": "done",
            "percent": 100,
            "step": "done",
            "card": orjson.dumps(card),
            "finished_at": now,
        }
        event = event_of(report, status="done", percent=100, step="done", card=card, finished_at=now)
        return self._change(report, {**done, **kept}, event, finished=True)

    def fail(self, report: Report, sentence: str) -> bool:
        """Give a report up, with a sentence for whoever asked."""
        now = self._clock()
        failed = {"status": "failed", "step": "failed", "error": sentence, "finished_at": now}
        event = event_of(report, status="failed", step="failed", error=sentence, finished_at=now)
        return self._change(report, failed, event, finished=True)

    def unfinished(self) -> Iterable[str]:
        """Return the ids of all reports that are unfinished."""
        return [text(report) for report in self._redis.zrange(keys.REPORTS_UNFINISHED, 0, -1)]

    def forget_unfinished(self, report: str) -> None:
        """Count a report that is gone as unfinished no more."""
        self._redis.zrem(keys.REPORTS_UNFINISHED, report)

    def is_held(self, report: str) -> bool:
        """Say whether a worker has said lately that it is at work on the report."""
        return bool(self._redis.exists(keys.report_held(report)))

    def _change(
        self, report: Report, changes: Mapping[str, Any], event: Mapping[str, Any], *, finished: bool = False
    ) -> bool:
        ask = {
            "campaign": report.campaign,
            "report": report.id,
            "finished": finished,
            "keep_event": bool(report.published and event["status"] == "done"),
            "ready": _webhooks_told(report) if event["status"] == "done" else "",
            "now": self._clock(),
            "ttl": KEPT,
        }
        names = [keys.report(report.id), keys.REPORTS_UNFINISHED, keys.report_held(report.id)]
        pairs = [part for pair in changes.items() for part in pair]
        return bool(self._scripts.run("report", names, [ask, orjson.dumps(event), *pairs]))


def _webhooks_told(report: Report) -> str:
    """Name the webhooks that hear that a report is done: none, where it is a player's own."""
    if report.user != GM:
        return ""
    return EVERYONE if report.published else THE_GM


def event_of(report: Report, **changes: Any) -> dict[str, Any]:
    """Return what a `report` event holds: the report without its result."""
    return {**asdict(report), **changes}


def read_event(record: Mapping[str, Any]) -> Report:
    """Return the report of a `report` event."""
    wish = record["wish"]
    sessions = wish["sessions"]
    read = ReportWish(**{**wish, "sessions": None if sessions is None else tuple(sessions)})
    return Report(**{**record, "wish": read})


def _report(report: str, found: Any) -> Report | None:
    kept = dict(zip(_SHOWN, found, strict=True))
    if kept["campaign"] is None or kept["status"] is None:
        return None
    numbers = {name: int(kept[name] or 0) for name in ("percent", "tries", "created_at")}
    return read_event(
        {
            "id": report,
            "campaign": text(kept["campaign"]),
            "user": text(kept["user"]),
            "published": kept["published"] == b"1",
            "wish": orjson.loads(kept["wish"]),
            "status": text(kept["status"]),
            "step": text(kept["step"]),
            **numbers,
            "finished_at": int(kept["finished_at"]) if kept["finished_at"] else None,
            "error": text(kept["error"]) if kept["error"] else None,
            "card": orjson.loads(kept["card"]) if kept["card"] else None,
        }
    )
