"""Keys and tokens, known by their shape: a maintained scanner, and plugins where it has no build for the platform."""

import functools
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import structlog

from .told import is_talk

log = structlog.get_logger(__name__)

_SCANNER = "betterleaks"
_GENERIC = "generic-"  # rules that go by a word beside the value
_FOUND = 3  # our exit code for a hit; 1 may also mean a crash
_scanner_pid: int | None = None


def find(text: str, *, shapes_only: bool = False) -> Iterator[tuple[str, int, int]]:
    """(kind, start, end) of each in `text`, which holds neither NUL nor lone surrogates."""
    for kind, value in _scan(text):
        if kind.startswith(_GENERIC) and (shapes_only or is_talk(value)):  # "password: required"
            continue
        kind = kind.removeprefix(_GENERIC).replace("-", " ").replace("_", " ")
        start = text.find(value) if value else -1
        if start < 0:  # the scanner told it in other words than they are written: nobody knows where it ends
            yield kind, 0, len(text)
        while start >= 0:
            yield kind, start, start + len(value)
            start = text.find(value, start + len(value))


def _scan(text: str) -> set[tuple[str, str]]:
    global _scanner_pid
    if find_spec(_SCANNER) is None:
        return _by_plugins(text)
    if _scanner_pid not in (None, os.getpid()):
        # The scanner is a Go library: in a child forked from a process that used it, a call never returns.
        return _in_another_process(text)
    _scanner_pid = os.getpid()
    scanner = importlib.import_module(_SCANNER)
    try:
        return {(finding.rule_id, finding.secret) for finding in scanner.scan_string(text)}
    except scanner.BetterleaksError as error:
        log.error("secret scanner failed, using the fallback", code="scanner_failed", error=type(error).__name__)
        return _by_plugins(text)


def _in_another_process(text: str) -> set[tuple[str, str]]:
    binary = Path(sys.modules[_SCANNER].__file__ or "").parent / "bin" / _SCANNER  # loaded by the process we come from
    options = ["--jsonl", "-o", "-", "--no-banner", "-l", "error", "--no-allow-signatures"]
    command = [str(binary), "stdin", *options, "--exit-code", str(_FOUND)]
    done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=20, check=False)
    if done.returncode not in (0, _FOUND):
        log.error("secret scanner failed, using the fallback", code="scanner_failed", exit_code=done.returncode)
        return _by_plugins(text)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b"{")]
    found = [line["finding"] for line in lines if "finding" in line]
    kinds = {(finding["rule_id"], finding.get("match", {}).get("value", "")) for finding in found}
    return kinds or ({("secret", "")} if done.returncode == _FOUND else set())


# --- where the scanner has no build for the platform ------------------------------------------------------------------

# Without those that judge by entropy or by a neighbouring keyword: they take every second sentence for a secret.
_PLUGINS = (
    *("artifactory.ArtifactoryDetector", "aws.AWSKeyDetector", "azure_storage_key.AzureStorageKeyDetector"),
    *("cloudant.CloudantDetector", "discord.DiscordBotTokenDetector", "github_token.GitHubTokenDetector"),
    *("gitlab_token.GitLabTokenDetector", "ibm_cloud_iam.IbmCloudIamDetector", "jwt.JwtTokenDetector"),
    *("mailchimp.MailchimpDetector", "npm.NpmDetector", "openai.OpenAIDetector", "private_key.PrivateKeyDetector"),
    *("pypi_token.PypiTokenDetector", "sendgrid.SendGridDetector", "slack.SlackDetector", "stripe.StripeDetector"),
    *("square_oauth.SquareOAuthDetector", "telegram_token.TelegramBotTokenDetector", "twilio.TwilioKeyDetector"),
)


def _by_plugins(text: str) -> set[tuple[str, str]]:
    return {
        # Some answer with the groups of their regex; then the line is what is known to hold it.
        (kind, found if isinstance(found, str) and found else line)
        for kind, plugin in _plugins()
        for line in text.splitlines()
        for found in plugin.analyze_string(line)
    }


@functools.cache
def _plugins() -> list[tuple[str, Any]]:
    loaded = []
    for path in _PLUGINS:
        module, name = path.split(".")
        plugin = getattr(importlib.import_module(f"detect_secrets.plugins.{module}"), name)()
        loaded.append((plugin.secret_type.lower(), plugin))
    return loaded
