"""Connections follow the settings."""

from dataclasses import replace

import pytest
from redis import SSLConnection
from redis.exceptions import RedisError, ResponseError

from service.problems import is_outage
from service.store import connection
from service.store.connection import connect, connect_subscriber


def test_a_client_reaches_the_server_and_answers_in_bytes(settings):
    with connect(settings) as redis:
        redis.set("name", "Anna")
        assert redis.get("name") == b"Anna"


def test_a_restarted_server_costs_a_client_no_error(settings, valkey):
    with connect(settings, connections=1) as redis:
        redis.ping()
        valkey.client_kill_filter(_type="normal", skipme=True)
        assert redis.ping()


@pytest.mark.parametrize("transaction", [True, False])
def test_the_error_of_a_pipeline_names_the_command_and_none_of_its_values(settings, transaction):
    """Errors are logged, and a webhook's address is among what is written."""
    with connect(settings) as redis:
        redis.set("name", "Anna")
        together = redis.pipeline(transaction)
        together.ping()
        together.hset("name", mapping={"url": "https://example.org/a-secret"})
        with pytest.raises(ResponseError) as failed:
            together.execute()
    assert str(failed.value).startswith("Command # 2 (HSET) of pipeline caused error: WRONGTYPE")
    assert "a-secret" not in str(failed.value)


def test_a_full_server_is_known_by_the_error_of_a_pipeline(settings, valkey):
    valkey.config_set("maxmemory", 1)
    try:
        with connect(settings) as redis:
            together = redis.pipeline().set("name", "Anna")
            with pytest.raises(RedisError) as failed:
                together.execute()
    finally:
        valkey.config_set("maxmemory", 0)
    assert is_outage(failed.value)


def test_a_certificate_is_verified_unless_the_settings_say_otherwise(settings):
    hosted = replace(settings, redis_url="rediss://:secret@redis.example.org:6380/0")
    for open_client in (connect, connect_subscriber):
        strict = open_client(hosted).connection_pool
        assert strict.connection_class is SSLConnection
        assert "ssl_cert_reqs" not in strict.connection_kwargs
        lenient = open_client(replace(hosted, redis_tls_verify=False)).connection_pool.connection_kwargs
        assert (lenient["ssl_cert_reqs"], lenient["ssl_check_hostname"]) == ("none", False)


def test_a_subscriber_may_be_silent(settings, valkey, monkeypatch):
    monkeypatch.setattr(connection, "ANSWER_TIMEOUT", 0.2)
    with connect_subscriber(settings) as redis, redis.pubsub() as subscription:
        subscription.subscribe("news")
        assert subscription.get_message(timeout=1)["type"] == "subscribe"
        assert subscription.get_message(timeout=1) is None
        valkey.publish("news", "at last")
        assert subscription.get_message(timeout=1)["data"] == b"at last"


def test_without_an_address_there_is_no_connection(settings):
    with pytest.raises(ValueError, match="no Redis address"):
        connect(replace(settings, redis_url=None))
