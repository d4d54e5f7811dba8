"""The connect code: all that a GM pastes into Foundry, in one string.

`tb1_` and the base64url (without padding) of the JSON object {"url", "campaign", "key"}.
"""

import base64
import binascii
import json
from dataclasses import asdict, dataclass

PREFIX = "tb1_"


class ConnectCodeError(ValueError):
    """A string that is no connect code; `reason` says what is wrong with it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class ConnectCode:
    """The service's address, a campaign's id and its GM key."""

    url: str
    campaign: str
    key: str


def encode(code: ConnectCode) -> str:
    """Write a connect code as one string of letters, digits, `-` and `_`."""
    document = json.dumps(asdict(code), separators=(",", ":"))
    return PREFIX + base64.urlsafe_b64encode(document.encode()).decode().rstrip("=")


def decode(text: str) -> ConnectCode:
    """Read a connect code, with or without white space around or in it. Raises ConnectCodeError."""
    packed = "".join(text.split())
    if not packed.startswith(PREFIX):
        raise ConnectCodeError(f"A connect code starts with {PREFIX}.")
    packed = packed.removeprefix(PREFIX)
    try:
        document = json.loads(
            base64.b64decode(packed + "=" * (-len(packed) % 4), altchars=b"-_", validate=True)
        )
    except (binascii.Error, ValueError, RecursionError) as error:
        raise ConnectCodeError("The connect code is cut short or mistyped: copy the whole of it.") from error
    if not isinstance(document, dict) or set(document) != {"url", "campaign", "key"}:
        raise ConnectCodeError("The connect code names no address, campaign and key.")
    if not all(isinstance(value, str) and value for value in document.values()):
        raise ConnectCodeError("The connect code names no address, campaign and key.")
    return ConnectCode(**document)
