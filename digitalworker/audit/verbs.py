"""Everything that can be said to have happened. The label is the sentence the explorer shows.

`{actor}` and `{object}` are the labels copied onto the row; a sentence never holds the text of a memory.
"""

from django.db import models


class Verb(models.TextChoices):
    MEMORY_AUTO_SAVED = "memory_auto_saved", "{actor} saved {object} without asking, as policy allows"
    MEMORY_SAVED = "memory_saved", "{actor} saved {object}"
    MEMORY_EDITED = "memory_edited", "{actor} edited {object}"
    MEMORY_SUPERSEDED = "memory_superseded", "{actor} replaced {object}"
    MEMORY_DELETED = "memory_deleted", "{actor} deleted {object}"
    MEMORY_RESTORED = "memory_restored", "{actor} restored {object}"
    LEARNING_PROPOSED = "learning_proposed", "{actor} proposed {object}"
    LEARNING_REFUSED = "learning_refused", "{actor} was refused {object}"
    APPROVED = "approved", "{actor} approved {object}"
    REJECTED = "rejected", "{actor} rejected {object}"
    REOPENED = "reopened", "{actor} reopened {object}"
    ITEM_EDITED = "item_edited", "{actor} edited {object}"
    ITEM_REASSIGNED = "item_reassigned", "{actor} reassigned {object}"
    ITEM_MARKED_SENSITIVE = "item_marked_sensitive", "{actor} marked {object} as sensitive"
    ITEM_CONVERTED = "item_converted", "{actor} converted {object}"
    SKILL_ACTIVATED = "skill_activated", "{actor} activated {object}"
    SKILL_REVERTED = "skill_reverted", "{actor} reverted {object}"
    SKILL_PAUSED = "skill_paused", "{actor} paused {object}"
    SKILL_ARCHIVED = "skill_archived", "{actor} archived {object}"
    SOUL_ASSIGNED = "soul_assigned", "{actor} assigned {object}"
    SOUL_PAUSED = "soul_paused", "{actor} paused {object}"
    SOUL_ACTIVATED = "soul_activated", "{actor} activated {object}"
    LEARNING_PAUSED = "learning_paused", "{actor} paused learning for {object}"
    LEARNING_RESUMED = "learning_resumed", "{actor} resumed learning for {object}"
    SETTINGS_CHANGED = "settings_changed", "{actor} changed the settings of {object}"
    PROMPT_CHANGED = "prompt_changed", "{actor} changed {object}"
    AGENT_CREATED = "agent_created", "{actor} created {object}"
    AGENT_DISABLED = "agent_disabled", "{actor} disabled {object}"
    AGENT_ENABLED = "agent_enabled", "{actor} enabled {object}"
    MANAGER_ADDED = "manager_added", "{actor} made {object} a manager"
    MANAGER_REMOVED = "manager_removed", "{actor} removed {object} as a manager"
    MEMBER_ADDED = "member_added", "{actor} added {object}"
    MEMBER_CHANGED = "member_changed", "{actor} changed the role of {object}"
    MEMBER_LINKED = "member_linked", "{actor} made a set-password link for {object}"
    MEMBER_REMOVED = "member_removed", "{actor} removed {object}"
    CHANNEL_ASSIGNED = "channel_assigned", "{actor} assigned {object}"
    CHANNEL_CHANGED = "channel_changed", "{actor} changed {object}"
    CHANNEL_REMOVED = "channel_removed", "{actor} removed {object}"
    KEY_CREATED = "key_created", "{actor} created {object}"
    KEY_REVOKED = "key_revoked", "{actor} revoked {object}"
    HISTORY_IMPORTED = "history_imported", "{actor} imported conversations into {object}"
    AUDIT_EXPORTED = "audit_exported", "{actor} exported {object}"
    PERSON_FORGOTTEN = "person_forgotten", "{actor} erased everything about {object}"
    PERSON_EXPORTED = "person_exported", "{actor} exported what is held about {object}"
    RETENTION_PURGED = "retention_purged", "{actor} purged what was past its time for {object}"
    SAFETY_LOG_PURGED = "safety_log_purged", "{actor} purged {object}"

    def sentence(self, actor: str, obj: str) -> str:
        return str(self.label).format(actor=actor, object=obj)
