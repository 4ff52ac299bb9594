import subprocess
import sys

import pytest

from tests.processes import ROOT, clean_environment


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
