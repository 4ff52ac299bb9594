from django.db import models


class Role(models.TextChoices):
    OWNER = "owner", "Owner"
    ADMIN = "admin", "Admin"
    MEMBER = "member", "Member"
    AUDITOR = "auditor", "Auditor"


class StorageMode(models.TextChoices):
    FULL = "full", "Keep conversations"
    METADATA_ONLY = "metadata_only", "Keep metadata only: no text is stored and nothing is learned"


class AgentStatus(models.TextChoices):
    ACTIVE = "active", "Active"
    DISABLED = "disabled", "Disabled"


class PeopleLearning(models.TextChoices):
    OFF = "off", "Off"
    REVIEW = "review", "On, everything is reviewed first"
    DIRECT = "direct", "On, members may teach it about themselves directly"


# What may be chosen today; `direct` needs a member who can see what is held about them.
OFFERED_PEOPLE_LEARNING = [(each.value, each.label) for each in (PeopleLearning.OFF, PeopleLearning.REVIEW)]


class Provider(models.TextChoices):
    WEB = "web", "Web chat"
    SLACK = "slack", "Slack"
    TEAMS = "teams", "Microsoft Teams"
    EMAIL = "email", "E-mail"
    API = "api", "API"
    IMPORT = "import", "Import"
    PLAYGROUND = "playground", "Playground"


class EventKind(models.TextChoices):
    MESSAGE = "message", "Message"
    REPLY = "reply", "Reply"
    TOOL_RUN = "tool_run", "Tool run"
    CORRECTION = "correction", "Correction"
    DRAFT_EDIT = "draft_edit", "Draft edit"


class AuthorKind(models.TextChoices):
    PERSON = "person", "The person"
    AGENT = "agent", "The role-agent"
    STAFF = "staff", "A colleague"
    SYSTEM = "system", "System"


class Scope(models.TextChoices):
    RUNTIME = "runtime", "Ask, send events, read context, history and runs"
    REVIEW = "review", "Read and decide what is learned"
    ADMIN = "admin", "Set up role-agents"
    AUDIT = "audit", "Read the audit, what is learned, history and runs"


class Feature(models.TextChoices):
    """What a model may be called for. Each is switched, budgeted and counted by itself."""

    ASK = "digital_worker:ask", "Answering"
    LEARNING_DETECT = "digital_worker:learning_detect", "Detecting what could be learned"
    SKILL_DRAFT = "digital_worker:skill_draft", "Drafting skills"
