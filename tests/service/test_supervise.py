import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from service.supervise import Program, Supervisor
from tests.processes import alive, eventually, family, left_running


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def supervisor(said: list[str]) -> Iterator[Supervisor]:
    with Supervisor(said.append, patience=5) as supervisor:
        yield supervisor


def shell(name: str, script: str, **more: object) -> Program:
    return Program(name, ("/bin/sh", "-c", script), **more)  # type: ignore[arg-type]


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def runs(pid: int) -> bool:
    return psutil.pid_exists(pid) and alive(psutil.Process(pid))


def test_a_program_that_is_killed_starts_again_at_once(
    supervisor: Supervisor, said: list[str], tmp_path: Path
) -> None:
    pids = tmp_path / "pids"
    supervisor.start(shell("rolls", f"echo $$ >> '{pids}'; exec sleep 60"))
    assert eventually(lambda: len(lines(pids)) == 1)
    os.kill(int(lines(pids)[0]), signal.SIGKILL)
    assert eventually(lambda: supervisor.deaths("rolls") == 1 and len(lines(pids)) == 2)
    assert said == ["rolls was ended by SIGKILL: started again."]
    assert runs(int(lines(pids)[1]))


def test_one_that_keeps_dying_is_given_longer_pauses(supervisor: Supervisor, said: list[str]) -> None:
    supervisor.start(shell("web", "exit 3"))
    assert eventually(lambda: supervisor.deaths("web") == 3)
    assert said == [
        "web ended with code 3: started again.",
        "web ended with code 3: next try in 0.5 s.",
        "web ended with code 3: next try in 1 s.",
    ]


def test_what_a_dead_program_left_running_is_ended(supervisor: Supervisor, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    supervisor.start(shell("web", f"sleep 60 & echo $! >> '{pids}'; kill -9 $$"))
    assert eventually(lambda: supervisor.deaths("web") >= 1)
    assert eventually(lambda: not runs(int(lines(pids)[0])))


def test_at_the_end_all_get_sigterm_and_what_others_need_goes_last(said: list[str], tmp_path: Path) -> None:
    order = tmp_path / "order"
    trap = f"trap 'sleep 0.2; echo NAME >> {order}; exit' TERM"
    script = f"{trap}; echo up >> {order}; while :; do sleep 0.05; done"
    with Supervisor(said.append) as supervisor:
        supervisor.start(shell("store", script.replace("NAME", "store"), others_need_it=True))
        supervisor.start(shell("web", script.replace("NAME", "web")))
        assert eventually(lambda: lines(order) == ["up", "up"])
    assert lines(order) == ["up", "up", "web", "store"]
    assert said == []


def test_one_that_ignores_sigterm_is_killed_when_patience_ends(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    started = time.monotonic()
    with Supervisor(lambda line: None, patience=0.5) as supervisor:
        supervisor.start(shell("deaf", f"trap '' TERM; echo $$ >> '{pids}'; while :; do sleep 0.05; done"))
        assert eventually(lambda: len(lines(pids)) == 1)
    assert not runs(int(lines(pids)[0]))
    assert time.monotonic() - started < 30


def test_output_goes_to_the_log_and_the_environment_is_added_to(
    supervisor: Supervisor, tmp_path: Path
) -> None:
    log = tmp_path / "web.log"
    supervisor.start(
        shell(
            "web", "echo port $PORT; echo path ${PATH:+set} >&2; sleep 60", environ={"PORT": "8123"}, log=log
        )
    )
    assert eventually(lambda: lines(log) == ["port 8123", "path set"])


SUPERVISE = """
import sys
from service.supervise import Program, Supervisor
with Supervisor(print, patience=2) as supervisor:
    for n in range(2):
        supervisor.start(Program(f"p{n}", ("/bin/sh", "-c", "sleep 300 & echo $$ $! >> %s; wait")))
    print("up", flush=True)
    supervisor.run()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_however_the_supervisor_ends_nothing_is_left(number: signal.Signals, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    parent = subprocess.Popen([sys.executable, "-c", SUPERVISE % pids], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"up\n"
    assert eventually(lambda: len(lines(pids)) == 2)
    children = family(parent.pid)[1:]
    assert len(children) >= 4
    parent.send_signal(number)
    assert parent.wait(10) == (-number if number == signal.SIGKILL else 0)
    parent.stdout.close()
    assert left_running(children) == []
