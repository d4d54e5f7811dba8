"""Each line of the Procfile, run as a PaaS does: by a shell, in the environment that a PaaS gives."""

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from service import procfile
from service.settings import CHECKOUT
from tests.processes import eventually, family, left_running

pytestmark = pytest.mark.timeout(180)


@pytest.fixture
def paas(redis_url: str, free_port: int, tmp_path: Path) -> dict[str, str]:
    """PORT, REDIS_URL and WEB_CONCURRENCY; the data folder only keeps this test out of the checkout's."""
    return {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}",
        "PORT": str(free_port),
        "REDIS_URL": redis_url,
        "WEB_CONCURRENCY": "2",
        "TALLYBONES_DATA": str(tmp_path / "var"),
    }


@contextmanager
def dyno(kind: str, environ: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        ("sh", "-c", procfile.read()[kind]), cwd=CHECKOUT, env=environ, start_new_session=True
    )
    try:
        yield process
    finally:
        processes = family(process.pid)
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(30)
        assert left_running(processes) == []


def ready(environ: dict[str, str], seconds: float = 60) -> int:
    """Return the status of /readyz, as soon as it is 200, or what it is at the end."""
    deadline = time.monotonic() + seconds
    status = 0
    while status != 200 and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{environ['PORT']}/readyz", timeout=5) as answer:
                status = answer.status
        except urllib.error.HTTPError as error:
            status = error.code
        except OSError:
            pass
        time.sleep(0.1)
    return status


@pytest.mark.parametrize("kinds", [("web", "worker"), ("web", "rolls", "deliveries", "reports")])
def test_the_procfile_runs_with_what_a_paas_gives(kinds: tuple[str, ...], paas: dict[str, str]) -> None:
    with ExitStack() as running:
        for kind in kinds:
            running.enter_context(dyno(kind, paas))
        assert ready(paas) == 200


def test_without_workers_it_lives_but_is_not_ready(paas: dict[str, str]) -> None:
    with dyno("web", paas):
        assert eventually(lambda: ready(paas, seconds=1) == 503, seconds=60)


def release(environ: dict[str, str]) -> tuple[int, str]:
    done = subprocess.run(
        ("sh", "-c", procfile.read()["release"]),
        cwd=CHECKOUT,
        env=environ,
        capture_output=True,
        text=True,
        timeout=30,
    )
    return done.returncode, done.stdout + done.stderr


def test_the_release_passes_before_any_worker_runs(paas: dict[str, str]) -> None:
    code, says = release(paas)
    assert code == 0, says
    assert "✓ version" in says


def test_the_release_stops_where_the_admin_token_is_missing(paas: dict[str, str]) -> None:
    code, says = release({**paas, "DYNO": "release.1"})
    assert code == 1
    assert "✗ environment" in says
    assert "Set TALLYBONES_ADMIN_TOKEN to a long random secret" in says


@pytest.mark.parametrize("kind", ["web", "worker"])
def test_a_dyno_without_an_admin_token_does_not_start_and_says_so(kind: str, paas: dict[str, str]) -> None:
    done = subprocess.run(
        ("sh", "-c", procfile.read()[kind]),
        cwd=CHECKOUT,
        env={**paas, "DYNO": f"{kind}.1"},
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode != 0
    assert "Set TALLYBONES_ADMIN_TOKEN to a long random secret" in done.stdout + done.stderr


def test_each_line_is_one_command() -> None:
    lines = procfile.read()
    assert set(lines) == {"web", "worker", "rolls", "deliveries", "reports", "release"}
    assert not any(sign in line for line in lines.values() for sign in ";&|")
