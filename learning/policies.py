"""Who may read, decide and write what is learned; and what can be done to an item in which state.

| | manager of the agent | owner, admin | auditor | member |
|---|---|---|---|---|
| memory or item of the agent or of a person | read, decide | read, decide | read | nothing |
| anything sensitive | sees that it exists | read, decide | read | nothing |
| organisation-wide | read | read, decide | read | nothing |
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from digitalworker.agents.choices import AuthorKind, Role, Scope
from digitalworker.agents.models import ChatEvent, RoleAgent, User
from digitalworker.agents.policies import (
    ADMINS,
    is_live_admin,
    key_may,
    managed_agents,
    may_read_sensitive,
    may_review,
    reviewers_of,
    visible_agents,
)
from digitalworker.common.errors import Conflict, Denied
from digitalworker.common.types import Actor, ActorKind

from .choices import ItemKind, ItemStatus, MemoryScope
from .models import LearningItem, Memory


def visible_items(actor: Actor) -> QuerySet[LearningItem]:
    return LearningItem.objects.filter(
        organization_id=actor.organization_id, role_agent__in=visible_agents(actor).values("pk")
    )


def visible_memories(actor: Actor) -> QuerySet[Memory]:
    """Memories of the agents this actor sees, and, once they see any agent, the organisation's own."""
    agents = visible_agents(actor)
    memories = Memory.objects.filter(organization_id=actor.organization_id).defer("tsv")
    own = Q(role_agent__in=agents.values("pk"))
    if actor.agent_ids is not None or not agents.exists():
        return memories.filter(own)
    return memories.filter(own | Q(scope=MemoryScope.ORGANIZATION))


def may_read_row(actor: Actor, row) -> bool:
    """A history row of a memory or an item of an agent the actor sees: sensitive then, or by now, is sensitive."""
    if may_read_sensitive(actor):
        return True
    now = row.instance_type.objects.filter(pk=row.id).values_list("sensitive", flat=True).first()
    return not row.sensitive and now is False


def reads_operations(actor: Actor) -> bool:
    """How detection goes in the whole organisation is for who runs it, and for who audits it."""
    return actor.role in {*ADMINS, Role.AUDITOR}


def may_decide(actor: Actor, *, role_agent: RoleAgent, scope: str, sensitive: bool) -> bool:
    if scope == MemoryScope.ORGANIZATION or sensitive:
        rank = key_may(actor, Scope.REVIEW) if actor.kind == ActorKind.KEY else is_live_admin(actor)
        return rank and role_agent.organization_id == actor.organization_id and _reaches(actor, scope)
    return may_review(actor, role_agent)


def possible_reviewers(item: LearningItem) -> QuerySet[User]:
    """Everybody who may decide this item, by name: what `may_decide` says of each person, in one query."""
    return reviewers_of(item.organization_id, item.role_agent_id, guarded=is_guarded(item))


def is_guarded(item: LearningItem) -> bool:
    """Whether owners and admins alone decide it."""
    return item.sensitive or item.proposed_payload.get("scope", MemoryScope.ROLE_AGENT) == MemoryScope.ORGANIZATION


def _reaches(actor: Actor, scope: str) -> bool:
    """A key limited to some role-agents decides nothing for the whole organisation, whoever issued it."""
    return actor.agent_ids is None or scope != MemoryScope.ORGANIZATION


def decidable(actor: Actor, items: QuerySet[LearningItem]) -> QuerySet[LearningItem]:
    """Of items the actor sees, those they may decide, for counts and lists; a decision asks again, item by item."""
    if actor.kind == ActorKind.KEY:
        items = items if key_may(actor, Scope.REVIEW) else items.none()
        return items if actor.agent_ids is None else items.exclude(proposed_payload__scope=MemoryScope.ORGANIZATION)
    if actor.role in ADMINS:
        return items
    if actor.role != Role.MEMBER:
        return items.none()
    return items.filter(sensitive=False).exclude(proposed_payload__scope=MemoryScope.ORGANIZATION)


def may_change(actor: Actor, memory: Memory) -> bool:
    """For buttons on a memory the actor sees, without a query; the action asks again, of the database."""
    if memory.organization_id != actor.organization_id:
        return False
    if actor.role in ADMINS:
        return True
    guarded = memory.scope == MemoryScope.ORGANIZATION or memory.sensitive
    return actor.is_person and actor.role == Role.MEMBER and not guarded


def memory_actions(actor: Actor, memory: Memory) -> frozenset[str]:
    """What this actor can do to this memory now, for buttons; without a query, where its organisation and the person of its
    event are loaded. The actions ask again, of the database."""
    if not may_change(actor, memory):
        return frozenset()
    can = {"unmark_sensitive"} if memory.sensitive else set()
    if not memory.is_live:
        return frozenset({"restore", *can})
    can |= {"delete", "unpin" if memory.pinned else "pin"}
    if memory.role_agent_id or not memory.organization.separation_of_duties:
        can |= {"edit", "supersede"}
    if memory.autosaved:
        can.add("undo")
    own = is_own_unseen(actor, memory)
    if memory.autosaved and memory.reviewed_at is None and not own:
        can.add("keep")
    if actor.role in ADMINS and memory.scope == MemoryScope.ROLE_AGENT and not own:
        can.add("promote")
    if actor.role in ADMINS and memory.scope == MemoryScope.ORGANIZATION:
        can.add("demote")
    return frozenset(can)


def require_decision(actor: Actor, *, role_agent: RoleAgent, scope: str, sensitive: bool) -> None:
    if may_decide(actor, role_agent=role_agent, scope=scope, sensitive=sensitive):
        return
    if scope == MemoryScope.ORGANIZATION:
        raise Denied("What the whole organisation will know is decided by an owner or an admin.")
    if sensitive:
        raise Denied("This is sensitive; an owner or an admin decides it.")
    raise Denied(f"Only a manager of {role_agent.name}, an admin or an owner may decide this.")


def require_by_hand(
    actor: Actor, *, role_agent: RoleAgent, scope: str, sensitive: bool, findings: Sequence[dict] = ()
) -> None:
    """Whether the actor may let words of their own be known at once: nobody else reads them first. `findings` are what
    screening found in them."""
    require_decision(actor, role_agent=role_agent, scope=scope, sensitive=sensitive)
    if refusal := refusal_by_hand(actor, role_agent=role_agent, scope=scope, sensitive=sensitive or bool(findings)):
        raise refusal
    require_words(actor, role_agent=role_agent, scope=scope, findings=findings)


def require_words(actor: Actor, *, role_agent: RoleAgent, scope: str, findings: Sequence[dict]) -> None:
    """Words in which screening found something that nobody judged are for owners and admins."""
    if findings and not may_decide(actor, role_agent=role_agent, scope=scope, sensitive=True):
        admins = [str(user) for user in reviewers_of(role_agent.organization_id, role_agent.pk, guarded=True)]
        who = f": {_listed(admins)}" if admins else ""
        raise Denied(
            f"Screening found something in this: {findings[0]['why']}. Only an owner or an admin may write it{who}. Nothing "
            "was saved.",
            code="sensitive_words",
            may=admins,
        )


def rule_by_hand(actor: Actor, *, role_agent: RoleAgent, scope: str) -> str:
    """Why nothing is written by hand here, and what to do instead; empty where who decides may write too."""
    refusal = refusal_by_hand(actor, role_agent=role_agent, scope=scope)
    return refusal.detail if refusal else ""


def refusal_by_hand(actor: Actor, *, role_agent: RoleAgent, scope: str, sensitive: bool = False) -> Denied | None:
    """What the actor is told who would write by hand; None where who decides may write too. `may` approve it instead."""
    if not role_agent.organization.separation_of_duties:
        return None
    rule = f"At {role_agent.organization.name} nobody approves their own words, so nothing is written by hand."
    if scope == MemoryScope.ORGANIZATION:
        then = "Propose it to one role-agent; once somebody else approved it, it can be promoted to everyone."
        return Denied(f"{rule} {then}", code="second_person_needed", may=[])
    users = reviewers_of(role_agent.organization_id, role_agent.pk, guarded=sensitive)
    others = [str(user) for user in users if user.pk != actor.user_id]
    may = f"{_listed(others)} may approve it." if others else f"{role_agent.name} needs another manager to approve it."
    return Denied(f"{rule} Propose it: {may}", code="second_person_needed", may=others)


KINDS = frozenset(ItemKind)
CONVERTIBLE = frozenset({ItemKind.MEMORY, ItemKind.SKILL})
PENDING = frozenset({ItemStatus.PENDING})


@dataclass(frozen=True, slots=True)
class Transition:
    """One thing that can be done to an item: the source of buttons, API `allowed_actions`, key hints and tests.

    `target` is empty where the status stays. `sensitive` is None where it makes no difference; `personal` is False for
    what can not be done to a proposal about one person. `needs_another`: where duties are separated, nobody does it to words
    of their own.
    """

    name: str
    label: str
    key: str
    tone: str
    sources: frozenset[str]
    target: str
    past: str
    kinds: frozenset[str] = KINDS
    sensitive: bool | None = None
    personal: bool = True
    needs_another: bool = False

    @property
    def address(self) -> str:
        """The last part of its address, on pages and in the API."""
        return self.name.replace("_", "-")

    def fits(self, item: LearningItem) -> bool:
        return (
            item.status in self.sources
            and item.kind in self.kinds
            and (self.sensitive is None or self.sensitive == item.sensitive)
            and (self.personal or item.person_id is None)
        )


TRANSITIONS = {
    t.name: t
    for t in (
        Transition(
            "approve",
            "Approve",
            "a",
            "primary",
            PENDING,
            ItemStatus.APPROVED,
            "approved",
            needs_another=True,
        ),
        Transition("edit", "Edit", "e", "", PENDING, "", "edited"),
        Transition("reject", "Reject", "r", "danger", PENDING, ItemStatus.REJECTED, "rejected"),
        Transition(
            "reopen",
            "Reopen",
            "z",
            "",
            frozenset({ItemStatus.APPROVED, ItemStatus.REJECTED}),
            ItemStatus.PENDING,
            "reopened",
        ),
        Transition(
            "mark_sensitive",
            "Mark as sensitive",
            "s",
            "guard",
            frozenset({ItemStatus.PENDING, ItemStatus.REJECTED}),
            "",
            "marked as sensitive",
            sensitive=False,
        ),
        Transition(
            "unmark_sensitive",
            "Not sensitive",
            "",
            "",
            frozenset({ItemStatus.PENDING, ItemStatus.REJECTED}),
            "",
            "found not sensitive",
            sensitive=True,
        ),
        Transition("reassign", "Assign", "", "", PENDING, "", "reassigned"),
        Transition("convert", "Convert", "", "", PENDING, "", "converted", kinds=CONVERTIBLE, personal=False),
    )
}


def allowed_actions(actor: Actor, item: LearningItem, *, reviewable: frozenset | None = None) -> list[Transition]:
    """What this actor can do to this item now, in button order. `reviewable` saves a query a row on lists: agent ids."""
    scope = item.proposed_payload.get("scope", MemoryScope.ROLE_AGENT)
    if scope == MemoryScope.ORGANIZATION or item.sensitive:
        allowed = key_may(actor, Scope.REVIEW) if actor.kind == ActorKind.KEY else actor.role in ADMINS
        allowed = allowed and _reaches(actor, scope)
    elif reviewable is not None:
        allowed = item.role_agent_id in reviewable
    else:
        allowed = managed_agents(actor).filter(pk=item.role_agent_id).exists()
    allowed = allowed and item.organization_id == actor.organization_id
    return [
        t for t in TRANSITIONS.values() if allowed and t.fits(item) and not (t.needs_another and _is_own(actor, item))
    ]


def said_by(event: ChatEvent | None) -> int | None:
    """The user whose words a message holds, if it is one."""
    if event is None:
        return None
    person = event.person if event.author_kind == AuthorKind.PERSON else None
    return event.author_user_id or (person.user_id if person else None)


def is_own_word(actor: Actor, memory: Memory) -> bool:
    """Whether the organisation separates duties, and this was saved without asking from what the actor said."""
    if not memory.autosaved or actor.user_id is None or not memory.organization.separation_of_duties:
        return False
    return said_by(memory.event) == actor.user_id


def is_own_unseen(actor: Actor, memory: Memory) -> bool:
    """Whether it is the actor's own word, and nobody else has looked at it."""
    return memory.reviewed_at is None and is_own_word(actor, memory)


def require_second_look(actor: Actor, memory: Memory) -> None:
    """Nobody lets their own words in, also where policy did so first."""
    if is_own_unseen(actor, memory):
        raise own_words(actor, memory)


def own_words(actor: Actor, memory: Memory, *, did: str = "said") -> Denied:
    agent, whose = memory.role_agent_id, memory.role_agent or memory.organization
    users = reviewers_of(memory.organization_id, agent, guarded=memory.sensitive or agent is None)
    others = [str(user) for user in users if user.pk != actor.user_id]
    may = f"{_listed(others)} may." if others else f"Nobody else may yet: {whose} needs another manager."
    return Denied(
        f"You {did} this yourself, and at {memory.organization.name} nobody approves their own words. {may}",
        code="second_person_needed",
        may=others,
    )


def _is_own(actor: Actor, item: LearningItem, *, edits: bool = False) -> bool:
    """Whether the organisation separates duties, and these words are the actor's: proposed or changed by them. A key's are
    those of who issued it."""
    wrote = actor.user_id is not None and (item.proposed_by_id == actor.user_id or actor.user_id in item.editors)
    return (wrote or edits) and item.organization.separation_of_duties


def require_second_person(actor: Actor, item: LearningItem, *, edits: bool) -> None:
    """`edits`: the actor changes the words on the way, which makes them theirs."""
    if not _is_own(actor, item, edits=edits):
        return
    did = "proposed" if item.proposed_by_id == actor.user_id and not edits else "edited"
    others = others_for(actor, item, possible_reviewers(item))
    may = f"{_listed(others)} may." if others else f"Nobody else may yet: {item.role_agent.name} needs another manager."
    raise Denied(
        f"You {did} this yourself, and at {item.organization.name} nobody approves their own words. {may}",
        code="second_person_needed",
        may=others,
    )


def others_for(actor: Actor, item: LearningItem, possible: Iterable[User]) -> list[str]:
    """Of the people who may decide it, those who do where the words are the actor's own."""
    wrote = {actor.user_id, item.proposed_by_id, *item.editors}
    return [str(user) for user in possible if user.pk not in wrote]


def _listed(names: list[str], most: int = 3) -> str:
    named = names[:most] + ([f"{len(names) - most} more"] if len(names) > most else [])
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} or {named[-1]}"


_DID: dict[str, str] = {
    ItemStatus.APPROVED: "approved",
    ItemStatus.REJECTED: "rejected",
    ItemStatus.SUPERSEDED: "replaced",
}


def require_transition(item: LearningItem, name: str) -> Transition:
    """The transition, or a Conflict that says who did what meanwhile."""
    transition = TRANSITIONS[name]
    if item.status not in transition.sources:
        who = item.decided_by_label or "Somebody"
        did = _DID.get(item.status, "reopened")
        raise Conflict(
            f"{who} {did} this already. Nothing was changed.",
            code="already_decided",
            decided_by=who,
            decided_by_id=item.decided_by_id,
            decision=did,
            decided_at=item.decided_at.isoformat() if item.decided_at else None,
            revision=item.revision,
        )
    if item.kind not in transition.kinds:
        raise Conflict("An update of a skill or a soul stays what it is. Nothing was changed.", code="not_convertible")
    if not transition.personal and item.person_id is not None:
        raise Conflict(
            "What is about one person stays a memory about them: a skill is used with everybody.", code="about_a_person"
        )
    if not transition.fits(item):
        state = "sensitive already" if item.sensitive else "not sensitive"
        raise Conflict(f"This is {state}. Nothing was changed.", code="same_already", revision=item.revision)
    return transition
