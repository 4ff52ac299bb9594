from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Length
from django.db.models.lookups import LessThanOrEqual
from pgvector.django import HalfVectorField
from simple_history.models import HistoricalRecords

from digitalworker.agents.models import ChatEvent, Organization, Person, RoleAgent, Thread, User
from digitalworker.common.append_only import only_erasure
from digitalworker.common.embedding import DIMENSIONS
from digitalworker.common.ids import uuid7

from ..choices import MemoryKind, MemoryScope, MemoryStatus, Risk, Source

CONTENT_MOST = 1000
KEY_MOST = 80


class MemoryQuerySet(models.QuerySet["Memory"]):
    def live(self):
        return self.filter(status=MemoryStatus.ACTIVE)

    def live_of(
        self, scope: str, *, organization_id: UUID, role_agent_id: UUID | None, person_id: UUID | None
    ) -> "MemoryQuerySet":
        """The live rows of exactly this owner and scope."""
        owned = self.owned_by(scope, organization_id=organization_id, role_agent_id=role_agent_id, person_id=person_id)
        return owned.live()

    def owned_by(
        self, scope: str, *, organization_id: UUID, role_agent_id: UUID | None, person_id: UUID | None
    ) -> "MemoryQuerySet":
        """The rows of exactly this owner and scope; what the scope does not ask for is passed over."""
        rows = self.filter(organization_id=organization_id, scope=scope).defer("tsv")
        if scope == MemoryScope.ORGANIZATION:
            return rows
        return rows.filter(role_agent=role_agent_id, person=person_id if scope == MemoryScope.PERSON else None)


class Memory(models.Model):
    """Something *known*. Whatever is merely proposed lives in `LearningItem`, which no prompt code can import.

    `key` is optional and unique among live rows of one owner and scope; remembering under a key that is taken supersedes
    the row that held it. `digest` is over scope, kind, key and content: what an approval binds to.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    role_agent = models.ForeignKey(
        RoleAgent, models.CASCADE, null=True, blank=True, related_name="memories", db_index=False
    )
    person = models.ForeignKey(Person, models.CASCADE, null=True, blank=True, related_name="memories")
    scope = models.CharField(max_length=12, choices=MemoryScope)
    kind = models.CharField(max_length=8, choices=MemoryKind, default=MemoryKind.FACT)
    key = models.CharField(max_length=KEY_MOST, null=True, blank=True)  # noqa: DJ001 - null: free text without a key
    content = models.TextField()
    digest = models.CharField(max_length=64, editable=False)
    status = models.CharField(max_length=10, choices=MemoryStatus, default=MemoryStatus.ACTIVE)
    superseded_by = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="supersedes")
    risk = models.CharField(max_length=6, choices=Risk, default=Risk.LOW)
    sensitive = models.BooleanField(default=False)
    pii_entities = ArrayField(models.CharField(max_length=40), default=list, blank=True)
    pii_digest = models.CharField(max_length=64, blank=True)  # the words a worker has looked through for personal data
    confidence = models.FloatField(null=True, blank=True)

    source = models.CharField(max_length=8, choices=Source, default=Source.MANUAL)
    created_by_label = models.CharField(max_length=200)
    event = models.ForeignKey(ChatEvent, models.SET_NULL, null=True, blank=True, related_name="+")
    thread = models.ForeignKey(Thread, models.SET_NULL, null=True, blank=True, related_name="+")
    item = models.ForeignKey("learning.LearningItem", models.SET_NULL, null=True, blank=True, related_name="+")
    reviewer = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    reviewer_label = models.CharField(max_length=200, blank=True)
    reviewed_at = models.DateTimeField(null=True, blank=True)

    autosaved = models.BooleanField(default=False)  # let in by policy, not by a person
    detector = models.CharField(max_length=80, blank=True)  # what heard it: a model's name, or the local extractor
    source_refs = models.JSONField(default=list, blank=True)  # as on an item
    evidence_count = models.PositiveIntegerField(default=1)
    pinned = models.BooleanField(default=False)  # first in every answer, by a person's wish

    use_count = models.PositiveIntegerField(default=0)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revision = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    deleted_at = models.DateTimeField(null=True, blank=True)
    tsv = models.GeneratedField(
        expression=SearchVector("key", "content", config="english"), output_field=SearchVectorField(), db_persist=True
    )

    objects = MemoryQuerySet.as_manager()
    history = HistoricalRecords(
        excluded_fields=["tsv", "use_count", "last_used_at", "pii_digest"],
        history_id_field=models.BigAutoField(),
        history_change_reason_field=models.TextField(null=True),
        history_user_id_field=models.BigIntegerField(null=True),
    )

    class Meta:
        verbose_name_plural = "memories"
        constraints = [
            models.CheckConstraint(
                name="memory_owner_fits_scope",
                condition=Q(scope=MemoryScope.ORGANIZATION, role_agent__isnull=True, person__isnull=True)
                | Q(scope=MemoryScope.ROLE_AGENT, role_agent__isnull=False, person__isnull=True)
                | Q(scope=MemoryScope.PERSON, role_agent__isnull=False, person__isnull=False),
            ),
            models.UniqueConstraint(
                fields=["organization", "role_agent", "person", "key"],
                condition=Q(status=MemoryStatus.ACTIVE, key__isnull=False),
                nulls_distinct=False,
                name="memory_key_once_alive",
            ),
            models.CheckConstraint(condition=~Q(key=""), name="memory_key_not_empty"),
            models.CheckConstraint(
                condition=~Q(kind=MemoryKind.PROFILE) | Q(key__isnull=False), name="memory_profile_has_key"
            ),
            models.CheckConstraint(
                condition=~Q(content="") & Q(LessThanOrEqual(Length("content"), CONTENT_MOST)),
                name="memory_content_fits",
            ),
            models.CheckConstraint(condition=Q(status__in=MemoryStatus.values), name="memory_status_known"),
        ]
        indexes = [
            models.Index(fields=["role_agent", "scope", "status"], name="memory_of_agent"),
            models.Index(
                fields=["person"],
                condition=Q(status=MemoryStatus.ACTIVE, person__isnull=False),
                name="memory_of_person",
            ),
            models.Index(
                fields=["organization"],
                condition=Q(scope=MemoryScope.ORGANIZATION),
                name="memory_of_organization",
            ),
            models.Index(fields=["organization", "-id"], name="memory_latest"),
            models.Index(fields=["role_agent", "status", "-created_at", "-id"], name="memory_latest_of_agent"),
            GinIndex(fields=["tsv"], name="memory_words", fastupdate=False),
            models.Index(fields=["id"], condition=~Q(pii_digest=F("digest")), name="memory_pii_unseen"),
            models.Index(fields=["role_agent", "-id"], condition=Q(autosaved=True), name="memory_saved_unasked"),
            models.Index(fields=["organization", "-id"], condition=Q(autosaved=True), name="memory_saved_lately"),
            models.Index(
                fields=["organization", "-id"],
                condition=Q(autosaved=True, status=MemoryStatus.ACTIVE, reviewed_at=None),
                name="memory_saved_new",
            ),
            models.Index(
                fields=["organization", "-id"],
                condition=Q(autosaved=True, status__in=[MemoryStatus.DELETED, MemoryStatus.SUPERSEDED]),
                name="memory_saved_gone",
            ),
        ]

    def __str__(self):
        return f"{self.key} = {self.content}" if self.key else self.content

    def audit_label(self) -> str:
        """Free of the memory's text and of whom it is about: the audit can not be erased."""
        whom = {"organization": "for the organisation", "role_agent": "for the agent", "person": "about a person"}
        return f"a {self.get_kind_display().lower()} {whom[self.scope]}"

    @property
    def as_seen(self) -> str:
        """What names these words: an approval that replaces them sends it back."""
        return f"{self.pk}:{self.revision}"

    @property
    def is_live(self) -> bool:
        return self.status == MemoryStatus.ACTIVE


only_erasure(Memory.history.model)


class MemoryEmbedding(models.Model):
    """The vector of one memory: which engine made it, from which text. Kept apart, so that lists never carry vectors.

    A row is stale when its model is not the configured one or its digest is not the memory's; `learning.embedding.refresh`
    rebuilds what is stale or missing. `owner_id` is the person, else the role-agent, else the organisation whose memory it
    is: a scope's vectors are read together.
    """

    memory = models.OneToOneField(Memory, models.CASCADE, primary_key=True, related_name="embedding")
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    owner_id = models.UUIDField()
    model = models.CharField(max_length=80)
    digest = models.CharField(max_length=64)
    vector = HalfVectorField(dimensions=DIMENSIONS)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        indexes = [models.Index(fields=["owner_id"], name="vectors_of_owner")]

    def __str__(self):
        return f"{self.model} of {self.memory_id}"
