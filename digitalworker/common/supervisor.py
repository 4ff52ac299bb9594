"""The processes `manage.py up` looks after: started in groups of their own, restarted when they die, gone afterwards."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

from django.utils import timezone

from digitalworker.common.health import HEARTBEAT_MAX_AGE, worker_seen_at

LONGEST_PAUSE = 30.0  # seconds between two attempts to start a process that keeps dying
SETTLED_AFTER = 60.0  # seconds of life after which earlier deaths are forgotten
_PR_SET_PDEATHSIG = 1


class Child:
    """One process with its own group, so that whatever it started can be ended with it."""

    def __init__(self, name: str, command: Sequence[str], env: dict[str, str], cwd: Path, grace: float) -> None:
        self.name, self.grace = name, grace
        self._command, self._env, self._cwd = list(command), env, cwd
        self._process: subprocess.Popen | None = None
        self.deaths, self.started_at, self._start_at = 0, 0.0, 0.0

    def start(self) -> None:
        self._process = subprocess.Popen(
            self._command,
            cwd=self._cwd,
            env=self._env,
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # a Ctrl-C in the terminal reaches only the supervisor, which ends us in order
            preexec_fn=_end_with_parent(),
        )
        self.started_at = time.monotonic()

    def look_after(self, say: Callable[[str], None]) -> None:
        """Starts the process again if it died, after a pause that doubles with every death in a row."""
        if self._process is None:
            if time.monotonic() >= self._start_at:
                self.start()
            return
        code = self._process.poll()
        if code is None:
            return
        self.kill()  # processes it left behind
        if time.monotonic() - self.started_at > SETTLED_AFTER:
            self.deaths = 0
        pause = min(2.0**self.deaths, LONGEST_PAUSE)
        self.deaths += 1
        self._process, self._start_at = None, time.monotonic() + pause
        say(f"{self.name} ended unexpectedly ({_reason(code)}); starting it again in {pause:.0f} s")

    @property
    def age(self) -> float:
        """Seconds since it was started; 0 while it is not running."""
        return time.monotonic() - self.started_at if self._process else 0.0

    def ask_to_end(self) -> None:
        if self._process and self._process.poll() is None:
            self._process.terminate()

    def wait(self) -> bool:
        """Whether it ended by itself within its grace, counted from now."""
        if self._process is None:
            return True
        try:
            self._process.wait(self.grace)
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self) -> None:
        """Ends the whole group at once."""
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


def end_all(children: Sequence[Child]) -> list[str]:
    """Ends every child and all it started; returns the names of those that had to be killed."""
    for child in children:
        child.ask_to_end()
    stubborn = [child.name for child in children if not child.wait()]
    for child in children:
        child.kill()
    return stubborn


def queue_is_frozen(worker: Child) -> bool:
    """Whether the cluster lives as a process but finishes nothing any more.

    A worker killed from outside can die holding the lock of the queue's pipe; the others then wait for ever, without
    an error, and not even SIGTERM ends them. The heartbeat makes something finish every minute, and a task may take
    two minutes at most, so silence beyond that is a freeze. A long queue alone is none.
    """
    limit = HEARTBEAT_MAX_AGE + timedelta(seconds=30)
    if worker.age < limit.total_seconds():
        return False
    seen = worker_seen_at()
    return seen is None or timezone.now() - seen > limit


def _reason(code: int) -> str:
    return f"exit {code}" if code >= 0 else signal.Signals(-code).name


def _end_with_parent() -> Callable[[], None] | None:
    """On Linux: asks the kernel to end the child when the supervisor is killed and cannot do it itself."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl

    def ask() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)

    return ask
