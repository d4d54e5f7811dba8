"""Start processes, start them again when they die, and leave none behind.

Every program runs in a process group of its own, so that Ctrl-C reaches only the supervisor, which then
ends the programs in order. Beside each sits a guard, a shell that waits on a pipe which only the supervisor
holds open: if the supervisor is killed outright the pipe closes, and the guard ends the group.
"""

import contextlib
import os
import selectors
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

STEADY = 10.0  # seconds after which a program counts as well, and its next restart is at once
LONGEST_PAUSE = 10.0  # seconds between restarts of one that keeps dying

GUARD = """
read -r _
kill -TERM "-$1" 2>/dev/null
n=0
while kill -0 "-$1" 2>/dev/null && [ "$n" -lt "$2" ]; do sleep 0.1; n=$((n + 1)); done
kill -KILL "-$1" 2>/dev/null
"""


@dataclass(frozen=True, slots=True)
class Program:
    """What to run, and how.

    `environ` is added to the supervisor's own; output goes to the file `log` (None: to the supervisor's);
    `keep` lists file descriptors to inherit; `others_need_it` ends it after all others.
    """

    name: str
    command: tuple[str, ...]
    environ: Mapping[str, str] = field(default_factory=dict)
    log: Path | None = None
    keep: tuple[int, ...] = ()
    others_need_it: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """The process that leads a program's group, and the group's guard."""

    leader: subprocess.Popen[bytes]
    guard: subprocess.Popen[bytes]
    started: float

    def clear(self) -> None:
        """Kill what is left of the group, and let the guard go."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.leader.pid, signal.SIGKILL)
        self.leader.wait()
        self.guard.kill()
        self.guard.communicate()


@dataclass(slots=True)
class Post:
    """A program's place: its group, or when (on the monotonic clock) it is due to start again."""

    program: Program
    group: Group | None = None
    pause: float = 0.0
    due: float = 0.0
    deaths: int = 0


class Supervisor:
    """Keeps programs running until SIGINT, SIGTERM, SIGHUP or `stop`; use it as a context manager.

    `say` is given one line whenever a program dies. `patience` is the number of seconds that programs have
    between SIGTERM and SIGKILL.
    """

    def __init__(self, say: Callable[[str], None], patience: float = 20.0) -> None:
        self.say = say
        self.patience = patience
        self.stopping = False
        self._posts: list[Post] = []
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Self:
        """Take over the signals that end or wake it."""
        self._wakes, self._waker = socket.socketpair()
        self._wakes.setblocking(False)
        self._waker.setblocking(False)
        self._old_waker = signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self._handlers[number] = signal.signal(number, lambda *_: self.stop())
        self._handlers[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End every program, and give the signals back."""
        self.stopping = True
        self._end([post for post in self._posts if not post.program.others_need_it])
        self._end([post for post in self._posts if post.program.others_need_it])
        signal.set_wakeup_fd(self._old_waker)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._wakes.close()
        self._waker.close()

    def start(self, program: Program) -> None:
        """Start a program and keep it running from now on. Raises OSError where it cannot be started."""
        self._posts.append(Post(program, _spawn(program, self.patience)))

    def deaths(self, name: str) -> int:
        """Count how often the program of that name has died."""
        self.tend()
        return sum(post.deaths for post in self._posts if post.program.name == name)

    def run(self) -> None:
        """Keep the programs running; return when a signal or `stop` ends it."""
        while not self.stopping:
            self.tend()
            now = time.monotonic()
            self.wait(min([60.0, *(max(0.0, post.due - now) for post in self._posts if post.group is None)]))

    def tend(self) -> None:
        """Note which programs died, and start those that are due again."""
        now = time.monotonic()
        for post in self._posts:
            if post.group is not None and post.group.leader.poll() is not None:
                self._note_death(post, post.group, now)
            if post.group is None and now >= post.due and not self.stopping:
                post.group = _spawn(post.program, self.patience)

    def wait(self, seconds: float) -> None:
        """Wait so long, or until a signal comes or a program dies."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._wakes, selectors.EVENT_READ)
            if selector.select(seconds):
                self._wakes.recv(4096)

    def stop(self) -> None:
        """Make `run` return."""
        self.stopping = True

    def _note_death(self, post: Post, group: Group, now: float) -> None:
        group.clear()
        post.group = None
        post.deaths += 1
        pause = 0.0 if now - group.started >= STEADY else post.pause
        post.due = now + pause
        post.pause = min(LONGEST_PAUSE, max(0.5, pause * 2))
        if not self.stopping:
            then = f"next try in {pause:g} s" if pause else "started again"
            self.say(f"{post.program.name} {_how_it_ended(group.leader.returncode)}: {then}.")

    def _end(self, posts: list[Post]) -> None:
        groups = [post.group for post in posts if post.group is not None]
        for group in groups:
            group.leader.terminate()
        deadline = time.monotonic() + self.patience
        for group in groups:
            with contextlib.suppress(subprocess.TimeoutExpired):
                group.leader.wait(max(0.0, deadline - time.monotonic()))
            group.clear()
        for post in posts:
            post.group = None


def _spawn(program: Program, patience: float) -> Group:
    output: IO[bytes] | None = program.log.open("ab") if program.log else None
    with output or contextlib.nullcontext():
        leader = subprocess.Popen(  # noqa: S603  our own commands and the Procfile's
            program.command,
            env={**os.environ, **program.environ},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output and subprocess.STDOUT,
            start_new_session=True,
            pass_fds=program.keep,
        )
    guard = subprocess.Popen(  # noqa: S603
        ("/bin/sh", "-c", GUARD, "guard", str(leader.pid), str(round(patience * 10))),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    return Group(leader, guard, time.monotonic())


def _how_it_ended(code: int) -> str:
    if code >= 0:
        return f"ended with code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:  # a real-time signal
        return f"was ended by signal {-code}"
