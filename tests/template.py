"""A migrated, empty database that every test run copies: seventy migrations take longer than most runs that need them.

It is named after the migrations it holds, so whoever changes one gets a new one.
"""

import fcntl
import hashlib
from pathlib import Path

from django.apps import apps
from django.db import connection

from tests.settings import TEST_DATA

PREFIX = "migrated_"


def migrated() -> str:
    """The name of the template, which is made if it is missing. To be called before the test database is made."""
    name = PREFIX + _digest()
    with open(TEST_DATA / "test-template.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if name not in (there := _templates()):
            _make(name, there)
    return name


def _digest() -> str:
    digest = hashlib.sha256()
    for app in sorted(apps.get_app_configs(), key=lambda app: app.name):
        for file in sorted(Path(app.path, "migrations").glob("*.py")):
            digest.update(f"{app.name} {file.name}\n".encode() + file.read_bytes())
    return digest.hexdigest()[:20]


def _templates() -> list[str]:
    with connection.creation._nodb_cursor() as cursor:
        cursor.execute("SELECT datname FROM pg_database WHERE datname LIKE %s", [f"{PREFIX}%"])
        return [name for (name,) in cursor.fetchall()]


def _make(name: str, outdated: list[str]) -> None:
    """Under another name until it is whole: a run that is killed meanwhile leaves nothing half-made to be copied."""
    product, test = connection.settings_dict["NAME"], connection.settings_dict["TEST"]
    wanted, test["NAME"] = test["NAME"], f"{PREFIX}unfinished"
    try:
        connection.creation.create_test_db(verbosity=0, autoclobber=True)
    finally:
        connection.close()
        test["NAME"] = wanted
        connection.settings_dict["NAME"] = product
    with connection.creation._nodb_cursor() as cursor:
        for old in outdated:
            cursor.execute(f'DROP DATABASE IF EXISTS "{old}"')
        cursor.execute(f'ALTER DATABASE "{PREFIX}unfinished" RENAME TO "{name}"')
