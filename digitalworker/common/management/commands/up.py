"""`manage.py up`: the whole product on one machine, from nothing to an address one can open."""

import contextlib
import fcntl
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psycopg
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection

from digitalworker.common import postgres
from digitalworker.common.supervisor import Child, end_all, queue_is_frozen

LOOPBACK = {"127.0.0.1", "::1", "localhost"}
READY_WITHIN = 90  # seconds until the address is printed; the first start also makes the demo
QUEUE_CHECK_EVERY = 15.0  # seconds
MIN_POSTGRES, MIN_PGVECTOR = 18, (0, 7)


class Ended(BaseException):
    """Somebody wants us to end: Ctrl-C or SIGTERM. Like KeyboardInterrupt, nothing but us may catch it."""


class Command(BaseCommand):
    help = "Starts everything: database, migrations, static files, demo data if empty, web and worker."
    requires_system_checks = ()  # they ask the database, which is not there yet
    children: list[Child] = []

    def add_arguments(self, parser):
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=None, help="default: the environment's PORT, else 8000")
        parser.add_argument("--no-demo", action="store_true", help="leave an empty database empty")
        parser.add_argument("--stop", action="store_true", help="end what runs on this data directory")

    def handle(self, *, host, port, no_demo, stop, **options):
        if stop:
            self._stop_other()
            return
        self.children = []
        self.host, self.port = host, port if port is not None else _port_from_environment()
        self.started_database = False
        # Its log-ins are known to everybody who reads this, so it is never made where others can reach it.
        self.demo = not no_demo and not settings.PRODUCTION
        if not settings.PRODUCTION and host not in LOOPBACK:
            raise CommandError("DW_ENV=local serves this machine only. Set DW_ENV=production to listen elsewhere.")
        self.env = {**os.environ, "DJANGO_SETTINGS_MODULE": "digitalworker.settings"}
        self.env.setdefault("DW_HASHED_STATIC", "1")
        self.env.pop("PYTHONDONTWRITEBYTECODE", None)  # compiling anew in each process doubles the time to start
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _raise_ended)
        try:
            with self._alone():
                self._check_port()
                try:
                    self._prepare()
                    self._serve()
                finally:
                    self._end()
        except Ended:
            return

    def say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

    # --- before anything runs -------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _alone(self):
        """One `up` for one data directory. The lock ends with the process, however that ends."""
        settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
        with open(_lock_path(), "a+") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                running = _running()
                where = f" at {running['address']} (process {running['pid']})" if running else ""
                raise CommandError(f"Digital Worker runs on this data already{where}. End it with: make stop") from None
            lock.truncate(0)
            lock.write(json.dumps({"pid": os.getpid(), "address": self.address}))
            lock.flush()
            try:
                yield
            finally:
                lock.truncate(0)

    @property
    def address(self) -> str:
        return f"http://{self.host}:{self.port}/"

    def _check_port(self) -> None:
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((self.host, self.port))
            except OSError as error:
                raise CommandError(
                    f"Port {self.port} on {self.host} cannot be used: {error.strerror}. "
                    f"Choose another with: make run PORT={self.port + 1}"
                ) from None

    # --- the steps ------------------------------------------------------------------------------------------------

    def _prepare(self) -> None:
        if not settings.DATABASE_URL:
            self._start_database()
        self.say(f"database    {_check_database()}")
        applied = self._manage("migrate", "--noinput").count("Applying ")
        self.say(f"migrations  {f'{applied} applied' if applied else 'up to date'}")
        self._manage("collectstatic", "--noinput")
        self.say("static      collected")
        if self.demo:
            self.say(f"demo        {_last_line(self._manage('demo', '--if-empty'), 'kept as it is')}")

    def _start_database(self) -> None:
        marker = _started_by_up()
        try:
            if postgres.start(settings.POSTGRES_DIR):
                marker.touch()
        except postgres.PostgresError as error:
            raise CommandError(str(error)) from None
        # Also if an earlier `up` was killed and left it running; not if somebody started it by hand.
        self.started_database = marker.exists()

    def _manage(self, *arguments: str) -> str:
        done = subprocess.run(
            [*_manage_py(), *arguments],
            env=self.env,
            cwd=settings.BASE_DIR,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            self.stderr.write(done.stdout + done.stderr)
            raise CommandError(f"The step `manage.py {' '.join(arguments)}` failed; see above.")
        return done.stdout

    def _serve(self) -> None:
        self.children = [self._web(), self._worker()]
        for child in self.children:
            child.start()
        _enqueue_heartbeat()
        self._wait_until_ready()
        self.say(f"\nDigital Worker is ready: {self.address}")
        if self.demo:
            self.say(self._manage("demo", "--logins").rstrip())
        self.say("Ctrl-C ends everything.\n")
        self._supervise()

    def _web(self) -> Child:
        options = {
            "--interface": "asginl",  # Django has no lifespan
            "--loop": "uvloop",
            "--host": self.host,
            "--port": self.port,
            "--workers": settings.WEB_WORKERS,
            "--workers-kill-timeout": 5,  # an open event stream would otherwise never end
            "--log-level": "warning",
            "--static-path-route": "/static",
            "--static-path-mount": settings.STATIC_ROOT,
            "--static-path-expires": 30 * 24 * 3600,  # names carry a hash of the content
        }
        command = [sys.executable, "-m", "granian", "--respawn-failed-workers", "digitalworker.asgi:application"]
        command += [str(part) for pair in options.items() for part in pair]
        return Child("web", command, self.env, settings.BASE_DIR, grace=8)

    def _worker(self) -> Child:
        # It lets a running task end; every task may be cut short, since what is to do is a state in our tables.
        return Child("worker", [*_manage_py(), "qcluster"], self.env, settings.BASE_DIR, grace=20)

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + READY_WITHIN
        checks: dict[str, str] = {}
        while time.monotonic() < deadline:
            for child in self.children:
                child.look_after(self.say)
                if child.deaths >= 3:
                    raise CommandError(f"The {child.name} process does not start. What it says is above.")
            ready, checks = _ask_ready(self.host, self.port)
            if ready:
                return
            time.sleep(0.2)
        failing = [name for name, word in checks.items() if word != "ok"] or ["web"]
        raise CommandError(f"Not ready after {READY_WITHIN} s: {', '.join(failing)}.")

    def _supervise(self) -> None:
        check_queue_at = time.monotonic() + QUEUE_CHECK_EVERY
        while True:
            for child in self.children:
                child.look_after(self.say)
            if time.monotonic() > check_queue_at:
                check_queue_at = time.monotonic() + QUEUE_CHECK_EVERY
                self._check_queue(self.children[1])
            time.sleep(0.5)

    def _check_queue(self, worker: Child) -> None:
        try:
            frozen = queue_is_frozen(worker)
        except DatabaseError as error:
            self.say(f"the database does not answer ({type(error).__name__}); trying again")
            return
        finally:
            connection.close()
        if frozen:
            self.say("the worker runs but finishes nothing; killing it")
            worker.kill()

    # --- the end --------------------------------------------------------------------------------------------------

    def _end(self) -> None:
        """Web and worker first, the database last. A second Ctrl-C does not wait for them."""
        connection.close()
        try:
            if self.children:
                self.say("\nEnding web and worker. Ctrl-C again does not wait for running tasks.")
            for name in end_all(self.children):
                self.say(f"the {name} process had to be killed")
        except Ended:
            for child in self.children:
                child.kill()
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_IGN)
            if self.started_database:
                self._stop_database()
            self.say("Ended.")

    def _stop_database(self) -> bool:
        try:
            stopped = postgres.stop(settings.POSTGRES_DIR)
        except postgres.PostgresError as error:
            raise CommandError(str(error)) from None
        _started_by_up().unlink(missing_ok=True)
        return stopped

    def _stop_other(self) -> None:
        running = _running()
        if running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(running["pid"], signal.SIGTERM)
            deadline = time.monotonic() + 40
            while _running() and time.monotonic() < deadline:
                time.sleep(0.2)
            if _running():
                raise CommandError(f"Process {running['pid']} does not end. Look at what it says, or kill it.")
        # Also one that a killed `up` left behind; not one that was started by hand.
        stopped = _started_by_up().exists() and self._stop_database()
        self.say("Ended." if running or stopped else "Nothing was running.")


def _raise_ended(number, frame):
    raise Ended


def _port_from_environment() -> int:
    raw = os.environ.get("PORT", "").strip() or "8000"
    if not raw.isdecimal() or not 0 < int(raw) < 65536:
        raise CommandError(f"PORT={raw!r} is not a port number. Use one from 1 to 65535.")
    return int(raw)


def _lock_path() -> Path:
    return settings.DATA_DIR / "up.lock"


def _started_by_up() -> Path:
    return settings.POSTGRES_DIR.with_name(f"{settings.POSTGRES_DIR.name}.started-by-up")


def _running() -> dict | None:
    """The `up` that holds this data directory: {"pid", "address"}."""
    with contextlib.suppress(FileNotFoundError), open(_lock_path()) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            text = lock.read()
            return json.loads(text) if text else {"pid": 0, "address": ""}
    return None


def _manage_py() -> list[str]:
    return [sys.executable, str(settings.BASE_DIR / "manage.py")]


def _last_line(text: str, otherwise: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else otherwise


def _check_database() -> str:
    """PostgreSQL's version in words. Anything missing is one line that says what to do."""
    database = settings.DATABASES["default"]
    names = {"HOST": "host", "PORT": "port", "USER": "user", "PASSWORD": "password", "NAME": "dbname"}
    parameters = {names[key]: value for key, value in database.items() if key in names and value}
    try:
        with psycopg.connect(**parameters, connect_timeout=10) as checked:
            number = checked.info.server_version
            row = checked.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    except psycopg.Error as error:
        raise CommandError(f"The database does not answer: {_last_line(str(error), 'no reason given')}") from None
    version = f"{number // 10000}.{number % 10000}"
    if number // 10000 < MIN_POSTGRES:
        raise CommandError(f"PostgreSQL {version} is too old: {MIN_POSTGRES} or newer is needed.")
    if row is None:
        raise CommandError("The database lacks pgvector. As a superuser, run in it: CREATE EXTENSION vector;")
    if tuple(int(part) for part in row[0].split(".")[:2]) < MIN_PGVECTOR:
        raise CommandError(f"pgvector {row[0]} is too old: 0.7 or newer is needed.")
    kind = "by DATABASE_URL" if settings.DATABASE_URL else f"embedded, in {settings.POSTGRES_DIR}"
    return f"PostgreSQL {version} with pgvector {row[0]}, {kind}"


def _enqueue_heartbeat() -> None:
    """The first one now: otherwise readiness would wait for the scheduler's next round."""
    from django_q.tasks import async_task

    async_task("digitalworker.common.tasks.heartbeat")
    connection.close()


def _ask_ready(host: str, port: int) -> tuple[bool, dict]:
    name = next((name.lstrip(".") for name in settings.ALLOWED_HOSTS if name != "*"), host)
    asked = http.client.HTTPConnection(host, port, timeout=5)
    try:
        asked.request("GET", "/readyz", headers={"Host": name})
        answer = asked.getresponse()
        return answer.status == 200, json.loads(answer.read()).get("checks", {})
    except (OSError, http.client.HTTPException, ValueError):
        return False, {}  # not listening yet
    finally:
        asked.close()
