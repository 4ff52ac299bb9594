"""The wording of each prompt: a built-in default, and an organisation's own versions over it."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.core.exceptions import ImproperlyConfigured
from django.db import transaction
from django.db.models import Max

from digitalworker.audit import actions as audit
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Conflict, Invalid, NotFound
from digitalworker.common.locking import lock_or_make
from digitalworker.common.prepared import rows_of
from digitalworker.common.secrets import refuse_secrets
from digitalworker.common.text import within
from digitalworker.common.types import Actor

from .. import policies
from ..models import PromptTemplate, PromptVersion

BUILT_IN = "built-in"
_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_NOT_ASKED = object()


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt the product uses. `placeholders` are written `{name}` in its body and all must stay in it."""

    key: str
    default_body: str
    placeholders: frozenset[str]
    title: str


_prompts: dict[str, Prompt] = {}


def register_prompt(key: str, default_body: str, placeholders: Collection[str] = (), *, title: str = "") -> Prompt:
    """Called by the app that uses the prompt, at import. Twice with another body is a mistake."""
    prompt = Prompt(key, default_body.strip(), frozenset(placeholders), title or key.replace("_", " ").capitalize())
    if _prompts.get(key, prompt) != prompt:
        raise ImproperlyConfigured(f"The prompt {key} is registered twice, with different words.")
    if problem := _problem(prompt, prompt.default_body):
        raise ImproperlyConfigured(f"The default of prompt {key} does not fit: {problem}")
    _prompts[key] = prompt
    return prompt


def registered_prompts() -> list[Prompt]:
    return [_prompts[key] for key in sorted(_prompts)]


def prompt_of(key: str) -> Prompt:
    if key not in _prompts:
        raise NotFound("There is no such prompt.")
    return _prompts[key]


def active_prompt(organization_id: UUID, key: str) -> tuple[str, str]:
    """The body in use and what to call its version in a trace: "built-in" or "version 3"."""
    prompt = prompt_of(key)
    for body, version in rows_of(_IN_USE, {"organization": organization_id, "key": key}):
        return body, f"version {version}"
    return prompt.default_body, BUILT_IN


# Before every answer, so it is planned once a connection.
_IN_USE = """
    SELECT v.body, v.version
    FROM agents_prompttemplate t
    JOIN agents_promptversion v ON v.template_id = t.id AND v.version = t.active_version
    WHERE t.organization_id = %(organization)s::uuid AND t.key = %(key)s::text
"""


def fill(body: str, **values: str) -> str:
    """`body` with its placeholders replaced, in one pass: a value that holds `{name}` stays as it is written."""
    return _PLACEHOLDER.sub(lambda found: str(values.get(found[1], found[0])), body)


@transaction.atomic
def save_prompt(*, actor: Actor, key: str, body: str, seen_version: int | object | None = _NOT_ASKED) -> PromptVersion:
    """A new version, in use from the next call on. `seen_version` is the one the author started from (None: built-in)."""
    prompt = prompt_of(key)
    template = lock_or_make(PromptTemplate, organization_id=actor.organization_id, key=key)
    policies.require_admin(actor)
    _check_seen(template, seen_version)
    body = within(body, field="body", most=20_000)
    refuse_secrets(body, field="body")
    if problem := _problem(prompt, body):
        raise Invalid(problem, errors={"body": [problem]})
    latest = template.versions.aggregate(latest=Max("version"))["latest"] or 0
    version = PromptVersion.objects.create(
        organization_id=actor.organization_id,
        template=template,
        version=latest + 1,
        body=body,
        created_by_label=actor.label[:200],
    )
    _point(actor, template, version.version)
    return version


@transaction.atomic
def reset_prompt(*, actor: Actor, key: str, seen_version: int | object | None = _NOT_ASKED) -> PromptTemplate:
    """Back to the built-in words. Earlier versions stay readable."""
    prompt_of(key)
    template = lock_or_make(PromptTemplate, organization_id=actor.organization_id, key=key)
    policies.require_admin(actor)
    _check_seen(template, seen_version)
    if template.active_version is None:
        raise Conflict("The built-in words are in use already.", code="nothing_to_do")
    _point(actor, template, None)
    return template


def _check_seen(template: PromptTemplate, seen: object) -> None:
    if seen is not _NOT_ASKED and template.active_version != seen:
        raise Conflict("Somebody changed this prompt since you opened it. Look at it again.", code="stale_revision")


def _point(actor: Actor, template: PromptTemplate, version: int | None) -> None:
    changed = {"active_version": [template.active_version or BUILT_IN, version or BUILT_IN]}
    template.active_version = version
    template.save(update_fields=["active_version"])
    audit.record(verb=Verb.PROMPT_CHANGED, actor=actor, obj=template, details={"changed": changed})


def _problem(prompt: Prompt, body: str) -> str:
    """Why this body can not be used, empty if it can."""
    written = set(_PLACEHOLDER.findall(body))
    if missing := prompt.placeholders - written:
        return f"The text must keep {_named(missing)}."
    if unknown := written - prompt.placeholders:
        return f"{_named(unknown)} means nothing here. Known: {_named(prompt.placeholders) or 'none'}."
    return ""


def _named(names: Collection[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names))
