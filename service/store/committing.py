"""What the scripts that commit are asked."""

from collections.abc import Sequence
from typing import Any

from service.records import RollRecord
from service.tallying import move_of
from service.visibility import audience, webhook_audience


def commit_request(campaign: str, records: Sequence[RollRecord], now: int) -> dict[str, Any]:
    """Return what committing.lua needs to commit resolved rolls of one session, besides their records."""
    return {
        "campaign": campaign,
        "session": records[0]["session"],
        "now": now,
        "rolls": [
            {
                "id": record["id"],
                "audiences": audience(record),
                "webhooks": webhook_audience(record) or "",
                "challenge": record["challenged"] is not None,
                "move": move_of(record),
            }
            for record in records
        ],
    }
