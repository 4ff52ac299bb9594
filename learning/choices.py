from django.db import models

LOCAL_DETECTOR = "local extractor"  # what is kept as the detector of what no model heard


class MemoryScope(models.TextChoices):
    """Whose a memory is. Channel-local and user-preference scopes are deferred; nothing stands in for them."""

    ORGANIZATION = "organization", "Whole organisation"
    ROLE_AGENT = "role_agent", "This role-agent"
    PERSON = "person", "One person"


class MemoryKind(models.TextChoices):
    PROFILE = "profile", "Profile attribute"
    FACT = "fact", "Fact"
    RULE = "rule", "Rule"
    EPISODE = "episode", "Episode"


class MemoryStatus(models.TextChoices):
    ACTIVE = "active", "Active"
    SUPERSEDED = "superseded", "Replaced"
    DELETED = "deleted", "Deleted"


class Risk(models.TextChoices):
    LOW = "low", "Low risk"
    MEDIUM = "medium", "Medium risk"
    HIGH = "high", "High risk"


class Source(models.TextChoices):
    MANUAL = "manual", "Written by hand"
    DETECTED = "detected", "Heard in a conversation"
    TOOL = "tool", "Asked for by the agent"
    API = "api", "Sent over the API"
    IMPORT = "import", "Imported"


class ItemKind(models.TextChoices):
    MEMORY = "memory_proposal", "Memory"
    SKILL = "skill_proposal", "New skill"
    SKILL_UPDATE = "skill_update", "Skill update"
    SOUL_UPDATE = "soul_update", "Soul update"


SKILLS = frozenset({ItemKind.SKILL, ItemKind.SKILL_UPDATE})


class ItemStatus(models.TextChoices):
    PENDING = "pending", "Pending"
    APPROVED = "approved", "Approved"
    REJECTED = "rejected", "Rejected"
    SUPERSEDED = "superseded", "Replaced"


class DetectionState(models.TextChoices):
    PENDING = "pending", "Waiting"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"


class Outcome(models.TextChoices):
    """How detection ended for one event."""

    NOT_LEARNING = "not_learning", "Learning is off for it"
    TRIAGED = "triaged", "Set aside at first sight"
    SKIPPED = "skipped", "Nothing worth learning"
    SAVED = "saved", "Saved, as policy allows"
    PROPOSED = "proposed", "Proposed"
    SENSITIVE = "sensitive", "Proposed as sensitive"
    SKILL = "skill", "Noted for a skill"
    KNOWN = "known", "Already known or proposed"
    REFUSED = "refused", "Refused by screening"


class Setback(models.TextChoices):
    """What kept the usual way of looking at an event from being gone: why it waits, or why it was looked at otherwise."""

    OVER_BUDGET = "over_budget", "Today’s budget for it is used up"
    MODEL_DOWN = "model_down", "The model does not answer"
    FEATURE_OFF = "feature_off", "AI access for it is switched off"
    MALFORMED = "malformed", "The model’s answer could not be used"
    DECLINED = "declined", "The model declined to answer"
    ERROR = "error", "It failed, and is tried again"


class Why(models.TextChoices):
    """Why a proposal was rejected, in one click. Words of the reviewer's own may come on top."""

    WRONG = "wrong", "Wrong"
    NOT_WORTH_KEEPING = "not_worth_keeping", "Not worth keeping"
    TOO_PERSONAL = "too_personal", "Too personal"
    DUPLICATE = "duplicate", "Duplicate"
    STEERING = "steering", "Tries to steer the agent"
