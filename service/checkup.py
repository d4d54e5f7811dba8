"""What `tallybones doctor` looks at. Each check is a function that returns findings."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from redis import Redis
from redis.exceptions import RedisError

from service.settings import Settings, SettingsError
from service.store import keys
from service.workers import living

OLDEST_REDIS = (6, 2)
GOOD_REDIS = (7, 2)
LONG_QUEUE = 1000
"""Rolls that wait for a worker, from which on it is worth a word."""
UNTIMELY = {"everysec": "two seconds", "no": "half a minute"}
"""What a crash of the machine may lose, by `appendfsync`."""
STAND_INS = {"TALLYBONES_ADMIN_TOKEN": "stands-in-for-this-checkup", "REDIS_URL": "redis://not-set.invalid"}


class Level(StrEnum):
    """How good a finding is."""

    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; unless it is ok, `says` tells what to do."""

    subject: str
    level: Level
    says: str


def environment(environ: Mapping[str, str]) -> tuple[Settings | None, list[Finding]]:
    """Read the environment; where a name is wrong, go on without it so that the rest is seen too.

    The settings are None where it is REDIS_URL that is wrong: there is no server to look at then.
    """
    findings: list[Finding] = []
    wrong: set[str] = set()
    readable = dict(environ)
    settings = None
    while settings is None:
        try:
            settings = Settings.from_env(readable)
        except SettingsError as error:
            findings.append(Finding("environment", Level.ERROR, error.sentence))
            readable[error.name] = STAND_INS.get(error.name, "")
            wrong.add(error.name)
    if not findings:
        findings.append(_admin_token(settings, environ))
        findings.append(_origins(settings))
        findings.append(_public_url(settings))
    if settings.admin_token_old:
        says = "Good too; unset TALLYBONES_ADMIN_TOKEN_OLD once nobody uses it any more."
        findings.append(Finding("old admin token", Level.WARNING, says))
    if not settings.rate_limits:
        findings.append(
            Finding(
                "rate limits",
                Level.WARNING,
                "Lifted; unset TALLYBONES_RATE_LIMITS unless this is a load test.",
            )
        )
    return None if "REDIS_URL" in wrong else settings, findings


def _admin_token(settings: Settings, environ: Mapping[str, str]) -> Finding:
    if environ.get("TALLYBONES_ADMIN_TOKEN", "").strip():
        return Finding("admin token", Level.OK, "Set in the environment.")
    return Finding("admin token", Level.OK, f"Kept in {settings.data / 'admin-token'}.")


def _origins(settings: Settings) -> Finding:
    if settings.origins:
        return Finding("origins", Level.OK, ", ".join(settings.origins))
    return Finding(
        "origins", Level.WARNING, "None: set TALLYBONES_ORIGINS to the address at which players open Foundry."
    )


def _public_url(settings: Settings) -> Finding:
    if settings.public_url:
        return Finding("public address", Level.OK, settings.public_url)
    return Finding("public address", Level.OK, "Taken from each request; TALLYBONES_PUBLIC_URL fixes it.")


def server(redis: Redis) -> list[Finding]:
    """Look at version, role, eviction, persistence, memory, connections and clock of the server."""
    info: dict[str, Any] = redis.info()
    started = time.time()
    seconds, micros = redis.time()
    offset = seconds + micros / 1e6 - (started + time.time()) / 2
    return [
        version(info),
        *role(info),
        eviction(info),
        persistence(info, _setting(redis, "save"), _setting(redis, "appendfsync")),
        memory(info),
        *connections(info),
        clock(offset),
    ]


def version(info: Mapping[str, Any]) -> Finding:
    """Judge the server's version: 6.2 is needed, Redis 7.2 or any Valkey recommended."""
    text = str(info["redis_version"])
    number = tuple(int(part) for part in text.split(".")[:2] if part.isdigit())
    name = f"Valkey {info['valkey_version']}" if "valkey_version" in info else f"Redis {text}"
    if number < OLDEST_REDIS:
        return Finding(
            "version", Level.ERROR, f"{name} is too old: 6.2 is needed, Redis 7.2 or Valkey 8 recommended."
        )
    if number < GOOD_REDIS:
        return Finding("version", Level.WARNING, f"{name} works; Redis 7.2 or Valkey 8 is recommended.")
    return Finding("version", Level.OK, name)


def role(info: Mapping[str, Any]) -> list[Finding]:
    """Complain about a replica or a cluster; say nothing of a plain server."""
    findings = []
    if info.get("role") in ("slave", "replica"):
        findings.append(
            Finding("role", Level.ERROR, "A replica takes no writes: give the primary's address.")
        )
    if int(info.get("cluster_enabled", 0)):
        findings.append(Finding("role", Level.ERROR, "A cluster spreads the keys: give a server without it."))
    return findings


def eviction(info: Mapping[str, Any]) -> Finding:
    """Judge maxmemory-policy: anything but noeviction loses rolls when memory is full."""
    policy = str(info.get("maxmemory_policy", "unknown"))
    if policy == "noeviction":
        return Finding("eviction", Level.OK, "noeviction")
    return Finding(
        "eviction",
        Level.WARNING,
        f"{policy}: history is lost when memory is full; set maxmemory-policy noeviction.",
    )


def persistence(info: Mapping[str, Any], snapshots: str | None, fsync: str | None) -> Finding:
    """Judge what survives a restart; its settings `save` and `appendfsync` are None where they are hidden."""
    failing = [
        name
        for name in ("aof_last_write_status", "aof_last_bgrewrite_status", "rdb_last_bgsave_status")
        if info.get(name, "ok") != "ok"
    ]
    if failing:
        return Finding(
            "persistence", Level.ERROR, f"Writing fails ({', '.join(failing)}): look at the server's disk."
        )
    if int(info.get("aof_enabled", 0)):
        if fsync in UNTIMELY:
            says = f"A crash loses up to {UNTIMELY[fsync]} of answered rolls; set appendfsync always."
            return Finding("persistence", Level.WARNING, says)
        return Finding("persistence", Level.OK, "append-only file")
    if snapshots:
        return Finding(
            "persistence",
            Level.WARNING,
            "Snapshots only: a crash loses the latest rolls; set appendonly yes.",
        )
    if snapshots is None:
        return Finding(
            "persistence",
            Level.WARNING,
            "No append-only file: ask the provider whether a restart keeps history.",
        )
    return Finding("persistence", Level.WARNING, "None: a restart loses all history; set appendonly yes.")


def memory(info: Mapping[str, Any]) -> Finding:
    """Judge how full the server is: a warning from 80 %, an error from 95 %."""
    used, most = int(info["used_memory"]), int(info.get("maxmemory", 0))
    if not most:
        return Finding("memory", Level.OK, f"{megabytes(used)} used, no limit")
    says = f"{megabytes(used)} of {megabytes(most)} used"
    share = used / most
    if share < 0.8:
        return Finding("memory", Level.OK, says)
    return Finding(
        "memory",
        Level.ERROR if share >= 0.95 else Level.WARNING,
        f"{says}: take a larger plan, or export old sessions and delete them.",
    )


def connections(info: Mapping[str, Any]) -> list[Finding]:
    """Complain where nearly all connections are taken, as on a small plan."""
    open_, most = int(info.get("connected_clients", 0)), int(info.get("maxclients", 0))
    if not most or open_ < 0.8 * most:
        return []
    return [
        Finding(
            "connections",
            Level.WARNING,
            f"{open_} of {most} taken: lower WEB_CONCURRENCY or take a larger plan.",
        )
    ]


def clock(offset: float) -> Finding:
    """Judge the difference (seconds) between the server's clock and ours."""
    if abs(offset) < 2:
        return Finding("clock", Level.OK, f"{abs(offset) * 1000:.0f} ms apart")
    return Finding(
        "clock", Level.WARNING, f"{abs(offset):.0f} s apart: set both clocks by NTP, or times will look odd."
    )


def workers(redis: Redis, released: bool) -> list[Finding]:
    """Count the workers alive on each queue; none is an error, unless the release is still being made."""
    findings = []
    for name, alive in living(redis).items():
        if alive:
            finding = Finding(f"{name} worker", Level.OK, f"{alive} running")
        elif released:
            finding = Finding(
                f"{name} worker", Level.ERROR, f"None: start `tallybones worker {name}`, or all of them."
            )
        else:
            finding = Finding(f"{name} worker", Level.OK, "None yet.")
        findings.append(finding)
    return findings


def backlog(redis: Redis) -> list[Finding]:
    """Complain of rolls that were given up, and of a long queue; say nothing where all is well."""
    stuck, waiting = int(redis.zcard(keys.STUCK)), int(redis.zcard(keys.PENDING))
    findings = []
    if stuck:
        says = f"{stuck} given up, as their workers died: look into the worker's log, then restart it."
        findings.append(Finding("rolls", Level.WARNING, says))  # no error: a release may be the cure
    if waiting > LONG_QUEUE:
        says = f"{waiting} wait to be resolved: start another `tallybones worker rolls`."
        findings.append(Finding("queue", Level.WARNING, says))
    return findings


def megabytes(count: int) -> str:
    """Write a number of bytes in MB."""
    return f"{count / 1e6:.1f} MB" if count < 1e8 else f"{count / 1e6:.0f} MB"


def _setting(redis: Redis, name: str) -> str | None:
    try:
        return str(redis.config_get(name).get(name, ""))
    except RedisError:  # a provider that hides CONFIG
        return None
