import stat
from pathlib import Path

import pytest

from service.settings import HOME_ORIGIN, Settings, SettingsError

TOKEN = "tba_a-long-enough-secret"


def test_an_empty_environment_is_a_service_at_home(tmp_path: Path) -> None:
    settings = Settings.from_env({"TALLYBONES_DATA": str(tmp_path)})
    assert settings.port == 8000
    assert settings.redis_url is None
    assert settings.origins == (HOME_ORIGIN,)
    assert settings.public_url is None
    assert settings.rate_limits
    assert settings.redis_tls_verify
    assert not (settings.webhook_http or settings.webhook_private or settings.on_paas)


def test_the_admin_token_is_made_once_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    environ = {"TALLYBONES_DATA": str(tmp_path / "deep" / "down")}
    first = Settings.from_env(environ)
    assert first.admin_token.startswith("tba_")
    assert Settings.from_env(environ).admin_token == first.admin_token
    kept = list((tmp_path / "deep" / "down").iterdir())
    assert [file.name for file in kept] == ["admin-token"]
    assert stat.S_IMODE(kept[0].stat().st_mode) == 0o600


def test_every_name_is_read(tmp_path: Path) -> None:
    settings = Settings.from_env(
        {
            "PORT": "5000",
            "REDIS_URL": "rediss://:pw@redis.example.org:6380",
            "TALLYBONES_DATA": str(tmp_path),
            "TALLYBONES_ADMIN_TOKEN": TOKEN,
            "TALLYBONES_ADMIN_TOKEN_OLD": f"{TOKEN}-of-last-year",
            "TALLYBONES_ORIGINS": "https://foundry.example.org/, https://Other.example.org:30000",
            "TALLYBONES_PUBLIC_URL": "https://dice.example.org/",
            "TALLYBONES_WEBHOOK_HTTP": "1",
            "TALLYBONES_WEBHOOK_PRIVATE": "1",
            "TALLYBONES_RATE_LIMITS": "off",
            "TALLYBONES_BEHIND_PROXY": "1",
            "REDIS_TLS_VERIFY": "0",
            "WEB_CONCURRENCY": "3",
            "LOG_LEVEL": "WARNING",
            "LOG_FORMAT": "JSON",
            "DYNO": "web.1",
        }
    )
    assert settings == Settings(
        port=5000,
        redis_url="rediss://:pw@redis.example.org:6380",
        data=tmp_path,
        admin_token=TOKEN,
        admin_token_old=f"{TOKEN}-of-last-year",
        log_format="json",
        origins=("https://foundry.example.org", "https://other.example.org:30000"),
        public_url="https://dice.example.org",
        webhook_http=True,
        webhook_private=True,
        rate_limits=False,
        redis_tls_verify=False,
        web_concurrency=3,
        log_level="warning",
        on_paas=True,
        behind_proxy=True,
    )
    assert not (tmp_path / "admin-token").exists()


def test_on_a_paas_it_refuses_to_start_without_an_admin_token(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="Set TALLYBONES_ADMIN_TOKEN to a long random secret") as refused:
        Settings.from_env({"DYNO": "web.1", "TALLYBONES_DATA": str(tmp_path)})
    assert refused.value.name == "TALLYBONES_ADMIN_TOKEN"
    assert list(tmp_path.iterdir()) == []


def test_a_data_folder_that_cannot_be_made_counts_as_a_paas(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    environ = {"TALLYBONES_DATA": str(tmp_path / "file" / "var")}
    with pytest.raises(SettingsError, match="TALLYBONES_ADMIN_TOKEN"):
        Settings.from_env(environ)
    with pytest.raises(SettingsError, match="Set REDIS_URL, or add a Redis"):
        Settings.from_env({**environ, "TALLYBONES_ADMIN_TOKEN": TOKEN})
    settings = Settings.from_env({**environ, "TALLYBONES_ADMIN_TOKEN": TOKEN, "REDIS_URL": "redis://redis"})
    assert settings.on_paas
    assert settings.origins == ()


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("PORT", "http", "a whole number from 1 to 65535"),
        ("PORT", "0", "a whole number from 1 to 65535"),
        ("PORT", "٣", "a whole number from 1 to 65535"),
        ("WEB_CONCURRENCY", "-1", "a whole number from 1 to 64"),
        ("REDIS_URL", "localhost:6379", "redis://HOST:6379/0"),
        ("TALLYBONES_ADMIN_TOKEN", "admin", "at least 16 ASCII characters"),
        ("TALLYBONES_ADMIN_TOKEN_OLD", "admin", "at least 16 ASCII characters"),
        ("LOG_FORMAT", "xml", "auto, json, text"),
        ("TALLYBONES_ORIGINS", "foundry.example.org", "https://foundry.example.org"),
        ("TALLYBONES_ORIGINS", "https://foundry.example.org/game", "write each origin like"),
        ("TALLYBONES_ORIGINS", "*", "write each origin like"),
        ("TALLYBONES_PUBLIC_URL", "dice.example.org", "must look like https://dice.example.org"),
        ("TALLYBONES_PUBLIC_URL", "http://host:port", "must look like"),
        ("TALLYBONES_RATE_LIMITS", "maybe", "1 or 0"),
        ("REDIS_TLS_VERIFY", "2", "1 or 0"),
        ("LOG_LEVEL", "chatty", "must be one of debug, info"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, name: str, value: str, says: str) -> None:
    with pytest.raises(SettingsError) as refused:
        Settings.from_env({"TALLYBONES_DATA": str(tmp_path), name: value})
    assert refused.value.name == name
    assert name in refused.value.sentence
    assert says in refused.value.sentence
