from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from rq import Queue, SimpleWorker

from service import checkup
from service.checkup import Level

HEALTHY = {
    "redis_version": "7.4.1",
    "maxmemory_policy": "noeviction",
    "aof_enabled": 1,
    "used_memory": 10_000_000,
    "maxmemory": 25_000_000,
}


def test_the_server_of_these_tests_is_well_but_keeps_nothing(valkey: Redis) -> None:
    findings = {finding.subject: finding for finding in checkup.server(valkey)}
    assert findings["version"].says.startswith("Valkey 9.")
    assert findings["eviction"].level is Level.OK
    assert findings["clock"].level is Level.OK
    assert findings["persistence"].level is Level.WARNING
    assert findings["persistence"].says == "None: a restart loses all history; set appendonly yes."


@pytest.mark.parametrize(
    ("version", "level"),
    [
        ({"redis_version": "5.0.14"}, Level.ERROR),
        ({"redis_version": "6.0.16"}, Level.ERROR),
        ({"redis_version": "6.2.0"}, Level.WARNING),
        ({"redis_version": "7.2.4"}, Level.OK),
        ({"redis_version": "7.2.4", "valkey_version": "8.0.1"}, Level.OK),
        ({"redis_version": "10.0.0"}, Level.OK),
    ],
)
def test_an_old_server_is_refused_and_a_middling_one_is_let_pass(
    version: dict[str, str], level: Level
) -> None:
    assert checkup.version(version).level is level


@pytest.mark.parametrize(
    ("changes", "snapshots", "fsync", "level", "says"),
    [
        ({}, "", "always", Level.OK, "append-only file"),
        ({}, "", None, Level.OK, "append-only file"),
        ({}, "", "everysec", Level.WARNING, "loses up to two seconds of answered rolls"),
        ({}, "", "no", Level.WARNING, "set appendfsync always"),
        ({"aof_enabled": 0}, "3600 1", "everysec", Level.WARNING, "a crash loses the latest rolls"),
        ({"aof_enabled": 0}, "", "everysec", Level.WARNING, "a restart loses all history"),
        ({"aof_enabled": 0}, None, None, Level.WARNING, "ask the provider"),
        ({"aof_last_write_status": "err"}, "", "always", Level.ERROR, "look at the server's disk"),
        ({"rdb_last_bgsave_status": "err"}, "3600 1", "always", Level.ERROR, "look at the server's disk"),
    ],
)
def test_what_does_not_survive_a_restart_is_told(
    changes: Mapping[str, Any], snapshots: str | None, fsync: str | None, level: Level, says: str
) -> None:
    finding = checkup.persistence({**HEALTHY, **changes}, snapshots, fsync)
    assert finding.level is level
    assert says in finding.says


@pytest.mark.parametrize(("used", "level"), [(79, Level.OK), (80, Level.WARNING), (95, Level.ERROR)])
def test_a_server_that_fills_up_is_told_in_time(used: int, level: Level) -> None:
    finding = checkup.memory({"used_memory": used * 1_000_000, "maxmemory": 100_000_000})
    assert finding.level is level
    assert f"{used}.0 MB of 100 MB" in finding.says


def test_eviction_connections_roles_and_clock() -> None:
    assert checkup.eviction({"maxmemory_policy": "allkeys-lru"}).level is Level.WARNING
    assert checkup.connections({"connected_clients": 4, "maxclients": 20}) == []
    assert "18 of 20 taken" in checkup.connections({"connected_clients": 18, "maxclients": 20})[0].says
    assert checkup.role({"role": "master"}) == []
    assert checkup.role({"role": "slave"})[0].level is Level.ERROR
    assert checkup.role({"role": "master", "cluster_enabled": 1})[0].level is Level.ERROR
    assert checkup.clock(-0.3).level is Level.OK
    assert checkup.clock(-7.0).says.startswith("7 s apart")


def test_a_queue_without_a_worker_is_an_error_once_released(valkey: Redis) -> None:
    worker = SimpleWorker([Queue("rolls", connection=valkey)], connection=valkey)
    worker.register_birth()
    levels = [finding.level for finding in checkup.workers(valkey, released=True)]
    assert levels == [Level.OK, Level.ERROR, Level.ERROR]
    valkey.delete(worker.key)  # its heartbeat ran out
    assert checkup.workers(valkey, released=True)[0].level is Level.ERROR
    assert {finding.level for finding in checkup.workers(valkey, released=False)} == {Level.OK}


def test_every_wrong_name_of_the_environment_is_told_at_once(tmp_path: Path) -> None:
    environ = {
        "DYNO": "web.1",
        "TALLYBONES_DATA": str(tmp_path),
        "PORT": "eighty",
        "REDIS_URL": "localhost",
        "LOG_LEVEL": "loud",
    }
    settings, findings = checkup.environment(environ)
    errors = [finding.says for finding in findings if finding.level is Level.ERROR]
    assert [says.split()[0] for says in errors if not says.startswith("Set ")] == [
        "REDIS_URL",
        "PORT",
        "LOG_LEVEL",
    ]
    assert errors[0].startswith("Set TALLYBONES_ADMIN_TOKEN")
    assert settings is None


def test_an_app_without_redis_is_told_so(tmp_path: Path) -> None:
    _, findings = checkup.environment({"DYNO": "web.1", "TALLYBONES_DATA": str(tmp_path)})
    errors = [finding.says for finding in findings if finding.level is Level.ERROR]
    assert [says.split()[1] for says in errors] == ["TALLYBONES_ADMIN_TOKEN", "REDIS_URL,"]


def test_a_good_environment_has_no_error_and_shows_no_secret(tmp_path: Path) -> None:
    token = "tba_never-shown-anywhere"
    _, findings = checkup.environment({"TALLYBONES_ADMIN_TOKEN": token, "TALLYBONES_DATA": str(tmp_path)})
    assert {finding.level for finding in findings} == {Level.OK}
    assert token not in " ".join(finding.says for finding in findings)


def test_a_backlog_is_told_and_none_is_not(valkey: Redis) -> None:
    assert checkup.backlog(valkey) == []
    valkey.zadd("tb:pending", {f"roll{number}": number for number in range(checkup.LONG_QUEUE + 1)})
    valkey.zadd("tb:stuck", {"roll": 1})
    says = [finding.says for finding in checkup.backlog(valkey)]
    assert says[0].startswith("1 given up") and says[1].startswith("1001 wait")
    assert {finding.level for finding in checkup.backlog(valkey)} == {Level.WARNING}


def test_an_old_admin_token_is_not_forgotten(tmp_path: Path) -> None:
    environ = {"TALLYBONES_DATA": str(tmp_path), "TALLYBONES_ADMIN_TOKEN_OLD": "tba_of-last-year-or-so"}
    _, findings = checkup.environment(environ)
    [told] = [finding for finding in findings if finding.subject == "old admin token"]
    assert told.level is Level.WARNING and "tba_" not in told.says
