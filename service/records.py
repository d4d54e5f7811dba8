"""The record of a roll: what the ledger holds, from which all that is shown is made.

Times are whole ms since the epoch; everything else is as the API shows it.
"""

from typing import Any, Literal, NotRequired, TypedDict

Status = Literal["pending", "awaiting", "resolved"]
Chain = Literal["open", "hidden", "self"]

UNANSWERED = "unanswered"
"""The note of a challenge that nobody answered before its session ended."""


class ActorRecord(TypedDict):
    """Whom the roll is for, as the table's software knows them."""

    id: str
    name: str


class DieRecord(TypedDict):
    """One die as it fell; `counts` is what it added to the score."""

    faces: int
    value: int
    role: str
    kept: bool
    counts: int


class OddsRecord(TypedDict):
    """The exact chances before the throw, as fractions ("7/12")."""

    success: str
    outcomes: dict[str, str]
    formula: str | None


class OpponentRecord(TypedDict):
    """The other side of an opposed roll, as shown on the card of either."""

    user: str
    user_name: str
    actor: ActorRecord | None
    dice: list[DieRecord]
    points: int | None
    numbers: list[tuple[str, int]]


class RollRecord(TypedDict):
    """One roll; the keys after `resolved_at` come with its resolution.

    `house_rules` holds all of the campaign's until it is resolved, then those that were in play.
    """

    id: str
    session: str
    seq: int
    commitment: str
    chain: Chain
    nonce: str
    status: Status
    ruleset: str
    action: str
    title: str
    label: str | None
    user: str
    user_name: str
    actor: ActorRecord | None
    visibility: str
    params: dict[str, Any]
    house_rules: dict[str, Any]
    challenged: str | None
    challenged_name: str | None
    answers: str | None
    answered_by: str | None
    opponent: OpponentRecord | None
    created_at: int
    resolved_at: int | None
    dice: NotRequired[list[DieRecord]]
    score: NotRequired[Literal["successes", "total"]]
    points: NotRequired[int | None]
    target_label: NotRequired[str]
    target: NotRequired[int | None]
    outcome: NotRequired[str | None]
    success: NotRequired[bool | None]
    margin: NotRequired[int | None]
    numbers: NotRequired[list[tuple[str, int]]]
    notes: NotRequired[list[str]]
    odds: NotRequired[OddsRecord | None]


class SessionRecord(TypedDict):
    """What a `session` event says; the seed is null until the session has ended."""

    id: str
    title: str | None
    started_at: int
    ended_at: int | None
    commitment: str
    seed: str | None
