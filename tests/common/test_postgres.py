"""The embedded server: started by whoever comes first, found again after anything, open to nobody else."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psycopg
import pytest

from digitalworker.common import postgres
from tests.processes import ROOT

pytestmark = pytest.mark.e2e  # a server each, about a second
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has another user run the server")


@pytest.fixture
def data():
    """A data directory the server's user can reach, unlike pytest's own temporary folders."""
    parent = Path(tempfile.mkdtemp(prefix="dw-"))
    parent.chmod(0o755)
    yield parent / "postgres"
    postgres.stop(parent / "postgres")
    shutil.rmtree(parent)


def command(verb: str, data: Path) -> subprocess.Popen:
    program = [sys.executable, "-m", "digitalworker.common.postgres", verb, str(data), "--fast"]
    return subprocess.Popen(program, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)


def connect(data: Path, user: str, database: str = postgres.DATABASE_NAME, **options):
    return psycopg.connect(host=str(postgres.socket_dir(data)), user=user, dbname=database, autocommit=True, **options)


def test_start_and_stop_are_idempotent(data):
    assert postgres.ready(data) is False
    assert postgres.start(data, durable=False) is True
    assert postgres.start(data, durable=False) is False
    assert postgres.ready(data) is True
    assert postgres.stop(data) is True
    assert postgres.stop(data) is False
    assert postgres.ready(data) is False


def test_of_two_starts_at_once_one_starts(data):
    both = [command("start", data) for _ in range(2)]
    answers = sorted(process.communicate(timeout=60)[0].split(" /")[0] for process in both)
    assert answers == ["already running", "started"]
    assert [process.returncode for process in both] == [0, 0]


def test_rows_survive_a_killed_server(data):
    postgres.start(data)
    with connect(data, postgres.OWNER_ROLE) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
    os.kill(int((data / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
    time.sleep(0.1)
    assert postgres.ready(data) is False
    assert postgres.start(data, durable=False) is True
    with connect(data, postgres.OWNER_ROLE) as connection:
        assert connection.execute("SELECT answer FROM kept").fetchone() == (42,)


def test_a_statement_that_fails_leaves_nothing_of_its_words_in_the_servers_log(data):
    postgres.start(data, durable=False)
    with connect(data, postgres.OWNER_ROLE) as connection:
        connection.execute("CREATE TABLE words (said text CHECK (said = ''))")
        with pytest.raises(psycopg.errors.CheckViolation):
            connection.execute("INSERT INTO words VALUES ('what somebody wrote')")
    log = (data / "server.log").read_text()
    assert "words_said_check" in log
    assert "what somebody wrote" not in log


def test_a_number_left_by_a_dead_server_does_not_matter(data):
    postgres.start(data, durable=False)
    postgres.stop(data)
    (data / "postmaster.pid").write_text(f"{os.getpid()}\n{data}\n")  # lives, but is no server
    assert postgres.start(data, durable=False) is True


def test_a_half_made_directory_is_made_anew(data):
    fresh = data.with_name("postgres.new")
    fresh.mkdir()
    (fresh / "PG_VERSION").write_text("18")
    assert postgres.start(data, durable=False) is True


def test_what_is_in_it(data):
    postgres.start(data)
    with connect(data, "postgres") as connection:
        one = lambda query: connection.execute(query).fetchone()[0]  # noqa: E731
        assert (
            one("SELECT datlocprovider::text || datlocale FROM pg_database WHERE datname = 'digitalworker'")
            == "bC.UTF-8"
        )
        assert one("SELECT upper('é')") == "É"
        assert [one(f"SHOW {name}") for name in ("shared_buffers", "max_connections", "jit", "fsync")] == [
            *("256MB", "120", "off", "on"),
        ]
        assert (
            one("SELECT rolsuper OR rolcreatedb OR rolcreaterole FROM pg_roles WHERE rolname = 'digitalworker_app'")
            is False
        )
        assert one("SELECT rolsuper FROM pg_roles WHERE rolname = 'digitalworker_owner'") is False
    with connect(data, postgres.OWNER_ROLE, "postgres") as connection:
        connection.execute("CREATE DATABASE made_later")
    for database in (postgres.DATABASE_NAME, "made_later"):
        with connect(data, postgres.OWNER_ROLE, database) as connection:
            found = {name for (name,) in connection.execute("SELECT extname FROM pg_extension")}
        assert set(postgres.EXTENSIONS) <= found


@as_root
def test_another_local_user_gets_neither_to_the_socket_nor_past_the_check(data):
    postgres.start(data, durable=False)
    folder = postgres.socket_dir(data)
    stranger = {"user": 65534, "group": 65534, "extra_groups": []}
    psql = [
        str(postgres._bin() / "psql"),
        "-h",
        str(folder),
        "-U",
        postgres.APP_ROLE,
        "-c",
        "SELECT 1",
        "digitalworker",
    ]
    shut = subprocess.run(psql, cwd="/", capture_output=True, text=True, check=False, **stranger)
    assert "Permission denied" in shut.stderr
    folder.chmod(0o777)
    refused = subprocess.run(psql, cwd="/", capture_output=True, text=True, check=False, **stranger)
    assert refused.returncode != 0
    assert "Peer authentication failed" in refused.stderr


@as_root
def test_a_private_folder_stays_private(tmp_path):
    tmp_path.chmod(0o700)
    data = tmp_path / "postgres"
    try:
        assert postgres.start(data, durable=False) is True
        assert tmp_path.stat().st_mode & 0o777 == 0o700
        assert data.resolve().parent == postgres.SHARED_PLACE
        assert data.resolve().stat().st_mode & 0o777 == 0o700
        with connect(data, postgres.APP_ROLE) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
    finally:
        postgres.stop(data)
        shutil.rmtree(data.resolve())


def test_a_squatted_socket_folder_is_refused(data, monkeypatch):
    squatted = data.parent / "sockets/abc"
    squatted.mkdir(parents=True)
    squatted.chmod(0o777)
    monkeypatch.setattr(postgres, "socket_dir", lambda data: squatted)
    with pytest.raises(postgres.PostgresError, match="not ours alone"):
        postgres.start(data, durable=False)


def test_files_of_something_else_are_not_touched(data):
    data.mkdir()
    (data / "letter.txt").write_text("mine")
    with pytest.raises(postgres.PostgresError, match="holds files, but no database"):
        postgres.start(data, durable=False)
    assert (data / "letter.txt").read_text() == "mine"


def test_another_version_is_told_apart(data):
    postgres.start(data, durable=False)
    postgres.stop(data)
    (data / "PG_VERSION").write_text("17\n")
    with pytest.raises(postgres.PostgresError, match="made by PostgreSQL 17, and this is 18"):
        postgres.start(data, durable=False)
