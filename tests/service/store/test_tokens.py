"""Who holds which token."""

import hashlib

import orjson
import pytest

from service.store import UnknownCampaign, keys


def test_the_gm_key_names_the_gm(store):
    campaign, key = store.campaigns.create("Thursday", "heroes-2d6", {"tie": "hero-wins"})
    caller = store.tokens.caller(key)
    assert (caller.role, caller.campaign, caller.user) == ("gm", campaign.id, "gm")
    assert caller.token == hashlib.sha256(key.encode()).hexdigest()
    assert store.campaigns.get(campaign.id) == campaign
    assert campaign.house_rules == {"tie": "hero-wins"}


def test_no_token_is_kept_as_it_is(table, valkey):
    campaign, key = table.store.campaigns.create("Friday", "heroes-2d6", {})
    _, token = table.store.players.mint(campaign.id, "cara", "Cara")
    for name in valkey.keys("*"):
        kept = name + (valkey.dump(name) or b"")
        assert key.encode() not in kept and token.encode() not in kept


def test_a_second_token_replaces_the_first(table, valkey):
    _, first = table.store.players.mint(table.campaign, "cara", "Cara")
    _, second = table.store.players.mint(table.campaign, "cara", "Cara Mia")
    assert table.store.tokens.caller(first) is None
    assert table.store.tokens.caller(second).name == "Cara Mia"
    assert [player.user for player in table.store.players.list(table.campaign)] == ["anna", "bert", "cara"]


def test_a_revoked_token_is_nobodys(table):
    _, token = table.store.players.mint(table.campaign, "cara", "Cara")
    assert table.store.players.revoke(table.campaign, "cara") is True
    assert table.store.players.revoke(table.campaign, "cara") is False
    assert table.store.tokens.caller(token) is None
    assert table.store.players.get(table.campaign, "cara") is None


def test_open_streams_are_told_of_a_token_that_was_replaced_or_revoked(table, valkey):
    _, first = table.store.players.mint(table.campaign, "cara", "Cara")
    with valkey.pubsub() as listener:
        listener.subscribe("tb:live")
        _, second = table.store.players.mint(table.campaign, "cara", "Cara")
        table.store.players.revoke(table.campaign, "cara")
        told = []
        while message := listener.get_message(timeout=0.2):
            if message["type"] == "message":
                told.append(orjson.loads(message["data"]))
    assert told == [
        {"campaign": table.campaign, "event": "revoked", "token": hashlib.sha256(token.encode()).hexdigest()}
        for token in (first, second)
    ]


def test_a_new_gm_key_replaces_the_old_one(store):
    campaign, old = store.campaigns.create("Thursday", "heroes-2d6", {})
    new = store.campaigns.renew_gm_key(campaign.id)
    assert store.tokens.caller(old) is None
    assert store.tokens.caller(new).role == "gm"
    with pytest.raises(UnknownCampaign):
        store.campaigns.renew_gm_key("nosuchone")


def test_nothing_is_given_out_for_a_campaign_that_was_deleted_just_now(store, valkey):
    campaign, _ = store.campaigns.create("Thursday", "heroes-2d6", {})
    assert store.erasing.campaign(campaign.id)

    def kept():
        return {key for key in valkey.keys("tb:*") if not key.startswith(keys.ASKED.encode())}

    before = kept()
    for give in (
        lambda: store.players.mint(campaign.id, "cara", "Cara"),
        lambda: store.campaigns.renew_gm_key(campaign.id),
        lambda: store.webhooks.create(campaign.id, "standard", "https://example.org/x", ["roll.resolved"]),
    ):
        with pytest.raises(UnknownCampaign):
            give()
    assert kept() == before
    assert store.players.revoke(campaign.id, "cara") is False


@pytest.mark.parametrize("token", ["", "x", "tba_x", "tbp_", "tbg_é\ud800"])
def test_other_strings_are_nobodys_token(store, token):
    assert store.tokens.caller(token) is None


def test_a_campaign_changes_its_name_and_house_rules_only(store):
    campaign, _ = store.campaigns.create("Thursday", "heroes-2d6", {})
    assert store.campaigns.update(campaign.id, name="Friday").name == "Friday"
    changed = store.campaigns.update(campaign.id, house_rules={"tie": "hero-wins"})
    assert (changed.name, changed.house_rules) == ("Friday", {"tie": "hero-wins"})
    assert store.campaigns.update(campaign.id) == changed
    assert store.campaigns.all() == [changed]
    with pytest.raises(UnknownCampaign):
        store.campaigns.update("nosuchone", name="x")
    assert store.campaigns.get("nosuchone") is None
