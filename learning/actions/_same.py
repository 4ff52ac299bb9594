"""What is there already: the same thing known, waiting or turned down, and what a proposal says otherwise than.

Everything here is asked with the owner locked, so that two workers who hear the same do not both find nothing. For items the
database's own constraint holds as well, because a reviewer may edit another into the same words.
"""

from datetime import timedelta

from django.contrib.postgres.search import SearchQuery, SearchRank
from django.db.models import Case, F, Q, When
from django.utils import timezone

from digitalworker.agents.choices import AuthorKind, EventKind
from digitalworker.agents.models import ChatEvent, Person, RoleAgent
from learning.choices import ItemStatus, MemoryScope, MemoryStatus
from learning.models import LearningItem, Memory
from learning.payload import Payload, text_of
from learning.policy import Holds
from learning.sameness import before_value, normal, overlap, telling, updates
from learning.skill_draft import SkillDraft

from ._owner import live_memories, memories_of

REFUSAL_HOLDS = timedelta(days=30)  # what a person turned down is neither asked about nor saved again sooner
EVIDENCE_MOST = 20  # sources kept on one row; the count goes on
LOOKED_AT_MOST = 200  # statements that share words
TURNED_DOWN_MOST = 1_000  # of an owner's memories, those deleted last


def say_alike(payload: Payload, role_agent: RoleAgent, person: Person | None, *, names: bool) -> list[Memory]:
    """Live memories of the owner that may say the same, or otherwise: under its key, or with words in common, most first."""
    live = live_memories(payload.scope, role_agent, person).select_related("event__person").defer("tsv", "event__tsv")
    words = before_value(payload.content, names=names) or normal(payload.content)
    some = " | ".join(f"'{word}'" for word in sorted(telling(text_of(payload.as_json()))))
    asked = SearchQuery(some or words, config="english", search_type="raw" if some else "plain")
    wanted = Q(tsv=asked) | Q(tsv=SearchQuery(words, config="english", search_type="plain"))
    wanted = Q(key=None) & (wanted | Q(content__iexact=payload.content)) if payload.key else wanted
    same = Q(key=payload.key) if payload.key else Q(key=None, content__iexact=payload.content)
    first = Case(When(same, then=0), default=1)
    return list(live.filter(same | wanted).order_by(first, -SearchRank(F("tsv"), asked), "-id")[:LOOKED_AT_MOST])


def same_in(alike: list[Memory], payload: Payload) -> Memory | None:
    said = normal(payload.content)
    return next((one for one in alike if one.key == payload.key and normal(one.content) == said), None)


def contradicted_in(alike: list[Memory], payload: Payload, *, names: bool) -> Memory | None:
    """The memory this would take the place of. Without a key only where the words leave no doubt; else a reviewer judges."""
    if payload.key:
        return next((memory for memory in alike if memory.key == payload.key), None)
    keyless = (memory for memory in alike if memory.key is None)
    return next((memory for memory in keyless if updates(payload.content, memory.content, names=names)), None)


def nearest_in(alike: list[Memory], payload: Payload) -> Memory | None:
    """What shares most words with it, where that is half of them: one may contradict the other, or repeat it. Two keys say
    themselves that they are about two things."""
    said = text_of(payload.as_json())
    near = [(share, one) for one in alike if not (payload.key and one.key) and (share := overlap(said, str(one)))]
    return max(near, key=lambda pair: pair[0])[1] if near else None


def holds(memory: Memory | None, near: Memory | None, event: ChatEvent | None) -> Holds:
    """Without a key it is only alike, so that it is another value of the same thing takes somebody who corrects."""
    if memory is None:
        return Holds.ALIKE if near else Holds.NOTHING
    if memory.key is None and not corrects(event):
        return Holds.OTHER
    untouched = memory.autosaved and memory.reviewed_at is None and not memory.pinned and not memory.sensitive
    same_sender = speaker(event) is not None and speaker(event) == speaker(memory.event)
    return Holds.OWN_WORD if untouched and same_sender else Holds.OTHER


def speaker(event: ChatEvent | None) -> tuple[str, object] | None:
    """Who it was, where that can be told: a person the agent knows, or a user."""
    if event is None:
        return None
    if event.author_kind == AuthorKind.PERSON and event.person_id:
        return "person", event.person_id
    return ("user", event.author_user_id) if event.author_user_id else None


def corrects(event: ChatEvent | None) -> bool:
    return event is not None and event.kind in {EventKind.CORRECTION, EventKind.DRAFT_EDIT}


def turned_down_lately(
    payload: Payload | SkillDraft, role_agent: RoleAgent, person: Person | None, dedupe: str, *, blind: bool = False
) -> bool:
    """Rejected as a proposal, deleted or undone: each time a person said no to these words for this owner.

    What was deleted counts under its own key and without one: a detector names a thing now so, now not at all.
    """
    since = timezone.now() - REFUSAL_HOLDS
    rejected = LearningItem.objects.filter(dedupe_key=dedupe, status=ItemStatus.REJECTED, decided_at__gt=since)
    if payload.scope == MemoryScope.ORGANIZATION:  # whichever agent heard it
        rejected = rejected.filter(organization=role_agent.organization_id)
    else:
        rejected = rejected.filter(role_agent=role_agent)
    owned = memories_of(payload.scope, role_agent, person)
    if blind:  # for who may not read what is sensitive, it was not turned down
        rejected, owned = rejected.filter(sensitive=False), owned.filter(sensitive=False)
    if rejected.exists():
        return True
    if not isinstance(payload, Payload):
        return False
    taken_back = owned.filter(status=MemoryStatus.DELETED, deleted_at__gt=since)
    if payload.key:
        taken_back = taken_back.filter(Q(key=payload.key) | Q(key=None))
    said, latest = normal(payload.content), taken_back.order_by("-deleted_at")[:TURNED_DOWN_MOST]
    return any(normal(content) == said for content in latest.values_list("content", flat=True))


def pending_with_evidence(
    role_agent: RoleAgent, dedupe: str, ref: dict | None, *, blind: bool = False
) -> LearningItem | None:
    """The pending item that says the same, with one more source. Its revision stays: what it says did not change."""
    same = LearningItem.objects.select_for_update(of=("self",), no_key=True)
    same = same.filter(role_agent=role_agent, dedupe_key=dedupe, status=ItemStatus.PENDING)
    pending = (same.filter(sensitive=False) if blind else same).first()
    if pending is not None:
        add_evidence(pending, ref)
    return pending


def add_evidence(row: LearningItem | Memory, ref: dict | None) -> None:
    """One more source for what is proposed or known. Its revision stays."""
    known = {old.get("id") for old in row.source_refs} | ({str(row.event_id)} if row.event_id else set())
    if ref is None or ref["id"] in known:
        return
    row.source_refs = [*row.source_refs, ref][:EVIDENCE_MOST]
    row.evidence_count = row.evidence_count + 1 if known else 1
    type(row)._default_manager.filter(pk=row.pk).update(source_refs=row.source_refs, evidence_count=row.evidence_count)
