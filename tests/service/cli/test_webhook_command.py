"""`tallybones webhook` as the GM types it."""

import json

import pytest
from click.testing import CliRunner

from service.cli import main
from service.store import Store

DISCORD = "https://discord.com/api/webhooks/1234567890/tokenTOKENtokenTOKEN-wxyz"


@pytest.fixture
def tallybones(redis_url, tmp_path):
    """Run the command on the test's Valkey."""
    environment = {
        "REDIS_URL": redis_url,
        "TALLYBONES_DATA": str(tmp_path),
        "TALLYBONES_ADMIN_TOKEN": "tba_" + "x" * 32,
    }

    def run(*arguments, succeeds=True):
        done = CliRunner().invoke(main, ["webhook", *arguments], env=environment)
        assert (done.exit_code == 0) == succeeds, done.output
        return done.output

    return run


@pytest.fixture
def campaign(valkey):
    return Store(valkey).campaigns.create("Friday", "moon-hangs-low", {})[0].id


def test_one_is_made_listed_tried_and_looked_at(tallybones, campaign, valkey):
    assert "No webhook yet" in tallybones("list", campaign)
    made = tallybones("add", campaign, "discord", DISCORD, "--name", "The tavern")
    webhook = made.split()[1].rstrip(":")
    listed = tallybones("list", campaign)
    for part in (webhook, "The tavern", " on ", "https://discord.com/…wxyz"):
        assert part in listed
    assert "Nothing was sent yet" in tallybones("log", campaign, webhook)
    tallybones("test", campaign, webhook)
    assert "webhook.test  pending" in tallybones("log", campaign, webhook)
    for said in (made, listed, tallybones("list", campaign, "--json")):
        assert "TOKEN" not in said
    assert "TOKEN" not in tallybones("log", campaign, webhook, "--json")


def test_the_secret_of_a_standard_one_is_shown_once(tallybones, campaign):
    made = json.loads(tallybones("add", campaign, "standard", "https://example.org/hook", "--json"))
    assert made["secret"].startswith("whsec_")
    assert "whsec_" in tallybones("add", campaign, "standard", "https://example.org/hook")
    assert "whsec_" not in tallybones("list", campaign, "--json")


def test_what_does_not_work_is_said_in_a_sentence_that_does_not_repeat_the_address(tallybones, campaign):
    said = tallybones("add", campaign, "standard", "http://10.0.0.1/very-secret", succeeds=False)
    assert said.startswith("The address must begin with https://") and "TALLYBONES_WEBHOOK_HTTP=1" in said
    assert "very-secret" not in said
    assert "There is no campaign" in tallybones("list", "aaaaaaaaaa", succeeds=False)
    assert "There is no webhook" in tallybones("test", campaign, "aaaaaaaaaa", succeeds=False)
    assert "There is no webhook" in tallybones("log", campaign, "aaaaaaaaaa", succeeds=False)
