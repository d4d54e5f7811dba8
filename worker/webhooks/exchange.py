"""What is sent to a receiver, what it answers, and what that means."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

GONE = 410
RATE_LIMITED = 429


@dataclass(frozen=True, slots=True)
class Request:
    """A POST as it is sent; `masked` headers and `secrets` (besides the address) are not shown in the log."""

    url: str
    headers: Mapping[str, str]
    body: bytes
    masked: frozenset[str] = frozenset()
    secrets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; `headers` by their names in lower case, `body` at most its first bytes."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def taken(self) -> bool:
        """Whether the receiver says that it has the message."""
        return 200 <= self.status < 300


class Verdict(Enum):
    """What an answer means for the delivery."""

    DELIVERED = "delivered"
    TRY_AGAIN = "try again"
    NEVER = "never"
    """The receiver will not take this message, however often it is sent."""
    GONE = "gone"
    """The receiver wants no message any more: the webhook is switched off."""


def verdict(
    answer: Answer, *, never: frozenset[int] = frozenset(), gone: frozenset[int] = frozenset()
) -> Verdict:
    """Judge an answer: 2xx is delivered, 410 gone, and all else may pass but what `never` and `gone` name."""
    if answer.taken:
        return Verdict.DELIVERED
    if answer.status == GONE or answer.status in gone:
        return Verdict.GONE
    return Verdict.NEVER if answer.status in never else Verdict.TRY_AGAIN
