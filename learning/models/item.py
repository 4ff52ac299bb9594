from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import F, Func, Q
from simple_history.models import HistoricalRecords

from digitalworker.agents.models import ChatEvent, Organization, Person, RoleAgent, Thread, User
from digitalworker.common.append_only import only_erasure
from digitalworker.common.ids import uuid7
from digitalworker.common.text import REASON_MOST
from skills.models import Skill, SkillVersion
from souls.models import Soul, SoulVersion

from ..choices import ItemKind, ItemStatus, Risk, Source

# Items with the same hash of this are about the same thing: a person's attribute by its name, anything else by its words
# without numbers, in whatever order they stand. No stemming and no stop words: "is not" must never count as "is".
_ALIKE = Func(
    F("proposed_payload"),
    template="""md5(
        coalesce(%(expressions)s ->> 'scope', '') || ' ' || coalesce(%(expressions)s ->> 'kind', '') || ' ' || CASE
            WHEN %(expressions)s ->> 'scope' = 'person' AND %(expressions)s ->> 'key' IS NOT NULL
                THEN %(expressions)s ->> 'key'
            WHEN %(expressions)s ->> 'content' IS NULL THEN %(expressions)s::text
            ELSE coalesce(%(expressions)s ->> 'key', '') || ' ' || strip(to_tsvector(
                'simple', regexp_replace(%(expressions)s ->> 'content', '[0-9]+', ' ', 'g')))::text
        END)""",
)

# What a proposal says, to look for others that share its words.
WORDS = Func(
    F("proposed_payload"),
    template="""to_tsvector(
        'english', coalesce(%(expressions)s ->> 'content', %(expressions)s ->> 'description', ''))""",
    output_field=SearchVectorField(),
)


class LearningItem(models.Model):
    """One row of the Learning Inbox: something *proposed*, waiting for a person or already decided.

    `proposed_payload` of a memory proposal is `{"scope", "kind", "key" (or null), "content"}`, of a skill proposal what
    `learning.skill_draft.SkillDraft` holds. `digest` is over what it says, and an approval must name the digest its reviewer
    saw. `source_refs` are `{"type": "event", "id", "thread", "start", "end"}` with character positions of the evidence.
    While an item is pending, `dedupe_key` is unique: the same proposal again adds evidence instead of a second row.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    role_agent = models.ForeignKey(RoleAgent, models.CASCADE, related_name="learning_items", db_index=False)
    person = models.ForeignKey(Person, models.CASCADE, null=True, blank=True, related_name="learning_items")
    kind = models.CharField(max_length=16, choices=ItemKind, default=ItemKind.MEMORY)
    status = models.CharField(max_length=10, choices=ItemStatus, default=ItemStatus.PENDING)
    proposed_payload = models.JSONField()
    digest = models.CharField(max_length=64)
    dedupe_key = models.CharField(max_length=64)
    source_refs = models.JSONField(default=list)
    evidence_count = models.PositiveIntegerField(default=1)
    event = models.ForeignKey(ChatEvent, models.SET_NULL, null=True, blank=True, related_name="+")
    thread = models.ForeignKey(Thread, models.SET_NULL, null=True, blank=True, related_name="+")
    source = models.CharField(max_length=8, choices=Source, default=Source.DETECTED)
    proposed_by_label = models.CharField(max_length=200)
    proposed_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    rationale = models.CharField(max_length=300, blank=True)
    risk = models.CharField(max_length=6, choices=Risk, default=Risk.LOW)
    sensitive = models.BooleanField(default=False)
    findings = models.JSONField(default=list)
    pii_entities = ArrayField(models.CharField(max_length=40), default=list, blank=True)
    pii_digest = models.CharField(max_length=64, blank=True)  # the words a worker has looked through for personal data
    confidence = models.FloatField(null=True, blank=True)
    detector = models.CharField(max_length=80, blank=True)  # what heard it: a model's name, or the local extractor
    assigned_to = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    replaces = models.ForeignKey("learning.Memory", models.SET_NULL, null=True, blank=True, related_name="+")
    near = models.ForeignKey(
        "learning.Memory", models.SET_NULL, null=True, blank=True, related_name="+"
    )  # much like it
    memory = models.ForeignKey("learning.Memory", models.SET_NULL, null=True, blank=True, related_name="+")
    # The skill or soul that it would change, or that its approval made, and the version that its approval made.
    skill = models.ForeignKey(Skill, models.SET_NULL, null=True, blank=True, related_name="learning_items")
    skill_version = models.ForeignKey(SkillVersion, models.SET_NULL, null=True, blank=True, related_name="+")
    soul = models.ForeignKey(Soul, models.SET_NULL, null=True, blank=True, related_name="learning_items")
    soul_version = models.ForeignKey(SoulVersion, models.SET_NULL, null=True, blank=True, related_name="+")
    decided_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    decided_by_label = models.CharField(max_length=200, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    decision_reason = models.CharField(max_length=REASON_MOST, blank=True)
    edited = models.BooleanField(default=False)
    editors = ArrayField(
        models.BigIntegerField(), default=list, blank=True
    )  # users who changed the words, in that order
    revision = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    alike = models.GeneratedField(expression=_ALIKE, output_field=models.CharField(max_length=32), db_persist=True)
    history = HistoricalRecords(
        excluded_fields=["pii_digest", "alike"],
        history_id_field=models.BigAutoField(),
        history_change_reason_field=models.TextField(null=True),
        history_user_id_field=models.BigIntegerField(null=True),
    )

    class Meta:
        verbose_name = "learning item"
        constraints = [
            models.UniqueConstraint(
                fields=["role_agent", "dedupe_key"],
                condition=Q(status=ItemStatus.PENDING),
                name="item_proposed_once",
            ),
            models.CheckConstraint(
                condition=Q(status=ItemStatus.PENDING, decided_at__isnull=True)
                | (~Q(status=ItemStatus.PENDING) & Q(decided_at__isnull=False)),
                name="item_decided_has_time",
            ),
            models.CheckConstraint(condition=Q(status__in=ItemStatus.values), name="item_status_known"),
        ]
        indexes = [
            models.Index(fields=["role_agent", "status", "-id"], name="item_of_agent"),
            models.Index(fields=["id"], condition=~Q(pii_digest=F("digest")), name="item_pii_unseen"),
            models.Index(fields=["role_agent", "alike"], condition=Q(status=ItemStatus.PENDING), name="item_alike"),
            GinIndex(WORDS, condition=Q(status=ItemStatus.PENDING), name="item_words", fastupdate=False),
            models.Index(fields=["organization", "status", "-id"], name="item_of_organization"),
            # Old ones that wait behind a hundred thousand decided since are found at once.
            models.Index(fields=["organization", "-id"], condition=Q(status=ItemStatus.PENDING), name="item_waiting"),
            models.Index(fields=["organization", "status", "-decided_at", "-id"], name="item_decided_lately"),
            models.Index(fields=["role_agent", "status", "-decided_at", "-id"], name="item_decided_of_agent"),
            models.Index(
                fields=["person"], condition=Q(status=ItemStatus.PENDING, person__isnull=False), name="item_of_person"
            ),
        ]

    def __str__(self):
        return self.title

    def audit_label(self) -> str:
        """Free of the proposal's text and of whom it is about: the audit can not be erased."""
        return f"a {self.get_kind_display().lower()}" + (" about a person" if self.person_id else "")

    @property
    def title(self) -> str:
        payload = self.proposed_payload
        if self.kind != ItemKind.MEMORY:
            return payload.get("description", "")
        return f"{payload['key']} = {payload['content']}" if payload.get("key") else payload.get("content", "")

    @property
    def replaces_seen(self) -> str:
        """What a list says that an approval would replace, as `Memory.as_seen`: the memory that was named when this was
        proposed or edited, as it is now; "" where it names none that it could replace."""
        if self.kind == ItemKind.SKILL_UPDATE and self.skill:
            return f"{self.skill.pk}:{self.skill.revision}"
        if self.kind == ItemKind.SOUL_UPDATE:
            return self.soul.as_seen if self.soul and self.soul.active_version_id else ""
        held = self.replaces
        if held is None or not held.is_live or held.key != self.proposed_payload.get("key"):
            return ""
        return held.as_seen

    @property
    def is_pending(self) -> bool:
        return self.status == ItemStatus.PENDING


only_erasure(LearningItem.history.model)


class ItemFile(models.Model):
    """A file that a proposed skill comes with. It becomes a `SkillFile` when somebody approves the proposal."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    item = models.ForeignKey(LearningItem, models.CASCADE, related_name="files", db_index=False)
    path = models.CharField(max_length=300)
    content = models.BinaryField()
    size = models.PositiveIntegerField()
    digest = models.CharField(max_length=64)
    executable = models.BooleanField(default=False)

    class Meta:
        ordering = ["path"]
        constraints = [models.UniqueConstraint(fields=["item", "path"], name="item_file_once")]

    def __str__(self):
        return self.path
