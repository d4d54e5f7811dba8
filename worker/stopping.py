"""How a worker is told to stop: itself by a signal, the job at hand by RQ's command."""

import os
import signal
from datetime import datetime
from types import FrameType

from rq.utils import now

from worker.books import BooksByTime


class JobStopped(Exception):
    """The job was stopped by RQ's stop command."""


class Stoppable(BooksByTime):
    """A worker that stops between jobs, and whose job can be stopped."""

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """Note that the worker should stop; it does after the job at hand, or within a tick.

        RQ 3.0 talks to Redis in here, or raises StopRequested wherever the worker is, also between popping a
        job and starting it.
        """
        self._shutdown_requested_date: datetime | None = now()
        signal.signal(signal.SIGINT, self.request_force_stop)
        signal.signal(signal.SIGTERM, self.request_force_stop)
        self._stop_requested = True

    def _install_signal_handlers(self) -> None:
        super()._install_signal_handlers()  # type: ignore[no-untyped-call]
        signal.signal(signal.SIGUSR1, self._interrupt_job)

    def kill_horse(self, sig: signal.Signals = signal.SIGUSR1) -> None:
        """Stop the job at hand; called by the thread that listens for commands (RQ 3.0: it runs on)."""
        os.kill(os.getpid(), signal.SIGUSR1)

    def _interrupt_job(self, signum: int, frame: FrameType | None) -> None:
        if any(execution.job_id == self._stopped_job_id for execution in self.executions.values()):
            raise JobStopped(self._stopped_job_id)
