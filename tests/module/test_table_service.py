"""Browser tests talk to the real service, from Foundry's origin, over a wire that can be cut."""

import json
from pathlib import Path

import pytest

from tests.module.foundry_server import packages
from tests.module.screens import OpenScreen
from tests.module.table_service import TableService

ROLL = """([address, campaign, key]) => fetch(`${address}/v1/campaigns/${campaign}/rolls`, {
    method: "POST",
    headers: {
        Authorization: `Bearer ${key}`, "Content-Type": "application/json",
        "Idempotency-Key": "click-1", Prefer: "wait=10",
    },
    body: JSON.stringify({ action: "skill-check", params: { stat: 3, dv: 2 } }),
}).then(answer => answer.json(), error => error.name)"""


@pytest.mark.parametrize("generation", [13], ids=["v13"], indirect=True)
def test_a_page_of_foundry_rolls_on_the_real_service(open_screen: OpenScreen, service: TableService) -> None:
    campaign = service.campaign()
    gm = open_screen("Gamemaster")
    roll = gm.run(ROLL, [service.address, campaign.id, campaign.gm_key])
    assert roll["status"] == "resolved"
    assert [kept["id"] for kept in campaign.rolls] == [roll["id"]]
    assert gm.noise == []

    service.wire.cut()
    assert gm.run(ROLL, [service.address, campaign.id, campaign.gm_key]) == "TypeError"
    service.wire.mend()
    assert gm.run(ROLL, [service.address, campaign.id, campaign.gm_key])["id"] == roll["id"]
    assert len(campaign.rolls) == 1


def test_the_service_names_its_own_address_in_the_manifest(service: TableService, tmp_path: Path) -> None:
    manifest = packages.checked(json.loads(packages.fetched(service.manifest_url)), 13)
    assert manifest["download"] == f"{service.address}/foundry/tallybones.zip"
    folder = packages.unpack(packages.fetched(manifest["download"]), manifest["id"], tmp_path)
    assert (folder / "module.json").is_file()
