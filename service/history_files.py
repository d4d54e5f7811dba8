"""A history as a file, written as it is read: CSV for spreadsheets, NDJSON (a roll a line) for programs.

Should the reading fail in the middle, a last line says so and the transfer is broken off: nobody takes a part
for the whole.
"""

import csv
import io
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import orjson
from flask import Response
from redis.exceptions import RedisError

from service.spreadsheets import BYTE_ORDER_MARK, inert

CSV, NDJSON = "text/csv", "application/x-ndjson"
BATCH = 50
"""Rolls that are written at a time."""
BROKEN_OFF = "The store failed while this was written: it is not all of it. Ask again."

Shown = Mapping[str, Any]

COLUMNS = (
    *("id", "session", "seq", "created_at", "resolved_at", "user", "user_name", "actor", "actor_name"),
    *(
        "visibility",
        "ruleset",
        "action",
        "title",
        "label",
        "dice",
        "score",
        "points",
        "target_label",
        "target",
    ),
    *("outcome", "success", "margin", "chance", "probability", "opponent", "opponent_points", "notes"),
    *("params", "answers", "answered_by", "commitment", "nonce"),
)

log = logging.getLogger(__name__)


def streamed(rolls: Iterator[Shown], media_type: str, name: str) -> Response:
    """Return an answer that is written as it is read, and that a browser saves under `name`."""
    # The first roll is read now: a store that is away is then an error as any other.
    every = chain([first], rolls) if (first := next(rolls, None)) is not None else iter(())
    suffix, written = ("csv", as_csv(every)) if media_type == CSV else ("ndjson", as_ndjson(every))
    return download(written, media_type, f"{name}.{suffix}")


def download(parts: Iterator[bytes], media_type: str, filename: str) -> Response:
    """Return an answer that is sent as it is written, and kept by nobody on the way."""
    answer = Response(parts, content_type=f"{media_type}; charset=utf-8")
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["X-Accel-Buffering"] = "no"
    answer.headers["Content-Disposition"] = f'attachment; filename="{filename}"'
    return answer


def as_ndjson(rolls: Iterable[Shown]) -> Iterator[bytes]:
    """Yield a history as JSON, a line a roll."""
    try:
        for batch in _batches(rolls):
            yield b"".join(orjson.dumps(roll) + b"\n" for roll in batch)
    except RedisError as error:
        log.error("a history broke off: %s", error)
        yield orjson.dumps({"error": BROKEN_OFF}) + b"\n"
        raise


def as_csv(rolls: Iterable[Shown]) -> Iterator[bytes]:
    """Yield a history as CSV in UTF-8, with a header line; no cell is taken for a formula."""
    head = BYTE_ORDER_MARK + _rows([COLUMNS])
    try:
        for batch in _batches(rolls):
            yield head + _rows(map(_cells, batch))
            head = b""
    except RedisError as error:
        log.error("a history broke off: %s", error)
        yield _rows([[f"error: {BROKEN_OFF}"]])
        raise


def _batches(rolls: Iterable[Shown]) -> Iterator[Sequence[Shown]]:
    batch: list[Shown] = []
    for roll in rolls:
        batch.append(roll)
        if len(batch) == BATCH:
            yield batch
            batch = []
    yield batch


def _rows(rows: Iterable[Iterable[Any]]) -> bytes:
    written = io.StringIO(newline="")
    csv.writer(written).writerows(rows)
    return written.getvalue().encode()


def _cells(roll: Shown) -> list[Any]:
    """Return a roll's cells: numbers as numbers, text as text that stays text."""
    actor, odds, opponent = roll["actor"] or {}, roll["odds"], roll["opponent"] or {}
    chance = odds["success"] if odds else {}
    score = next((name for name in ("total", "successes") if roll.get(name) is not None), None)
    cells = dict(roll) | {
        "actor": actor.get("id"),
        "actor_name": actor.get("name"),
        "dice": " ".join(
            f"d{die['faces']}:{die['value']}{'' if die['kept'] else ' (dropped)'}" for die in roll["dice"]
        ),
        "score": score,
        "points": roll[score] if score else None,
        "chance": chance.get("fraction"),
        "probability": chance.get("probability"),
        "opponent": opponent.get("user"),
        "opponent_points": opponent.get("points"),
        "notes": "; ".join(roll["notes"]),
        "params": orjson.dumps(roll["params"]).decode() if roll["params"] is not None else None,
        "commitment": roll["fairness"]["commitment"],
        "nonce": roll["fairness"]["nonce"],
    }
    return [_cell(cells[name]) for name in COLUMNS]


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return inert(value) if isinstance(value, str) else value
