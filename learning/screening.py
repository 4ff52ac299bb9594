"""What must never be stored as known or proposed. Secrets for now: passwords, PINs, keys, tokens, codes, private keys.

The text that was looked at appears in no exception, log or audit row; only the kind of secret does.
"""

import functools
import importlib
import json
import os
import re
import subprocess
import tomllib
import unicodedata
from importlib.util import find_spec
from pathlib import Path

import structlog

from digitalworker.common.errors import Refused

log = structlog.get_logger(__name__)

RULES = Path(__file__).with_name("screening_rules.toml")
_SCANNER = "betterleaks"
_INVISIBLE = re.compile("[\u00ad\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufe00-\ufe0f\U000e0000-\U000e007f]")
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
    kinds = set(_scan(text))
    # Full-width letters and invisible characters fool a rule, not a reader.
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    if plain != text:
        kinds |= _scan(plain)
    return sorted({kind.partition(".")[0].replace("-", " ").replace("_", " ") for kind in kinds})


def _scan(text: str) -> set[str]:
    global _scanner_pid
    if find_spec(_SCANNER) is None:
        return _scan_in_python(text)
    if _scanner_pid not in (None, os.getpid()):
        # The scanner is a Go library: in a child forked from a process that used it, a call never returns.
        return _scan_in_another_process(text)
    _scanner_pid = os.getpid()
    scanner = importlib.import_module(_SCANNER)
    try:
        return {finding.rule_id for finding in scanner.scan_string(text, config_path=str(RULES))}
    except scanner.BetterleaksError as error:
        log.error("secret scanner failed, using the fallback", code="scanner_failed", error=type(error).__name__)
        return _scan_in_python(text)


def _scan_in_another_process(text: str) -> set[str]:
    spec = find_spec(_SCANNER)
    assert spec is not None and spec.origin is not None
    binary = Path(spec.origin).parent / "bin" / _SCANNER
    command = [binary, "stdin", "-c", RULES, "--jsonl", "-o", "-", "--no-banner", "-l", "error"]
    done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=20, check=False)  # noqa: S603
    if done.returncode not in (0, 1):  # 1: found something
        log.error("secret scanner failed, using the fallback", code="scanner_failed", exit_code=done.returncode)
        return _scan_in_python(text)
    findings = [json.loads(line) for line in done.stdout.decode().splitlines() if line.startswith("{")]
    kinds = {finding.get("RuleID") or finding.get("rule_id") or finding.get("ruleID") or "secret" for finding in findings}
    return kinds or ({"secret"} if done.returncode == 1 else set())


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


def _scan_in_python(text: str) -> set[str]:
    kinds = {
        type(plugin).__name__.removesuffix("Detector").removesuffix("Token").lower() + " secret"
        for plugin in _plugins()
        for line in text.splitlines()
        if any(True for _ in plugin.analyze_string(line))
    }
    for kind, regex, group, allowed in _own_rules():
        for found in regex.finditer(text):
            if not any(pattern.search(found[group]) for pattern in allowed):
                kinds.add(kind)
                break
    return kinds


@functools.cache
def _plugins() -> list:
    loaded = []
    for path in _PLUGINS:
        module, name = path.split(".")
        loaded.append(getattr(importlib.import_module(f"detect_secrets.plugins.{module}"), name)())
    return loaded


@functools.cache
def _own_rules() -> list[tuple[str, re.Pattern, int, list[re.Pattern]]]:
    rules = tomllib.loads(RULES.read_text())["rules"]
    return [
        (
            rule["id"],
            re.compile(rule["regex"]),
            rule.get("secretGroup", 0),
            [re.compile(regex) for allowlist in rule.get("allowlists", []) for regex in allowlist["regexes"]],
        )
        for rule in rules
    ]
