"""Webhooks as they are kept."""

import pytest

from service.store import Store, TooManyWebhooks, UnknownWebhook

ADDRESS = "https://example.org/hook"


@pytest.mark.parametrize(
    "change",
    [
        lambda store, campaign, webhook: store.webhooks.update(campaign, webhook, {"enabled": True}),
        lambda store, campaign, webhook: store.webhooks.rotate(campaign, webhook),
    ],
)
def test_nothing_comes_back_of_a_webhook_that_is_deleted_while_it_is_changed(
    table, valkey, clock, monkeypatch, change
):
    """A secret would stay for good, and what is left could not be read."""
    webhook = table.store.webhooks.create(table.campaign, "standard", ADDRESS, ["roll.resolved"]).id
    slow = Store(valkey, clock)
    known = slow.webhooks._known

    def known_for_a_moment(campaign, webhook):
        found = known(campaign, webhook)
        assert table.store.webhooks.delete(campaign, webhook)
        return found

    monkeypatch.setattr(slow.webhooks, "_known", known_for_a_moment)
    with pytest.raises(UnknownWebhook):
        change(slow, table.campaign, webhook)
    assert not valkey.exists(f"tb:webhook:{webhook}")
    assert table.store.webhooks.get(table.campaign, webhook) is None


def test_a_campaign_has_no_more_than_it_may(table, monkeypatch):
    monkeypatch.setattr("service.store.webhooks.MOST_WEBHOOKS", 2)
    for _ in range(2):
        table.store.webhooks.create(table.campaign, "standard", ADDRESS, ["roll.resolved"])
    with pytest.raises(TooManyWebhooks):
        table.store.webhooks.create(table.campaign, "standard", ADDRESS, ["roll.resolved"])
    assert len(table.store.webhooks.list(table.campaign)) == 2
