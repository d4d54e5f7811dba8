"""What `tallybones up` shows when all is ready: what to open, what to paste, and a roll to try."""

import json
import shlex
import socket

from rules import registry
from service.first_campaign import Credentials, example_roll
from service.settings import Settings
from service.store.campaigns import Campaign


def welcome(
    settings: Settings, url: str, campaign: Campaign | None, credentials: Credentials, folder: str
) -> str:
    """Return the text, without the line that says `ready`."""
    rows = [("Console", console_link(url, credentials)), ("API and its page", f"{url}/docs")]
    if campaign is not None:
        rows.append(("Campaign", f"{campaign.id}  {campaign.name}, rule set {campaign.ruleset}"))
        rows.append(("GM key", credentials.gm_key or "renewed since; this folder does not have the new one"))
    if credentials.connect_code:
        rows.append(("Connect code", credentials.connect_code))
    rows.append(("Admin token", f"in {folder}/credentials.json, with all of the above"))
    rows.append(("Logs", f"in {folder}/logs"))
    if settings.public_url is None and (address := _network_address()):
        rows.append(("On your network", f"http://{address}:{settings.port}"))
    width = max(len(name) for name, _ in rows)
    parts = [
        "Tallybones runs. Ctrl-C ends it.",
        "\n".join(f"  {name:<{width}}  {text}" for name, text in rows),
    ]
    if campaign is not None and credentials.gm_key:
        parts.append("Throw some dice:\n" + _curl(url, campaign, credentials.gm_key))
    return "\n" + "\n\n".join(parts) + "\n"


def console_link(url: str, credentials: Credentials) -> str:
    """Return the console's address; opened here, it signs the GM in.

    The key stands behind the `#`: a browser sends that part to nobody.
    """
    return f"{url}/#key={credentials.gm_key}" if credentials.gm_key else f"{url}/"


def _curl(url: str, campaign: Campaign, gm_key: str) -> str:
    body = json.dumps(example_roll(registry.get(campaign.ruleset)))
    return (
        f"  curl -s {url}/v1/campaigns/{campaign.id}/rolls \\\n"
        f"    -H 'Authorization: Bearer {gm_key}' \\\n"
        f"    -H 'Content-Type: application/json' -H 'Prefer: wait=5' \\\n"
        f'    -H "Idempotency-Key: $(python3 -c "import uuid; print(uuid.uuid4())")" -d {shlex.quote(body)}'
    )


def _network_address() -> str | None:
    """Return this machine's address in its network: where a packet would be sent from; none is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        address: str = probe.getsockname()[0]
    return None if address.startswith("127.") else address
