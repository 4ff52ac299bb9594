import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def clean_environment(**values: str) -> dict[str, str]:
    """This environment without what steers the product, and with these values."""
    ours = ("DW_", "DATABASE_URL", "DJANGO_", "PORT", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return kept | {"DJANGO_SETTINGS_MODULE": "digitalworker.settings"} | values


@pytest.fixture
def python(tmp_path):
    """Runs a piece of Python in a process of its own, as a fresh installation would."""

    def run(code: str, **environment: str) -> subprocess.CompletedProcess:
        environment = {"DW_DATA_DIR": str(tmp_path / "data")} | environment
        return subprocess.run(
            [sys.executable, "-c", code],
            env=clean_environment(**environment),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run
