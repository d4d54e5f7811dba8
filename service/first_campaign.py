"""A campaign to start with, and the file of credentials that lets a GM and their tools find it."""

import contextlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rules.ruleset import RuleSet
from service import private_files
from service.connect_code import ConnectCode, decode, encode
from service.settings import Settings
from service.store import Store
from service.store.campaigns import Campaign

NAME = "First campaign"
OWN_NUMBER, OPPOSING_NUMBER = 3, 1


@dataclass(frozen=True, slots=True)
class Credentials:
    """What `credentials.json` holds; all but the admin token are None where there is no first campaign."""

    admin_token: str
    campaign: str | None = None
    gm_key: str | None = None
    connect_code: str | None = None


def find_or_make(
    store: Store, settings: Settings, ruleset: RuleSet, url: str
) -> tuple[Campaign, Credentials]:
    """Return the campaign that an earlier start made, or make it; write its credentials for `url`."""
    kept = _kept(settings.data)
    campaign = store.campaigns.get(kept["campaign"]) if kept.get("campaign") else None
    gm_key = kept.get("gm_key")
    if campaign is None:
        campaign, gm_key = store.campaigns.create(NAME, ruleset.id, {})
    elif gm_key and store.tokens.caller(gm_key) is None:
        gm_key = None  # it was renewed: whoever did that has the new one
    code = encode(ConnectCode(url, campaign.id, gm_key)) if gm_key else None
    credentials = Credentials(settings.admin_token, campaign.id, gm_key, code)
    write(settings.data, credentials)
    return campaign, credentials


def write(data: Path, credentials: Credentials) -> None:
    """Keep the credentials in the data folder, readable by its owner alone."""
    private_files.write(path(data), json.dumps(asdict(credentials), indent=2) + "\n")


def connect_code(data: Path) -> str | None:
    """Return the connect code of the first campaign, None where there is none."""
    return _kept(data).get("connect_code")


def address(settings: Settings) -> str:
    """Return where the service is reached: as set, else where it last ran at home, else the port set."""
    kept = connect_code(settings.data)
    home = decode(kept).url if kept else f"http://127.0.0.1:{settings.port}"
    return settings.public_url or home


def path(data: Path) -> Path:
    """Return where the credentials are kept."""
    return data / "credentials.json"


def example_roll(ruleset: RuleSet) -> dict[str, Any]:
    """Return a body for `POST …/rolls` that the rule set accepts: its first action, with a fair chance."""
    action = ruleset.describe()["actions"][0]
    fields = {field["name"]: field for field in action["fields"]}
    needed = [name for name, field in fields.items() if field["required"]]
    needed += action["exactly_one_of"][-1:]
    # The first number is the roller's own, and what stands against it comes after.
    usual = [OWN_NUMBER, *[OPPOSING_NUMBER] * len(needed)]
    params = {name: _plain(fields[name], number) for name, number in zip(needed, usual, strict=False)}
    return {"action": action["name"], "params": params}


def _plain(field: Mapping[str, Any], number: int) -> Any:
    if "choices" in field:
        return field["choices"][0]["value"]
    return max(field.get("minimum", 0), min(number, field.get("maximum", number)))


def _kept(data: Path) -> dict[str, Any]:
    with contextlib.suppress(FileNotFoundError, ValueError):
        kept = json.loads(path(data).read_text())
        if isinstance(kept, dict):
            return kept
    return {}
