from django.db import models


class SkillStatus(models.TextChoices):
    """Only an active skill is ever given to an agent."""

    ACTIVE = "active", "Active"
    PAUSED = "paused", "Paused"
    ARCHIVED = "archived", "Archived"
