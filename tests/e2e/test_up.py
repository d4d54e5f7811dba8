"""What `tallybones up` says and does, from its first start to its end."""

import json
import signal
import socket
import stat
import subprocess
from pathlib import Path

import pytest

from service import connect_code
from tests.processes import eventually
from tests.running import tallybones, up

pytestmark = pytest.mark.timeout(180)


def test_a_first_start_a_roll_a_restart_and_nothing_left_behind(tmp_path: Path, free_port: int) -> None:
    data = tmp_path / "a table's folder"
    with up(data, free_port) as first:
        assert first.url == f"http://127.0.0.1:{free_port}"
        kept = first.credentials
        assert set(kept) == {"admin_token", "campaign", "gm_key", "connect_code"}
        assert stat.S_IMODE((data / "credentials.json").stat().st_mode) == 0o600
        assert connect_code.decode(kept["connect_code"]) == connect_code.ConnectCode(
            first.url, kept["campaign"], kept["gm_key"]
        )
        shown = "\n".join(first.lines)
        for text in (f"{first.url}/docs", kept["campaign"], kept["gm_key"], kept["connect_code"], "curl"):
            assert text in shown
        assert kept["admin_token"] not in shown
        roll = first.roll("first")
        assert roll["status"] == "resolved"
        assert doctor(data) == {"error": [], "warning": []}
        assert first.end(signal.SIGINT) == 0
        assert first.left_behind() == []
    assert doctor(data) == {"error": ["server"], "warning": []}

    with up(data, free_port) as second:
        assert second.credentials == kept
        assert second.history() == [roll["id"]]
        assert second.roll("first")["id"] == roll["id"]
        assert second.end(signal.SIGTERM) == 0
        assert second.left_behind() == []


def test_the_curl_that_it_prints_rolls(tmp_path: Path, free_port: int) -> None:
    with up(tmp_path, free_port, "--ruleset", "heroes-2d6") as running:
        start = next(n for n, line in enumerate(running.lines) if line.strip().startswith("curl"))
        script = "\n".join(running.lines[start : running.lines.index("", start)])
        answer = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=30, check=True)
        roll = json.loads(answer.stdout)
        assert (roll["status"], roll["ruleset"]) == ("resolved", "heroes-2d6")


def test_a_killed_process_comes_back_and_a_killed_supervisor_leaves_nothing(
    tmp_path: Path, free_port: int
) -> None:
    with up(tmp_path, free_port) as running:
        running.roll("before")
        for word in ("gunicorn", "worker all", "worker rolls", "valkey-server"):
            running.kill(word)
        assert eventually(lambda: running.resolves("after"), seconds=30)
        assert len(running.history()) == 2
        assert running.end(signal.SIGKILL) == -signal.SIGKILL
        assert running.left_behind() == []
    with up(tmp_path, free_port) as again:
        assert len(again.history()) == 2


def test_no_demo_makes_no_campaign(tmp_path: Path, free_port: int) -> None:
    with up(tmp_path, free_port, "--no-demo") as running:
        assert running.credentials["admin_token"] == (tmp_path / "admin-token").read_text().strip()
        assert running.credentials["campaign"] is None
        assert "GM key" not in "\n".join(running.lines)


def test_a_server_of_ones_own_is_used_as_it_is(tmp_path: Path, free_port: int, redis_url: str) -> None:
    with up(tmp_path, free_port, REDIS_URL=redis_url) as running:
        assert running.roll("first")["status"] == "resolved"
        assert not (tmp_path / "valkey").exists()


def doctor(data: Path) -> dict[str, list[str]]:
    """Return what `tallybones doctor` finds fault with, asked from another terminal."""
    process = tallybones("doctor", "--json", TALLYBONES_DATA=str(data))
    output, _ = process.communicate(timeout=30)
    found = json.loads(output)
    assert process.returncode == (0 if found["ok"] else 1)
    return {
        level: [one["subject"] for one in found["findings"] if one["level"] == level]
        for level in ("error", "warning")
    }


def refused(*arguments: str, **more: str) -> str:
    process = tallybones("up", *arguments, **more)
    try:
        output, _ = process.communicate(timeout=60)
    finally:
        process.terminate()
    assert process.returncode == 1, output
    assert output.count("\n") == 1, output
    return output.strip()


def test_what_is_in_the_way_is_told_in_one_sentence(tmp_path: Path, free_port: int) -> None:
    data = tmp_path / "var"
    with socket.socket() as other:
        other.bind(("127.0.0.1", free_port))
        other.listen()
        says = refused("--port", str(free_port), "--data", str(data))
        assert says.startswith(f"Port {free_port} is taken by another program: end that, or choose another")
    closed = f"redis://:secret@127.0.0.1:{free_port}/0"
    says = refused("--port", str(free_port), "--data", str(data), REDIS_URL=closed)
    assert says.startswith(f"The Redis of REDIS_URL (127.0.0.1:{free_port}) does not answer: start it")
    assert not (data / "valkey").exists()

    (tmp_path / "file").touch()
    says = refused("--data", str(tmp_path / "file" / "var"))
    assert "cannot be written (Not a directory): choose another with --data DIR." in says
    assert refused("--data", str(data), "--ruleset", "chess").startswith(
        "There is no rule set chess; there are moon"
    )
    assert (
        refused("--data", str(data), PORT="eighty")
        == "PORT must be a whole number from 1 to 65535, not 'eighty'."
    )


def test_a_second_start_on_the_same_folder_is_refused(tmp_path: Path, free_port: int) -> None:
    with up(tmp_path, free_port) as running:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            other = str(probe.getsockname()[1])
        says = refused("--port", other, "--data", str(tmp_path))
        assert says.startswith("Tallybones already runs on ")
        assert running.roll("still-there")["status"] == "resolved"


def test_a_process_that_does_not_start_is_told_with_its_reason(tmp_path: Path, free_port: int) -> None:
    says = refused(
        "--port", str(free_port), "--data", str(tmp_path), GUNICORN_CMD_ARGS="--worker-class nonsense"
    )
    assert says.startswith("The web process does not start: ")
    assert "nonsense" in says
    assert says.endswith(f"(all of it is in {tmp_path}/logs/web.log)")
