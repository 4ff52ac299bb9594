"""Who acts. Every action takes one, keyword-only, and the audit copies its label."""

from dataclasses import dataclass, field
from enum import StrEnum
from uuid import UUID


class ActorKind(StrEnum):
    USER = "user"
    KEY = "key"  # an API key: its issuer's hand, with fewer fingers
    WORKER = "worker"  # an agent acting by itself, `dw_worker:<role_agent_id>`
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Actor:
    """A person, a key, an agent's worker or the system, inside exactly one organisation.

    `role` is the membership role of the person, or of the person who issued the key; None for the rest.
    `agent_ids` limits a key to some role-agents; None means no limit of its own.
    """

    kind: ActorKind
    organization_id: UUID
    label: str
    user_id: int | None = None
    role: str | None = None
    scopes: frozenset[str] = field(default_factory=frozenset)
    agent_ids: frozenset[UUID] | None = None
    key_id: UUID | None = None
    role_agent_id: UUID | None = None

    @property
    def is_person(self) -> bool:
        return self.kind == ActorKind.USER

    @property
    def is_admin(self) -> bool:
        """Owner or admin of the organisation. A key counts only where its scopes are checked as well."""
        return self.role in {"owner", "admin"}


def worker_actor(organization_id: UUID, role_agent_id: UUID) -> Actor:
    return Actor(ActorKind.WORKER, organization_id, f"dw_worker:{role_agent_id}", role_agent_id=role_agent_id)


def system_actor(organization_id: UUID, label: str = "system") -> Actor:
    return Actor(ActorKind.SYSTEM, organization_id, label)
