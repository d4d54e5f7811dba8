"""Every roll of docs/api.md, sent as it stands there: its card comes with the answer and on the stream."""

import json
import re
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rules import registry
from service.settings import CHECKOUT
from tests.running import Up, up

pytestmark = pytest.mark.timeout(180)

PAGE = (CHECKOUT / "docs" / "api.md").read_text()


def documented() -> dict[str, list[dict[str, Any]]]:
    """Read the page's rolls, by rule set."""
    section = PAGE.split("### Each action")[1].split("\n### ")[0]
    blocks = re.findall(r"`([a-z0-9-]+)`:\n\n```json\n(.*?)```", section, re.DOTALL)
    return {ruleset: [json.loads(line) for line in lines.splitlines()] for ruleset, lines in blocks}


def test_the_page_shows_every_action_of_every_rule_set() -> None:
    shown = {(ruleset, roll["action"]) for ruleset, rolls in documented().items() for roll in rolls}
    assert shown == {(ruleset.id, action.name) for ruleset in registry.all() for action in ruleset.actions}


class Listener:
    """An open stream of a campaign, read in a thread."""

    def __init__(self, url: str, key: str) -> None:
        request = urllib.request.Request(url, headers={"Authorization": f"Bearer {key}"})  # noqa: S310
        self._answer = urllib.request.urlopen(request, timeout=60)  # noqa: S310
        self.rolls: dict[str, dict[str, Any]] = {}
        self.came = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        event = ""
        for line in self._answer:
            if line.startswith(b"event: "):
                event = line[7:].decode().strip()
            elif line.startswith(b"data: ") and event == "roll":
                roll = json.loads(line[6:])
                with self.came:
                    self.rolls[roll["id"]] = roll
                    self.came.notify_all()

    def wait_for(self, roll: str) -> dict[str, Any]:
        with self.came:
            assert self.came.wait_for(lambda: roll in self.rolls, timeout=20), "no card came"
            return self.rolls[roll]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    from tests.processes import any_port

    with up(Path(tmp_path_factory.mktemp("var")), any_port(), "--no-demo") as running:
        yield running


def make_campaign(service: Up, ruleset: str) -> tuple[str, str]:
    body = json.dumps({"name": ruleset, "ruleset": ruleset}).encode()
    headers = {
        "Authorization": f"Bearer {service.credentials['admin_token']}",
        "Content-Type": "application/json",
    }
    request = urllib.request.Request(f"{service.url}/v1/campaigns", body, headers)  # noqa: S310
    with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310
        made = json.load(answer)
    return made["id"], made["gm_key"]


@pytest.mark.parametrize("ruleset", sorted(documented()))
def test_each_is_answered_with_its_card_which_comes_on_the_stream_too(service: Up, ruleset: str) -> None:
    campaign, key = make_campaign(service, ruleset)
    path = f"/v1/campaigns/{campaign}"
    listener = Listener(f"{service.url}{path}/stream", key)
    for place, asked in enumerate(documented()[ruleset]):
        headers = {
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
            "Idempotency-Key": f"documented-{place}",
            "Prefer": "wait=10",
        }
        body = json.dumps(asked).encode()
        request = urllib.request.Request(f"{service.url}{path}/rolls", body, headers)  # noqa: S310
        with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310
            assert answer.status == 200
            rolled = json.load(answer)
        assert rolled["status"] == "resolved"
        assert rolled["card"]["result"] and rolled["card"]["html"].startswith("<article")
        assert listener.wait_for(rolled["id"]) == rolled
