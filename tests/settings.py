"""The product's settings, with what a developer's shell may hold taken away and with a database server for tests."""

import os
from pathlib import Path

TEST_DATA = Path(__file__).resolve().parent.parent / ".data"
TEST_POSTGRES = TEST_DATA / "test-postgres"

_kept = {name: value for name, value in os.environ.items() if name.startswith("DW_OIDC_")}
_kept["DW_TEST_DATABASE"] = os.environ.get("DW_TEST_DATABASE", "test_digitalworker")
for _name in [name for name in os.environ if name.startswith("DW_") or name == "DATABASE_URL"]:
    del os.environ[_name]
os.environ |= _kept | {
    "DW_DATA_DIR": str(TEST_DATA / "test"),
    "DW_POSTGRES_DIR": str(TEST_POSTGRES),
    "DW_DATABASE_OWNER": "1",
    "DW_TASKS_INLINE": "1",
    "DW_LOG_LEVEL": "WARNING",
    # Playwright runs an event loop in the main thread, where Django would refuse every query.
    "DJANGO_ALLOW_ASYNC_UNSAFE": "1",
}

from digitalworker.settings import *  # noqa: E402, F403
from digitalworker.settings import DATABASES  # noqa: E402

DATABASES["default"]["TEST"] = {"NAME": os.environ["DW_TEST_DATABASE"]}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # log-ins in tests need no slow hash
