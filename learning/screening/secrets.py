"""Secrets that must never be stored as known or proposed: passwords, PINs, keys, tokens, codes, private keys.

The text that was looked at appears in no exception, log or audit row; only the kind of secret does.
"""

import functools
import importlib
import json
import os
import re
import subprocess
import sys
import tomllib
import unicodedata
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import structlog

from digitalworker.common.errors import Refused

log = structlog.get_logger(__name__)

RULES = Path(__file__).with_name("secret_rules.toml")
_SCANNER = "betterleaks"
_FOUND = 3  # our exit code for a hit; 1 may also mean a crash
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufe00-\ufe0f\U000e0000-\U000e007f]"
)
_ALLOW_MARK = re.compile(r"\b(?:gitleaks|betterleaks)\s*:\s*allow\b|pragma:\s*allowlist\s+\S+", re.IGNORECASE)
_scanner_pid: int | None = None


def refuse_secrets(text: str) -> None:
    """Raise Refused (code "secret", `kinds`) if `text` holds one; say nothing otherwise."""
    kinds = find_secrets(text)
    if kinds:
        named = " and ".join(f"{'an' if kind[0] in 'aeio' else 'a'} {kind}" for kind in kinds)
        raise Refused(
            f"This text holds what looks like {named}, so it was not stored. Take it out and try again.",
            code="secret",
            kinds=kinds,
        )


def find_secrets(text: str) -> list[str]:
    """The kinds of secret in `text`, sorted: "password", "pin", "private key", "github pat", ...

    About 0.1 ms a text; the first call of a process takes about 50 ms.
    """
    if not text or text.isspace():
        return []
    # A NUL ends the scanner's input, so what follows it would pass unseen; a lone surrogate makes it raise.
    text = text.replace("\x00", "").encode("utf-8", "replace").decode()
    # The scanner passes by a line that carries its "allow" mark; an author must not be able to tell it to.
    text = _ALLOW_MARK.sub(" ", text)
    kinds = _scan(text)
    # Full-width letters and invisible characters fool a rule, not a reader.
    plain = _ALLOW_MARK.sub(" ", _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)))
    if plain != text:
        kinds |= _scan(plain)
    return sorted({kind.partition(".")[0].replace("-", " ").replace("_", " ") for kind in kinds})


def _scan(text: str) -> set[str]:
    return _by_context(text) | _by_shape(text)


def _by_context(text: str) -> set[str]:
    small = text.lower()
    return {rule.kind for rule in _rules() if any(word in small for word in rule.words) and rule.finds(text)}


@dataclass(frozen=True, slots=True)
class _Rule:
    kind: str
    regex: re.Pattern
    excepted: tuple[re.Pattern, ...]
    words: tuple[str, ...]

    def finds(self, text: str) -> bool:
        return any(
            not any(pattern.search(found[1]) for pattern in self.excepted) for found in self.regex.finditer(text)
        )


@functools.cache
def _rules() -> tuple[_Rule, ...]:
    return tuple(
        _Rule(
            kind=rule["id"].partition(".")[0],
            regex=re.compile(rule["regex"]),
            excepted=tuple(re.compile(regex) for regex in rule.get("except", ())),
            words=tuple(rule["words"]),
        )
        for rule in tomllib.loads(RULES.read_text())["rules"]
    )


def _by_shape(text: str) -> set[str]:
    global _scanner_pid
    if find_spec(_SCANNER) is None:
        return _by_plugins(text)
    if _scanner_pid not in (None, os.getpid()):
        # The scanner is a Go library: in a child forked from a process that used it, a call never returns.
        return _in_another_process(text)
    _scanner_pid = os.getpid()
    scanner = importlib.import_module(_SCANNER)
    try:
        return {finding.rule_id for finding in scanner.scan_string(text)}
    except scanner.BetterleaksError as error:
        log.error("secret scanner failed, using the fallback", code="scanner_failed", error=type(error).__name__)
        return _by_plugins(text)


def _in_another_process(text: str) -> set[str]:
    binary = Path(sys.modules[_SCANNER].__file__ or "").parent / "bin" / _SCANNER  # loaded by the process we come from
    options = ["--jsonl", "-o", "-", "--no-banner", "-l", "error", "--redact", "--no-allow-signatures"]
    command = [str(binary), "stdin", *options, "--exit-code", str(_FOUND)]
    done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=20, check=False)
    if done.returncode not in (0, _FOUND):
        log.error("secret scanner failed, using the fallback", code="scanner_failed", exit_code=done.returncode)
        return _by_plugins(text)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b"{")]
    kinds = {line["finding"]["rule_id"] for line in lines if "finding" in line}
    return kinds or ({"secret"} if done.returncode == _FOUND else set())


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


def _by_plugins(text: str) -> set[str]:
    return {
        kind
        for kind, plugin in _plugins()
        for line in text.splitlines()
        if any(True for _ in plugin.analyze_string(line))
    }


@functools.cache
def _plugins() -> list[tuple[str, Any]]:
    loaded = []
    for path in _PLUGINS:
        module, name = path.split(".")
        plugin = getattr(importlib.import_module(f"detect_secrets.plugins.{module}"), name)()
        loaded.append((plugin.secret_type.lower(), plugin))
    return loaded
