"""How proposals and memories are put into words for the person who decides."""

from html import unescape
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, strip_tags
from django.utils.safestring import SafeString

from digitalworker.agents.choices import AuthorKind
from digitalworker.agents.models import ChatEvent, RoleAgent
from digitalworker.common.types import Actor
from digitalworker.console.reveal import reveal
from digitalworker.console.templatetags.console import ago, at
from learning.choices import ItemKind, ItemStatus, MemoryKind, MemoryScope, MemoryStatus, Risk, Source
from learning.models import LearningItem, Memory
from learning.policies import may_read_sensitive
from learning.selectors.filters import AGEING, LATE

RISK_TONES: dict[str, str] = {Risk.LOW: "ok", Risk.MEDIUM: "warn", Risk.HIGH: "bad"}
STATUS_TONES: dict[str, str] = {ItemStatus.PENDING: "warn", ItemStatus.APPROVED: "ok", ItemStatus.REJECTED: "bad"}
KIND_WORDS: dict[str, str] = {
    MemoryKind.PROFILE: "profile",
    MemoryKind.FACT: "fact",
    MemoryKind.RULE: "rule",
    MemoryKind.EPISODE: "episode",
}
HOW: dict[str, str] = {
    Source.MANUAL: "written by hand",
    Source.DETECTED: "heard in a conversation",
    Source.TOOL: "asked for by the agent",
    Source.API: "sent over the API",
    Source.IMPORT: "imported",
}

NOTHING_YET = {
    "kind": "new",
    "title": "Nothing to review yet",
    "text": "What your role-agents would like to learn from their conversations will wait here for you.",
}
NOTHING_MATCHES = {
    "kind": "filter",
    "title": "Nothing matches",
    "text": "No proposal fits these filters.",
    "label": "Show all that waits",
}
NO_MEMORY_YET = {
    "kind": "new",
    "title": "Nothing is known yet",
    "text": "What was approved, or written by hand, will be listed here with where it comes from.",
}
NO_MEMORY_MATCHES = {
    "kind": "filter",
    "title": "Nothing matches",
    "text": "No memory fits these filters.",
    "label": "Show all",
}
FOR_OTHERS = {
    "kind": "done",
    "title": "Nothing more for you",
    "text": "What still waits is for an owner or admin to decide.",
}
ALL_DECIDED = {
    "kind": "done",
    "title": "All decided",
    "text": "Nothing waits for you now.",
    "label": "Look at what was approved",
}


def hidden_from(actor: Actor, thing: LearningItem | Memory) -> bool:
    """Whether this actor may know that it exists, but not what it says."""
    return thing.sensitive and not may_read_sensitive(actor)


def whom(item: LearningItem, organization: str) -> str:
    scope = item.proposed_payload.get("scope")
    if scope == MemoryScope.ORGANIZATION:
        return f"everyone at {organization}"
    return str(item.person) if item.person_id else item.role_agent.name


def reach(scope: str, kind: str, agent: str, person: str, organization: str) -> str:
    """Who will use a memory, and when: the half sentence after "If you approve,"."""
    if scope == MemoryScope.ORGANIZATION:
        return f"every role-agent of {organization} can use it, whoever asks"
    if scope == MemoryScope.ROLE_AGENT:
        verb = "follow" if kind == MemoryKind.RULE else "use"
        return f"{agent} can {verb} it whoever asks, in all of its channels"
    if kind == MemoryKind.RULE:
        return f"{agent} will follow it in every later answer to {person}, and to nobody else"
    if kind == MemoryKind.PROFILE:
        return f"{agent} will use it in every later answer to {person}, and to nobody else"
    return f"{agent} will use it when it fits a question of {person}, and with nobody else"


def consequence(item: LearningItem, organization: str, *, decides: bool) -> str:
    payload = item.proposed_payload
    then = reach(payload.get("scope"), payload.get("kind"), item.role_agent.name, str(item.person), organization)
    return f"If {'you approve' if decides else 'it is approved'}, {then}."


def scope_words(scope: str, kind: str) -> str:
    """As a chip: "profile of a person"."""
    whose: dict[str, str] = {MemoryScope.PERSON: "of a person", MemoryScope.ROLE_AGENT: "of the agent"}
    if scope == MemoryScope.PERSON and kind == MemoryKind.FACT:
        return "fact about a person"
    return f"{KIND_WORDS.get(kind, kind)} {whose.get(scope, 'for everyone')}"


def said_by(event: ChatEvent) -> str:
    """Who said it: `person` is whom the conversation is with, also where the agent speaks."""
    if event.author:
        return event.author
    if event.author_kind == AuthorKind.AGENT:
        return event.role_agent.name
    known = event.author_kind == AuthorKind.PERSON and event.person_id
    return str(event.person) if known else event.get_author_kind_display()


def source_line(event: ChatEvent, agent: RoleAgent | None = None) -> SafeString:
    """Who said it, where and when, and whether the sender's identity was checked. With the agent the channel is a link."""
    channel = event.thread.channel
    where: SafeString | str = channel.name if channel else "no channel"
    if channel and agent:
        talks = f"{reverse('runtime:conversations')}?{urlencode({'agent': agent.code, 'channel': channel.pk})}"
        where = format_html('<a href="{}">{}</a>', talks, channel.name)
    checked = "identity verified" if event.verified else "identity not verified"
    return format_html("{}, {}, {}, {}", said_by(event), where, at(event.occurred_at), checked)


# --- a row of the list --------------------------------------------------------------------------------------------
def row_text(item: LearningItem, organization: str, *, hidden: bool) -> str:
    if hidden:
        return "Waits for an owner or admin; you can see that it exists"
    if not item.is_pending:
        return f"{item.get_status_display()} by {item.decided_by_label or 'somebody'}"
    if item.kind != ItemKind.MEMORY:
        return f"{item.proposed_by_label} suggests this {item.get_kind_display().lower().removeprefix('new ')}"
    if item.replaces:
        return f"Replaces what was saved on {date_format(item.replaces.created_at, 'j F')}"
    if item.near:
        return f"Much like what was saved on {date_format(item.near.created_at, 'j F')}"
    agent, scope = item.role_agent.name, item.proposed_payload.get("scope")
    if scope == MemoryScope.PERSON:
        return f"{agent} wants to remember this about {item.person}"
    if scope == MemoryScope.ORGANIZATION:
        return f"{agent} suggests this for everyone at {organization}"
    return f"{agent} wants to know this in all of its channels"


def row_chips(item: LearningItem, *, hidden: bool, pending_list: bool) -> list[dict]:
    chips = []
    if item.is_pending != pending_list:  # decided a moment ago, or reopened: it no longer is what this list is of
        chips.append(chip(item.get_status_display(), STATUS_TONES.get(item.status, "")))
    if item.sensitive:
        chips.append(chip("sensitive", "guard"))
    if hidden:
        return chips
    if item.replaces_id and item.is_pending:
        chips.append(chip("update", "accent", plain=True))
    kind = KIND_WORDS.get(item.proposed_payload.get("kind"), "")
    chips.append(chip(kind if item.kind == ItemKind.MEMORY else item.get_kind_display().lower(), plain=True))
    chips.append(chip(item.get_risk_display().lower(), RISK_TONES[Risk(item.risk)]))
    waits = timezone.now() - item.created_at
    if item.is_pending and waits >= AGEING:
        chips.append(chip(f"waiting {waits.days} days", "bad" if waits >= LATE else "warn"))
    return chips


def group_text(item: LearningItem, count: int) -> str:
    """What a group of alike proposals has in common, and how many there are."""
    key, scope = item.proposed_payload.get("key"), item.proposed_payload.get("scope")
    if scope == MemoryScope.PERSON and key:
        return f"{item.role_agent.name}: {count:,} proposals about the {key} of somebody"
    return f"{item.role_agent.name}: {count:,} proposals in nearly the same words"


def chip(label: str, tone: str = "", *, plain: bool = False) -> dict:
    return {"label": label, "tone": tone, "plain": plain}


# --- memories -----------------------------------------------------------------------------------------------------
MEMORY_TONES: dict[str, str] = {MemoryStatus.ACTIVE: "ok", MemoryStatus.SUPERSEDED: "", MemoryStatus.DELETED: "bad"}


def source_of(memory: Memory) -> str:
    """How a memory came to be, in a few words."""
    return HOW[Source(memory.source)]


def origin(memory: Memory) -> SafeString:
    """How it came to be, and when: the line under a memory."""
    return format_html("{}, {}", source_of(memory), at(memory.created_at, "j M Y"))


def about(memory: Memory, organization: str) -> str:
    """Whose a memory is."""
    if memory.scope == MemoryScope.ORGANIZATION:
        return f"Everyone at {organization}"
    return str(memory.person or memory.role_agent)


def memory_summary(memory: Memory, organization: str, *, hidden: bool) -> dict:
    chips = [chip(memory.get_status_display(), MEMORY_TONES[MemoryStatus(memory.status)])]
    if memory.sensitive:
        chips.append(chip("sensitive", "guard"))
    if hidden:
        return {
            "chips": chips,
            "title": "Sensitive memory",
            "sentence": "An owner, an admin or an auditor can read it; you can see that it exists.",
        }
    chips.append(chip(scope_words(memory.scope, memory.kind), plain=True))
    chips.append(chip(memory.get_risk_display().lower(), RISK_TONES[Risk(memory.risk)]))
    agent = memory.role_agent.name if memory.role_agent else ""
    used = reach(memory.scope, memory.kind, agent, str(memory.person), organization)
    gone = {
        MemoryStatus.SUPERSEDED: "It was replaced and is in no answer any more.",
        MemoryStatus.DELETED: "It was deleted and is in no answer any more. It can be restored.",
    }
    return {
        "chips": chips,
        "title": plain(str(memory), 90),
        "sentence": gone.get(MemoryStatus(memory.status)) or f"{used[0].upper()}{used[1:]}.",
        "about": about(memory, organization),
    }


def memory_facts(memory: Memory, actor: Actor) -> list[tuple[str, object]]:
    """Who let it in, from where, and what came of it."""
    you = " (you)" if memory.reviewer_id and memory.reviewer_id == actor.user_id else ""
    facts: list[tuple[str, object]] = [("Came by", f"{source_of(memory).capitalize()}, {memory.created_by_label}")]
    if memory.autosaved:
        facts.append(("Let in by", "policy, without asking"))
    if memory.reviewer_label:
        facts.append(("Kept by" if memory.autosaved else "Let in by", f"{memory.reviewer_label}{you}"))
        facts.append(("When", ago(memory.reviewed_at, "long")))
    else:
        facts.append(("Since", ago(memory.created_at, "long")))
    if memory.key:
        facts.append(("Key", reveal(memory.key)))
    if memory.confidence is not None:
        facts.append(("Confidence", f"{memory.confidence:.2f}"))
    if memory.pii_entities:
        facts.append(("Personal data", ", ".join(name.replace("_", " ").lower() for name in memory.pii_entities)))
    if memory.source_refs:
        messages = memory.evidence_count
        facts.append(("Evidence", f"{messages:,} message{'' if messages == 1 else 's'}"))
    facts.append(("Used", f"{memory.use_count:,} time{'' if memory.use_count == 1 else 's'}"))
    if memory.last_used_at:
        facts.append(("Last used", ago(memory.last_used_at, "long")))
    return facts


def shortened(text: str, most: int = 60) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def plain(text: str, most: int = 60) -> str:
    """For where no markup can stand, such as a page's title: short, and its invisible characters spelled out."""
    return unescape(strip_tags(reveal(shortened(text, most))))


def risk_word(risk: str) -> str:
    """As a chip in a column that says what it is about: "low"."""
    return str(Risk(risk).label).split()[0].lower()
