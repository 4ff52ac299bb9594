"""The skills an agent may be given, ready to be chosen from, kept in the process from one question to the next.

Each question asks the database for the *mark* of the agent's skills: a hash over their active versions and the vectors of
these, as that question's own snapshot has them. A shelf of another mark is built anew, so none is older than the question,
whoever paused or reverted a skill and by whatever way. A shelf holds names and descriptions; what a skill says is read for
the question that needs it.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from digitalworker.common.embedding import engine
from digitalworker.common.prepared import rows_of

from .embedding import EVERYDAY, everyday_vectors
from .selection import Catalogue, Entry
from .selectors import usable

KEPT_MOST = 200  # shelves, and thereby agents that are asked in turn


@dataclass(frozen=True, slots=True)
class InUse:
    """A skill's version in use."""

    skill_id: UUID
    version_id: UUID
    number: int
    digest: str
    name: str
    description: str


@dataclass(frozen=True, slots=True)
class Shelf:
    """`versions` are by the key that `catalogue` chooses."""

    catalogue: Catalogue
    versions: dict[UUID | str, InUse]


type Mark = tuple  # how many skills, a hash over them, and whether the everyday questions have vectors


def catalogue_of(organization_id: UUID, role_agent_id: UUID) -> Shelf:
    """The agent's own skills and the organisation's; of one name, the organisation's. One statement where nothing changed."""
    model = engine().name
    place = (str(connection.settings_dict["NAME"]), organization_id, role_agent_id, model)
    mark = _mark(organization_id, role_agent_id, model)
    with _lock:
        kept = _kept.get(place)
        if kept is not None and kept[0] == mark:
            _kept.move_to_end(place)
            return kept[1]
    shelf = _built(organization_id, role_agent_id, model)
    with _lock:
        _kept[place] = mark, shelf
        _kept.move_to_end(place)
        while len(_kept) > KEPT_MOST:
            _kept.popitem(last=False)
    return shelf


def clear() -> None:
    """Forget every shelf; the next question builds its own."""
    with _lock:
        _kept.clear()


_kept: OrderedDict[tuple[str, UUID, UUID, str], tuple[Mark, Shelf]] = OrderedDict()
_lock = threading.Lock()

_MARK = """
    SELECT count(*), coalesce(bit_xor(uuid_hash_extended(
        v.id, coalesce(extract(epoch FROM e.updated_at) * 1000000, 0)::bigint
    )), 0), EXISTS (SELECT FROM skills_everydayvectors WHERE model = %(model)s::text AND digest = %(everyday)s::text)
    FROM skills_skill s
    JOIN skills_skillversion v ON v.id = s.active_version_id
    LEFT JOIN skills_skillembedding e ON e.version_id = v.id AND e.model = %(model)s::text
    WHERE s.organization_id = %(organization)s::uuid AND s.status = 'active'
      AND (s.role_agent_id = %(role_agent)s::uuid OR s.role_agent_id IS NULL)
"""


def _mark(organization_id: UUID, role_agent_id: UUID, model: str) -> Mark:
    asked = {"organization": organization_id, "role_agent": role_agent_id, "model": model, "everyday": EVERYDAY}
    return rows_of(_MARK, asked)[0]


def _built(organization_id: UUID, role_agent_id: UUID, model: str) -> Shelf:
    rows = usable(organization_id, role_agent_id).values_list(
        "id",
        "active_version_id",
        "active_version__number",
        "active_version__digest",
        "name",
        "active_version__description",
        "active_version__when_to_use",
        "active_version__embedding__model",
        "active_version__embedding__vector",
    )
    versions: dict[UUID | str, InUse] = {}
    entries: dict[str, Entry] = {}
    for *fields, when, made_by, vector in rows:
        skill = InUse(*fields)
        if skill.name not in entries:
            numbers = vector if made_by == model else None
            entries[skill.name] = Entry(skill.version_id, skill.name, skill.description, when, numbers)
            versions[skill.version_id] = skill
    everyday = everyday_vectors(model) if any(entry.vector is not None for entry in entries.values()) else None
    return Shelf(Catalogue(list(entries.values()), everyday), versions)
