"""An item as an action takes it: found, locked, and only if it is what the actor saw."""

from uuid import UUID

from django.db import IntegrityError, transaction

from digitalworker.audit.selectors import last_event_of
from digitalworker.audit.verbs import Verb
from digitalworker.common import history
from digitalworker.common.errors import Conflict, NotFound
from digitalworker.common.locking import lock
from digitalworker.common.text import digest
from digitalworker.common.types import Actor
from learning.choices import ItemStatus
from learning.models import LearningItem
from learning.payload import searched
from learning.policies import (
    Transition,
    may_decide,
    may_read_sensitive,
    require_decision,
    require_transition,
    visible_items,
)

from ._screening import named

ONE_PENDING = "item_proposed_once"  # the constraint's name
_DID = {
    Verb.ITEM_EDITED: "edited this",
    Verb.REOPENED: "reopened this",
    Verb.ITEM_REASSIGNED: "reassigned this",
    Verb.ITEM_MARKED_SENSITIVE: "marked this as sensitive",
    Verb.ITEM_UNMARKED_SENSITIVE: "found this not to be sensitive",
    Verb.ITEM_CONVERTED: "converted this",
}


def find(actor: Actor, item_id: UUID) -> LearningItem:
    item = _items(actor).filter(pk=item_id).first()
    if item is None:
        raise NotFound("There is no such learning item.")
    return item


def find_to(
    actor: Actor, item_id: UUID, name: str, revision: int | None, digest_seen: str | None = None
) -> LearningItem:
    """As `find`, for an act that looks at the words before it locks them: who may not decide is refused before, for what
    screening finds in hidden words would tell what they say."""
    item = find(actor, item_id)
    scope = item.proposed_payload["scope"]
    if not may_decide(actor, role_agent=item.role_agent, scope=scope, sensitive=item.sensitive):
        with transaction.atomic():
            take(actor, item, name, revision, digest_seen)
    return item


def take(
    actor: Actor,
    seen: LearningItem,
    name: str,
    revision: int | None,
    digest_seen: str | None = None,
    findings: list[dict] | None = None,
    text: str = "",
) -> tuple[LearningItem, Transition]:
    """The item, locked, and what may be done to it. `findings` about `text`, the words it
    will have, go onto it."""
    # What it points to may be another thing after waiting for the lock, and a join would still tell the old one.
    item = lock(visible_items(actor).select_related("role_agent"), pk=seen.pk)
    changed = (revision is not None and revision != item.revision) or (
        digest_seen is not None and digest_seen != item.digest
    )
    if changed and item.sensitive and _decided_before(actor, item):
        # Not theirs any more since they opened it. They are told that and nothing else of what it says now.
        raise Conflict(_who_changed(item), code="stale_revision", revision=item.revision)
    if findings is not None:
        # What an edit, or stricter rules, brought to light is for owners and admins. What they have judged already is not
        # asked about again: the same rule about the same words, so one address they let pass lets no other pass.
        judged = set(named(item.findings, searched(item.proposed_payload)))
        item.sensitive = item.sensitive or not judged.issuperset(named(findings, text))
        item.findings = findings
    require_decision(actor, role_agent=item.role_agent, scope=item.proposed_payload["scope"], sensitive=item.sensitive)
    transition = require_transition(item, name)
    if changed:
        raise Conflict(_who_changed(item), code="stale_revision", revision=item.revision, digest=item.digest)
    return item, transition


def _decided_before(actor: Actor, item: LearningItem) -> bool:
    """Whether being sensitive is all that keeps this item from the actor."""
    scope = item.proposed_payload["scope"]
    return not may_decide(actor, role_agent=item.role_agent, scope=scope, sensitive=True) and may_decide(
        actor, role_agent=item.role_agent, scope=scope, sensitive=False
    )


def save_pending(item: LearningItem, actor: Actor, reason: str, taken: str) -> None:
    """Saves an item that waits. The database is asked whether another says the same: one look before would miss what is
    written at the same moment.

    Where the other is sensitive and the actor may not read it, nothing tells them that it says the same: theirs stays an
    item of its own, as words that are known twice, once sensitive and once not, stay two memories.
    """
    try:
        with transaction.atomic():
            history.save(item, actor, reason)
        return
    except IntegrityError as error:
        if ONE_PENDING not in str(error):
            raise
    if not _is_hidden_twin(item, actor):
        raise Conflict(taken, code="same_as_other") from None
    item.dedupe_key = digest(item.dedupe_key, str(item.pk))
    history.save(item, actor, reason)


def _is_hidden_twin(item: LearningItem, actor: Actor) -> bool:
    twins = LearningItem.objects.filter(
        role_agent=item.role_agent_id, dedupe_key=item.dedupe_key, status=ItemStatus.PENDING, sensitive=True
    )
    return not may_read_sensitive(actor) and twins.exclude(pk=item.pk).exists()


def note_editor(item: LearningItem, actor: Actor) -> None:
    """Whose words these are as well, for where nobody approves their own. Called by whatever changes them."""
    if actor.user_id is not None and actor.user_id not in item.editors:
        item.editors = [*item.editors, actor.user_id]


def _items(actor: Actor):
    related = visible_items(actor).select_related("role_agent", "person", "event", "memory", "assigned_to")
    return related.defer("event__tsv", "memory__tsv")


def _who_changed(item: LearningItem) -> str:
    last = last_event_of(item)
    did = _DID.get(Verb(last.verb)) if last else None
    if last is None or did is None:
        return "This item is not what you were shown. Read it again, then decide. Nothing was changed."
    if item.sensitive and last.verb == Verb.ITEM_MARKED_SENSITIVE:
        return f"{last.who} {did} meanwhile. An owner or an admin decides it now. Nothing was changed."
    return f"{last.who} {did} meanwhile. Read it again, then decide. Nothing was changed."
