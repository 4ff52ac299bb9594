"""`manage.py up`: one command, one line for each thing, and nothing left behind."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from digitalworker.common import postgres, supervisor
from digitalworker.common.supervisor import Child
from tests.processes import ROOT, clean_environment
from tests.settings import TEST_POSTGRES


def up(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    return manage("up", *arguments, **environment)


def manage(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "manage.py", *arguments]
    env = clean_environment(**environment)
    return subprocess.run(
        command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False
    )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


# --- what it says before it starts anything ---------------------------------------------------------------------------


def test_a_busy_port_is_one_line(tmp_path):
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        done = up(DW_DATA_DIR=str(tmp_path), PORT=str(port))
    assert done.returncode == 1
    assert done.stderr == (
        f"CommandError: Port {port} on 127.0.0.1 cannot be used: Address already in use. "
        f"Choose another with: make run PORT={port + 1}\n"
    )
    assert not (tmp_path / "postgres").exists()


def test_a_command_without_a_database_is_one_line(tmp_path):
    done = manage("import_chat", "nothing.jsonl", "--agent", "shop", DW_DATA_DIR=str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.startswith("The database does not answer: ")
    assert done.stderr.endswith(" `make run` starts the embedded one.\n") and done.stderr.count("\n") == 1


@pytest.mark.parametrize("port", ["http", "0", "70000"])
def test_a_port_that_is_none_is_one_line(tmp_path, port):
    done = up(DW_DATA_DIR=str(tmp_path), PORT=port)
    assert done.stderr == f"CommandError: PORT='{port}' is not a port number. Use one from 1 to 65535.\n"


def test_locally_it_serves_only_this_machine(tmp_path):
    done = up("--host", "0.0.0.0", DW_DATA_DIR=str(tmp_path))  # noqa: S104
    assert done.stderr == (
        "CommandError: DW_ENV=local serves this machine only. Set DW_ENV=production to listen elsewhere.\n"
    )


def test_an_absent_database_is_one_line(tmp_path):
    address = f"postgresql://app@127.0.0.1:{free_port()}/worker"
    done = up(DW_DATA_DIR=str(tmp_path), DATABASE_URL=address, PORT=str(free_port()))
    assert done.returncode == 1
    assert done.stderr.startswith("CommandError: The database does not answer: ")
    assert done.stderr.count("\n") == 1


def test_a_missing_extension_is_one_line_that_says_what_to_do(tmp_path):
    folder, name = postgres.socket_dir(TEST_POSTGRES), f"bare_{os.getpid()}"
    with psycopg.connect(host=str(folder), user="postgres", dbname="postgres", autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        try:
            address = f"postgresql://postgres@{quote(str(folder), safe='')}/{name}"
            done = up(DW_DATA_DIR=str(tmp_path), DATABASE_URL=address, PORT=str(free_port()))
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")
    assert done.returncode == 1
    assert done.stderr == (
        "CommandError: The database lacks pgvector. As a superuser, run in it: CREATE EXTENSION vector;\n"
    )


def test_stopping_what_does_not_run_says_so(tmp_path):
    assert up("--stop", DW_DATA_DIR=str(tmp_path)).stdout == "Nothing was running.\n"


# --- looking after processes ------------------------------------------------------------------------------------------


@pytest.fixture
def child():
    children = []

    def start(code: str, grace: float = 5) -> Child:
        children.append(Child("worker", [sys.executable, "-c", code], dict(os.environ), ROOT, grace))
        children[-1].start()
        return children[-1]

    yield start
    for each in children:
        each.kill()


def until(condition, seconds: float = 10):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "took too long"
        time.sleep(0.05)


def test_a_dead_process_is_started_again_with_growing_pauses(child):
    worker, said = child("raise SystemExit(3)"), []
    until(lambda: worker.look_after(said.append) or worker.deaths == 2)
    assert said == [
        "worker ended unexpectedly (exit 3); starting it again in 1 s",
        "worker ended unexpectedly (exit 3); starting it again in 2 s",
    ]


def test_ending_waits_for_what_ends_and_kills_what_does_not(child):
    willing = child("import time; time.sleep(60)")
    deaf = child("import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)", grace=0.5)
    time.sleep(0.5)
    assert supervisor.end_all([willing, deaf]) == ["worker"]


def test_killing_takes_the_whole_group(child, tmp_path):
    note = tmp_path / "grandchild"
    code = (
        "import os, pathlib, subprocess, sys, time\n"
        "sub = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"pathlib.Path({str(note)!r}).write_text(str(sub.pid)); time.sleep(60)"
    )
    worker = child(code)
    until(lambda: note.exists() and note.read_text())
    worker.kill()
    until(lambda: not alive(int(note.read_text())))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("age", "seen_ago", "frozen"),
    [
        (60, None, False),  # only just started
        (600, None, True),  # has never finished anything
        (600, 30, False),
        (600, 400, True),
    ],
)
def test_a_queue_that_finishes_nothing_is_frozen(monkeypatch, age, seen_ago, frozen):
    from datetime import timedelta

    from django.utils import timezone

    from digitalworker.common.models import Heartbeat

    if seen_ago is not None:
        Heartbeat.objects.create(name="worker", at=timezone.now() - timedelta(seconds=seen_ago))
    monkeypatch.setattr(Child, "age", age)
    assert supervisor.queue_is_frozen(Child("worker", [], {}, ROOT, 1)) is frozen


# --- the whole thing --------------------------------------------------------------------------------------------------


def alive(pid: int) -> bool:
    try:
        return ") Z" not in Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def processes_of(data: Path) -> dict[int, str]:
    """Every living process started for this data directory, by its environment or its command line."""
    found = {}
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            pid = int(folder.name)
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            if (str(data) in (folder / "environ").read_bytes().decode() or str(data) in command) and alive(pid):
                found[pid] = command
    return found


class Running:
    def __init__(self, data: Path):
        self.data, self.port, self.lines = data, free_port(), []
        env = clean_environment(DW_DATA_DIR=str(data), PORT=str(self.port))
        self.process = subprocess.Popen(
            [sys.executable, "-u", "manage.py", "up", "--no-demo"],
            cwd=ROOT,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        threading.Thread(target=lambda: self.lines.extend(self.process.stdout), daemon=True).start()

    def says(self, text: str, seconds: float = 120):
        def said():
            assert self.process.poll() is None or any(text in line for line in self.lines), self.output
            return any(text in line for line in self.lines)

        until(said, seconds)

    @property
    def output(self) -> str:
        return "".join(self.lines)

    def get(self, path: str) -> tuple[int, str]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=10) as answer:
            return answer.status, answer.read().decode()

    def leader(self, part: str) -> int:
        (pid,) = [pid for pid, text in processes_of(self.data).items() if part in text and os.getpgid(pid) == pid]
        return pid


@pytest.fixture
def running():
    parent = Path(tempfile.mkdtemp(prefix="dw-"))
    parent.chmod(0o755)
    started = Running(parent)
    yield started
    started.process.kill()
    for pid in processes_of(parent):
        if "postgres" not in processes_of(parent).get(pid, ""):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    postgres.stop(parent / "postgres")
    shutil.rmtree(parent)


@pytest.mark.e2e
def test_everything_starts_heals_and_ends(running):
    running.says("Digital Worker is ready: http://127.0.0.1:")
    status, body = running.get("/readyz")
    assert (status, json.loads(body)["status"]) == (200, "ready")
    assert running.get("/accounts/login/")[0] == 200

    second = up(DW_DATA_DIR=str(running.data), PORT=str(free_port()))
    assert second.returncode == 1
    assert second.stderr == (
        f"CommandError: Digital Worker runs on this data already at http://127.0.0.1:{running.port}/ "
        f"(process {running.process.pid}). End it with: make stop\n"
    )

    os.kill(running.leader("qcluster"), signal.SIGKILL)
    running.says("worker ended unexpectedly (SIGKILL); starting it again in 1 s", 10)
    os.kill(running.leader("granian"), signal.SIGKILL)
    running.says("web ended unexpectedly (SIGKILL)", 10)

    def web_is_back():
        with contextlib.suppress(OSError):
            return running.get("/healthz")[0] == 200

    until(web_is_back, 60)
    until(lambda: any("qcluster" in text for text in processes_of(running.data).values()), 10)
    time.sleep(2)  # let it begin its work, so that its end is an orderly one

    running.process.send_signal(signal.SIGINT)
    assert running.process.wait(60) == 0, running.output
    until(lambda: "Ended.\n" in running.output)
    assert "Traceback" not in running.output
    assert processes_of(running.data) == {}
    assert postgres.ready(running.data / "postgres") is False


@pytest.mark.e2e
def test_make_stop_ends_it_from_elsewhere(running):
    running.says("Digital Worker is ready")
    assert up("--stop", DW_DATA_DIR=str(running.data)).stdout == "Ended.\n"
    assert running.process.wait(10) == 0
    assert processes_of(running.data) == {}


@pytest.mark.e2e
def test_killed_it_takes_web_and_worker_with_it(running):
    running.says("Digital Worker is ready")
    running.process.kill()
    running.process.wait()

    def only_the_database_is_left():
        return all("postgres" in text for text in processes_of(running.data).values())

    until(only_the_database_is_left, 40)
    assert up("--stop", DW_DATA_DIR=str(running.data)).stdout == "Ended.\n"
    assert processes_of(running.data) == {}
