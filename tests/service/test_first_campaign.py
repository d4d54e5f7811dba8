import stat
from dataclasses import replace

import pytest
from redis import Redis

from rules import registry
from service import first_campaign
from service.connect_code import ConnectCode, decode
from service.settings import Settings
from service.store import Store

HERE = "http://127.0.0.1:8000"
MOON = registry.get("moon-hangs-low")


def test_the_first_start_makes_it_and_the_next_finds_it(valkey: Redis, settings: Settings) -> None:
    store = Store(valkey)
    campaign, made = first_campaign.find_or_make(store, settings, MOON, HERE)
    assert made.gm_key is not None
    assert made.connect_code is not None
    assert decode(made.connect_code) == ConnectCode(HERE, campaign.id, made.gm_key)
    assert stat.S_IMODE(first_campaign.path(settings.data).stat().st_mode) == 0o600
    assert first_campaign.find_or_make(store, settings, MOON, HERE) == (campaign, made)
    assert len(store.campaigns.all()) == 1


def test_another_address_changes_the_connect_code_alone(valkey: Redis, settings: Settings) -> None:
    store = Store(valkey)
    _, made = first_campaign.find_or_make(store, settings, MOON, HERE)
    _, moved = first_campaign.find_or_make(store, settings, MOON, "https://dice.example.org")
    assert moved.connect_code is not None
    assert decode(moved.connect_code).url == "https://dice.example.org"
    assert replace(moved, connect_code=made.connect_code) == made


def test_a_key_that_was_renewed_is_not_shown_any_more(valkey: Redis, settings: Settings) -> None:
    store = Store(valkey)
    campaign, _ = first_campaign.find_or_make(store, settings, MOON, HERE)
    renewed = store.campaigns.renew_gm_key(campaign.id)
    same, credentials = first_campaign.find_or_make(store, settings, MOON, HERE)
    assert same.id == campaign.id
    assert (credentials.gm_key, credentials.connect_code) == (None, None)
    caller = store.tokens.caller(renewed)
    assert caller is not None
    assert caller.role == "gm"


@pytest.mark.parametrize("left", ["", "not JSON", "[]", '{"campaign": "of-another-server"}'])
def test_credentials_of_another_server_or_broken_ones_give_a_new_campaign(
    left: str, valkey: Redis, settings: Settings
) -> None:
    first_campaign.path(settings.data).write_text(left)
    campaign, credentials = first_campaign.find_or_make(Store(valkey), settings, MOON, HERE)
    assert credentials.campaign == campaign.id
    assert credentials.gm_key is not None


@pytest.mark.parametrize("ruleset", registry.all(), ids=lambda ruleset: ruleset.id)
def test_the_example_roll_is_one_that_the_rule_set_takes(ruleset: registry.RuleSet) -> None:
    example = first_campaign.example_roll(ruleset)
    assert ruleset.load(example["action"], example["params"]).name == ruleset.actions[0].name
